# expect: AGX410 warning 8
# fix: opt.zero_grad()
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    loss = (w ** 2).sum()
    loss.backward()
    opt.step()
print(w)
