# expect: AGX420 warning 9
# fix: loss.item(); prints 0.666
import torch
w = torch.tensor(1.0, requires_grad=True)
losses = []
for i in range(3):
    loss = (w - i) ** 2
    loss.backward()
    losses.append(loss)
    w.grad = None
print(sum(losses) / len(losses))
