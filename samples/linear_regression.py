# agx trace samples/linear_regression.py --X "randn(10,3)" --w "randn(3,1)" --b "zeros(1)" --y "randn(10,1)" --wrt w,b
# shows: d/dw = 2/10 * X.T @ (X@w + b - y)
# shows: d/db = 2/10 * (X@w + b - y).sum(0)
# shows: b is stretched (1,) → (10,1)
# The loss of linear regression; --wrt makes the data constants.
mean((X@w + b - y)**2)
