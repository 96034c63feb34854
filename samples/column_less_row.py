# agx trace samples/column_less_row.py --prediction "randn(5,1)" --target "randn(5)"
# shows: silent-loss-broadcast
# shows: (5,5)
# shows: target[:, None]
# A column less a row is every pair: a loss of 25 differences where 5 were meant, and torch says nothing.
((prediction - target)**2).mean()
