# agx trace samples/losses_kept.py
# python samples/losses_kept.py
# shows: loss-accumulated-with-graph
# shows: loss.item()
# A list of losses keeps each of them with the graph that it was computed by.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
losses = []
for _ in range(5):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
    losses.append(loss)
print(len(losses))
