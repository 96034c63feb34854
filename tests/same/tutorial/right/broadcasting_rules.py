import torch

a = torch.ones(3, 1, 5)
b = torch.ones(4, 5)
print((a + b).shape)  # torch.Size([3, 4, 5])

col = torch.arange(3).unsqueeze(1)   # (3, 1)
row = torch.arange(4).unsqueeze(0)   # (1, 4)
table = col * 10 + row
print(table)

# does it broadcast?
def can_add(u, v):
    try:
        u + v
        return True
    except RuntimeError as err:
        print("no:", err)
        return False

print(can_add(torch.empty(5, 3), torch.empty(3)))
print(can_add(torch.empty(3, 5, 4), torch.empty(3, 5)))
