import torch

torch.manual_seed(0)
backbone = torch.randn(4, 8, requires_grad=True)
head = torch.randn(8, 1, requires_grad=True)

# freeze!
backbone.requires_grad = False

x = torch.randn(16, 4)
out = torch.relu(x @ backbone) @ head
loss = out.pow(2).mean()
loss.backward()

print("backbone grad:", backbone.grad)
print("head grad shape:", head.grad.shape)
trainable = [head]
optimizer = torch.optim.Adam(trainable, lr=1e-3)
optimizer.step()
