# expect: AGX442 error 6
# fix: line 6:  torch.mean(error * 0.5), for a value with its gradient
import numpy as np
import torch
error = torch.tensor([1.0, -2.0, 4.0], requires_grad=True).square()
loss = np.mean(error * 0.5)
loss.backward()
