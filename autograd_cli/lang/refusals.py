"""What Python has and the language has not: each refused by its name, with what to write."""

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """Why a construct is not in the language: a sentence, and what to write instead."""

    sentence: str
    hint: str


_LOOP = Refusal(
    "A comprehension is a loop, and an expression of the language has none.",
    "Functions of tensors work on all elements at once: `x**2`, not `[v**2 for v in x]`.",
)
_WAIT = Refusal("`await` waits for another program, and nothing here runs beside this one.", "Leave it out.")
_YIELD = Refusal("`yield` belongs into a function's body.", "Write the value alone.")
_FSTRING = Refusal(
    "An f-string makes text from values, and an expression of tensors has no use for it.",
    "Write a plain string, as in `F.mse_loss(x, y, reduction='sum')`.",
)

EXPRESSIONS: dict[str, Refusal] = {
    "Lambda": Refusal(
        "`lambda` makes a function, and a function is no value in the language.",
        "Write its body, with the arguments as names: `t * 2` and `--t 3`.",
    ),
    "ListComp": _LOOP,
    "SetComp": _LOOP,
    "DictComp": _LOOP,
    "GeneratorExp": _LOOP,
    "NamedExpr": Refusal(
        "`:=` gives a name to a value inside an expression, which the language does not do.",
        "Write the value out where it is used, or bind the name on the command line.",
    ),
    "Starred": Refusal(
        "`*` before a value unpacks it, and values stand written out in the language.",
        "Write the elements one by one: `cat([x, y])`, `x.view(2, 3)`.",
    ),
    "JoinedStr": _FSTRING,
    "TemplateStr": _FSTRING,
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


def _statement(word: str, does: str, hint: str) -> Refusal:
    return Refusal(f"{word} {does}, and a source is one expression here.", hint)


_BIND = "Values come from the command line: `--y 2` binds y. A comparison is written `==`."
_ALONE = "Write the expression alone."
_NAMES = "The names of torch and math are there without it: `sin(x)`, `torch.sin(x)`, `F.relu(x)`, `math.pi`."
_LOOPS = "Functions of tensors work on all elements at once: `(x**2).sum()`."
_IMPORT = _statement("`import`", "is a statement", _NAMES)

STATEMENTS: dict[str, Refusal] = {
    "Assign": _statement("`=`", "gives a name to a value", _BIND),
    "AnnAssign": _statement("`:`", "annotates a name", _BIND),
    "AugAssign": _statement("An operator with `=`", "changes a name", "Write the new value: `x + 1`."),
    "Import": _IMPORT,
    "ImportFrom": _IMPORT,
    "For": _statement("`for`", "is a loop", _LOOPS),
    "AsyncFor": _statement("`async for`", "is a loop", _LOOPS),
    "While": _statement("`while`", "is a loop", _LOOPS),
    "If": _statement("`if`", "is a statement", "Write `a if condition else b`, or `where(condition, a, b)`."),
    "With": _statement("`with`", "is a statement", _ALONE),
    "AsyncWith": _statement("`async with`", "is a statement", _ALONE),
    "FunctionDef": _statement("`def`", "makes a function", "Write its body as the expression."),
    "AsyncFunctionDef": _statement("`async def`", "makes a function", "Write its body as the expression."),
    "ClassDef": _statement("`class`", "makes a class", _ALONE),
    "Return": _statement("`return`", "is a statement", "Write the value alone."),
    "Delete": _statement("`del`", "removes a name", _ALONE),
    "Raise": _statement("`raise`", "is a statement", _ALONE),
    "Try": _statement("`try`", "is a statement", _ALONE),
    "TryStar": _statement("`try`", "is a statement", _ALONE),
    "Assert": _statement("`assert`", "is a statement", "Write the condition alone."),
    "Global": _statement("`global`", "is a statement", _ALONE),
    "Nonlocal": _statement("`nonlocal`", "is a statement", _ALONE),
    "Pass": _statement("`pass`", "does nothing", "Write what is to be computed: `sin(x**2)`."),
    "Break": _statement("`break`", "is a statement", _ALONE),
    "Continue": _statement("`continue`", "is a statement", _ALONE),
    "Match": _statement("`match`", "is a statement", "Write `a if condition else b`."),
    "TypeAlias": _statement("`type`", "is a statement", _ALONE),
}

SECOND = Refusal(
    "A second statement begins here, and a source is one expression here.",
    "Write one expression; one that goes on over several lines stands in brackets.",
)


def refusal(node: ast.AST) -> Refusal:
    """Why `node`, an expression or a statement that is not in the language, is refused."""
    name = type(node).__name__
    listed = EXPRESSIONS.get(name) or STATEMENTS.get(name)
    return listed or Refusal(f"Python's {name} is not in the language.", "Write it with operators and calls.")
