"""What is written in place: noted before, moved and told after."""

from typing import Any

from autograd_cli.lang.nodes import Expr
from autograd_cli.run.events import Wrote
from autograd_cli.run.recording import replaced
from autograd_cli.run.state import TENSORS, State, plain
from autograd_cli.run.traced import Traced

UNTRACKED = frozenset({"torch.Tensor.data", "torch.from_numpy", "torch.Tensor.numpy"})
"""Functions whose result torch's version counter does not see written."""


def before(state: State, target: Any, node: Expr) -> None:
    """To be called right before the tensor of the argument `target` is written by the call at `node`."""
    tensor = target.value if type(target) is Traced else target
    if type(tensor) in TENSORS:
        state.mutations.about_to_write(tensor, state.number, node.span, is_untracked(target))


def after(state: State, target: Any, made: Any, expr: Expr, zero: bool = False) -> None:
    """To be called right after it: `made` is the value of the in-place call, `expr` the target's node."""
    tensor = target.value if type(target) is Traced else plain(target)
    if type(tensor) not in TENSORS:
        return
    if zero:
        state.leaves.zeroed(tensor)
    if type(made) is Traced and type(target) is Traced:
        if target.untracked or (target.function is not None and target.function.path in UNTRACKED):
            made.untracked = True
        replaced(state, made, target)
    state.events.append(Wrote(expr, tensor, state.number - 1))


def is_untracked(target: Any) -> bool:
    """Whether torch's version counter does not see a write into the argument: it is `.data`, or NumPy's."""
    if type(target) is not Traced:
        return False
    return target.untracked or (target.function is not None and target.function.path in UNTRACKED)
