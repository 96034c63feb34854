"""Calls of a person's own callables: recorded as one step, with what was made inside."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from autograd_cli.errors import first_line
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.applies import watched
from autograd_cli.run.recording import kept_arguments, recorder
from autograd_cli.run.state import State, plain
from autograd_cli.run.targets import Target, shown, targets, theirs
from autograd_cli.run.values import tensors_in

_MOST_PLACES = 10_000
_MOST_CALLS = 32
_SMALL = 1 << 20
"""Elements up to which the arguments of an autograd.Function are kept as they were."""


class Applied(NamedTuple):
    """One call of an autograd.Function of theirs: the class, its arguments as they were, and its place.

    `needs` says which arguments required grad, `dirty` which were written in place, `floats` which of
    the outputs a gradient can come to.
    """

    owner: type[torch.autograd.Function]
    args: tuple[Any, ...]
    needs: tuple[bool, ...]
    dirty: tuple[bool, ...]
    outputs: tuple[bool, ...]
    place: tuple[str, int]


class Called:
    """One call of a target, which can be made again on other values.

    `places` holds where in their files a node was made, `applied` the calls of an autograd.Function.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.places: dict[torch.autograd.graph.Node, tuple[str, int]] = {}
        self.applied: list[Applied] = []
        self._state: torch.Tensor | None = None
        self._dtypes: tuple[torch.dtype, ...] = ()
        self._written: frozenset[int] = frozenset()

    @property
    def __name__(self) -> str:
        return self.target.use.name

    def first(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the call gives, watched; raises what it raises."""
        state = torch.random.get_rng_state()
        given = tensors_in([*args, *kwargs.values()])
        versions = [_version(tensor) for tensor in given]
        with theirs(self.target.folder), self._watched():
            value = _settled(self._made(self.target.call, args, kwargs), self.target)
        if not torch.equal(state, torch.random.get_rng_state()):
            self._state = state
        self._dtypes = _dtypes(given)
        moved = {id(t) for t, version in zip(given, versions, strict=True) if _version(t) != version}
        self._written = frozenset(i for i, arg in enumerate(args) if id(arg) in moved)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the call gives on other values, drawing what it drew; nothing is printed."""
        if self._state is not None:
            torch.random.set_rng_state(self._state)
        given = tensors_in([*args, *kwargs.values()])
        args = tuple(arg.clone() if i in self._written else arg for i, arg in enumerate(args))
        with theirs(self.target.folder), silent():
            try:
                return _settled(self._made(self._for(given), args, kwargs), self.target)
            except Exception as error:
                if _dtypes(given) == self._dtypes:
                    raise
                raise RuntimeError(
                    f"{self.__name__} does not take {_dtype_name(given)}: {first_line(error)}"
                ) from error

    def _made(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return call(*args, **kwargs)
        except SystemExit as leaving:
            raise RuntimeError(f"it ends Python (sys.exit, {leaving.code!r})") from leaving

    def _for(self, given: Sequence[torch.Tensor]) -> Callable[..., Any]:
        """What is called on these tensors: of a module a copy in double precision where they are in that."""
        call = self.target.call
        doubled = torch.float64 in _dtypes(given) and torch.float64 not in self._dtypes
        if not doubled or not isinstance(call, torch.nn.Module):
            return call
        use = self.target.use._replace(double=True)
        return targets([use])[use.name].call

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Note the nodes that are made inside, and the calls of an autograd.Function."""
        with watched(self._apply), _Places(self):
            yield

    def _apply(
        self,
        apply: Callable[..., Any],
        cls: type[torch.autograd.Function],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """A call of an autograd.Function, noted where it is one of theirs."""
        if cls.__module__.partition(".")[0] == "torch" or kwargs or len(self.applied) >= _MOST_CALLS:
            return apply(cls, *args, **kwargs)
        kept, versions = tuple(map(_kept, args)), tuple(map(_version, args))
        needs = tuple(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args)
        place = _where(sys._getframe(2), self.target.folder) or (shown(self.target.path), 0)
        value = apply(cls, *args)
        dirty = tuple(_version(arg) != version for arg, version in zip(args, versions, strict=True))
        outputs = value if isinstance(value, tuple) else (value,)
        graded = tuple(isinstance(out, torch.Tensor) and out.requires_grad for out in outputs)
        self.applied.append(Applied(cls, kept, needs, dirty, graded, place))
        self.note(value, place)
        return value

    def note(self, value: Any, place: tuple[str, int] | None = None) -> None:
        """Note where the nodes of a value were made."""
        if not isinstance(value, torch.Tensor | tuple | list):
            return
        made = [fn for tensor in tensors_in(value) if (fn := _grad_fn(tensor)) is not None]
        if made and len(self.places) < _MOST_PLACES and made[0] not in self.places:
            place = place or _where(sys._getframe(2), self.target.folder)
            if place is not None:
                self.places.update((fn, place) for fn in made)


class _Places(TorchFunctionMode):
    """Sees every call of torch that their code makes, and changes none."""

    def __init__(self, called: Called) -> None:
        super().__init__()
        self.called = called

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        value = func(*args, **(kwargs or {}))
        self.called.note(value)
        return value


def caller(state: State, node: Expr, name: str, exprs: tuple[Expr, ...]) -> Callable[..., Any]:
    """What calls the target `name` at `node`: takes arguments and keywords, gives the argument that it is."""
    target = targets(state.settings.uses)[name]
    row = target.row

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given, named = tuple(map(plain, args)), {name: plain(arg) for name, arg in kwargs.items()}
        called = Called(target)
        try:
            value = called.first(given, named)
        except Exception as error:
            state.failed(error, node, row, (*args, *kwargs.values()), exprs)
            raise
        record = recorder(state, node, row, called, exprs)
        return record(value, kept_arguments(args), kwargs, (*given, *named.values()))

    return make


def _where(frame: FrameType | None, folder: Path) -> tuple[str, int] | None:
    """The innermost place in their files that is being run."""
    inside = f"{folder}/"
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(inside) and "site-packages" not in name and not name.startswith(_OWN):
            return shown(Path(name)), frame.f_lineno
        frame = frame.f_back
    return None


_OWN = str(Path(__file__).parent.parent)


def _settled(value: Any, target: Target) -> Any:
    """The value that a target gave, where it is one of the language's."""
    kind = type(value)
    if kind in (torch.Tensor, torch.nn.Parameter, int, float, bool, complex, str, type(None)):
        return value
    if isinstance(value, list | tuple):
        for item in value:
            _settled(item, target)
        return value
    what = "an iterator" if hasattr(value, "__next__") else f"a {kind.__name__}"
    raise TypeError(
        f"{target.use.name} gives {what}; a source has tensors, numbers, and lists and tuples of them"
    )


@contextmanager
def silent() -> Iterator[None]:
    """Nothing that is printed inside is shown."""
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = _Nothing()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Nothing:
    """A stream that takes everything and keeps nothing."""

    def write(self, text: str) -> int:
        """How much was taken: all."""
        return len(text)

    def flush(self) -> None:
        """Nothing is held."""


def _kept(arg: Any) -> Any:
    """An argument as it is now: of a small tensor a copy, since it may be written into."""
    if not isinstance(arg, torch.Tensor):
        return arg
    held = arg.detach()
    return held.clone() if held.numel() <= _SMALL else held


def _version(value: Any) -> int:
    is_counted = isinstance(value, torch.Tensor) and not value.is_inference()
    return value._version if is_counted else 0


def _dtypes(given: Sequence[torch.Tensor]) -> tuple[torch.dtype, ...]:
    return tuple(tensor.dtype for tensor in given)


def _dtype_name(given: Sequence[torch.Tensor]) -> str:
    floating = [str(t.dtype) for t in given if t.is_floating_point() or t.is_complex()]
    return floating[0].removeprefix("torch.") if floating else "these"


def _grad_fn(tensor: torch.Tensor) -> torch.autograd.graph.Node | None:
    return tensor.grad_fn if tensor.requires_grad else None
