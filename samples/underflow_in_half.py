# agx trace samples/underflow_in_half.py --dtype float16 --x "[1.,2.]"
# shows: autograd     0     0
# shows: in float64 none is 0 and the largest is 1e-09
# shows: so scale by 2^12 to 2^15
# The smallest float16 above 0 is 6e-8: a smaller gradient is lost without an error.
(x * 1e-5 * 1e-4).sum()
