"""The errors for names, functions and attributes that the language does not have."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograd_cli.errors import LanguageError, Span
from autograd_cli.lang import lookup, suggestions
from autograd_cli.lang.functions import by_path
from autograd_cli.lang.nodes import Attribute, Call, Expr, Name
from autograd_cli.lang.parse import is_source
from autograd_cli.lang.refusals import AS_IT_IS
from autograd_cli.lang.scope import Scope
from autograd_cli.lang.vocabulary import (
    FOREIGN,
    HABITS,
    METHODS_NOT_NEEDED,
    MODULE_CLASSES,
    SPELT_OUT,
    UNSAFE,
)

if TYPE_CHECKING:
    from autograd_cli.lang.elsewhere import Missing

_MOST_LINES = 10
"""Nobody reads a longer text to find what changed in it."""


@dataclass(frozen=True)
class Place:
    """A text with the names that are bound in it, for errors about parts of it."""

    text: str
    bound: Scope

    def of(self, node: Expr) -> str:
        """What is written at `node`."""
        return self.text[node.span.start : node.span.end]

    def mended(self, span: Span, new: str) -> str:
        """The text with `new` in the place of `span`."""
        return self.text[: span.start] + new + self.text[span.end :]

    def error(self, code: str, sentence: str, span: Span, hint: str, fix: str = "") -> LanguageError:
        """An error about the stretch `span`; a fix that Python does not read is left out."""
        fix = fix if fix.count("\n") <= _MOST_LINES and is_source(fix) else ""
        return LanguageError(code, sentence, text=self.text, span=span, hint=hint, fix=fix)


def name(place: Place, node: Name) -> LanguageError | None:
    """The error for a name that is not bound, where it is clear what it should be; else None."""
    written = place.of(node)
    odd = _look_alike(place, node, "AGX102") or _dotted_product(place, node)
    if odd is not None:
        return odd
    if node.id in FOREIGN and not suggestions.nearest(node.id, place.bound):
        return None
    near = suggestions.for_name(node.id, place.bound)
    if near is None:
        return None
    return place.error(
        "AGX102",
        f"`{written}` is no name of the language, and nothing is bound to it.",
        node.span,
        f"Did you mean `{near}`?",
        place.mended(node.span, near),
    )


def underscored(place: Place, node: Name) -> LanguageError:
    """The error for a name with an underscore before it that is not bound."""
    return place.error(
        "AGX102",
        f"`{node.id}` begins with an underscore, and nothing is bound to it.",
        node.span,
        f"Write a value for it: `--{node.id} 2`.",
    )


def module(place: Place, node: Expr, path: str) -> LanguageError:
    """The error for a module, or a name in one, where a value is due."""
    written = place.of(node)
    if isinstance(node, Name):
        return place.error(
            "AGX102",
            f"`{written}` is the module {path}, and a module is no value.",
            node.span,
            f"Write a name of it, such as `{written}.{_example_in(path)}`, or bind `{written}` to a value.",
        )
    last = path.rpartition(".")[2]
    found = suggestions.nearest(last, lookup.constant_names()) or suggestions.for_function(last)
    return place.error(
        "AGX102",
        f"`{written}` is not in the language.",
        node.span,
        f"Did you mean `{found}`?" if found else "Names in the language are functions, constants and dtypes.",
    )


def _example_in(path: str) -> str:
    return {"torch.linalg": "norm(x)", "torch.special": "erf(x)", "torch.fft": "fft(x)", "math": "pi"}.get(
        path, "relu(x)" if path.startswith("torch.nn") else "sin(x)"
    )


def function(place: Place, node: Call) -> LanguageError:
    """The error for a call of a name, dotted or not, that is no function of the language."""
    callee = node.function
    written = place.of(callee)
    last = callee.name if isinstance(callee, Attribute) else written
    if isinstance(callee, Name):
        special = (
            _look_alike(place, callee, "AGX103") or _brought(place, callee) or _letter(place, node, callee)
        )
        if special is not None:
            return special
        last = callee.id
    sentence = f"`{written}` is no function of the language."
    path, why = lookup.path(callee, place.bound), _missing(place, callee)
    if why is not None:
        return place.error("AGX103", f"`{written}` {why.does}", callee.span, why.hint)
    if path is not None and path.startswith("torch.nn.") and last in MODULE_CLASSES:
        return _made_module(place, node, last)
    if path is not None and path.startswith("torch.nn.") and last[:1].isupper():
        return _no_value(place, callee, AS_IT_IS)
    if path is not None and path.startswith("numpy."):
        return _of_numpy(place, callee, last)
    if last in SPELT_OUT:
        return place.error("AGX103", sentence, callee.span, f"Write {_quoted(SPELT_OUT[last])}.")
    unimported = _not_imported(place, callee)
    if unimported is not None:
        return unimported
    found = suggestions.for_function(last)
    found = place.bound.spelled(found) if found else None
    if found is not None and last not in UNSAFE:
        return place.error(
            "AGX103", sentence, callee.span, _meant(last, found), place.mended(callee.span, found)
        )
    as_method = _as_method(place, node, last)
    return as_method or place.error("AGX103", sentence, callee.span, _no_function(last, written))


def _brought(place: Place, callee: Name) -> LanguageError | None:
    """A function that was brought from outside under a name like this one, or the only one that was."""
    brought = sorted(place.bound.callables)
    found = suggestions.nearest(callee.id, brought)
    if found is None and (len(brought) != 1 or suggestions.for_function(callee.id)):
        return None
    meant = found or brought[0]
    hint = f"Did you mean `{meant}`, which `--use` brings?"
    sentence = f"`{callee.id}` is no function of the language."
    return place.error("AGX103", sentence, callee.span, hint, place.mended(callee.span, meant))


def _missing(place: Place, callee: Expr) -> "Missing | None":
    """Why a function that is elsewhere is not in the language, where that is known."""
    from autograd_cli.lang.elsewhere import missing  # a source without a fault needs none

    return missing(lookup.path(callee, place.bound))


def _made_module(place: Place, node: Call, last: str) -> LanguageError:
    """`nn.MSELoss()`: a module, of which the language has the function."""
    found = place.bound.spelled(MODULE_CLASSES[last])
    if not node.args and not node.keywords:
        hint = f"Write the function, `{found}`, which is called as the module would be."
        return _no_value(
            place, node.function, hint, place.mended(node.span, found) if place.bound.is_program else ""
        )
    hint = f"Write the function where the module is called, with tensors as its weights: `{found}(…)`."
    if place.bound.is_program:
        hint = f"{AS_IT_IS} Here write `{found}(…)` of tensors."
    return _no_value(place, node.function, hint)


def _no_value(place: Place, callee: Expr, hint: str, mended: str = "") -> LanguageError:
    sentence = f"`{place.of(callee)}` makes a module, and modules are no values in the language."
    return place.error("AGX103", sentence, callee.span, hint, mended)


def _of_numpy(place: Place, callee: Expr, last: str) -> LanguageError:
    """A function of NumPy that the language does not have; torch's of that name takes tensors."""
    torchs = [each for each in lookup.spellings(last) if not each.startswith(("x.", "np."))]
    hint = "`agx ops 'np.*'` lists those that are."
    if torchs:
        torchs_own = place.bound.spelled(torchs[0])
        hint = f"Write `{torchs_own}(…)` of tensors: `torch.from_numpy(n)` makes one of an array."
    sentence = f"`{place.of(callee)}` is not among the functions of NumPy that the language has."
    return place.error("AGX103", sentence, callee.span, hint)


