"""What a backward starts from, as one value: several roots are the sum that their gradients are of."""

import torch

from autograd_cli.run.traced import BackwardCall, Traced


def start(call: BackwardCall) -> Traced:
    """The root of a backward; of several the sum of each times what is sent into it."""
    first = call.roots[0]
    if len(call.roots) == 1:
        return first
    weighed = _Weighed(call.cotangents)
    value = weighed(*(root.value.detach() for root in call.roots)).requires_grad_()
    return Traced(
        call.at, first.expr, "call", value, call=weighed, args=call.roots,
        exprs=tuple(root.expr for root in call.roots), grad_fns=first.grad_fns,
    )  # fmt: skip


class _Weighed:
    """The sum of several tensors, each times its cotangent; None stands for ones."""

    def __init__(self, cotangents: tuple[torch.Tensor | None, ...]) -> None:
        self.cotangents = cotangents

    def __call__(self, *roots: torch.Tensor) -> torch.Tensor:
        parts = [
            root.sum() if sent is None else (root * sent.to(root.device, root.dtype)).sum()
            for root, sent in zip(roots, self.cotangents, strict=True)
        ]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total
