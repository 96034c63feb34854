# agx trace samples/grad_modes.py
# python samples/grad_modes.py
# shows: Inference tensors
# Where operations are recorded, and where they are not.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)

assert (x * 2).requires_grad

with torch.no_grad():
    y = x * 2
    assert not y.requires_grad and y.grad_fn is None
    with torch.enable_grad():  # the innermost one counts
        assert (x * 2).requires_grad

training = False
with torch.set_grad_enabled(training):
    assert not (x * 2).requires_grad

# What is made under no_grad can be used in training later on; it is a constant there.
loss = (x * y).sum()
loss.backward()
print(x.grad)
assert torch.equal(x.grad, y)

# inference_mode keeps even less, so what is made under it cannot be kept for a backward.
with torch.inference_mode():
    z = x * 2
try:
    (x * z).sum()
except RuntimeError as err:
    print(err)
