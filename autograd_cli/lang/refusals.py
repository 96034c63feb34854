"""What Python has and the language has not: each refused by its name, with what to write."""

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """Why a construct is not in the language: a sentence, and what to write instead."""

    sentence: str
    hint: str


_USE = "bring a function of your own from a file: `--use NAME=file.py:function`."

AS_IT_IS = "`agx diagnose [--watch] FILE` runs such a script as it is."
"""Where a script goes that the language is too small for."""

_LOOP = Refusal(
    "A comprehension is a loop inside an expression, and the language has none.",
    f"Write `x**2` for `[v**2 for v in x]`, or a loop with `kept.append(v**2)`; or {_USE}",
)
_WAIT = Refusal("`await` waits for another program, and nothing here runs beside this one.", "Leave it out.")
_YIELD = Refusal("`yield` belongs into a function's body.", "Write the value alone.")
EXPRESSIONS: dict[str, Refusal] = {
    "Lambda": Refusal(
        "`lambda` makes a function without a name, which the language does not have.",
        f"Write a `def`, or its body with the arguments as names: `t * 2` and `--t 3`; or {_USE}",
    ),
    "ListComp": _LOOP,
    "SetComp": _LOOP,
    "DictComp": _LOOP,
    "GeneratorExp": _LOOP,
    "NamedExpr": Refusal(
        "`:=` gives a name to a value inside an expression, which the language does not do.",
        "Give the name in a line of its own, `y = x + 1`, or on the command line, `--y 2`.",
    ),
    "Starred": Refusal(
        "`*` before a value unpacks it, and values stand written out in the language.",
        f"Write the elements one by one: `cat([x, y])`, `x.view(2, 3)`; or {_USE}",
    ),
    "TemplateStr": Refusal("A template string is no string, and nothing here takes one.", 'Write `f"…"`.'),
    "Dict": Refusal(
        "`{…: …}` is a dict, and the language has none.",
        "Give each value a name of its own; keyword arguments are written `name=value`.",
    ),
    "Set": Refusal(
        "`{…}` is a set in Python, and the language has none.",
        "Brackets in an expression are round, `(x + 1) * 2`; a list is `[1, 2]`.",
    ),
    "Await": _WAIT,
    "Yield": _YIELD,
    "YieldFrom": _YIELD,
}

BYTES = Refusal("`b'…'` is a bytes literal, and no function of the language takes bytes.", "Write a string.")

UNPACKED = Refusal(
    "`**` before an argument unpacks a dict, and arguments stand written out in the language.",
    "Write each as `name=value`.",
)


def _none(words: str, does: str, hint: str) -> Refusal:
    return Refusal(f"{words} {does}, and the language has none.", hint)


_ASYNC = _none("`async`", "runs beside other programs", "Leave `async` out.")
_SCOPE = "Give the name as an argument and `return` what it becomes."

STATEMENTS: dict[str, Refusal] = {
    "While": _none(
        "`while`",
        "repeats for as long as a condition holds",
        f"Write `for i in range(100):` with `if …: break` in it, or {_USE}",
    ),
    "ClassDef": _none("`class`", "makes a class", f"{AS_IT_IS} Or {_USE}"),
    "AsyncFor": _ASYNC,
    "AsyncWith": _ASYNC,
    "AsyncFunctionDef": _ASYNC,
    "Raise": Refusal(
        "`raise` makes an error of its own, which the language does not do.",
        "Write `assert condition, message`.",
    ),
    "TryStar": Refusal("`except*` is for groups of errors, and none arise here.", "Write `except`."),
    "Global": Refusal("`global` lets a function change a name outside of it.", _SCOPE),
    "Nonlocal": Refusal("`nonlocal` lets a function change a name outside of it.", _SCOPE),
    "Match": _none("`match`", "compares with patterns", "Write `if` and `elif`."),
    "TypeAlias": _none("`type`", "gives a name to a type", "Leave it out."),
}

DELETED = Refusal(
    "`del` takes a name away, and nothing else in the language.",
    "Write `del x`; a gradient is cleared by `x.grad = None`.",
)
RETURN = Refusal("`return` stands in no function.", "Write the value alone.")
JUMP = Refusal("`break` and `continue` belong into a loop, and none stands around this one.", "Leave it out.")
NESTED_DEF = Refusal("A function is made inside a function.", "Write each `def` at the margin.")
DECORATOR = Refusal(
    "`@` before `def` puts a decorator around a function, and the language has none.",
    f"For `@torch.no_grad()` write `with torch.no_grad():` around the body; or {_USE}",
)
PARAMETERS = Refusal(
    "A function of the language has plain parameters and defaults, without `*` and `/`.",
    f"Write `def f(x, w, b=0.5):`, or {_USE}",
)
TWICE = Refusal("Two parameters have this name.", "Give each a name of its own.")
ANNOTATION = Refusal(
    "This annotation is no plain type, and Python would evaluate it.",
    "Leave it out, or write a type such as `torch.Tensor` or `float`.",
)
BARE_ANNOTATION = Refusal("`:` annotates a name and gives it no value.", "Write `x = 2`, or leave it out.")
WITH_NAME = Refusal("A mode of torch has no value to give a name to.", "Leave `as …` out.")
LOOP_ELSE = Refusal(
    "`else` after a loop runs where no `break` ended it, and the language has none.",
    "Set a name before `break`, and test it after the loop.",
)
INNER_IMPORT = Refusal(
    "An import stands inside a block here.", "Write it at the margin, above its first use."
)
RELATIVE_IMPORT = Refusal(
    "An import with dots takes from the package that a file lies in, and a source lies in none.",
    "Write the module's own name: `from torch import nn`.",
)
LAST_EXCEPT = Refusal("`except:` takes every error and is not the last.", "Write it after the others.")
EXCEPTIONS = Refusal(
    "This is no error that Python has of its own.",
    "Write one of its names: `RuntimeError`, `ValueError`, `TypeError`, `IndexError`, `Exception`.",
)
VALUE = Refusal("A value is one expression, and this is a statement.", "Write the expression alone.")
SECOND = Refusal(
    "A second statement begins here, and a value is one expression.",
    "Write one expression; one that goes on over several lines stands in brackets.",
)


def refusal(node: ast.AST) -> Refusal:
    """Why `node`, an expression or a statement that is not in the language, is refused."""
    name = type(node).__name__
    listed = EXPRESSIONS.get(name) or STATEMENTS.get(name)
    return listed or Refusal(f"Python's {name} is not in the language.", "Write it with operators and calls.")
