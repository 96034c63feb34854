# agx trace samples/accumulation.py
# python samples/accumulation.py
# shows: zero-grad-missing
# shows: tensor(16.)
# backward adds to .grad, it does not replace it; so .grad is cleared between two of them.
import torch

x = torch.tensor(2.0, requires_grad=True)

a = x**2
a.backward()
print(x.grad)  # 4, the slope of x**2

b = x**3
b.backward()
print(x.grad)  # 16: the slope of x**3 is 12, and the 4 was still there

x.grad.zero_()
c = x**4
c.backward()
print(x.grad)  # 32, of x**4 alone
assert x.grad == 32
