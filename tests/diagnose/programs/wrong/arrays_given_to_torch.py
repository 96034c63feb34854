# expect: AGX318 error 7
# fix: torch.dot(torch.from_numpy(n), torch.from_numpy(m))
import torch
import numpy as np
n = np.ones(3)
m = np.full(3, 2.0)
total = torch.dot(n, m)
