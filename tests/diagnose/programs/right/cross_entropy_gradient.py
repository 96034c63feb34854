import torch
import torch.nn.functional as F
torch.manual_seed(0)
logits = torch.randn(3, 5, requires_grad=True)
target = torch.tensor([1, 0, 4])
loss = F.cross_entropy(logits, target)
loss.backward()
p = F.softmax(logits, dim=1)
onehot = F.one_hot(target, 5).float()
print(torch.allclose(logits.grad, (p - onehot) / 3))
