"""What the failing line calls things: what a method is called on, what a layer or a loss is given.

A fix that names a tensor names the person's own, and where the line does not tell it, none.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import Facts, Raised
from autograd_cli.report.diagnosis import Seen

_PATH = r"(?P<it>[A-Za-z_][\w.]*(?:\[[^\[\]]*\])?(?:\([^()]*\))?)"
_LONGEST = 24
_LEADING = re.compile(r"^(?:el)?(?:if|while|for|with)\b")
_PYTHONS = {"print", "len", "float", "int", "str", "list", "range", "enumerate", "zip", "append", "item"}


def source(raised: Raised) -> str:
    """The line of the person's own last frame, but that of a copy of torch that raises the error."""
    frame = own(raised)
    return frame.text if frame and not frame.text.startswith("raise ") else ""


def on(method: str, *templates: str) -> Callable[[Raised, Facts], str]:
    """The first template with what `method`, a pattern, is called on for `{it}`; else the one without it."""
    compiled = re.compile(rf"(?<![\w.)\]]){_PATH}\.(?:{method})")

    def told(raised: Raised, facts: Facts) -> str:
        match = compiled.search(source(raised))
        is_known = match is not None and len(match["it"]) <= _LONGEST
        fitting = (one for one in templates if is_known or "{it}" not in one)
        return next(fitting, "").replace("{it}", match["it"] if match else "")

    return told


def gaps(raised: Raised) -> Iterator[tuple[str, str]]:
    """What the failing line gives a layer, `input`, and a loss, `scores` and `target`; the `layer` itself."""
    calls = _calls(source(raised))
    layer = raised.layer.partition(": ")[0]
    yield "layer", layer or _layer(raised, calls)
    yield "input", _written(_input(calls, layer))
    first, second = _pair(calls)
    yield "scores", _written(first)
    yield "target", _written(second)


def seen(raised: Raised, name: str) -> Seen | None:
    """The tensor that the failing line calls `name`, where the script's frames are at hand."""
    frame = own(raised)
    return next((one for one in raised.tensors if one.name == name and one.frame == frame), None)


def handed(raised: Raised, name: str) -> Seen | None:
    """The tensor that torch's function itself calls `name`, where a script handed it over here."""
    return next((one for one in raised.handed if one.name == name), None)


def _calls(text: str) -> list[ast.Call]:
    """The calls in a line of source, none where it is no whole statement."""
    try:
        tree = ast.parse(f"{text} pass" if _LEADING.match(text) and text.endswith(":") else text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _input(calls: Sequence[ast.Call], layer: str) -> ast.expr | None:
    """What the layer is given, or where it is not known which is one, the only call of one operand."""
    of_layer = [one for one in calls if layer and ast.unparse(one.func) == layer and one.args]
    single = [one for one in calls if len(one.args) == 1 and not _is_pythons(one)]
    if of_layer:
        return of_layer[0].args[0]
    return single[0].args[0] if len(single) == 1 and not layer else None


def _pair(calls: Sequence[ast.Call]) -> tuple[ast.expr | None, ast.expr | None]:
    """What a loss is given: the first two operands of the only call that has two."""
    found = []
    for one in calls:
        named = {word.arg: word.value for word in one.keywords}
        first, second, *_ = (*one.args, None, None)
        pair = first or named.get("input"), second or named.get("target")
        found += [pair] if pair[0] is not None and pair[1] is not None and not _is_pythons(one) else []
    return found[0] if len(found) == 1 else (None, None)


def _layer(raised: Raised, calls: Sequence[ast.Call]) -> str:
    """The layer that the line calls, where torch's own layers were entered from there and none around it."""
    frame = own(raised)
    below = raised.frames[raised.frames.index(frame) + 1 :] if frame else ()
    is_inside = [one for one in below if one.function == "forward"]
    single = [one for one in calls if _is_name(one.func) and not _is_pythons(one)]
    names = [
        name for one in single if (name := ast.unparse(one.func)).partition(".")[0] not in ("F", "torch")
    ]
    return names[0] if len(is_inside) == 1 and len(names) == 1 and len(names[0]) <= _LONGEST else ""


def _is_name(node: ast.expr) -> bool:
    """Whether an expression is a name, with attributes and indices."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name)


def _is_pythons(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _PYTHONS


def _written(node: ast.expr | None) -> str:
    """A name as it is written; empty for what is computed, or long."""
    text = "" if node is None or not _is_name(node) else ast.unparse(node)
    return text if len(text) <= _LONGEST else ""
