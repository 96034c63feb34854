import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(7)
logits = torch.randn(4, 3, requires_grad=True)
labels = torch.tensor([0, 2, 1, 1])

probs = F.softmax(logits, dim=1)
print("rows sum to", probs.sum(dim=1))

loss = F.cross_entropy(logits, labels)
by_hand = -torch.log(probs[range(4), labels]).mean()
print(torch.allclose(loss, by_hand))
loss.backward()

one_hot = F.one_hot(labels, num_classes=3).float()
print(torch.allclose(logits.grad, (probs - one_hot).detach() / 4))
predictions = logits.argmax(dim=1)
accuracy = (predictions == labels).float().mean().item()
print(f"accuracy: {accuracy * 100:.1f}%")
