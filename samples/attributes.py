# agx trace samples/attributes.py --inspect y
# python samples/attributes.py
# shows: before backward
# shows: MulBackward0
# What a tensor says about itself, before and after a backward.
import torch

image = torch.randn(3, 224, 224)
print(image.shape, image.dtype, image.device)
print(image.numel())
assert image.numel() == 150528 and image.ndim == 3
assert image.dtype == torch.float32 and not image.requires_grad

# How it lies in memory: from one row to the next are 224 numbers.
assert image.stride() == (50176, 224, 1) and image.is_contiguous()
assert not image.transpose(0, 2).is_contiguous()

# What autograd knows of it: a leaf was made by hand, anything else has the node that made it.
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
print(x.is_leaf, y.is_leaf)
print(type(y.grad_fn).__name__)
assert x.is_leaf and x.grad_fn is None
assert y.requires_grad and not y.is_leaf and y.grad_fn is not None

# A leaf's .grad is None until a backward reaches it.
assert x.grad is None
y.sum().backward()
print(x.grad)
assert x.grad.tolist() == [3.0, 3.0]
