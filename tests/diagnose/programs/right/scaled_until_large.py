import torch
x = torch.randn(3, requires_grad=True)
y = x * 2
while_count = 0
for _ in range(5):
    if y.data.norm() < 1000:
        y = y * 2
        while_count += 1
v = torch.tensor([0.1, 1.0, 0.0001])
y.backward(v)
print(while_count >= 0)
