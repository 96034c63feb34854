# expect: AGX322 note 4
import torch
x = torch.tensor([1.0, 2.0])
y = torch.tensor(x)
