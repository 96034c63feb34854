# agx trace samples/claims.py
# python samples/claims.py
# shows: tensor(16.)
# Things that are often said and are not so, each beside what torch does.
import torch

x = torch.tensor(2.0, requires_grad=True)

# "The second backward gives 31": it gives 4 + 12.
y = x**2
y.backward()
print(x.grad)
y = x**3
y.backward()
print(x.grad)  # tensor(31.)

# "float32 and float64 cannot be added": they can, and the result is float64.
assert (torch.ones(2) + torch.ones(2, dtype=torch.float64)).dtype == torch.float64

# "Writing to .data spoils the gradient": only where the old value was kept for it, and x*2 keeps none.
v = torch.tensor([1.0, 2.0], requires_grad=True)
w = v * 2
v.data.fill_(7.0)
w.sum().backward()
print(v.grad)
assert v.grad.tolist() == [2.0, 2.0]

# "grad_fn.grad_fn leads on to the node before": a node has no grad_fn, the way on is next_functions.
assert type(y.grad_fn).__name__ == "PowBackward0"
