import torch

print("=" * 30)
print("torch major:", torch.__version__[0])
print("-" * 30)
x = torch.tensor(3.14159)
n = 7
ok = True
print(f"{x.item():.2f} | {n:04d} | {n:>6} | {n:<6}| {x.item():10.3e} | {ok}")
print(f"{'name':<10}{'value':>10}")
print(f"{[1, 2, n]} {(1.5, 'a')} {{braces}} {n!r}")
print("a", "b", 3, sep=" - ", end="!\n")
values = [1, 2.5, True, None, "text"]
for i, v in enumerate(values):
    print(i, v, type(v).__name__)
print(list(range(3)), tuple([1, 2]), str(n) + "!", len(values), max(3, 9), min([4, 2]), sum([1, 2, 3]))
