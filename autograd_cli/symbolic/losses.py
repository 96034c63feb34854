"""Rules of the losses: local factors by element, then the mean or the sum over them."""

from collections.abc import Callable
from functools import reduce
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Binary, Compare, Expr, Subscript
from autograd_cli.symbolic.build import call as calling, method, number, parsed
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
        *rest: Any,
        reduction: Any = "mean",
        weight: Any = None,
        **given: Any,
    ) -> Contributions:
        if rest:
            first = next(iter(parameters), "weight")
            weight, given = (rest[0], given) if first == "weight" else (weight, {first: rest[0], **given})
        if len(rest) > 1 or set(given) - set(parameters):
            raise NoRuleError(f"{call.name} with these arguments has no derivative rule yet")
        shape = broadcast(x.shape, y.shape)
        share = _weighted(call, _share(call, g, reduction, shape), weight)
        env = {name: operand(value) for name, value in {**parameters, **given}.items()} | {"x": x, "y": y}
        pairs = ((x, by_input), (y, by_target))
        return [(to, multiplied(share, parsed(text), env, shape)) for to, text in pairs if to.active and text]

    return rule


def _weighted(call: Call, share: Value, weight: Any) -> Value:
    """The cotangents times the weights of the elements, which are constants."""
    if weight is None:
        return share
    weight = operand(weight)
    if weight.active or call.name in ("mse_loss", "l1_loss", "huber_loss"):
        raise NoRuleError(f"{call.name} with these arguments has no derivative rule yet")
    return share.times(weight.term, share.shape)


def with_logits(
    call: Call,
    g: Value,
    x: Operand,
    y: Operand,
    weight: Any = None,
    *,
    reduction: Any = "mean",
    pos_weight: Any = None,
) -> Contributions:
    """binary_cross_entropy_with_logits: sigmoid(x) - y, the ones weighted by pos_weight."""
    if pos_weight is None:
        return by_element("sigmoid(x) - y", "-x")(call, g, x, y, reduction=reduction, weight=weight)
    if y.active or pos_weight.active:
        raise NoRuleError(f"{call.name} with pos_weight has a derivative rule by its input only")
    share = _weighted(call, _share(call, g, reduction, x.shape), weight)
    local = parsed("(1 - y)*sigmoid(x) - p*y*sigmoid(-x)")
    return [(x, multiplied(share, local, {"x": x, "y": y, "p": pos_weight}, x.shape))]


def gaussian(
    call: Call,
    g: Value,
    x: Operand,
    y: Operand,
    var: Any,
    full: Any = False,
    eps: Any = 1e-6,
    reduction: Any = "mean",
) -> Contributions:
    """gaussian_nll_loss: (x - y)/var, where var is eps at least."""
    spread = operand(
        var if isinstance(var, Operand) and var.position is not None else max(plain(var), plain(eps))
    )
    if x.shape != y.shape or (spread.shape not in ((), x.shape) and spread.shape != (*x.shape[:-1], 1)):
        raise NoRuleError(f"{call.name} of these shapes has no derivative rule yet")
    share = _share(call, g, reduction, x.shape)
    env = {"x": x, "y": y, "v": spread, "eps": operand(eps)}
    v = "v" if spread.position is None else "clamp(v, min=eps)"
    texts = (
        (x, f"(x - y)/{v}"),
        (y, f"-(x - y)/{v}"),
        (spread, f"(1 - (x - y)**2/{v})/(2*{v})"),
    )
    return [(to, multiplied(share, parsed(text), env, x.shape)) for to, text in texts if to.active]


def poisson(
    call: Call,
    g: Value,
    x: Operand,
    y: Operand,
    log_input: Any = True,
    full: Any = False,
    *,
    eps: Any = 1e-8,
    reduction: Any = "mean",
) -> Contributions:
    """poisson_nll_loss: exp(x) - y, or 1 - y/(x + eps) for what is no logarithm."""
    if plain(full) and y.active:
        raise NoRuleError(f"{call.name} with full=True has a derivative rule by its input only")
    by = ("exp(x) - y", "-x") if plain(log_input) else ("1 - y/(x + eps)", "-log(x + eps)")
    return by_element(*by, eps=1e-8)(call, g, x, y, reduction=reduction, eps=eps)


def divergence(
    call: Call, g: Value, x: Operand, y: Operand, *, reduction: Any = "mean", log_target: Any = False
) -> Contributions:
    """kl_div of log-probabilities: -y."""
    by = ("-exp(y)", "exp(y)*(1 + y - x)") if plain(log_target) else ("-y", "1 + log(y) - x")
    return by_element(*by)(call, g, x, y, reduction=reduction)


def ranking(
    call: Call, g: Value, x1: Operand, x2: Operand, y: Operand, margin: Any = 0, *, reduction: Any = "mean"
) -> Contributions:
    """margin_ranking_loss: -y for the first, y for the second, where the margin is not kept."""
    if y.active:
        raise NoRuleError(f"{call.name} has no derivative rule by its target")
    shape = broadcast(x1.shape, x2.shape, y.shape)
    share = _share(call, g, reduction, shape)
    kept = operand(margin)
    env = {"x1": x1, "x2": x2, "y": y, "m": kept}
    inside = "y*(x1 - x2) <= m" if kept.value != 0 else "y*(x1 - x2) <= 0"
    texts = ((x1, f"where({inside}, -y, 0)"), (x2, f"where({inside}, y, 0)"))
    return [(to, multiplied(share, parsed(text), env, shape)) for to, text in texts]


