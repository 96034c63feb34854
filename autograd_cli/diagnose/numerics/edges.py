"""Functions with a place where there is no slope or no value, and what to put in there.

A row says where all is well, by a condition on the operand, an operand that does no harm, the
value at the edge where it has one, and a bound that keeps the operand away.
"""

from typing import NamedTuple


class Edge(NamedTuple):
    """`well` is a condition on the operand {o}; `harmless` an operand where all is well.

    `value` is the function's at the edge, "" where it has none; `bound` a method call that keeps the
    operand away, with {e} for a small number, {tiny} for a smaller one. `slot` is the operand's
    place among the arguments, `words` say what is done with the harmless one.
    """

    well: str
    harmless: str
    value: str = ""
    bound: str = ""
    slot: int = 0
    words: str = "another operand in the place of what is at the edge"


_POSITIVE = "clamp(min={e})"
_WITHIN = "clamp(-1 + {e}, 1 - {e})"
_NEAR_ONE = Edge("abs({o}) < 1", "0.", "", _WITHIN)

EDGES: dict[str, Edge] = {
    "sqrt": Edge("{o} > 0", "1.", "0.", _POSITIVE),
    "pow": Edge("{o} > 0", "1.", "0.", _POSITIVE),
    "float_power": Edge("{o} > 0", "1.", "0.", _POSITIVE),
    "rsqrt": Edge("{o} > 0", "1.", "", _POSITIVE),
    "reciprocal": Edge("{o} != 0", "1."),
    "log": Edge("{o} > 0", "1.", "", _POSITIVE),
    "log2": Edge("{o} > 0", "1.", "", _POSITIVE),
    "log10": Edge("{o} > 0", "1.", "", _POSITIVE),
    "log1p": Edge("{o} > -1", "0.", "", "clamp(min=-1 + {e})"),
    "xlogy": Edge("{o} > 0", "1.", "", _POSITIVE, 1),
    "entr": Edge("{o} > 0", "1.", "0.", _POSITIVE),
    "div": Edge("{o} != 0", "1.", "", "", 1, "by 1 where it would be by 0"),
    "remainder": Edge("{o} != 0", "1.", "", "", 1),
    "fmod": Edge("{o} != 0", "1.", "", "", 1),
    "acos": _NEAR_ONE,
    "asin": _NEAR_ONE,
    "atanh": _NEAR_ONE,
    "erfinv": _NEAR_ONE,
    "acosh": Edge("{o} > 1", "2.", "0.", "clamp(min=1 + {e})"),
    "logit": Edge("abs({o} - 0.5) < 0.5", "0.5", "", "clamp({e}, 1 - {e})"),
    "lgamma": Edge("{o} > 0", "1.", "", _POSITIVE),
    "digamma": Edge("{o} > 0", "1.", "", _POSITIVE),
    "softmax": Edge("{o} > -inf", "0.", "", "clamp(min={low})"),
    "log_softmax": Edge("{o} > -inf", "0.", "", "clamp(min={low})"),
    "logsumexp": Edge("{o} > -inf", "0.", "", "clamp(min={low})"),
    "logaddexp": Edge("{o} > -inf", "0.", "", "clamp(min={low})"),
    "hypot": Edge("{o} != 0", "{tiny}"),
    "exp": Edge("{o} < {high}", "0.", "", "clamp(max={high})"),
}
"""By the name of the function."""

ALIASES = {
    "arccos": "acos",
    "arcsin": "asin",
    "arctanh": "atanh",
    "arccosh": "acosh",
    "true_divide": "div",
    "divide": "div",
    "expit": "sigmoid",
    "softmin": "softmax",
}


def plain_name(name: str) -> str:
    """The name that a function has in the tables, by any of its names and those of its in-place form."""
    plain = name.removesuffix("_") if not name.startswith("_") else name
    return ALIASES.get(plain, plain)


def edge(name: str) -> Edge | None:
    """The row of a function, by any of its names."""
    return EDGES.get(plain_name(name))
