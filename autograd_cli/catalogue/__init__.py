"""What there is to know about each finding, a Markdown page a code.

Takes: a code or a word. Gives: its page, or the pages that speak of it; a refusal's finding.
May import report, lang and errors.
Must not import torch, rich, typer or graphviz.
"""

from autograd_cli.catalogue.load import HEADINGS, Page, find, page, pages
from autograd_cli.catalogue.refusals import finding

__all__ = ["HEADINGS", "Page", "find", "finding", "page", "pages"]
