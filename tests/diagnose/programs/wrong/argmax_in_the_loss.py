# expect: AGX403 error 4
import torch
w = torch.tensor([1.0, 3.0], requires_grad=True)
pick = torch.argmax(w * 2)
loss = pick.float() * 2
loss.backward()
