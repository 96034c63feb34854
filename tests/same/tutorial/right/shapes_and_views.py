import torch

x = torch.arange(12)
m = x.view(3, 4)
m[0, 0] = 99
print(x)                      # the view wrote through
print(m.shape, m.reshape(2, -1).shape, m.flatten().shape)

p = torch.randn(2, 3, 5).permute(2, 0, 1)
print(p.size(), p.is_contiguous(), p.contiguous().is_contiguous())

s = torch.zeros(1, 3, 1, 4)
print(s.squeeze().shape)
print(s.squeeze(dim=2).shape)
print(s.squeeze().unsqueeze(0).unsqueeze(-1).shape)

c = torch.cat([m, m], dim=0)
st = torch.stack([m, m], dim=0)
print(c.shape, st.shape)
