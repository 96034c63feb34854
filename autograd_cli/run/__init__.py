"""The room where torch works: a program and its bindings become a run.

Takes: a Program, binding texts, settings. Gives: a Run: live steps, root or failure.
May import lang, report, errors and torch.
Must not import graph, gradients, diagnose, views, cli; rich, typer or graphviz.
"""
