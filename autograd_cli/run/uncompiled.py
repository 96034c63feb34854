"""Optimizers without the way into torch's compiler, which they load when they are first used.

Loading it takes longer than all else that a small program does, and nothing is compiled here.
"""

from inspect import unwrap

import torch


def uncompiled(kind: type[torch.optim.Optimizer]) -> type[torch.optim.Optimizer]:
    """A class of the same name that computes the same, to the last bit.

    The methods are torch's own below their decorators; a step is made without recording,
    as torch makes it unless told that the optimizer itself is differentiated.
    """

    def step(self: torch.optim.Optimizer) -> None:
        with torch.no_grad():
            unwrap(kind.step)(self)

    plain = {name: unwrap(getattr(kind, name)) for name in ("add_param_group", "zero_grad")}
    return type(kind.__name__, (kind,), {**plain, "step": step, "__module__": kind.__module__})
