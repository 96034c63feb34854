# expect: AGX303 error 4
import torch
a, b = torch.ones(2, 3), torch.ones(3, 2, device="meta")
c = a @ b
