"""The methods of Python's strings: texts put together, taken apart and asked."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.PYTHON, method=False, differentiable=False, domain="strings")

WIDTH = "(text, width: count, fillchar: text = ' ', /)"
CUT_OFF = "(text, chars: text = None, /)"
PART = "(text, part: text, /)"
SPLIT = "(text, sep: text = None, maxsplit: count = -1)"


def _of(name: str, meaning: str, example: str, signature: str = "(text, /)") -> Function:
    """A row for a method of strings: its name, meaning, an example, signature."""
    return _row(f"builtins.str.{name}", meaning, example, signature=signature, key=f"str_{name}")


# fmt: off
ROWS = (
    _of("format", "the values written into the places that `{}` marks", "'loss {:.4f}'.format(0.25)",
        "(text, *values)"),
    _of("join", "the strings of a list with this text between them", "', '.join(['a', 'b'])",
        "(text, iterable: tensors, /)"),
    _of("split", "the parts between a separator, blanks unless told", "'torch.float32'.split('.')", SPLIT),
    _of("replace", "with each `old` replaced by `new`", "'a-b'.replace('-', '+')",
        "(text, old: text, new: text, count: count = -1, /)"),
    _of("upper", "in capital letters", "'mean'.upper()"),
    _of("lower", "in small letters", "'Mean'.lower()"),
    _of("title", "each word with a capital letter", "'mean loss'.title()"),
    _of("capitalize", "the first letter a capital", "'mean'.capitalize()"),
    _of("strip", "without blanks, or these characters, at both ends", "' mean '.strip()", CUT_OFF),
    _of("lstrip", "without them at the start", "' mean'.lstrip()", CUT_OFF),
    _of("rstrip", "without them at the end", "'mean '.rstrip()", CUT_OFF),
    _of("startswith", "whether it begins so", "'torch.float32'.startswith('torch')", PART),
    _of("endswith", "whether it ends so", "'torch.float32'.endswith('32')", PART),
    _of("ljust", "filled up at its right", "'mean'.ljust(8, '.')", WIDTH),
    _of("rjust", "filled up at its left", "'mean'.rjust(8)", WIDTH),
    _of("center", "filled up at both sides", "' mean '.center(20, '=')", WIDTH),
    _of("zfill", "filled up with zeros at its left", "'7'.zfill(3)", "(text, width: count, /)"),
)
# fmt: on
