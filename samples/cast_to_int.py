# agx trace samples/cast_to_int.py --x "[1.5,2.]"
# shows: nondifferentiable-op-in-loss
# A cast to whole numbers ends the graph: its result does not change when x changes a little.
x.int()
