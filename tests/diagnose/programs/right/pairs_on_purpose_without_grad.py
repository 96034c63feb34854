import torch
column = torch.tensor([[1.0], [2.0], [3.0]])
row = torch.tensor([10.0, 20.0, 30.0])
print((column + row).sum())
print((column * row).mean())
print((column - row).shape)
points = torch.rand(4)
other = points[:, None]
print((other - points).abs().mean())
print(((points.unsqueeze(1) - points) ** 2).mean().item())
