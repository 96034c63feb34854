# agx trace samples/added_three_times.py
# python samples/added_three_times.py
# shows: zero-grad-missing
# shows: tensor(6.)
# The slope of w*2 is 2 in each round; w.grad grows, since nothing clears it.
import torch

w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    y = w * 2
    y.backward()
    print(w.grad)
