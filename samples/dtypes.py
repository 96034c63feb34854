# agx trace samples/dtypes.py
# python samples/dtypes.py
# shows: torch.float16
# shows: tensor(0., dtype=torch.float16)
# What kind of number a tensor holds, what casts do, and what a narrow one loses.
import torch

assert torch.tensor([1, 2, 3]).dtype == torch.int64
assert torch.tensor([1.0, 2.0, 3.0]).dtype == torch.float32
assert torch.tensor([True]).dtype == torch.bool

x = torch.tensor([1.5, -2.5], requires_grad=True)
print(x.half().dtype, x.bfloat16().dtype, x.double().dtype)
assert x.to(torch.float16).itemsize == 2 and x.double().itemsize == 8

# Casts between floating dtypes let gradients through, casts to whole numbers end them.
assert x.half().requires_grad and not x.int().requires_grad
assert x.int().tolist() == [1, -2]

# Two dtypes side by side: the larger one wins.
assert (x + x.double()).dtype == torch.float64
assert (torch.tensor([1, 2]) + 0.5).dtype == torch.float32

# Under autocast a product is computed in half of the bits.
with torch.autocast("cpu", dtype=torch.bfloat16):
    product = torch.ones(2, 2) @ torch.ones(2, 2)
assert product.dtype == torch.bfloat16

# The smallest float16 above 0 is 6e-8: a smaller gradient is gone.
w = torch.tensor(1.0, dtype=torch.float16, requires_grad=True)
loss = w * 1e-4 * 1e-4
loss.backward()
print(w.grad)
assert w.grad == 0

# Scale the loss up before backward and the gradient down after it, and it is there.
v = torch.tensor(1.0, dtype=torch.float16, requires_grad=True)
scaled = v * 1e-4 * 2.0**14 * 1e-4
scaled.backward()
print(v.grad.float() / 2**14)
assert abs(v.grad.float() / 2**14 - 1e-8) < 1e-10
