# expect: AGX201 error 5
# fix: weight
import torch
weight = torch.tensor(2.0, requires_grad=True)
loss = wieght ** 2
loss.backward()
