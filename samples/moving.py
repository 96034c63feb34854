# agx trace samples/moving.py
# python samples/moving.py
# shows: meta torch.Size([2, 3])
# A tensor lives on one device, and what it meets must live there too; meta stands in for a second one.
import torch

x = torch.randn(2, 3, requires_grad=True)
assert x.device.type == "cpu"
assert x.to("cpu") is x  # to where it is already: nothing is copied

there = torch.ones(2, 3, device="meta")  # shape and dtype, no numbers
print(there.device.type, there.shape)

moved = x.to(there.device)
assert moved.device == there.device and moved.requires_grad
both = moved + there
assert both.device.type == "meta" and both.shape == (2, 3)

# A move is an operation like any other: gradients go back through it.
assert type(moved.grad_fn).__name__ == "ToCopyBackward0"
