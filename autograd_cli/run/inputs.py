"""What a person binds to a name, made into a value with a role.

Values are evaluated in the order written, each seeing the earlier ones, in torch's
default dtype; only then are they converted to the dtype and device of the run. Numbers
and lists of them, which are Python's, are made tensors of that dtype at once.
"""

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograd_cli.errors import InputError, Span, first_line
from autograd_cli.lang.check import check, too_early
from autograd_cli.lang.functions.rows import Role
from autograd_cli.lang.nodes import Name, Program, walk
from autograd_cli.lang.parse import parse_expression
from autograd_cli.lang.source import Source
from autograd_cli.lang.swift import swift
from autograd_cli.report.values import flat
from autograd_cli.run.creation import created
from autograd_cli.run.modes import Grad
from autograd_cli.run.record import evaluate
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue

_INTEGER_ROLES = frozenset(
    {Role.INDEX, Role.MASK, Role.TARGET, Role.DIM, Role.SIZE, Role.COUNT, Role.FLAG, Role.TEXT}
)
_TENSOR_ROLES = frozenset({Role.INDEX, Role.MASK, Role.TARGET})

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{0,14})?(?:[eE][-+]?\d{1,2})?")
"""A number as most values are: there is nothing in it to check or to run."""

_NUMBERS = re.compile(rf"\[(?:[][, ]|{_NUMBER.pattern}(?![\d.]))*\]")
"""A list of such numbers, or of lists of them, if Python can read it."""

_FEW = 1000
"""Characters of a list that is as soon read by Python."""


@swift
@dataclass(frozen=True)
class Roles:
    """What decides the role of a name: how the source uses it, and --const and --wrt.

    `used` maps each name of the source to the roles of the places where it stands;
    `const` and `wrt` are names, `wrt` None when every floating binding is a leaf.
    """

    used: Mapping[str, Collection[Role]]
    const: frozenset[str] = frozenset()
    wrt: frozenset[str] | None = None


def bind(
    pairs: Sequence[tuple[str, str]],
    roles: Roles,
    settings: Settings,
    dtype: str | None = None,
    stdin: str | None = None,
    programs: Mapping[str, Program] | None = None,
) -> tuple[BoundValue, ...]:
    """The bindings of `pairs` (name, text), ready for a run.

    `dtype` is what floating values are converted to, None to keep what they are;
    `programs` are those of values that were checked before, by name.
    Raises InputError AGX202 where a text is no value, and what `files.read` raises.
    """
    settled: list[BoundValue] = []
    values: list[Any] = []
    mentioned = set(roles.used)
    plain = settings if _is_usual(settings) else replace(settings, dtype="float32", device="cpu")
    for name, text in pairs:
        program = (programs or {}).get(name)
        value = value_of(name, text, settled, plain, stdin, program)
        mentioned |= _names_in(program)
        settled.append(_settled(BoundValue(name, text, value, "constant"), roles))
        values.append(value)
    both = zip(settled, values, strict=True)
    return tuple(_ready(one, value, settings.device, dtype, one.name in mentioned) for one, value in both)


def _is_usual(settings: Settings) -> bool:
    """Whether a run of these settings is as values are evaluated: in torch's default dtype, on the CPU."""
    return settings.dtype == "float32" and settings.device == "cpu"


def _names_in(program: Program | None) -> set[str]:
    """The names that a value is made from: a binding may be there for another alone."""
    return {node.id for node in walk(program.body) if isinstance(node, Name)} if program else set()


def value_of(
    name: str,
    text: str,
    earlier: Sequence[BoundValue],
    settings: Settings,
    stdin: str | None,
    program: Program | None = None,
) -> Any:
    """The value of a binding's text: an expression over the earlier names, or a file."""
    if text.startswith("@"):
        from autograd_cli.run import files  # few runs read one, and it takes readers of four kinds

        return files.read(text[1:], stdin, settings)
    if _NUMBER.fullmatch(text):
        return int(text) if text.lstrip("-").isdigit() else float(text)
    listed = _listed(text, settings)
    if listed is not None:
        return _checked(name, text, listed)
    names = [b.name for b in earlier]
    program = program or _checked_program(name, text, names, settings)
    made = created(program, names, settings)
    if made is not None:
        return made
    with Grad(False):
        value, error = evaluate(program, earlier, settings)
    if error is not None:  # whatever Python and torch raise: `a.grad.shape` an AttributeError
        raise InputError(
            "AGX202",
            f"The value of `{name}` cannot be computed: {first_line(error)}",
            text=text,
            span=Span(0, len(text)),
        )
    return _checked(name, text, value)


def _listed(text: str, settings: Settings) -> Any:
    """The value of a short list of plain numbers; None where it is read and run as any value is.

    It has fewer nodes, items and steps than characters, so no limit can be passed.
    """
    least = min(_FEW, settings.text.max_text, settings.text.max_nodes, settings.max_items, settings.max_steps)
    if len(text) > least or not _NUMBERS.fullmatch(text):
        return None
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):  # `[1][0]`, and what the language has words for
        return None


