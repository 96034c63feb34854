# agx trace samples/nan_gradient.py
# python samples/nan_gradient.py
# shows: AGX502
# shows: 0 × inf
# where leaves the branch out, and the gradient of the branch is infinite: 0 times that is NaN.
import torch

x = torch.tensor([4.0, 0.0], requires_grad=True)
loss = torch.where(x > 0, torch.sqrt(x), 0.0).sum()
loss.backward()
print(x.grad)
