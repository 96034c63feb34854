# Tensors 101: every way to get one
import torch
import numpy as np

# 1) from Python lists
data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
print("x_data:\n", x_data)
print("dtype:", x_data.dtype)

# 2) from NumPy
np_array = np.array(data)
x_np = torch.from_numpy(np_array)
print(f"from numpy: {x_np}, dtype={x_np.dtype}")

# 3) from another tensor
x_ones = torch.ones_like(x_data)
x_rand = torch.rand_like(x_data, dtype=torch.float)
print(f"Ones Tensor: \n {x_ones} \n")
print(f"Random Tensor: \n {x_rand} \n")

# 4) from a shape
shape = (2, 3,)
rand_tensor = torch.rand(shape)
ones_tensor = torch.ones(shape)
zeros_tensor = torch.zeros(shape)
print(rand_tensor, ones_tensor, zeros_tensor, sep="\n")
