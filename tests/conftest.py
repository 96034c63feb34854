"""Options of the test suite that every room shares."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from autograd_cli.run.tape import Run


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--refresh-golden`: write golden files anew instead of comparing with them."""
    parser.addoption("--refresh-golden", action="store_true", help="write golden files anew")


@pytest.fixture(autouse=True, scope="session")
def _faults_of_rules_are_seen() -> Iterator[None]:
    """A rule that fails ends its test, where for a person it is a note and the report stands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograd_cli.diagnose.faults.RAISED", True)
        yield


@pytest.fixture(autouse=True, scope="session")
def _repairs_are_looked_for_to_the_end() -> Iterator[None]:
    """What a test finds hangs on no clock: a large process may be held up for longer than a search takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograd_cli.diagnose.search.MOST_SECONDS", 60)
        yield


@pytest.fixture
def made() -> Callable[..., "Run"]:
    """Run a source: `made("x*y", x="2", y="[1,2]")`; `settings` and `roles` may be given."""
    from autograd_cli.lang.check import check
    from autograd_cli.lang.parse import TextLimits, parse
    from autograd_cli.lang.source import Source
    from autograd_cli.run.inputs import Roles, bind
    from autograd_cli.run.record import run, torch_state
    from autograd_cli.run.settings import Settings

    def make(
        source: str, *, settings: Settings | None = None, dtype: str | None = None, **bound: str
    ) -> "Run":
        settings = settings or Settings()
        program = parse(Source(source), TextLimits(max_chain=10_000))
        usage = check(program, list(bound))
        with torch_state(settings):
            values = bind(list(bound.items()), Roles(usage.names), settings, dtype)
            return run(program, values, settings)

    return make
