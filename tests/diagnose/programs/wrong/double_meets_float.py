# expect: AGX304 error 7
# fix: float32
import numpy as np
import torch
X = torch.from_numpy(np.ones((4, 3)))
w = torch.randn(3, 1, requires_grad=True)
pred = X @ w
