# expect: AGX318 error 6
# fix: torch.cat([x, torch.from_numpy(n)])
import numpy as np
import torch
n, x = np.ones(3), torch.zeros(2)
print(torch.cat([x, n]))
