"""The errors for functions used as values, values used as functions, and `^` used as a power."""

from autograd_cli.errors import LanguageError, Span
from autograd_cli.lang import lookup, nodes, unknown
from autograd_cli.lang.namespaces import FROM_BUILTINS, NamedConstant
from autograd_cli.lang.nodes import Attribute, Binary, Call, Expr, Name
from autograd_cli.lang.tokens import scan
from autograd_cli.lang.unknown import Place
from autograd_cli.lang.vocabulary import MODULE_CLASSES


def function_as_value(place: Place, node: Expr) -> LanguageError:
    """The error for a function that stands where a value is due."""
    written = place.of(node)
    others = place.bound.bound - {written}
    one = next(iter(others)) if len(others) == 1 else "x"
    return place.error(
        "AGX109",
        f"`{written}` is a function, and a function is no value to compute with.",
        node.span,
        f"Call it, `{written}({one})`{'' if place.bound.is_program else _or_bind(node)}.",
    )


def _or_bind(node: Expr) -> str:
    return f", or bind the name to a value, `--{node.id} 2`" if isinstance(node, Name) else ""


def mode_as_value(place: Place, node: Call) -> LanguageError:
    """The error for `torch.no_grad()` that stands without `with`, where it does nothing."""
    return place.error(
        "AGX109",
        f"`{place.of(node)}` makes a mode, and a mode acts only after `with`.",
        node.span,
        f"Write `with {place.of(node)}:` above the lines that it is for, and indent these.",
    )


def type_as_value(place: Place, node: Call) -> LanguageError:
    """The error for `type(x)` without `.__name__`."""
    return place.error(
        "AGX109",
        f"`{place.of(node)}` is a class, and a class is no value to compute with.",
        node.span,
        f"Write `{place.of(node)}.__name__` for its name.",
        place.mended(Span(node.span.end, node.span.end), ".__name__"),
    )


def class_as_value(place: Place, node: Expr, constant: NamedConstant) -> LanguageError:
    """The error for `float` or `np.float32` where no dtype is asked for."""
    written, torchs = place.of(node), constant.path.startswith("builtins.")
    dtype = str(constant.value).removeprefix("torch.")
    dtype = f"torch.{dtype}" if dtype in FROM_BUILTINS else place.bound.spelled(dtype)
    return place.error(
        "AGX109",
        f"`{written}` is a class, and a class is no value to compute with.",
        node.span,
        f"As a dtype write `{dtype}`; `{written}(x)` makes a number."
        if torchs
        else f"It stands where a dtype is asked for: `dtype={written}`.",
    )


def address(place: Place, node: Expr) -> LanguageError:
    """The error for `x.data_ptr()` or `id(x)`, or a name of such, that is compared with nothing."""
    return place.error(
        "AGX109",
        f"`{place.of(node)}` is an address, which is another at each run.",
        node.span,
        "Compare it with another's: `id(x) == id(y)`, `x.data_ptr() == y.data_ptr()`.",
    )


def sizes_of_typed(place: Place, node: Call) -> LanguageError:
    """The error for `torch.FloatTensor(5)`."""
    sizes = ", ".join(map(place.of, node.args))
    return place.error(
        "AGX109",
        f"`{place.of(node)}` is memory of that size, to which nothing was written.",
        node.span,
        f"Write `torch.zeros({sizes})`, or give the numbers in a list.",
    )


def check_module_call(place: Place, callee: Call) -> None:
    """Refuse `nn.ReLU()(x)`: the modules of torch.nn are no values, their functions are there."""
    inner = callee.function
    path = lookup.module(inner, place.bound) or ""
    found = MODULE_CLASSES.get(path.removeprefix("torch.nn."))
    if path.startswith("torch.nn.") and found is not None:
        plain = not callee.args and not callee.keywords
        raise place.error(
            "AGX103",
            f"`{place.of(inner)}` makes a module, and modules are no values in an expression.",
            inner.span,
            f"Write the function: `{found}(…)`.",
            place.mended(callee.span, found) if plain else "",
        )


def _bracket(place: Place, node: Call) -> int:
    """Where the bracket of the call opens: after the callee and the brackets around it."""
    at = node.function.span.end
    while place.text[at] != "(":
        at += 1
    return at


def _as_product(place: Place, node: Call) -> str:
    """The text with the call made a product; nothing for a call that no product can be."""
    at = _bracket(place, node)
    return place.mended(Span(at, at), "*") if len(node.args) == 1 and not node.keywords else ""


def not_callable(place: Place, node: Call) -> LanguageError:
    """The error for `2(x + 1)`, `(x + 1)(x - 1)` and `sin(x)(x)`."""
    written = place.text[node.span.start : _bracket(place, node)].strip()
    is_number = isinstance(node.function, nodes.Number)
    return place.error(
        "AGX109",
        f"`{written}` is {'a number' if is_number else 'a value'} and cannot be called.",
        Span(node.span.start, node.span.start + len(written)),
        f"For a product write `{written}*{place.text[_bracket(place, node) : node.span.end]}`.",
        _as_product(place, node),
    )


