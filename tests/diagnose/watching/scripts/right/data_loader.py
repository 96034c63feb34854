import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split


class Squares(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        return torch.from_numpy(np.full(3, i, dtype=np.float32)), float(i % 2)


net = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters())
train, val = random_split(Squares(), [12, 4])
for epoch in range(2):
    total = 0.0
    for x, y in DataLoader(train, batch_size=4, shuffle=True):
        out = net(x).squeeze(1)
        loss = nn.functional.binary_cross_entropy(out, y.float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(x)
    with torch.inference_mode():
        print(total, sum(net(x).sum().item() for x, _ in DataLoader(val, batch_size=2)))
