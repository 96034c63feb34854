# agx trace samples/not_a_scalar.py --x "[1,2,3]" -g "[1,1,1]"
# shows: autograd  2  2  2
# A vector as output: -g says what each element counts.
x*2
