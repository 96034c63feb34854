import torch
import numpy as np

a = torch.ones(3, 5, 4)
b = torch.ones(3, 5)
c = a + b
print(c)
