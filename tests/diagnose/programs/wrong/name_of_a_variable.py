# expect: AGX201 error 5
import torch
x = torch.ones(2)
def shifted():
    y = x + 1
    x = y
    return x
shifted()
