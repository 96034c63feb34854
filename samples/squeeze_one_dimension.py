# agx trace samples/squeeze_one_dimension.py --x "randn(1,3,1,4)"
# shows: (1,3,4)
# squeeze() drops every dimension of size 1, here 0 and 2; squeeze(dim=2) drops that one.
x.squeeze(dim=2).sum()
