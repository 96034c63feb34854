# agx trace samples/promotion.py --a "tensor([1.,2.])" --b "tensor([1.,2.],dtype=float64)"
# shows: dtype-promoted
# shows: `a` is float32 and is promoted: `a + b` is float64
# Element by element, two dtypes are no error: the result takes the larger one.
a + b
