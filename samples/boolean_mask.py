# agx trace samples/boolean_mask.py --x "arange(12.).reshape(3,4)"
# shows: [6, 7, 8, 9, 10, 11]
# shows: 6 of 12 True
# Only the elements that a mask picks get a gradient; the others get 0.
x[x > 5]
