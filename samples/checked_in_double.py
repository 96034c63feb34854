# agx trace samples/checked_in_double.py --dtype float64 --X "randn(10,3)" --W "randn(3,1)" --b "zeros(1)" --y "randn(10,1)" --wrt W,b
# shows: autograd (float64)
# In float64 the finite differences agree with autograd to nine digits and more.
mean((X@W + b - y)**2)
