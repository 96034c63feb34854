import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (x ** 2).sum()
loss.backward()
print("loss:", loss.item())
grads = x.grad.clone()
numeric = torch.zeros(3)
eps = 1e-3
with torch.no_grad():
    for i in range(3):
        xp = x.clone(); xp[i] += eps
        xm = x.clone(); xm[i] -= eps
        numeric[i] = ((xp ** 2).sum() - (xm ** 2).sum()) / (2 * eps)
print(torch.allclose(grads, numeric, atol=1e-2))
