"""What the tests of this room share."""

from collections.abc import Callable

import pytest

from autograd_cli.errors import AgxError
from autograd_cli.lang.check import check
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source


@pytest.fixture
def read() -> Callable[[str], Expr]:
    """The body of a source, chains of any length among them."""
    return lambda text: parse(Source(text), TextLimits(max_chain=10_000)).body


@pytest.fixture
def refused() -> Callable[..., AgxError]:
    """The error that a source ends in; `bound` are the names with a value."""

    def refuse(text: str, *bound: str, limits: TextLimits | None = None) -> AgxError:
        try:
            check(parse(Source(text), limits or TextLimits()), bound)
        except AgxError as error:
            return error
        pytest.fail(f"{text[:60]!r} is accepted")

    return refuse
