"""torch's own graph, read without touching it.

Takes: a Run. Gives: the walk over its grad_fn nodes, and the Graph of a report.
May import run, symbolic, report, lang, errors and torch.
Must not import gradients, diagnose, views or cli.
"""
