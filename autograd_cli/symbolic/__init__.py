"""Derivatives on paper: reverse-mode rules over a tape of plain steps.

Takes: the steps of a run (expressions, shapes, rule keys), without their tensors.
Gives: for each binding a formula in the language, or the reason why there is none.
May import errors, lang and report. Must not import torch, rich, typer or graphviz.
"""
