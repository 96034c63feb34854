"""The optimizers of a program: what they step, and what they never get."""

from collections.abc import Iterator, Sequence

import torch

from autograd_cli.diagnose.programs.both_ways import reached
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import calls
from autograd_cli.lang.source import named
from autograd_cli.report import Finding
from autograd_cli.run.traced import Traced, now

Tensors = list[torch.Tensor]


def optimizers(whole: Whole) -> dict[str, torch.optim.Optimizer]:
    """The optimizers that names stand for in the end."""
    found = {}
    for name, value in whole.ran.names.items():
        held = value.value if isinstance(value, Traced) else getattr(value, "optimizer", value)
        if isinstance(held, torch.optim.Optimizer):
            found[name] = held
    return found


def parameters(optimizer: torch.optim.Optimizer) -> Tensors:
    """The tensors that an optimizer steps."""
    return [tensor for group in optimizer.param_groups for tensor in group["params"]]


def optimizer_of(whole: Whole, leaves: Sequence[str]) -> str:
    """The name of the optimizer that steps all of `leaves`, "" where none does."""
    values = [whole.ran.names.get(leaf) for leaf in leaves]
    tensors = [now(value).value for value in values if isinstance(value, Traced)]
    for name, optimizer in optimizers(whole).items():
        own = {id(tensor) for tensor in parameters(optimizer)}
        if len(tensors) == len(leaves) and own and all(id(tensor) in own for tensor in tensors):
            return name
    return ""


def idle(whole: Whole) -> Iterator[Finding]:
    """AGX422 for an optimizer that was stepped, and none of whose tensors has a gradient."""
    if whole.ran.failure is not None and not whole.ran.backwards:
        return
    for name, optimizer in optimizers(whole).items():
        step = next(
            (c for c in calls(whole.program, "step") if whole.source[c.function.span] == f"{name}.step"), None
        )
        own = parameters(optimizer)
        if step is None or not own or any(tensor.grad is not None for tensor in own):
            continue
        names = _names_of(whole, own)
        if _cleared_last(whole, name) and not _never_reached(whole, names, len(own)):
            continue
        yield whole.finding(
            "AGX422",
            f"`{name}.step()` changes nothing: {_why(whole, names)}.",
            span=step.span,
            parameters=names,
        )


def _never_reached(whole: Whole, names: Sequence[str], count: int) -> bool:
    """Whether each of the tensors has a name, and no backward gave any of them a gradient."""
    known = reached(whole) if len(names) == count else None
    return known is not None and not known & set(names)


def _why(whole: Whole, names: Sequence[str]) -> str:
    if whole.ran.backwards:
        return f"no backward reaches {_named(names)}"
    has = "has" if len(names) == 1 else "have"
    return f"the program makes no backward, so {_named(names)} {has} no gradient"


def _cleared_last(whole: Whole, name: str) -> bool:
    """Whether the gradients may be None because they were cleared after the last backward."""
    if not whole.ran.backwards:
        return False
    last = max(passed.span.start for passed in whole.ran.backwards)
    clears = [
        c for c in calls(whole.program, "zero_grad") if whole.source[c.function.span].startswith(f"{name}.")
    ]
    return bool(clears) and (
        any(c.span.start > last for c in clears) or any(whole.loops(c.span) for c in clears)
    )


def _names_of(whole: Whole, tensors: Tensors) -> list[str]:
    own = {id(tensor) for tensor in tensors}
    return [n for n, v in whole.ran.names.items() if isinstance(v, Traced) and id(now(v).value) in own]


def _named(names: Sequence[str]) -> str:
    return named(names) if names else "its tensors"