def _not_imported(place: Place, callee: Expr) -> LanguageError | None:
    """A function that is there once it, or its module, is imported: `np.array`, `sin`."""
    written = place.of(callee)
    first, _, rest = written.partition(".")
    if place.bound.is_program and first in ("np", "numpy") and f"numpy.{rest}" in by_path:
        line = "import numpy as np" if first == "np" else "import numpy"
        return place.error("AGX103", f"`{first}` is not imported.", callee.span, f"Write `{line}` above it.")
    if place.bound.imported is None or lookup.function(callee, ()) is None:
        return None
    path = lookup.path(callee, ()) or ""
    if place.bound.path(written) is not None:
        return place.error(
            "AGX103",
            f"`{written}` is {place.bound.path(written)} here, from a star import, and not Python's own.",
            callee.span,
            f"Write `from builtins import {written}` below that import.",
        )
    spelled = place.bound.spelled(written)
    module = "torch" if path.startswith("torch.") else path.partition(".")[0]
    is_there = spelled.partition(".")[0] in place.bound.imported
    return place.error(
        "AGX103",
        f"`{written}` is not among what this source imports.",
        callee.span,
        f"Write `{spelled}(…)`." if is_there else f"Write `import {module}` above it, and `{path}(…)`.",
        place.mended(callee.span, spelled) if is_there else "",
    )


def _meant(written: str, found: str) -> str:
    if written in HABITS or written == found.rpartition(".")[2]:
        return f"Write `{found}(…)`."
    return f"Did you mean `{found}`?"


def _quoted(words: str) -> str:
    return f"`{words}`" if "(" in words else words


def _no_function(last: str, written: str) -> str:
    if last in UNSAFE:
        return "Nothing in the language reads files, runs code or looks into Python."
    if "." in written or len(written) > 2:
        return "Functions in the language have names such as `sin`, `F.relu` and `linalg.norm`."
    return "For a product write `*` before the bracket."


