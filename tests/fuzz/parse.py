"""Any text is parsed and checked, or refused with an AgxError: anything else is a fault.

Run by hand: `python tests/fuzz/parse.py -max_total_time=600`; see `harness` beside this file.
"""

import harness

with harness.instrumented():
    from autograd_cli.errors import AgxError
    from autograd_cli.lang.check import understood
    from autograd_cli.lang.parse import TextLimits
    from autograd_cli.lang.source import Source

NAMES = ("x", "y", "w", "b", "X", "a")
LIMITS = TextLimits()


def one(text: str) -> None:
    """Parse and check a text, as a program and as one line of a batch."""
    try:
        understood(Source(text), NAMES, LIMITS)
    except AgxError as error:
        told(error, text)


def told(error: AgxError, text: str) -> None:
    """A refusal says something, and points into its text."""
    assert error.sentence
    assert error.code.startswith("AGX")
    if error.span is not None:
        assert 0 <= error.span.start <= error.span.end <= len(error.text or text) + 1, error.span


if __name__ == "__main__":
    harness.fuzz(one, harness.sources() + harness.expressions())
