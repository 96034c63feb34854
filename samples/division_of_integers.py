# agx trace samples/division_of_integers.py --a "[1,2,3]" --b "[4,5,6]" --const a,b
# shows: [0.25, 0.4, 0.5]
# shows: float32
# Division gives floating numbers even of whole ones; // stays whole.
a / b
