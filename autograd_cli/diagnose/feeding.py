"""Losses that are given another kind of numbers than they take: probabilities for scores, or scores.

The numbers are looked at, not the spelling alone: what a softmax made sums to 1, a logarithm of a
probability is never above 0.
"""

from collections.abc import Iterator

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.statements import called
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import LiveStep

_OWN = {"cross_entropy": "softmax", "binary_cross_entropy_with_logits": "sigmoid"}
"""The losses that make probabilities of scores themselves, with the function that makes them."""

_CLOSE = 1e-3


def fed_wrongly(scene: Scene) -> Iterator[Finding]:
    """AGX454 for each loss under the output that is given what it does not take."""
    for step in scene.run.steps:
        name = step.function.name if step.function else ""
        if step.index not in scene.needed or name not in (*_OWN, "nll_loss"):
            continue
        given = next(iter(scene.arguments(step)), None)
        if given is None or given.kind != "call" or not isinstance(given.value, torch.Tensor):
            continue
        yield from _nll(scene, step, given) if name == "nll_loss" else _twice(scene, step, given, _OWN[name])


def _twice(scene: Scene, step: LiveStep, given: LiveStep, maker: str) -> Iterator[Finding]:
    """Scores that a softmax or a sigmoid has been applied to, before a loss that applies its own."""
    if given.function is None or given.function.name != maker or not given.value.numel():
        return
    loss, text = called(step.expr), drawing.quoted(scene.text(given))
    value = given.value.detach()
    low, high = (f"{float(each):.4g}" for each in (value.min(), value.max()))
    yield scene.finding(
        "AGX454",
        f"`{loss}` takes scores and applies {maker} to them itself: {text} has applied it before, so it is "
        f"applied twice.",
        span=step.expr.span,
        cause=(f"given are numbers from {low} to {high}, with which the loss never gets to 0",),
        fix=tuple(_without(scene, given)),
    )


def _nll(scene: Scene, step: LiveStep, given: LiveStep) -> Iterator[Finding]:
    """What is given as logarithms of probabilities, and cannot be that."""
    value = given.value.detach()
    top = float(value.max()) if value.numel() else 0.0
    made = given.function.name if given.function else ""
    if top <= _CLOSE and made != "softmax":
        return
    text = drawing.quoted(scene.source[scene.operand(step, given).span])
    kind = "are probabilities" if made == "softmax" else "are no logarithms of probabilities"
    yield scene.finding(
        "AGX454",
        f"`nll_loss` takes logarithms of probabilities, and the numbers of {text} {kind}: they go up to "
        f"{top:.4g}, where a logarithm of a probability is never above 0.",
        span=step.expr.span,
        fix=tuple(_logarithm(scene, step, given, made)),
    )


def _without(scene: Scene, given: LiveStep) -> Iterator[Fix]:
    """The scores themselves, where the softmax or the sigmoid is written."""
    inner = _operand(given.expr)
    if inner is not None:
        text = scene.source[inner.span]
        yield Fix("the scores themselves", edited(scene.source, {given.expr.span: text}))


def _logarithm(scene: Scene, step: LiveStep, given: LiveStep, made: str) -> Iterator[Fix]:
    """log_softmax for softmax, or put around what is given."""
    source = scene.source
    if made == "softmax" and isinstance(given.expr, nodes.Call):
        function = given.expr.function.span
        old = source[function]
        new = old[: old.rfind("softmax")] + "log_softmax"
        yield Fix("the logarithm of the softmax", edited(source, {function: new}))
    elif called(step.expr) == "nll_loss" and isinstance(step.expr, nodes.Call):
        function = step.expr.function.span
        new = source[function].replace("nll_loss", "cross_entropy")
        yield Fix("the loss that takes scores", edited(source, {Span(*function): new}))


def _operand(expr: Expr) -> Expr | None:
    """What a softmax or a sigmoid is applied to."""
    if not isinstance(expr, nodes.Call):
        return None
    function = expr.function
    if isinstance(function, nodes.Attribute) and not _is_module(function.value):
        return function.value
    return expr.args[0] if expr.args else None


def _is_module(expr: Expr) -> bool:
    """Whether torch or a module of it stands before the dot."""
    while isinstance(expr, nodes.Attribute):
        expr = expr.value
    return isinstance(expr, nodes.Name) and expr.id in ("torch", "F", "nn", "special")
