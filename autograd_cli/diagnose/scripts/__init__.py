"""A person's own script, run as `python script.py` runs it, and what is told of how it ended.

Takes: a path and words. Gives: the script's status, and findings with the tensors of its failing frames.
May import catalogue, report, diagnose.logs, lang and errors; the script's own process has torch if the
script imports it. Must not import torch, views or cli.
"""
