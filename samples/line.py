# agx trace samples/line.py --x 2 --w 3 --b 1
# shows: = 7
# shows: autograd 3
# shows: autograd 1
# A straight line, by its slope, its input and its offset.
w*x + b
