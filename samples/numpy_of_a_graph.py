# agx trace samples/numpy_of_a_graph.py
# python samples/numpy_of_a_graph.py
# shows: numpy-on-requires-grad
# shows: .detach()
# status: 1
# raises: RuntimeError
# NumPy knows of no graph.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
array = (w * 2).numpy()
