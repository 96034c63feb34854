# agx trace samples/cast_to_half.py --x "[1.,2.,3.]"
# shows: float16
# shows: autograd  1  1  1
# A cast between floating dtypes is a node of the graph, and lets the gradient through.
x.half()
