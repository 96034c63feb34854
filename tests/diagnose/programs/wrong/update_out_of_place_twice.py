# expect: AGX417 error 11
# fix: w -= lr * w.grad; w.grad = None
import torch
lr = 0.1
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w ** 2).sum()
loss.backward()
w = w - lr * w.grad
loss = (w ** 2).sum()
loss.backward()
w = w - lr * w.grad
