"""Calls of a person's own callables: recorded as one step, with what was made inside."""

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from math import sqrt
from typing import Any, NamedTuple

import torch

from autograd_cli.errors import first_line
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.applies import staying, watched
from autograd_cli.run.inside import Held, Recording, Replaying
from autograd_cli.run.recording import kept_arguments, recorder
from autograd_cli.run.settings import OtherValueError
from autograd_cli.run.state import State, plain
from autograd_cli.run.targets import Target, hushed, shown, targets, theirs, where
from autograd_cli.run.values import tensors_in
from autograd_cli.run.widened import widened

_MOST_PLACES = 10_000
_MOST_CALLS = 32
_SMALL = 1 << 20
"""Elements up to which the arguments of an autograd.Function are kept as they were."""


class Applied(NamedTuple):
    """One call of an autograd.Function of theirs: the class, its arguments as they were, and its place.

    `needs` says which arguments required grad, `dirty` which were written in place, `outputs` which of
    the results a gradient can come to; `named` are arguments by keyword, to which no gradient comes.
    """

    owner: type[torch.autograd.Function]
    args: tuple[Any, ...]
    needs: tuple[bool, ...]
    dirty: tuple[bool, ...]
    outputs: tuple[bool, ...]
    place: tuple[str, int]
    named: dict[str, Any]


