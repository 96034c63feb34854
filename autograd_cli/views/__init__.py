"""Reports made visible: text for terminals and pipes, JSON, tables, graphs, pictures.

Takes: a Report, a format, a width.
Gives: the text, or a file written whole or not at all.
May import report, lang and errors; Rich and Graphviz inside functions. Must not import torch.
"""

from autograd_cli.views.formats import FORMATS as FORMATS, render as render
