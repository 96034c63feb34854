"""Rules of the losses: local factors by element, then the mean or the sum over them."""

from collections.abc import Callable
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Binary
from autograd_cli.symbolic.build import call as calling, method, parsed
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, operand, plain
from autograd_cli.symbolic.terms import Shape, Term, broadcast, factor_term
from autograd_cli.symbolic.texts import Contributions, multiplied
from autograd_cli.symbolic.values import Value, with_dims

Rule = Callable[..., Contributions]


def _share(call: Call, g: Value, reduction: Any, shape: Shape) -> Value:
    """The cotangent of each element's loss."""
    chosen = plain(reduction)
    count = {"mean": prod(shape), "batchmean": shape[0] if shape else 1}.get(chosen, 1)
    if chosen not in ("mean", "sum", "none", "batchmean"):
        raise NoRuleError(f"{call.name} with reduction {chosen!r} has no derivative rule")
    if count > 1:
        call.note(count, f"{count} is the number of elements that {call.name}() averages")
    return g.times(Term(1, max(count, 1)), shape)


def by_element(by_input: str, by_target: str = "", **parameters: Any) -> Rule:
    """The rule of a loss of input x and target y; `parameters` are its own, with defaults.

    Without `by_target`, torch lets no gradient through to the target.
    """

    def rule(
        call: Call,
        g: Value,
        x: Operand,
        y: Operand,
        *,
        reduction: Any = "mean",
        weight: Any = None,
        **given: Any,
    ) -> Contributions:
        if weight is not None or set(given) - set(parameters):
            raise NoRuleError(f"{call.name} with these arguments has no derivative rule yet")
        shape = broadcast(x.shape, y.shape)
        share = _share(call, g, reduction, shape)
        env = {name: operand(value) for name, value in {**parameters, **given}.items()} | {"x": x, "y": y}
        pairs = ((x, by_input), (y, by_target))
        return [(to, multiplied(share, parsed(text), env, shape)) for to, text in pairs if to.active and text]

    return rule


def cross_entropy(
    call: Call,
    g: Value,
    x: Operand,
    target: Operand,
    weight: Any = None,
    *,
    ignore_index: Any = -100,
    reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Contributions:
    """cross_entropy of (N, C) or (C): softmax(x) less the one-hot target or the probabilities."""
    if weight is not None or plain(label_smoothing) or len(x.shape) not in (1, 2):
        raise NoRuleError(f"{call.name} with these arguments has no derivative rule yet")
    axis = len(x.shape) - 1
    share = _by_example(call, g, reduction, x)
    if target.shape == x.shape:
        return _of_probabilities(share, x, target, axis)
    hot = calling("F.one_hot", target.expr, x.shape[-1])
    local = factor_term(Binary("-", calling("softmax", x.expr, axis), hot), x.shape)
    return [(x, share.times(local, x.shape))]


def _of_probabilities(share: Value, x: Operand, target: Operand, axis: int) -> Contributions:
    total = method(target.expr, "sum", axis, keepdim=True)
    spread = Binary("*", calling("softmax", x.expr, axis), total)
    by_input = factor_term(Binary("-", spread, target.expr), x.shape)
    by_target = Term(-1).times(factor_term(calling("log_softmax", x.expr, axis), x.shape))
    return [(x, share.times(by_input, x.shape)), (target, share.times(by_target, x.shape))]


def _by_example(call: Call, g: Value, reduction: Any, x: Operand) -> Value:
    """The cotangent of each example's loss, stretched over its classes."""
    share = _share(call, g, reduction, x.shape[:-1])
    if share.natural == ():
        return share.to(x.shape)
    return with_dims(share, [len(x.shape) - 1], x.shape)


def nll_loss(
    call: Call,
    g: Value,
    x: Operand,
    target: Operand,
    weight: Any = None,
    *,
    ignore_index: Any = -100,
    reduction: Any = "mean",
) -> Contributions:
    """nll_loss of (N, C) or (C): minus the one-hot target."""
    if weight is not None or len(x.shape) not in (1, 2):
        raise NoRuleError(f"{call.name} with these arguments has no derivative rule yet")
    hot = factor_term(calling("F.one_hot", target.expr, x.shape[-1]), x.shape)
    return [(x, _by_example(call, g, reduction, x).times(Term(-1).times(hot), x.shape))]


RULES: dict[str, Rule] = {
    "mse_loss": by_element("2*(x - y)", "-2*(x - y)"),
    "l1_loss": by_element("sign(x - y)", "-sign(x - y)"),
    "smooth_l1_loss": by_element("clamp((x - y)/beta, -1, 1)", "-clamp((x - y)/beta, -1, 1)", beta=1),
    "huber_loss": by_element("clamp(x - y, -delta, delta)", "-clamp(x - y, -delta, delta)", delta=1),
    "binary_cross_entropy": by_element("(x - y)/clamp(x*(1 - x), min=1e-12)", "log(1 - x) - log(x)"),
    "binary_cross_entropy_with_logits": by_element("sigmoid(x) - y", "-x"),
    "soft_margin_loss": by_element("-y*sigmoid(-x*y)"),
    "cross_entropy": cross_entropy,
    "nll_loss": nll_loss,
}
