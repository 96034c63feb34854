# agx trace samples/products.py
# python samples/products.py
# shows: torch.Size([16, 32, 10])
# Products of matrices, of batches of them, and a layer with its bias.
import torch
import torch.nn.functional as F

rows = torch.randn(32, 128)
weight = torch.randn(128, 10)
print((rows @ weight).shape)  # the inner 128 is summed over
assert (rows @ weight).shape == (32, 10)
assert torch.equal(torch.mm(rows, weight), torch.matmul(rows, weight))

# matmul, which is @, takes a batch of matrices; mm takes two matrices and no more.
left = torch.randn(16, 32, 128)
right = torch.randn(16, 128, 10)
print((left @ right).shape)
assert torch.allclose((left @ right)[3], left[3] @ right[3], atol=1e-4)
try:
    torch.mm(left, right)
except RuntimeError as err:
    print("mm:", err)

# A linear layer keeps its weight as (out, in), so the product is with its transpose.
x = torch.tensor([[1.0, 2.0]])
w = torch.tensor([[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], requires_grad=True)
b = torch.tensor([0.5, 0.0, -0.5], requires_grad=True)
out = F.linear(x, w, b)
print(out)
assert torch.equal(out, x @ w.T + b)
out.sum().backward()
assert w.grad.tolist() == [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]] and b.grad.tolist() == [1.0, 1.0, 1.0]