def _as_method(place: Place, node: Call, last: str) -> LanguageError | None:
    """`view(x, 2)` where only `x.view(2)` exists."""
    if lookup.method(last) is None or not node.args:
        return None
    first, rest = node.args[0], node.args[1:]
    receiver = place.of(first) if isinstance(first, Name | Attribute | Call) else f"({place.of(first)})"
    start = (
        rest[0].span.start if rest else node.keywords[0].span.start if node.keywords else node.span.end - 1
    )
    new = f"{receiver}.{last}({place.text[start : node.span.end]}"
    return place.error(
        "AGX103",
        f"`{last}` is a method of tensors, not a function.",
        node.function.span,
        f"Write `{new}`.",
        place.mended(node.span, new),
    )


def _letter(place: Place, node: Call, callee: Name) -> LanguageError | None:
    """`a(b + c)` with a name of one letter: most likely a product."""
    if len(callee.id) > 1 or not node.args or node.keywords:
        return None
    opening = callee.span.end
    if callee.id in "fgh":
        return place.error(
            "AGX103",
            f"`{callee.id}` is no function of the language.",
            callee.span,
            f"Write out what it computes, or bring your own: `--use {callee.id}=file.py:function`.",
        )
    return place.error(
        "AGX103",
        f"`{callee.id}` is no function of the language.",
        callee.span,
        f"For a product write `{callee.id}*{place.text[opening : node.span.end]}`.",
        place.mended(Span(opening, opening), "*"),
    )


def attribute(place: Place, node: Attribute, call: Call | None) -> LanguageError:
    """The error for an attribute or, where it is called, a method that tensors do not have."""
    made = node.value.function if isinstance(node.value, Call) else None
    if isinstance(node.value, Call) and made is not None and _missing(place, made):
        return function(place, node.value)
    start = node.span.end - len(_written_name(place, node))
    span = Span(start, node.span.end)
    what = "method" if call else "attribute"
    sentence = f"`.{node.name}` is no {what} of the language."
    bare = [s for s in lookup.spellings(node.name) if not s.startswith("x.")]
    if bare and call is not None:
        return _as_function(place, node, call, bare[0], span)
    if node.name.endswith("_") and lookup.method(node.name[:-1]) and call is not None:
        plain = node.name[:-1]
        return place.error(
            "AGX105",
            sentence,
            span,
            f"Write `.{plain}(…)`, which gives a new tensor.",
            place.mended(span, plain),
        )
    if node.name in METHODS_NOT_NEEDED:
        return place.error("AGX105", sentence, span, METHODS_NOT_NEEDED[node.name])
    near = suggestions.for_attribute(node.name)
    if near is None:
        return place.error("AGX105", sentence, span, "Tensors have `x.shape`, `x.T`, `x.sum()` and the like.")
    shown, fix = _attribute_fix(place, near, span, call)
    return place.error("AGX105", sentence, span, f"Did you mean `.{shown}`?", fix)


def _written_name(place: Place, node: Attribute) -> str:
    """The attribute as it is written, before Python puts its letters in plain form."""
    return place.of(node).rpartition(".")[2].strip()


def _attribute_fix(place: Place, near: str, span: Span, call: Call | None) -> tuple[str, str]:
    """What to write for an attribute, and the text with it: a method has brackets, others none."""
    plain = near.removesuffix("()")
    is_method = plain != near or (lookup.attribute(plain) is None and lookup.method(plain) is not None)
    if call is None:
        shown = f"{plain}()" if is_method else plain
        return shown, place.mended(span, shown)
    if is_method:
        return f"{plain}(…)", place.mended(span, plain)
    return plain, place.mended(Span(span.start, call.span.end), plain) if not call.args else ""


def _as_function(place: Place, node: Attribute, call: Call, spelling: str, span: Span) -> LanguageError:
    """`x.mse_loss(y)` where only `F.mse_loss(x, y)` exists."""
    inside = place.text[node.span.end : call.span.end].strip()[1:-1].strip()
    new = f"{spelling}({place.of(node.value)}{', ' if inside else ''}{inside})"
    return place.error(
        "AGX105",
        f"`.{node.name}` is no method of tensors; it is a function.",
        span,
        f"Write `{new}`.",
        place.mended(call.span, new),
    )


def _look_alike(place: Place, node: Name, code: str) -> LanguageError | None:
    """A name that would be known if its letters were the Latin ones that they look like."""
    latin = suggestions.in_latin(node.id)
    if latin == node.id or not (latin in place.bound or latin in lookup.bare_names()):
        return None
    return place.error(
        code,
        f"`{place.of(node)}` is not `{latin}`: it holds {suggestions.look_alikes(node.id)}.",
        node.span,
        f"Type `{latin}` in Latin letters.",
        place.mended(node.span, latin),
    )


def _dotted_product(place: Place, node: Name) -> LanguageError | None:
    """`x·y`: the middle dot is a letter to Python."""
    written = place.of(node)
    if "\u00b7" not in written.strip("\u00b7"):
        return None
    product = "*".join(written.split("\u00b7"))
    return place.error(
        "AGX102",
        f"`{written}` is one name to Python: `\u00b7` (U+00B7 MIDDLE DOT) can be part of a name.",
        node.span,
        f"Write `{product}`.",
        place.mended(node.span, product),
    )
