# expect: AGX318 error 6
# fix: torch.add(torch.from_numpy(n), 1)
import torch
import numpy as np
n = np.ones(3)
print(torch.add(n, 1))
