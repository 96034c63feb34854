"""Where a missing name is pointed at: at the name, not at letters of another word."""

import pytest

from autograd_cli.lang.check import too_early, unbound
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [("max(a)", "a", 4), ("x*y", "y", 2), ("sin(i) + i", "i", 4), ("exp(x).sum(dim=d)", "d", 15)],
)
def test_a_missing_name_is_pointed_at_where_it_stands(text: str, name: str, place: int) -> None:
    program = parse(Source(text))
    for error in (unbound(program, [name]), too_early(program, "w", name, [])):
        assert error.span == (place, place + 1)
