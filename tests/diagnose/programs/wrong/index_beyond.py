# expect: AGX309 error 4
import torch
x = torch.tensor([1.0, -1.0])
print(x[2])
