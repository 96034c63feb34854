# agx trace samples/square_of_a_product.py --a 1 --b 2
# shows: = 9
# shows: autograd 12
# shows: autograd 6
# A product under a square.
(a*b + 1)**2
