import numpy as np
import torch

t = torch.ones(5)
n = t.numpy()
print(f"t: {t}")
print(f"n: {n}")
t.add_(1)
print(f"t: {t}")
print(f"n: {n}")

m = np.zeros(3)
s = torch.from_numpy(m)
print(s.dtype)
m[1] = 7
print(s)
print(torch.tensor(m, dtype=torch.float32))
