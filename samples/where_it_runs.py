# agx trace samples/where_it_runs.py
# python samples/where_it_runs.py
# shows: tensor(14.)
# Take an accelerator if there is one: the same lines run with and without.
import torch

if torch.cuda.is_available():
    device = torch.device("cuda")
    assert torch.cuda.device_count() > 0
elif torch.backends.mps.is_available():
    device = torch.device("mps")
else:
    device = torch.device("cpu")

x = torch.tensor([1.0, 2.0, 3.0], device=device)
total = (x * x).sum()
print(total.cpu())  # back on the CPU, whatever it was computed on
assert x.device.type == device.type and total.item() == 14