def multilabel(
    call: Call, g: Value, x: Operand, y: Operand, weight: Any = None, *, reduction: Any = "mean"
) -> Contributions:
    """multilabel_soft_margin_loss: (sigmoid(x) - y) over the number of classes."""
    share = _weighted(call, _by_example(call, g, reduction, x), weight)
    each = share.times(Term(1, x.shape[-1]), x.shape)
    env = {"x": x, "y": y}
    pairs = ((x, "sigmoid(x) - y"), (y, "-x"))
    return [(to, multiplied(each, parsed(text), env, x.shape)) for to, text in pairs if to.active]


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
    """cross_entropy of (N, C, …) or (C): softmax(x) less the one-hot target or the probabilities."""
    axis = min(1, len(x.shape) - 1)
    smooth = plain(label_smoothing)
    if target.shape == x.shape and "float" in (target.step.dtype or "" if target.step else ""):
        if weight is not None or smooth or axis != len(x.shape) - 1:
            raise NoRuleError(f"{call.name} with these arguments has no derivative rule yet")
        return _of_probabilities(_by_example(call, g, reduction, x), x, target, axis)
    if weight is not None and (smooth or weight.active):
        raise NoRuleError(f"{call.name} with these weights has no derivative rule yet")
    share = _by_class(call, g, reduction, x, target, weight, plain(ignore_index))
    meant = _one_hot(x, target)
    if smooth:
        kept = Binary("*", number(1 - smooth), meant)
        meant = Binary("+", kept, Binary("/", number(smooth), number(x.shape[axis])))
    local = factor_term(Binary("-", calling("softmax", x.expr, axis), meant), x.shape)
    return [(x, share.times(local, x.shape))]


def _one_hot(x: Operand, target: Operand) -> Expr:
    """The target as ones and zeros of the shape of `x`, whose classes are its second dim."""
    hot = calling("F.one_hot", target.expr, x.shape[min(1, len(x.shape) - 1)])
    return method(hot, "movedim", -1, 1) if len(x.shape) > 2 else hot


def _by_class(
    call: Call, g: Value, reduction: Any, x: Operand, target: Operand, weight: Any, ignored: int
) -> Value:
    """The cotangent of each example's loss, times the weight of its class, stretched over the classes.

    An example of the class that is `ignored` has the weight 0.
    """
    weights: list[Expr] = [] if weight is None else [Subscript(weight.expr, target.expr)]
    if ignored >= 0:
        weights.append(Compare(("!=",), (target.expr, number(ignored))))
    if not weights:
        return _by_example(call, g, reduction, x)
    chosen = reduce(lambda a, b: Binary("*", a, b), weights)
    each, total = factor_term(chosen, target.shape), factor_term(method(chosen, "sum"), ())
    if plain(reduction) == "mean":
        share = g.times(total.power(-1), target.shape)
    else:
        share = _share(call, g, reduction, target.shape)
    return _over_classes(share.times(each, target.shape), x)


def _of_probabilities(share: Value, x: Operand, target: Operand, axis: int) -> Contributions:
    total = method(target.expr, "sum", axis, keepdim=True)
    spread = Binary("*", calling("softmax", x.expr, axis), total)
    by_input = factor_term(Binary("-", spread, target.expr), x.shape)
    by_target = Term(-1).times(factor_term(calling("log_softmax", x.expr, axis), x.shape))
    return [(x, share.times(by_input, x.shape)), (target, share.times(by_target, x.shape))]


def _by_example(call: Call, g: Value, reduction: Any, x: Operand) -> Value:
    """The cotangent of each example's loss, stretched over its classes."""
    return _over_classes(_share(call, g, reduction, _examples(x)), x)


def _examples(x: Operand) -> Shape:
    axis = min(1, len(x.shape) - 1)
    return x.shape[:axis] + x.shape[axis + 1 :]


def _over_classes(share: Value, x: Operand) -> Value:
    if share.natural == ():
        return share.to(x.shape)
    return with_dims(share, [min(1, len(x.shape) - 1)], x.shape)


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
    """nll_loss of (N, C, …) or (C): minus the one-hot target."""
    hot = factor_term(_one_hot(x, target), x.shape)
    share = _by_class(call, g, reduction, x, target, weight, plain(ignore_index))
    return [(x, share.times(Term(-1).times(hot), x.shape))]


RULES: dict[str, Rule] = {
    "mse_loss": by_element("2*(x - y)", "-2*(x - y)"),
    "l1_loss": by_element("sign(x - y)", "-sign(x - y)"),
    "smooth_l1_loss": by_element("clamp((x - y)/beta, -1, 1)", "-clamp((x - y)/beta, -1, 1)", beta=1),
    "huber_loss": by_element("clamp(x - y, -delta, delta)", "-clamp(x - y, -delta, delta)", delta=1),
    "binary_cross_entropy": by_element("(x - y)/clamp(x*(1 - x), min=1e-12)", "log(1 - x) - log(x)"),
    "binary_cross_entropy_with_logits": with_logits,
    "soft_margin_loss": by_element("-y*sigmoid(-x*y)"),
    "hinge_embedding_loss": by_element(
        "where(y == 1, 1, where(y == -1, where(x <= margin, -1, 0), where(x <= margin, 0, 1)))", margin=1.0
    ),
    "poisson_nll_loss": poisson,
    "gaussian_nll_loss": gaussian,
    "kl_div": divergence,
    "margin_ranking_loss": ranking,
    "multilabel_soft_margin_loss": multilabel,
    "cross_entropy": cross_entropy,
    "nll_loss": nll_loss,
}
