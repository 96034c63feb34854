import torch

x = torch.arange(12).reshape(3, 4)
print("First row:", x[0])
print("First column:", x[:, 0])
print("Last column:", x[..., -1])
print("Every other:", x[::2, 1::2])

mask = x > 5
print(mask)
print(x[mask])

rows = torch.tensor([0, 1])
cols = torch.tensor([1, 3])
print(x[rows, cols])
print(torch.where(x % 2 == 0, x, -1))
print(x[[2, 0]])
x[x < 3] = 0
print(x.tolist())
