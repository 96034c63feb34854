# agx trace samples/infinite_gradient.py --x 0.
# shows: inf
# shows: nan-grad-sqrt-at-zero
# status: 1
# The square root has no slope at 0.
sqrt(x)
