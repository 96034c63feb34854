# agx trace samples/backward_under_no_grad.py
# python samples/backward_under_no_grad.py
# shows: no-grad-around-trainable
# shows: torch.no_grad()
# status: 1
# raises: RuntimeError
# The forward stands where nothing is recorded.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    loss = (w**2).sum()
loss.backward()
