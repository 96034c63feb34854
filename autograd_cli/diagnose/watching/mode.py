"""The function mode that notes each call of torch: its nodes, what it wrote, where it stands.

It is on the way of every call, so it does little: a call that makes no node and changes nothing
leaves no record.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import Enum, auto
from operator import attrgetter
from types import FrameType, FunctionType
from typing import Any, NamedTuple

import torch
from torch.autograd import profiler as _profiler
from torch.overrides import TorchFunctionMode, get_default_nowrap_functions
from torch.utils._python_dispatch import _disable_current_modes

from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.frames import is_theirs, locate
from autograd_cli.diagnose.watching.originals import original
from autograd_cli.diagnose.watching.records import Log, Spot, Write
from autograd_cli.diagnose.watching.signals import leave
from autograd_cli.run.values import dtype_name

PLAIN = {torch.Tensor, torch.nn.Parameter}
"""The classes that are looked at: what other classes do when they are asked is theirs."""

_unseen: Callable[[], AbstractContextManager[None]] = torch._C.DisableTorchFunction
_transform: Callable[[], Any] = torch._C._functorch.peek_interpreter_stack
_peek: Callable[[], int] = torch._C._autograd._get_sequence_nr
_version = attrgetter("_version")
_made: Any = tuple.__new__
"""How a named tuple is made soonest: this is done at every call."""
_storage: Callable[[torch.Tensor], int] = torch._C._storage_id  # type: ignore[attr-defined]
_MOST_KINDS = 10_000


class Plan(Enum):
    """What is done about a function."""

    PASS = auto()
    CALL = auto()
    DATA = auto()
    REBASE = auto()
    GRAD = auto()
    SHARE = auto()


_TENSOR: Any = torch.Tensor
_PLANS: dict[Any, Plan] = {
    **dict.fromkeys(get_default_nowrap_functions(), Plan.PASS),
    _TENSOR.data.__get__: Plan.DATA,
    _TENSOR.data.__set__: Plan.REBASE,
    _TENSOR.grad.__get__: Plan.GRAD,
    torch.Tensor.numpy: Plan.SHARE,
    torch.Tensor.__array__: Plan.SHARE,
    torch.Tensor.backward: Plan.PASS,
    torch.autograd.grad: Plan.PASS,
    torch.Tensor.__repr__: Plan.PASS,
}
_QUIET = {
    "backward",
    "__repr__",
    "size",
    "dim",
    "numel",
    "stride",
    "is_floating_point",
    "is_complex",
    "item",
    "tolist",
    "data_ptr",
}


def _plan(function: Any) -> Plan:
    name = getattr(function, "__name__", "")
    return Plan.PASS if name in _QUIET or name in {"__get__", "__set__", "__delete__"} else Plan.CALL


class Made(NamedTuple):
    """A call that made the nodes `first` to `last`, while it is looked at; it is kept nowhere."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] | None
    tensors: list[torch.Tensor]
    result: Any
    first: int
    last: int
    order: int
    spot: Spot | None
    module: Any


