# agx trace samples/repeatable_random_numbers.py --seed 42
# shows: seed 42
# shows: [0.3366904
# Random values repeat under a seed; without --seed it is 0.
randn(3)
