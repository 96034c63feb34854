# agx trace samples/cut_by_detach.py --x 2.
# shows: detached-prediction-in-loss
# A path that detach cuts.
x.detach() * 2
