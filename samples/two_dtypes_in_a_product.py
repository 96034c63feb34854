# agx trace samples/two_dtypes_in_a_product.py --a "randn(2,3)" --b "randn(3,2,dtype=float64)"
# shows: dtype-mismatch-double-float
# shows: a @ b.to(a.dtype)
# status: 1
# A product of matrices converts nothing; NumPy data is float64 and meets this often.
a @ b
