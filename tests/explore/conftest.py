"""Programs explored as a person would have them explored."""

from collections.abc import Callable
from typing import Any

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Backward, Gradient, Report


@pytest.fixture
def explored() -> Callable[..., Report]:
    """A function from a program and options to its report."""

    def go(source: str, *bindings: tuple[str, str], **options: Any) -> Report:
        return explore(source, bindings, Options(**options))

    return go


@pytest.fixture
def rows() -> Callable[[Report], list[tuple[int, str, list[tuple[Any, ...]]]]]:
    """A function from a report to its backwards: line, root, and (leaf, autograd, verdict)."""

    def told(report: Report) -> list[tuple[int, str, list[tuple[Any, ...]]]]:
        return [(b.line, b.root, [_short(g) for g in b.gradients]) for b in report.backwards]

    return told


def _short(gradient: Gradient) -> tuple[Any, ...]:
    return gradient.name, gradient.autograd, str(gradient.verdict)


@pytest.fixture
def only() -> Callable[[Report], Backward]:
    """A function from a report to its one backward."""

    def one(report: Report) -> Backward:
        (backward,) = report.backwards
        return backward

    return one
