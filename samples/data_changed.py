# agx trace samples/data_changed.py
# python samples/data_changed.py
# shows: data-attribute-edit
# shows: should be [2, 4]
# torch does not count what is written through .data: no error, and a wrong gradient.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
x.data.fill_(10.0)
y.backward()
print(x.grad)
