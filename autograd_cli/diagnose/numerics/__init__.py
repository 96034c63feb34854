"""What rounding, overflow and points without a slope did to numbers, measured by running again.

Takes: a Scene. Gives: where it began, and rewrites that were run and compared.
May import torch, gradients, run and what is beside it in diagnose; not views or cli.
"""
