# agx trace samples/mm_takes_matrices.py --a "randn(2,3,4)" --b "randn(2,4,3)"
# shows: matmul-shape-mismatch
# shows: has 3 dimensions, not 2
# shows: matmul(a, b)
# status: 1
# mm is for two matrices only; matmul, which is @, takes batches of them.
mm(a, b)
