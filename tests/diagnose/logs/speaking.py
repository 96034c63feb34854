"""The row that speaks of an error, without a log around it."""

from autograd_cli.diagnose.logs.facts import read
from autograd_cli.diagnose.logs.records import Frame, Raised
from autograd_cli.diagnose.logs.rows import ROWS

TORCH = "/e/lib/python3.11/site-packages/torch/"


def spoken(message, text="y = f(x)", *, kind="RuntimeError", lib="", before=(), rank=None, function="go"):
    """The first row that speaks of an error of an own line, raised in a file of torch."""
    frames = (Frame("mine.py", 12, function, text),) + ((Frame(TORCH + lib, 3, "forward"),) if lib else ())
    raised = Raised(kind, message, frames, before=before, rank=rank)
    facts = read(raised)
    for row in ROWS:
        fits = not row.kinds or kind in row.kinds
        if fits and any(part in message.lower() for part in row.fragments) and row.when(raised, facts):
            sentence = row.sentence if isinstance(row.sentence, str) else row.sentence(raised, facts)
            return row.name, sentence
    return None, ""
