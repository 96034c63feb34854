import torch
w = torch.tensor(1.0, requires_grad=True)
losses = []
for i in range(3):
    loss = (w - i) ** 2
    loss.backward(retain_graph=True)
    losses.append(loss)
    w.grad = None
total = sum(losses) / len(losses)
total.backward()
print(w.grad)  # tensor(0.)
