# agx trace samples/loss_scaling.py --dtype float16 --x "[1.,2.]" -g "2.**14"
# shows: agree
# The same loss scaled by 2**14: its gradient fits into float16, and is divided by 2**14 afterwards.
(x * 1e-5 * 1e-4).sum()
