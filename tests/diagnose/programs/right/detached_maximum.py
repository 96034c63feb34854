import torch
q = torch.tensor([1.0, 2.0])
target_q = torch.tensor([1.5, 2.5])
theta = torch.tensor([0.1, 0.2], requires_grad=True)
pred = q * theta
target = (0.99 * pred.max()).detach() + 1.0
loss = (pred[0] - target).pow(2)
loss.backward()
print(theta.grad)
