# agx trace samples/arithmetic.py
# python samples/arithmetic.py
# shows: tensor([0.2500, 0.4000, 0.5000])
# Operators work element by element; each has a function of the same meaning.
import torch

a = torch.tensor([1, 2, 3])
b = torch.tensor([4, 5, 6])

print(a + b, a * b)
print(a / b)  # of whole numbers too, division gives floating ones
print(a**2)

assert torch.equal(a + b, torch.add(a, b)) and (a + b).tolist() == [5, 7, 9]
assert torch.equal(a * b, torch.mul(a, b)) and (a * b).tolist() == [4, 10, 18]
assert torch.equal(a / b, torch.div(a, b)) and (a / b).dtype == torch.float32
assert torch.equal(a**2, torch.pow(a, 2)) and (a**2).tolist() == [1, 4, 9]
assert (b // a).tolist() == [4, 2, 2] and (b % a).tolist() == [0, 1, 0]

# A plain method makes a new tensor; one that ends in _ changes the one it is called on.
same = a
c = a.add(10)
assert a.tolist() == [1, 2, 3] and c.tolist() == [11, 12, 13]
a.add_(10)
print(same)  # the other name of that tensor sees it
assert same is a and same.tolist() == [11, 12, 13]
