"""The language: from a text to a checked program, before anything runs.

Takes: a source, or the text of a binding's value.
Gives: a Program of frozen nodes with spans, its Usage, and rows of the function table.
May import the standard library and errors. Must not import torch, or any other room.
"""
