"""What may stand before the dot of an attribute or a method."""

from typing import cast

from autograd_cli.lang import lookup, misuse, nodes
from autograd_cli.lang.namespaces import FIELDS
from autograd_cli.lang.nodes import Attribute, Call, Expr, Name
from autograd_cli.lang.unknown import Place
from autograd_cli.lang.vocabulary import FOREIGN, UNSAFE, words

_AROUND = "Write a function around it, `sin(2.)`, or make a tensor of it, `tensor(2.)`."
FORMATTED = 'Texts are put together by f-strings: `f"loss {loss.item():.4f}"`.'

_KINDS: dict[type[Expr], tuple[str, str]] = {
    nodes.Number: ("A number", _AROUND),
    nodes.Text: ("A string", FORMATTED),
    nodes.Joined: ("A string", FORMATTED),
    nodes.Sequence: ("A list", "Give it a name, and append to that: `kept = []`, `kept.append(x)`."),
    nodes.Constant: ("A constant", _AROUND),
}


_SETTINGS = frozenset(words("lr momentum dampening weight_decay nesterov maximize betas eps amsgrad"))


def of_group(node: nodes.Subscript) -> Attribute | None:
    """The `optimizer.param_groups` of `optimizer.param_groups[0]["lr"]`; None for another subscript."""
    match node:
        case nodes.Subscript(
            nodes.Subscript(Attribute(_, "param_groups") as groups, nodes.Number(_)), nodes.Text(setting)
        ):
            return groups if setting in _SETTINGS else None
    return None


def is_uncalled(node: Attribute) -> bool:
    """Whether a name that is a method, and a field of some results, is a method here."""
    both = node.name in FIELDS and lookup.method(node.name) is not None
    return both and not isinstance(node.value, Call)


def _is_of_texts(name: str) -> bool:
    """Whether strings have a method of that name in the language."""
    return any(row.path.startswith("builtins.str.") for row in lookup.other_methods(name))


def check_receiver(place: Place, node: Attribute, is_called: bool = False) -> None:
    """Refuse attributes of what is written out: numbers, strings, lists; and of other libraries."""
    kind, hint = _KINDS.get(type(node.value), ("", ""))
    if kind and not (kind == "A string" and is_called and _is_of_texts(node.name)):
        raise place.error(
            "AGX105",
            f"{kind} has no such attribute or method in the language: `.{node.name}` is asked of it.",
            node.span,
            hint,
        )
    first = node.value
    made = first.function if isinstance(first, Call) else None
    if isinstance(made, Name) and made.id in UNSAFE - place.bound.bound:
        raise misuse.called_name(place, cast(Call, first), made)
    while isinstance(first, Attribute):
        first = first.value
    if isinstance(first, Name) and first.id in FOREIGN and first.id not in place.bound:
        raise place.error(
            "AGX102",
            f"`{place.of(node)}` belongs to another library; the language has torch and math.",
            node.span,
            "Write the name alone: `pi`, `inf`, `float32`.",
        )