class Mode(TorchFunctionMode):
    """Notes calls in a `Log`; `listen` looks at each call that made nodes, `read` at each
    `.grad` that is read, `wrote` at each tensor that was written.

    A fault of its own is told to `common` and never raised.
    """

    def __init__(self, log: Log, common: Common) -> None:
        super().__init__()
        self.log = log
        self.common = common
        self._next = log.next
        self.listen: Callable[[Made], None] = _nothing
        self.read: Callable[[torch.Tensor], None] = _nothing
        self.shared: Callable[[torch.Tensor, Spot | None, Any], None] = _nothing
        self.wrote: Callable[[torch.Tensor, Write], None] = _nothing
        self._plans = dict(_PLANS)

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """What `func` gives back, or what it stands in the place of."""
        try:
            plan = self._plans.get(func)
        except Exception as error:  # a replacement that cannot be hashed
            leave(error)
            plan = None
        if plan is None or (type(func) is FunctionType and _code_above() is not func.__code__):
            func, plan = self._meant(func, sys._getframe(1))
        if self.common.is_over or plan is Plan.PASS:
            return func(*args, **kwargs) if kwargs else func(*args)
        if plan is not Plan.CALL:
            return self._with_special(plan, func, args, kwargs)
        tensors: list[torch.Tensor] | None
        try:
            tensors = tensors_in(args, kwargs) if kwargs else tensors_in(args)
            versions = list(map(_version, tensors))
            first = _peek()
        except Exception as error:  # tensors without a version: of inference mode, of a transform
            leave(error)
            tensors = None
        result = func(*args, **kwargs) if kwargs else func(*args)
        if tensors is None:
            return result
        try:
            last = _peek()
            is_changed = list(map(_version, tensors)) != versions
            if last != first or is_changed:
                changed = _moved(tensors, versions) if is_changed else ()
                self._note(changed, (func, args, kwargs, tensors, result, first, last))
        except Exception as error:
            self.common.failed(error)
        return result

    def _with_special(
        self, plan: Plan, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None
    ) -> Any:
        before = storage_of(args[0]) if plan is Plan.REBASE and type(args[0]) in PLAIN else None
        result = function(*args, **kwargs) if kwargs else function(*args)
        try:
            self._special(plan, args[0], before, result)
        except Exception as error:
            self.common.failed(error)
        return result

    def _meant(self, function: Any, caller: FrameType) -> tuple[Any, Plan]:
        """What was called, and what is done about it; `function` is what stands under its name."""
        try:
            function = original(function, caller)
            return function, self._plans.get(function) or self._planned(function)
        except Exception as error:
            leave(error)
            return function, Plan.PASS

    def _planned(self, function: Any) -> Plan:
        if len(self._plans) > _MOST_KINDS:
            self._plans = dict(_PLANS)
        plan = self._plans[function] = _plan(function)
        return plan

    def _note(self, changed: Sequence[torch.Tensor], call: tuple[Any, ...]) -> None:
        """Note a call, given the fields of a Made as far as they are known."""
        if _transform() is not None:
            return
        spot, module = locate(sys._getframe(2))
        order = self._next()
        made: Made = _made(Made, (*call, order, spot, module))
        if made.last != made.first:
            code, instruction = spot or (None, 0)
            self.log.note((order, made.first, made.last, made.function, code, instruction, module))
            if not _profiler._is_profiler_enabled:
                self.listen(made)
        for tensor in changed:
            write = self._write(tensor, made)
            if write is not None:
                self.log.writes.add(write)
                self.wrote(tensor, write)

    def _write(self, tensor: torch.Tensor, made: Made) -> Write | None:
        storage = storage_of(tensor)
        if storage is None:
            return None
        version = tensor._version
        return Write(
            made.order,
            made.first,
            {storage: (version - 1, version)},
            made.function,
            made.spot,
            made.module,
            tuple(tensor.shape),
            dtype_name(tensor.dtype),
            tensor._is_view(),
            storage in self.log.writes.aliased and is_theirs(sys._getframe(3)),
        )

    def _special(self, plan: Plan, tensor: Any, before: int | None, result: Any) -> None:
        if plan is Plan.GRAD and not is_theirs(sys._getframe(3)):
            return
        if type(tensor) not in PLAIN:
            return
        if plan is Plan.GRAD:
            self.read(tensor)
        elif plan is Plan.SHARE:
            self.shared(tensor, locate(sys._getframe(3))[0], result)
        elif (storage := storage_of(tensor)) is not None and storage != before:
            self.log.writes.alias(storage)
            if plan is Plan.REBASE:
                self._rebased(tensor, storage)

    def _rebased(self, tensor: torch.Tensor, storage: int) -> None:
        """Note that a tensor was given other memory: who kept the tensor sees that."""
        spot, module = locate(sys._getframe(4))
        version, what = tensor._version, (tuple(tensor.shape), dtype_name(tensor.dtype))
        made = Write(
            self.log.next(),
            _peek(),
            {storage: (version, version)},
            "data",
            spot,
            module,
            *what,
            untracked=True,
        )
        self.log.writes.add(made)
        self.wrote(tensor, made)


def _code_above() -> Any:
    """The code of what called what called the mode, None where nothing did."""
    above = sys._getframe(2).f_back
    return None if above is None else above.f_code


def _nothing(*given: Any) -> None:
    """Nothing."""


def is_transformed() -> bool:
    """Whether this is run inside a transform of torch.func, whose tensors have no single values."""
    return _transform() is not None


def is_profiled() -> bool:
    """Whether torch counts what is computed: what the watch computes would be among it."""
    return _profiler._is_profiler_enabled


def apart() -> AbstractContextManager[None]:
    """With what is computed seen by no mode of the script, and without a graph."""
    with _unseen():
        is_plain = not torch.is_grad_enabled() and not torch._C._len_torch_dispatch_stack()
    return _unseen() if is_plain else _alone()


@contextmanager
def _alone() -> Iterator[None]:
    was_enabled = torch.is_grad_enabled()
    with _unseen():
        try:  # not `no_grad`, which an interrupt can keep from putting back what was
            torch._C._set_grad_enabled(False)
            with _disable_current_modes() if torch._C._len_torch_dispatch_stack() else nullcontext():
                yield
        finally:
            torch._C._set_grad_enabled(was_enabled)


def _moved(tensors: Sequence[torch.Tensor], versions: Sequence[int]) -> list[torch.Tensor]:
    """The tensors whose version is another than it was."""
    return [tensor for tensor, version in zip(tensors, versions, strict=True) if tensor._version != version]


def tensors_in(args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> list[torch.Tensor]:
    """The tensors among arguments and in the lists among them."""
    found: list[torch.Tensor] = []
    for each in (*args, *kwargs.values()) if kwargs else args:
        kind = type(each)
        if kind in PLAIN:
            found.append(each)
        elif kind is list or kind is tuple:
            found += [item for item in each if type(item) in PLAIN]
    return found


def storage_of(tensor: torch.Tensor) -> int | None:
    """What tells the memory of a tensor from others; None where it has none."""
    try:
        return _storage(tensor)
    except (RuntimeError, NotImplementedError):  # sparse, or of a transform
        return None
