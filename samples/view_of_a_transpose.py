# agx trace samples/view_of_a_transpose.py --x "randn(3,5)"
# shows: view-on-noncontiguous
# shows: reshape
# status: 1
# A view needs memory in one piece; reshape copies where it has to.
x.t().view(15)
