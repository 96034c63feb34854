"""Every call of an autograd.Function seen, also by a name that their file gave its `apply`.

torch's own `apply` is stood in for before a person's file is loaded, and stays so: a file that says
`swish = Swish.apply` keeps what it found then.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

See = Callable[[Callable[..., Any], type[torch.autograd.Function], tuple[Any, ...], dict[str, Any]], Any]
"""Makes a call of a class by `apply` itself, and notes it."""

_watching: list[See] = []


@contextmanager
def watched(see: See) -> Iterator[None]:
    """Have `see` make every call inside."""
    _watching.append(see)
    try:
        yield
    finally:
        _watching.pop()


def install() -> None:
    """Stand in for torch's `apply`, once a process."""
    found = torch.autograd.Function.__dict__["apply"].__func__
    if getattr(found, "of_agx", False):
        return

    def apply(cls: type[torch.autograd.Function], *args: Any, **kwargs: Any) -> Any:
        if not _watching:
            return found(cls, *args, **kwargs)
        return _watching[-1](found, cls, args, kwargs)

    apply.of_agx = True  # type: ignore[attr-defined]
    torch.autograd.Function.apply = classmethod(apply)  # type: ignore[method-assign, assignment]
