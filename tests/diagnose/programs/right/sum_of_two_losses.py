import torch
x = torch.tensor(3.0, requires_grad=True)
shared = x ** 2
loss1 = shared * 2
loss2 = shared + 1
(loss1 + loss2).backward()
print(x.grad)  # tensor(18.)
