# expects: AGX410
import torch
x = torch.tensor(2.0, requires_grad=True)

# First computation
y1 = x ** 2
y1.backward()
print(x.grad)  # tensor(4.)

# Second computation without clearing
y2 = x ** 3
y2.backward()
print(x.grad)  # tensor(16.)

# Clear, then once more
x.grad.zero_()
y3 = x ** 4
y3.backward()
print(x.grad)  # tensor(32.)
