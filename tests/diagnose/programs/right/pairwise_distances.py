import torch
a = torch.tensor([0.0, 1.0, 3.0], requires_grad=True)
b = torch.tensor([2.0, 5.0, 7.0])
d = (a[:, None] - b) ** 2
d.mean().backward()
print(d.shape)  # torch.Size([3, 3])
column = a.unsqueeze(1)
print((column - b).abs().sum().item())
