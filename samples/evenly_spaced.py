# agx trace samples/evenly_spaced.py
# shows: [0, 0.25, 0.5, 0.75, 1]
# shows: float32
# Five numbers from 0 to 1, both ends included; no binding, so nothing has a gradient.
linspace(0, 1, steps=5)
