import torch
import torch.nn.functional as F
torch.manual_seed(0)
logits = torch.randn(6, 3, requires_grad=True)
labels = torch.tensor([0, 1, 2, 0, 1, 2])
loss = F.cross_entropy(logits, labels)
loss.backward()
predicted = logits.argmax(dim=1)
accuracy = (predicted == labels).float().mean()
print(accuracy.item() >= 0, logits.grad.shape)
