import numpy as np
import torch

np.random.seed(0)
data = torch.from_numpy(np.random.randn(4, 3))   # float64!
weights = torch.randn(3, 2)
out = data @ weights
print(out)
