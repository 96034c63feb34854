# expect: AGX302 error 4
import torch
a, b = torch.ones(3, 5, 4), torch.ones(3, 5)
c = a + b