def called_item(place: Place, node: Call) -> LanguageError:
    """The error for `functions[0](x)`: a function is called by a name."""
    written = place.of(node.function)
    return place.error(
        "AGX109",
        f"`{written}` is called, and in the language a function is called by a name.",
        node.function.span,
        f"Give it one: `f = {written}`, and `f{place.text[_bracket(place, node) : node.span.end]}` below it.",
    )


def called_name(place: Place, node: Call, callee: Name) -> LanguageError:
    """The error for a call of a name that is no function."""
    if callee.id in place.bound:
        return _called_binding(place, node, callee)
    if lookup.constant(callee, ()) is not None:
        return called_constant(place, node)
    path = lookup.module(callee, ())
    if path is not None:
        return unknown.module(place, callee, path)
    return unknown.function(place, node)


def _called_binding(place: Place, node: Call, callee: Name) -> LanguageError:
    function = lookup.function(callee, ())
    if function is None:
        return place.error(
            "AGX109",
            f"`{callee.id}` is bound to a value and cannot be called.",
            callee.span,
            f"For a product write `{callee.id}*{place.text[_bracket(place, node) : node.span.end]}`.",
            _as_product(place, node),
        )
    full = function.path.removeprefix("builtins.")
    return place.error(
        "AGX109",
        f"`{callee.id}` is bound to a value here, which hides the function {full}.",
        callee.span,
        f"Write `{full}(…)` for the function, or bind the value to another name."
        if "." in full
        else "Bind the value to another name.",
        place.mended(callee.span, full) if "." in full else "",
    )


def called_constant(place: Place, node: Call) -> LanguageError:
    """The error for `pi(x)` and for `float32(x)`."""
    constant = lookup.constant(node.function, place.bound)
    assert constant is not None
    written = place.of(node.function)
    if isinstance(constant.value, str):
        is_one = len(node.args) == 1 and not node.keywords
        argument = place.of(node.args[0]) if is_one else "x"
        new = f"{argument}.to({written})" if argument.isidentifier() else f"({argument}).to({written})"
        return place.error(
            "AGX109",
            f"`{written}` is {constant.meaning} and cannot be called.",
            node.function.span,
            f"Write `{new}`.",
            place.mended(node.span, new) if is_one else "",
        )
    return place.error(
        "AGX109",
        f"`{written}` is a number and cannot be called.",
        node.function.span,
        f"For a product write `{written}*{place.text[_bracket(place, node) : node.span.end]}`.",
        _as_product(place, node),
    )


def called_attribute(place: Place, node: Call, callee: Attribute) -> LanguageError:
    """The error for `x.shape()`."""
    return place.error(
        "AGX109",
        f"`.{callee.name}` is an attribute, not a method: it cannot be called.",
        Span(callee.span.end - len(callee.name), callee.span.end),
        f"Write `.{callee.name}` without brackets.",
        place.mended(Span(callee.span.end, node.span.end), "") if not node.args and not node.keywords else "",
    )


def check_power(place: Place, node: Binary) -> None:
    """Refuse `sin^2(x)`, and `^` on what is never an integer."""
    left, right = node.left, node.right
    is_function = isinstance(left, Name) and lookup.function(left, place.bound) is not None
    if is_function and isinstance(right, Call) and isinstance(right.function, nodes.Number):
        argument = place.text[_bracket(place, right) : right.span.end]
        new = f"{place.of(left)}{argument}**{place.of(right.function)}"
        raise place.error(
            "AGX109",
            f"`{place.of(node)}` raises the function itself to a power, not its value.",
            node.span,
            f"Write `{new}`.",
            place.mended(node.span, new),
        )
    if node.op == "^" and (_is_never_integer(place, left) or _is_never_integer(place, right)):
        raise place.error(
            "AGX107",
            "`^` is exclusive or, which only integers and truth values have.",
            node.span,
            "A power is written `**`.",
            with_powers(place.text),
        )


def _is_never_integer(place: Place, node: Expr) -> bool:
    """Whether the value is a float for certain: `0.5`, `e`, the result of a division."""
    if isinstance(node, nodes.Unary):
        return _is_never_integer(place, node.operand) if isinstance(node.operand, nodes.Number) else False
    if isinstance(node, Name | Attribute):
        constant = lookup.constant(node, place.bound)
        return constant is not None and isinstance(constant.value, float)
    return (isinstance(node, nodes.Number) and not isinstance(node.value, int)) or (
        isinstance(node, Binary) and node.op == "/"
    )


def with_powers(text: str) -> str:
    """`text` with every `^` written as a power, as mathematics means it."""
    return "".join("**" if token.text == "^" else token.text for token in scan(text))
