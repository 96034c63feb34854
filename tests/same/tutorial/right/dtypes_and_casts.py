import torch

i = torch.tensor([1, 2, 3])
f = torch.tensor([1., 2., 3.])
print(i.dtype, f.dtype)

print("half  :", f.half().dtype)
print("double:", f.double().dtype)
print("bf16  :", f.to(torch.bfloat16).dtype)
print("int   :", torch.tensor([1.9, -1.9]).int())
print("bool  :", torch.tensor([0, 1, 2]).bool())

mixed = i + f
print("int64 + float32 ->", mixed.dtype)

# memory per element
for t in [f.half(), f, f.double()]:
    print(t.dtype, t.element_size())
