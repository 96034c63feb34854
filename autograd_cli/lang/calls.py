"""Whether a call has the arguments that its function takes, and what each is for."""

from collections.abc import Iterator

from autograd_cli.errors import LanguageError, Span
from autograd_cli.lang.functions.rows import NUMPY_KEYWORDS, Argument, Function, Role
from autograd_cli.lang.lookup import keyword
from autograd_cli.lang.nodes import Call, Expr, Keyword
from autograd_cli.lang.suggestions import nearest

Placed = tuple[Expr, Role]
"""An argument's expression and what it is for."""


# Arguments that take several sizes or dims at once.
_PLURAL = ("s", "shape", "size")


class Signature:
    """The arguments of a function, or of the method after the dot, as a call fills them."""

    def __init__(self, function: Function, *, is_method: bool) -> None:
        self.function = function
        self.is_method = is_method
        self.arguments = function.method_arguments[1:] if is_method else function.arguments
        self.plain = [a for a in self.arguments if not a.keyword_only and not a.variadic]
        self.rest = next((a for a in self.arguments if a.variadic), None)

    def __str__(self) -> str:
        """As a person reads it: `x.sum(dim, keepdim, *, dtype)`; what has a default in brackets."""
        name = f"x.{self.function.name}" if self.is_method else self.function.spelling
        return f"{name}({', '.join(self._shown())})"

    def _shown(self) -> Iterator[str]:
        for argument in self.arguments:
            if argument.variadic:
                yield f"*{argument.name}"
            elif argument.keyword_only:
                yield f"{argument.name}=…"
            else:
                yield argument.name if argument.required else f"{argument.name}=…"

    def at(self, position: int) -> Argument | None:
        """The argument that takes the positional value number `position`."""
        return self.plain[position] if position < len(self.plain) else self.rest

    def named(self, name: str) -> Argument | None:
        """The argument that a keyword gives a value to."""
        known = keyword(self.function, name)
        return next((a for a in self.arguments if a.name == known and not a.positional_only), None)


def placed(text: str, node: Call, function: Function, *, is_method: bool, is_loose: bool) -> list[Placed]:
    """Each argument of the call `node` with its role, in the order written.

    Raises LanguageError AGX107 for one too many, one missing, one given twice, and an
    unknown keyword. `is_loose` leaves the counting to Python, whose own `max` or `sum`
    takes other arguments than torch's.
    """
    signature = Signature(function, is_method=is_method)
    found: list[Placed] = []
    filled: set[str] = set()
    for position, arg in enumerate(node.args):
        argument = signature.at(position)
        if argument is None and not is_loose:
            raise _too_many(text, node, signature)
        found.append((arg, argument.role if argument else Role.TENSOR))
        filled.add(argument.name if argument else "")
    for given in node.keywords:
        argument = signature.named(given.name)
        if given.name == "out" and not is_method and _has_out(function):
            argument = Argument("out", Role.TENSOR, required=False)
        if argument is None and not is_loose:
            raise _unknown_keyword(text, given, signature)
        if argument is not None and argument.name in filled:
            raise _twice(text, given, argument, signature)
        found.append((given.value, argument.role if argument else Role.TENSOR))
        filled.add(argument.name if argument else given.name)
    if not is_loose:
        _check_missing(text, node, signature, filled)
    return found


def _has_out(function: Function) -> bool:
    from autograd_cli.lang.functions.outs import OUT  # few sources ask

    return function.path in OUT


def _too_many(text: str, node: Call, signature: Signature) -> LanguageError:
    most, given = len(signature.plain), len(node.args)
    takes = "no argument" if most == 0 else "one argument" if most == 1 else f"at most {most} arguments"
    by_position = " by position" if any(a.keyword_only for a in signature.arguments) else ""
    new = _as_tuple(text, node, signature)
    return LanguageError(
        "AGX107",
        f"`{_name(signature)}` takes {takes}{by_position}, and {given if given > 1 else 'one'} "
        f"{'are' if given > 1 else 'is'} given.",
        text=text,
        span=Span(node.args[most].span.start, node.args[-1].span.end),
        hint=f"Write the last ones as one tuple: `{new}`." if new else f"It is called as `{signature}`.",
        fix=text[: node.span.start] + new + text[node.span.end :] if new else "",
    )


def _as_tuple(text: str, node: Call, signature: Signature) -> str:
    """The call with its sizes or dims in a tuple, `reshape(x, (2, 3))`; nothing where that is no help."""
    last = signature.plain[-1] if signature.plain else None
    takes_tuple = last is not None and last.role in (Role.SIZE, Role.DIM) and last.name.endswith(_PLURAL)
    if not takes_tuple or node.keywords:
        return ""
    first = node.args[len(signature.plain) - 1].span.start
    end = node.args[-1].span.end
    before, after = text[node.span.start : first], text[end : node.span.end]
    return f"{before}({text[first:end]}){after}"


def _name(signature: Signature) -> str:
    return (
        str(signature).partition("(")[0].removeprefix("x")
        if signature.is_method
        else signature.function.spelling
    )


def _unknown_keyword(text: str, given: Keyword, signature: Signature) -> LanguageError:
    names = [a.name for a in signature.arguments if not a.variadic and not a.positional_only]
    span = Span(given.span.start, given.span.start + len(given.name))
    if given.name == "out":
        hint, near = "Leave `out` out, and give the result a name: `y = …`.", None
    else:
        numpy = NUMPY_KEYWORDS.get(given.name)
        near = numpy if numpy in names else nearest(given.name, names)
        hint = f"Write `{near}=`." if near else f"It is called as `{signature}`."
    return LanguageError(
        "AGX107",
        f"`{_name(signature)}` has no argument called `{given.name}`.",
        text=text,
        span=span,
        hint=hint,
        fix=text[: span.start] + near + text[span.end :] if near else "",
    )


def _twice(text: str, given: Keyword, argument: Argument, signature: Signature) -> LanguageError:
    return LanguageError(
        "AGX107",
        f"`{_name(signature)}` is given `{argument.name}` twice.",
        text=text,
        span=given.span,
        hint=f"Leave one of the two out; it is called as `{signature}`.",
    )


def _check_missing(text: str, node: Call, signature: Signature, filled: set[str]) -> None:
    missing = [a.name for a in signature.arguments if a.required and a.name not in filled]
    if not missing:
        return
    names = ", ".join(f"`{name}`" for name in missing)
    raise LanguageError(
        "AGX107",
        f"`{_name(signature)}` is called without {names}.",
        text=text,
        span=node.span,
        hint=f"It is called as `{signature}`.",
    )
