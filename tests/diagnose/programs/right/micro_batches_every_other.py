import torch
w = torch.tensor([0.5], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
data = [1.0, 2.0, 3.0, 4.0]
opt.zero_grad()
for i, value in enumerate(data):
    loss = ((w * value - 2 * value) ** 2).sum() / 2
    loss.backward()
    if (i + 1) % 2 == 0:
        opt.step()
        opt.zero_grad()
print(w.item())
