"""What was found, each once: the same mistake of every round of a loop is one finding."""

from collections.abc import Callable
from typing import Any

from autograd_cli.report.diagnosis import Placed

_MOST = 50


class Found:
    """Findings in the order in which they were met, by what makes each the same."""

    def __init__(self) -> None:
        self._found: dict[Any, Placed] = {}

    def has(self, key: Any) -> bool:
        """Whether that was found before; what is new is no longer taken where there are too many."""
        return key in self._found or len(self._found) >= _MOST

    def add(self, key: Any, make: Callable[[], Placed | None]) -> None:
        """Make the finding and keep it, unless it was found before."""
        if self.has(key):
            return
        made = make()
        if made is not None:
            self._found[key] = made

    def findings(self) -> list[Placed]:
        """All of them."""
        return list(self._found.values())
