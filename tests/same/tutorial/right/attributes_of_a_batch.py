import torch

batch = torch.randn(3, 224, 224)

print(f"Shape of tensor: {batch.shape}")
print(f"Datatype of tensor: {batch.dtype}")
print(f"Device tensor is stored on: {batch.device}")
print("Number of elements:", batch.numel())
print("Dimensions:", batch.ndim, "=", batch.dim(), "=", len(batch.shape))
print("First size:", batch.shape[0], batch.size(0), batch.size())
print("Requires grad?", batch.requires_grad)
print("Bytes:", batch.numel() * batch.element_size())
