import torch
x = torch.randn(2, 2)
print(x)  # tensor([[0.1, 0.2], [0.3, 0.4]])
print(x.shape)  # torch.Size([2, 2])
print(torch.cuda.is_available())  # True
