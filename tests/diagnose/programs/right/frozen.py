import torch
torch.manual_seed(0)
body = torch.randn(4, 4)
body.requires_grad = False
head = torch.randn(4, 1, requires_grad=True)
out = (torch.randn(2, 4) @ body).tanh() @ head
out.sum().backward()
print(body.grad, head.grad.shape)  # None torch.Size([4, 1])
