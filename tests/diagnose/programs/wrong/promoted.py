# expect: AGX305 note 5
import torch
a = torch.tensor([1.0, 2.0])
b = torch.tensor([1.0, 2.0], dtype=torch.float64)
c = a + b
print(c.dtype)
