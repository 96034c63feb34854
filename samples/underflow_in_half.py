# agx trace samples/underflow_in_half.py --dtype float16 --x "[1.,2.]"
# shows: autograd     0     0
# shows: autograd gives 0, the reference in float64 is 1e-9
# The smallest float16 above 0 is 6e-8: a smaller gradient is lost without an error.
(x * 1e-5 * 1e-4).sum()
