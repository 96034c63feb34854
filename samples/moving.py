# agx trace samples/moving.py
# python samples/moving.py
# shows: meta torch.Size([2, 3])
# A tensor lives on one device, and what it meets must live there too; meta stands in for a second one.
import torch

x = torch.randn(2, 3)
assert x.device.type == "cpu"
assert x.to("cpu") is x  # to where it is already: nothing is copied

there = torch.ones(2, 3, device="meta")  # shape and dtype, no numbers
print(there.device.type, there.shape)

moved = x.to(there.device)
assert moved.device == there.device
both = moved + there
assert both.device.type == "meta" and both.shape == (2, 3)

# Two devices in one operation are an error. torch misses some, such as x @ there.T; agx does not.
try:
    x + there
except RuntimeError:
    print("x and there are on two devices")
