import torch

with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    a = torch.ones(2, 2)
    b = a @ a
    print(b.dtype)

# why GradScaler exists: small gradients vanish in float16
scale = 2.0 ** 12
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * 1e-3).sum()
(loss * scale).backward()
print(w.grad / scale)
