# agx trace samples/broadcasting.py --a "randn(3,1,5)" --b "randn(4,5)"
# shows: (3,4,5)
# shows: a is stretched (3,1,5) → (3,4,5)
# Two shapes aligned at the right, each stretched where the other is larger.
(a + b).sum()
