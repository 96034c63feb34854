"""The witnesses: each a way to know a gradient, and what they say together.

Takes: a Run (live tensors) and a cotangent.
Gives: cotangents, leaf gradients and, for each binding, a judged report.Gradient.
May import run, report, lang, symbolic, errors and torch. Must not import graph, diagnose, views or cli.
"""
