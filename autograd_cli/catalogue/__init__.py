"""What there is to know about each finding, a Markdown page a code, and about words of the reports.

Takes: a code or a word. Gives: its page, or the pages that speak of it; a refusal's finding.
May import report, lang and errors.
Must not import torch, rich, typer or graphviz.
"""

from autograd_cli.catalogue.likeness import Said, is_same, message_words, nearest, nearness
from autograd_cli.catalogue.load import (
    HEADINGS,
    Example,
    Kind,
    Page,
    Subject,
    examples,
    page,
    pages,
    subjects,
)
from autograd_cli.catalogue.looking import find, spoken
from autograd_cli.catalogue.refusals import fault, finding

__all__ = [
    "HEADINGS",
    "Example",
    "Kind",
    "Page",
    "Said",
    "Subject",
    "examples",
    "fault",
    "find",
    "finding",
    "is_same",
    "message_words",
    "nearest",
    "nearness",
    "page",
    "pages",
    "spoken",
    "subjects",
]
