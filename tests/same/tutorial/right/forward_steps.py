import torch

# e = (a*b + 1)^2
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
c = a * b
d = c + 1
e = d ** 2
for name, t in zip(["a", "b", "c", "d", "e"], [a, b, c, d, e]):
    print(f"{name}: value={t.item():<5} leaf={t.is_leaf!s:<6} grad_fn={type(t.grad_fn).__name__}")
e.backward()
print("de/da =", a.grad.item(), " de/db =", b.grad.item())
