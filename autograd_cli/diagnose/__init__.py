"""Why a run failed, and what is wrong with one that did not.

Takes: a Run, its Graph and Gradients. Gives: findings, the most specific first.
May import catalogue, graph, gradients, run, report, lang, errors and torch.
Must not import explore, views or cli.
"""
