"""What may stand on the left of `=`: names, elements, and three attributes of tensors."""

from autograd_cli.errors import LanguageError, Span
from autograd_cli.lang.nodes import Attribute, Expr, Sequence
from autograd_cli.lang.reader import Reader

ASSIGNED = ("requires_grad", "grad", "data")
"""Attributes of a tensor that a statement may give a value to."""

CHANGED = ("data", "grad")
"""Attributes that may stand before `+=` and its like."""


def check(reader: Reader, target: Expr, *, augmented: bool = False) -> None:
    """Nothing, or LanguageError AGX104 where the language gives no value to `target`."""
    waiting = [target]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Sequence):
            waiting += node.items
        elif isinstance(node, Attribute) and node.name not in (CHANGED if augmented else ASSIGNED):
            raise _refused(reader, node, augmented)


def _refused(reader: Reader, node: Attribute, augmented: bool) -> LanguageError:
    written = reader.places.text[node.span.start : node.span.end]
    if written.startswith("torch."):
        return reader.error(
            "AGX104",
            f"`{written}` is a setting of the whole process, which no source changes.",
            node.span,
            "Leave it out: a run starts with the settings that torch has by itself.",
        )
    places = " and ".join(f"`.{name}`" for name in CHANGED) if augmented else _LISTED
    return reader.error(
        "AGX104",
        f"`.{node.name}` is given a value, which the language does to no attribute but {places}.",
        Span(node.span.end - len(node.name), node.span.end),
        _HINTS.get(node.name, "Make a new tensor, and give it a name: `y = x.reshape(2, 3)`."),
    )


_LISTED = "`.requires_grad`, `.grad` and `.data`"
_HINTS = {
    "shape": "Write `y = x.reshape(2, 3)`.",
    "dtype": "Write `y = x.to(torch.float64)`.",
    "device": "Write `y = x.to(device)`.",
}
