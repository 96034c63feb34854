import numpy as np
import torch
a = np.array([1.0, 2.0, 3.0])
t = torch.from_numpy(a).float()
w = torch.ones(3, requires_grad=True)
loss = (w * t).sum()
loss.backward()
print(w.grad.numpy())
print(w.detach().numpy())
