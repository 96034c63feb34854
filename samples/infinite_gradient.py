# agx trace samples/infinite_gradient.py --x 0.
# shows: inf
# shows: nan-grad-sqrt-at-zero
# The square root has no slope at 0.
sqrt(x)
