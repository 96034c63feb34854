# agx trace samples/chain_rule.py --x 2
# shows: -2.6145744
# shows: chain, from row 0 down to x:   1 × -0.6536436 × 4 = -2.6145744
# The chain rule: the factor of each node, multiplied from the output down to x.
sin(x**2)
