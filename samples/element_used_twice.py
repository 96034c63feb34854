# agx trace samples/element_used_twice.py --x "[1.,2.,3.]"
# shows: autograd  2  0  1
# An element that is picked twice gets both gradients, added.
x[tensor([0, 0, 2])].sum()
