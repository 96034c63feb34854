# expect: AGX442 error 9
# fix: line 9:  torch.sum(torch.stack(parts)), for a value with its gradient
import numpy as np
import torch
w = torch.tensor([0.5, 2.0], requires_grad=True)
parts = []
for power in (1, 2, 3):
    parts.append((w ** power).mean())
loss = np.sum(parts)
loss.backward()
