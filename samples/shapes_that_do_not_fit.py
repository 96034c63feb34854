# agx trace samples/shapes_that_do_not_fit.py --a "randn(3,5,4)" --b "randn(3,5)"
# shows: broadcast-shape-mismatch
# status: 1
# Where two shapes do not broadcast, the failing dimension is drawn.
a + b
