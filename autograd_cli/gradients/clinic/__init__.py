"""The clinic: a person's autograd.Functions, each call of one looked at by itself in float64.

Takes: a Run whose steps called targets. Gives: Examinations, plain records.
May import run, symbolic, report, lang, errors and the other modules of gradients.
Must not import graph, diagnose, views or cli.
"""
