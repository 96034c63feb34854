import torch

x = torch.ones(3, requires_grad=True)
print((x * 2).requires_grad)          # True

with torch.no_grad():
    print((x * 2).requires_grad)      # False
    with torch.enable_grad():
        print((x * 2).requires_grad)  # True

torch.set_grad_enabled(False)
print((x * 2).requires_grad)          # False
torch.set_grad_enabled(True)

is_train = False
with torch.set_grad_enabled(is_train):
    y = x * 2
print(y.requires_grad)

with torch.inference_mode():
    z = x * 2
print(z.requires_grad, z.is_inference())
