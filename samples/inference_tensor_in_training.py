# agx trace samples/inference_tensor_in_training.py
# python samples/inference_tensor_in_training.py
# shows: inference-tensor-in-autograd
# status: 1
# raises: RuntimeError
# What inference_mode made can never be kept for a backward.
import torch

with torch.inference_mode():
    features = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, 0.5], requires_grad=True)
loss = (features * w).sum()
