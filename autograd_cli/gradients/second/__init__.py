"""The second derivative of a run: three witnesses, differences of autograd's first, verdicts.

Takes: a Run and the cotangent of its output. Gives: the record Second.
May import what the room gradients may. Must not import graph, diagnose, views, cli.
"""
