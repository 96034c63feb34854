import torch

a = torch.tensor([1, 2, 3])
b = torch.tensor([4, 5, 6])

# element-wise
print("a + b =", a + b)
print("a - b =", a - b)
print("a * b =", a * b)
print("a / b =", a / b)
print("a ** 2 =", a ** 2)
print("a @ b =", a @ b)

# three ways to write a matrix product
t = torch.arange(6.).reshape(2, 3)
y1 = t @ t.T
y2 = t.matmul(t.T)
y3 = torch.rand_like(y1)
y3 = torch.matmul(t, t.T)
print(y1)
print((y1 == y2).all(), torch.equal(y2, y3))

# and three of an element-wise one
z1 = t * t
z2 = t.mul(t)
print(z1.eq(z2).all().item())
