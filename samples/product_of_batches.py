# agx trace samples/product_of_batches.py --a "randn(16,2,3)" --b "randn(16,3,4)"
# shows: (16,2,4)
# shows: d/da = ones(16, 2, 4) @ b.mT
# One product of matrices for each of the 16; the first dimension is kept as it is.
a@b
