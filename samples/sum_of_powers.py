# agx trace samples/sum_of_powers.py --x 2 --y 3
# shows: x**2 + y**3 = 31
# shows: d/dx = 2*x
# shows: autograd 27
# Two leaves under one sum, each with its own gradient.
x**2 + y**3
