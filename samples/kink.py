# agx trace samples/kink.py --x "[0,0,3.]"
# shows: 2 elements of `x` stand exactly at a kink
# At a kink the two one-sided slopes differ, and autograd gives one of the values between.
relu(x).sum()