class Called:
    """One call of a target, which can be made again on other values.

    `places` holds where in their files a node was made, `applied` the calls of an autograd.Function; one
    of a kind that is in `seen` is told by the first of that kind.
    """

    def __init__(self, target: Target, seen: dict[Any, Applied] | None = None) -> None:
        self.target = target
        self._seen = {} if seen is None else seen
        self._held: Held = {}
        self._cuts: dict[int, tuple[str, int]] = {}
        self._depth = 0
        self._needs_graph = False
        self.places: dict[torch.autograd.graph.Node, tuple[str, int]] = {}
        self.applied: list[Applied] = []
        self._state: torch.Tensor | None = None
        self._dtypes: tuple[torch.dtype, ...] = ()
        self._written: frozenset[int] = frozenset()
        self._leaves: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._recorded: tuple[tuple[Any, ...], dict[str, Any], Any] | None = None

    @property
    def __name__(self) -> str:
        return self.target.use.name

    def first(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the call gives, watched; raises what it raises."""
        state = torch.random.get_rng_state()
        given = tensors_in([*args, *kwargs.values()])
        before = [(_version(tensor), _kept(tensor)) for tensor in given]
        with theirs(self.target.folder), self._watched():
            value = _settled(self._made(self.target.call, args, kwargs), self.target)
            self.note(value, self._own_place())
        if not torch.equal(state, torch.random.get_rng_state()):
            self._state, self._recorded = state, _detached((args, kwargs, value))
        self._dtypes = _dtypes(given)
        written = [
            (t, was) for t, (number, was) in zip(given, before, strict=True) if _is_written(t, number, was)
        ]
        moved = {id(t) for t, _ in written}
        self._written = frozenset(i for i, arg in enumerate(args) if id(arg) in moved)
        self._leaves = [(t, was) for t, was in written if t.is_leaf and t.requires_grad]
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the call gives on other values, drawing what it drew; nothing is printed."""
        if self._state is not None:
            torch.random.set_rng_state(self._state)
        given = tensors_in([*args, *kwargs.values()])
        args = tuple(arg.clone() if i in self._written else arg for i, arg in enumerate(args))
        with hushed(True), theirs(self.target.folder), widened(torch.float64 in _dtypes(given)):
            try:
                self._refuse_other_draws(given)
                call = self._for(given)
                return _settled(self._again(call, args, kwargs), self.target)
            except Exception as error:
                if _dtypes(given) == self._dtypes:
                    raise
                said = f"{self.__name__} cannot be called again in {_dtype_name(given)}: {first_line(error)}"
                raise RuntimeError(said) from error

    def restore(self) -> bool:
        """Give leaves that the call wrote into unsaid what they held; whether there are any.

        What shares memory with them keeps what was written.
        """
        for leaf, value in self._leaves:
            leaf.data = value.clone()
        return bool(self._leaves)

    def with_parameters(
        self, module: torch.nn.Module, held: dict[str, torch.Tensor], args: Any, kwargs: Any
    ) -> Any:
        """What a copy of the module in double precision gives with parameters `held`.

        It draws what it drew, and what stood still does so; nothing is printed.
        """
        if self._state is not None:
            torch.random.set_rng_state(self._state)
        with hushed(True), theirs(self.target.folder), widened(True), self._as_recorded(True), staying():
            return torch.func.functional_call(module, held, tuple(args), kwargs)

    def _again(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the call gives where what stood still does so; with a graph inside where it asks for one."""
        given = tensors_in([*args, *kwargs.values()])
        double = _dtypes(given) != self._dtypes
        has_graph = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in given)
        if has_graph or not self._needs_graph:
            try:
                with self._as_recorded(double):
                    return self._made(call, args, kwargs)
            except RuntimeError:
                if torch.is_grad_enabled():
                    raise
        leaves = [arg.detach().requires_grad_() if _may_require(arg) else arg for arg in args]
        with torch.enable_grad(), self._as_recorded(double):
            value = self._made(call, tuple(leaves), kwargs)
        self._needs_graph = True
        return value if torch.is_grad_enabled() else _each(value, torch.Tensor.detach)

    def _refuse_other_draws(self, given: Sequence[torch.Tensor]) -> None:
        """Refuse what draws other numbers in this precision than it drew in the run's."""
        if self._recorded is None or self._state is None or _dtypes(given) == self._dtypes:
            return
        args, kwargs, value = self._recorded
        call, doubled = self._for(given), _doubled((args, kwargs))
        with self._as_recorded(True):
            again = self._made(call, *doubled)
        torch.random.set_rng_state(self._state)
        if not are_near(again, value):
            raise RuntimeError("it draws other random numbers in that precision; run it with --dtype float64")
        self._recorded = None

    def _made(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with staying():
            return call(*args, **kwargs)

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
        recording = Recording(self.note, self._is_within, self._where)
        with watched(self._apply), recording:
            yield
        self._held, self._cuts = recording.held, recording.cuts

    @contextmanager
    def _as_recorded(self, double: bool) -> Iterator[None]:
        """What stood still when the call was recorded stands still inside."""
        if not self._held:
            yield
            return
        with watched(self._within), Replaying(self._held, self._is_within, double):
            yield

    @property
    def cuts(self) -> tuple[tuple[str, int], ...]:
        """Where in their files the graph was cut inside, each place once."""
        return tuple(dict.fromkeys(self._cuts.values()))

    def uncut(self) -> "Called":
        """The call with what was cut from the graph inside moving with its arguments."""
        made = copy(self)
        made._held = {number: one for number, one in self._held.items() if number not in self._cuts}
        return made

    def _where(self) -> tuple[str, int]:
        """The place in their files that a call of torch is made from."""
        return where(sys._getframe(1), self.target.folder) or self._own_place()

    def _own_place(self) -> tuple[str, int]:
        """Where the target is defined; what is made in no line of theirs counts as made there."""
        return shown(self.target.path), self.target.line

    def _is_within(self) -> bool:
        return self._depth > 0

    def _within(
        self, apply: Callable[..., Any], cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A call of an autograd.Function, inside of which all is theirs."""
        self._depth += 1
        try:
            return apply(cls, *args, **kwargs)
        finally:
            self._depth -= 1

    def _apply(
        self,
        apply: Callable[..., Any],
        cls: type[torch.autograd.Function],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """A call of an autograd.Function, noted where it is one of theirs."""
        self._depth += 1  # what is asked here is not theirs
        try:
            return self._noted(apply, cls, *_bound(cls, args, kwargs))
        finally:
            self._depth -= 1

    def _noted(
        self, apply: Callable[..., Any], cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        kind = (cls, tuple(map(_kind, args)), tuple((name, _kind(arg)) for name, arg in kwargs.items()))
        is_passed = kind in self._seen or len(self._seen) >= _MOST_CALLS or self._depth > 1
        if cls.__module__.partition(".")[0] == "torch" or is_passed:
            value = apply(cls, *args, **kwargs)
            self.note(value)
            known = self._seen.get(kind)
            if known is not None and not any(one is known for one in self.applied):
                self.applied.append(known)
            return value
        kept, versions = tuple(map(_kept, args)), tuple(map(_version, args))
        named = {name: _kept(arg) for name, arg in kwargs.items()}
        needs = tuple(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args)
        place = where(sys._getframe(3), self.target.folder) or self._own_place()
        value = apply(cls, *args, **kwargs)
        dirty = tuple(_version(arg) != version for arg, version in zip(args, versions, strict=True))
        outputs = value if isinstance(value, tuple) else (value,)
        graded = tuple(isinstance(out, torch.Tensor) and out.requires_grad for out in outputs)
        self._seen[kind] = Applied(cls, kept, needs, dirty, graded, place, named)
        self.applied.append(self._seen[kind])
        self.note(value, place)
        return value

    def note(self, value: Any, place: tuple[str, int] | None = None) -> None:
        """Note where the nodes of a value were made."""
        if not isinstance(value, torch.Tensor | tuple | list):
            return
        made = [fn for tensor in tensors_in(value) if (fn := _grad_fn(tensor)) is not None]
        if made and len(self.places) < _MOST_PLACES and made[0] not in self.places:
            place = place or where(sys._getframe(2), self.target.folder)
            if place is not None:
                self.places.update((fn, place) for fn in made)


def caller(state: State, node: Expr, name: str, exprs: tuple[Expr, ...]) -> Callable[..., Any]:
    """What calls the target `name` at `node`, whose operands are `exprs`.

    It takes arguments and keywords, as the interpreter has them, and gives the recorded result;
    what the target raises is noted as the failure there, and raised.
    """
    target = targets(state.settings.uses)[name]
    row, seen = target.row, dict[Any, Applied]()

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given, named = tuple(map(plain, args)), {name: plain(arg) for name, arg in kwargs.items()}
        called = Called(target, seen)
        try:
            value = called.first(given, named)
        except Exception as error:
            state.failed(error, node, row, (*args, *kwargs.values()), exprs)
            raise
        record = recorder(state, node, row, called, exprs)
        return record(value, kept_arguments(args), kwargs, (*given, *named.values()))

    return make


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
    raise OtherValueError(
        f"{target.use.name} gives {what}; a source has tensors, numbers, and lists and tuples of them"
    )


def _bound(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments by position, as torch has them where forward takes no ctx."""
    if cls.setup_context is torch.autograd.Function.setup_context:
        return args, kwargs
    bound = inspect.signature(cls.forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _kind(arg: Any) -> Any:
    """What two calls of a Function have in common that are looked at once."""
    return (arg.shape, arg.dtype, arg.requires_grad) if isinstance(arg, torch.Tensor) else type(arg)


def _kept(arg: Any) -> Any:
    """An argument as it is now: of a small tensor a copy, since it may be written into."""
    if not isinstance(arg, torch.Tensor):
        return arg
    held = arg.detach()
    return held.clone() if held.numel() <= _SMALL else held


def _is_written(tensor: torch.Tensor, version: int, before: torch.Tensor) -> bool:
    """Whether a tensor was written into, through .data too, which leaves its version as it was."""
    if _version(tensor) != version or tensor.is_meta:
        return not tensor.is_meta
    if tensor.numel() > _SMALL or tensor.is_complex() or tensor.is_quantized:
        return False
    return not torch.equal(before.nan_to_num(), tensor.detach().nan_to_num())


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


def _detached(value: Any) -> Any:
    """A value with every tensor in it copied out of its graph."""
    return _each(value, lambda tensor: tensor.detach().clone())


def _doubled(value: Any) -> Any:
    return _each(value, lambda tensor: tensor.double() if tensor.is_floating_point() else tensor)


def _each(value: Any, make: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return make(value)
    if isinstance(value, dict):
        return {name: _each(item, make) for name, item in value.items()}
    return type(value)([_each(item, make) for item in value]) if type(value) in (list, tuple) else value


def _may_require(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def are_near(one: Any, other: Any) -> bool:
    """Whether a result in double precision is another in half of the digits that this one has."""
    made, known = tensors_in(one), tensors_in(other)
    return len(made) == len(known) and all(map(_is_near, made, known))


def _is_near(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape:
        return False
    eps = torch.finfo(other.dtype).eps if other.is_floating_point() or other.is_complex() else 0.0
    wide = torch.complex128 if other.is_complex() else torch.float64
    one, other = one.to(wide), other.to(wide)
    room = 2 * sqrt(eps)
    size = float(other.abs().nan_to_num(0, 0, 0).max()) if other.numel() else 0.0
    return torch.allclose(one, other, rtol=room, atol=room * size, equal_nan=True)
