import torch
w = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    out = w * 2
print(out.requires_grad, out.is_inference())
with torch.set_grad_enabled(False):
    a = w * 2
with torch.enable_grad():
    b = w * 2
print(a.requires_grad, b.requires_grad)
