# agx trace samples/detached_alias_changed.py
# python samples/detached_alias_changed.py
# shows: inplace-modified-saved-tensor
# shows: PowBackward0 kept its input
# status: 1
# raises: RuntimeError
# A detached alias shares the count of writes: where .data says nothing, this is an error.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
alias = x.detach()
alias.fill_(10.0)
y.backward()
