# expect: AGX403 error 6
# fix: loss
import torch
w = torch.tensor([1.,2.], requires_grad=True)
loss=(w**2).sum()
loss = float(loss)
loss.backward()