def _checked_program(name: str, text: str, earlier: Sequence[str], settings: Settings) -> Program:
    """The program of a value; InputError AGX202 where it uses a name that has no value yet."""
    program = parse_expression(Source(text, f"--{name}"), settings.text)
    usage = check(program, earlier)
    if usage.unbound:
        raise too_early(program, name, usage.unbound[0], earlier)
    return program


def _checked(name: str, text: str, value: Any) -> Any:
    """`value` if it is a tensor, a number, a string, or nested lists of numbers."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, bool | int | float | complex | str):
        return value
    if isinstance(value, list | tuple) and _is_numeric(value):
        return value
    raise InputError(
        "AGX202",
        f"The value of `{name}` is {_kind(value)}; "
        "a number, a list of numbers of one shape or a tensor is due.",
        text=text,
        span=Span(0, len(text)),
    )


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"of type {type(value).__name__}"


def _is_numeric(value: Any) -> bool:
    return all(isinstance(item, bool | int | float | complex | torch.Tensor) for item in flat(value))


def _settled(binding: BoundValue, roles: Roles) -> BoundValue:
    """`binding` with its role and the value that goes with it, still in torch's defaults."""
    used = frozenset(roles.used.get(binding.name, ()))
    if isinstance(binding.value, bool | str):
        return binding
    if binding.name in roles.const:
        return replace(binding, value=_tensor(binding) if _is_list(binding.value) else binding.value)
    if used and used <= _INTEGER_ROLES and not _is_floating(binding.value):
        indexes = _is_list(binding.value) and used & _TENSOR_ROLES
        return replace(binding, value=_tensor(binding) if indexes else binding.value, role="index")
    return _leaf(binding, roles)


def _leaf(binding: BoundValue, roles: Roles) -> BoundValue:
    """A leaf that requires grad; a constant for an int or bool tensor and beside --wrt."""
    tensor = _tensor(binding)
    typed = not isinstance(binding.value, torch.Tensor)
    converted = typed and not _is_floating(tensor) and tensor.dtype != torch.bool
    if converted:
        tensor = tensor.to(torch.get_default_dtype())
    leaf = _is_floating(tensor) and (roles.wrt is None or binding.name in roles.wrt)
    role = "leaf" if leaf else "constant"
    return BoundValue(binding.name, binding.text, tensor, role, converted)


def _ready(binding: BoundValue, typed: Any, device: str, dtype: str | None, used: bool) -> BoundValue:
    """`binding` in the run's dtype and on its device; a tensor put elsewhere by its text stays there.

    `typed` is what the text itself came to: numbers beyond torch's default dtype keep their digits.
    """
    value = binding.value
    if isinstance(value, torch.Tensor):
        if dtype is not None and _is_floating(value):
            value = _of_dtype(value, typed, _kept_complex(value, dtype))
        if value.device.type == "cpu":
            value = value.to(device)
        value = value.detach().requires_grad_(binding.role == "leaf")
    return BoundValue(binding.name, binding.text, value, binding.role, binding.converted, used)


def _of_dtype(value: torch.Tensor, typed: Any, dtype: torch.dtype) -> torch.Tensor:
    """A tensor in another dtype: converted, or made anew of the numbers that were typed."""
    if value.dtype == dtype:
        return value
    return value.to(dtype) if isinstance(typed, torch.Tensor) else torch.tensor(typed, dtype=dtype)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _kept_complex(tensor: torch.Tensor, dtype: str) -> torch.dtype:
    """The dtype to convert to; a complex tensor stays complex, in the width asked for."""
    target: torch.dtype = getattr(torch, dtype)
    return target.to_complex() if tensor.is_complex() else target


def _tensor(binding: BoundValue) -> torch.Tensor:
    """The value as a tensor; InputError AGX202 for lists that are not of one shape."""
    if isinstance(binding.value, torch.Tensor):
        return binding.value
    try:
        return torch.tensor(binding.value)
    except (ValueError, TypeError, RuntimeError, OverflowError):
        why, hint = _why_no_tensor(binding.value)
        raise InputError(
            "AGX202",
            f"The value of `{binding.name}` is no tensor: {why}.",
            text=binding.text,
            span=Span(0, len(binding.text)),
            hint=hint,
        ) from None


def _why_no_tensor(value: Any) -> tuple[str, str]:
    """What keeps numbers from being a tensor, and what to write instead."""
    if any(isinstance(item, int) and not -(2**63) <= item < 2**63 for item in flat(value)):
        return "it holds an integer beyond int64", "Write a float, such as 1e30."
    if any(isinstance(item, torch.Tensor) and item.numel() != 1 for item in flat(value)):
        return "it holds tensors of several elements", "Write stack([…]) or cat([…])."
    return "its lists are not of one shape", "All rows of a nested list have the same length."


def _is_floating(value: Any) -> bool:
    """Whether gradients can be taken by `value`: floating or complex, in lists too."""
    if isinstance(value, torch.Tensor):
        return value.is_floating_point() or value.is_complex()
    if isinstance(value, list | tuple):
        return any(map(_is_floating, flat(value)))
    return isinstance(value, float | complex)
