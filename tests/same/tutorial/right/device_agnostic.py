import torch

# pick the best device that is available
device = (
    "cuda"
    if torch.cuda.is_available()
    else "mps"
    if torch.backends.mps.is_available()
    else "cpu"
)

tensor = torch.ones(4, 4)
if torch.cuda.is_available():
    tensor = tensor.to("cuda")
    print(torch.cuda.get_device_name(0))

tensor = tensor.to(device)
tensor[:, 1] = 0
print(tensor.cpu())
print("sum:", tensor.sum().item())
