# agx trace samples/shared_leaf.py --x 2 --y 3
# shows: the 2 ways to x add up
# shows: autograd 2.5838532
# A leaf that is reached twice stands once; its gradient is the sum over both ways.
x*y + sin(x)
