"""Programs of the language, written at random from the grammar beside this file.

Python runs each statement while the program is written: so the writer knows what a name stands
for, and a statement that fails is put into a `try`, all but a few, so that most programs go on.
"""

import io
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from random import Random
from typing import Any

import torch
from hypothesis import strategies as st

from tests.same.grammar import ERRORS, EXPRESSIONS, FAILURES, FUNCTIONS, HEADS, STATEMENTS
from tests.same.runs import as_it_was, start

NAMES = {
    "tensor": ("x", "y", "z", "w", "u", "v"),
    "number": ("n", "m", "k"),
    "list": ("items", "values"),
    "function": ("f", "g"),
    "optimizer": ("optimizer",),
}
"""The names of each kind of value, which keep apart so that programs read well."""
START = (
    "x = torch.tensor([1.0, 2.0, -0.5], requires_grad=True)",
    "y = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -3.0]], requires_grad=True)",
    "n = 2",
    "items = [1, 2.5]",
)
"""Something of each kind that programs are about, so that there is something to work with."""
IMPORTS = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
RARE = ("function", "optimizer")
"""What a program may do without."""
SYMBOL = re.compile(r"<(new )?([A-Za-z]+)>")
MOST_DEPTH = 3
MOST_ELEMENTS = 200


@dataclass
class Writer:
    """Writes statements; `live` are the values of the names so far, `known` the names by kind."""

    random: Random
    live: dict[str, Any] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)
    depth: int = 0

    def filled(self, text: str) -> str:
        """`text` with something in the place of each symbol; new names are known after it."""
        found: list[tuple[str, str]] = []
        made = SYMBOL.sub(lambda match: self.symbol(match, found), text)
        for kind, name in found:
            self.known.setdefault(kind, []).append(name)
        return made

    def symbol(self, match: re.Match[str], found: list[tuple[str, str]]) -> str:
        """The text for one symbol; a new name is noted in `found`."""
        kind = match[2]
        if match[1]:
            name = self.random.choice(NAMES[kind])
            found.append((kind, name))
            return name
        if kind in NAMES:
            return self.random.choice(self.known.get(kind) or NAMES[kind][:1])
        return self.expression(kind)

    def expression(self, kind: str) -> str:
        """An expression of the kind `kind`; a deep one takes the first choices, which are names."""
        choices = EXPRESSIONS[kind]
        self.depth += 1
        text = self.filled(self.chosen(choices[:3] if self.depth > MOST_DEPTH else choices))
        self.depth -= 1
        return f"({text})" if self.depth and " " in text and kind in "TNB" else text

    def chosen(self, choices: Sequence[str]) -> str:
        """One of `choices` which asks for nothing that the program does not have."""
        while True:
            text = self.random.choice(choices)
            if all(self.known.get(kind) for kind in RARE if f"<{kind}>" in text):
                return text

    def statement(self, within: tuple[str, ...] = ()) -> list[str]:
        """The lines of one statement, simple or with a block."""
        turn = self.random.random()
        if turn < 0.1 and "loop" in within:
            return [self.filled("if <B>:"), f"    {self.random.choice(('break', 'continue'))}"]
        if turn < 0.03:
            return [self.filled(self.random.choice(FAILURES))]
        if turn < 0.25 and len(within) < 2:
            return self.compound(within)
        return [self.filled(self.chosen(STATEMENTS))]

    def readable(self) -> list[str]:
        """A statement that Python can read; some it cannot, such as quotes inside themselves."""
        lines = self.statement()
        while not reads("\n".join(lines)):
            lines = self.statement()
        return lines

    def block(self, within: tuple[str, ...]) -> list[str]:
        """One to three statements, indented."""
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.statement(within)]
        return indented(lines)

    def compound(self, within: tuple[str, ...]) -> list[str]:
        """A statement with a block, and what goes with it."""
        head = self.random.choice(tuple(HEADS))
        kind = HEADS[head]
        lines = [self.filled(head), *self.block((*within, kind))]
        if kind == "try":
            return [*lines, *self.handlers(within)]
        if kind == "if" and self.random.random() < 0.5:
            return [*lines, "else:", *self.block((*within, kind))]
        return lines

    def handlers(self, within: tuple[str, ...]) -> list[str]:
        """What follows the block of a try."""
        error = self.random.choice(ERRORS)
        told = self.random.choice(("print(type(err).__name__)", "print(err)", "print('failed')"))
        lines = [f"except {error} as err:", f"    {told}"]
        if self.random.random() < 0.2:
            lines += ["else:", *self.block((*within, "try"))]
        if self.random.random() < 0.2:
            lines += ["finally:", *self.block((*within, "try"))]
        return lines

    def function(self) -> list[str]:
        """A def at the top of the program."""
        head, body = self.random.choice(FUNCTIONS)
        return ["def " + self.filled(head), *indented(body.splitlines())]

    def settled(self, lines: list[str]) -> tuple[list[str], bool]:
        """A statement that Python has run, in a try where it fails; whether the program goes on."""
        if self.runs(lines):
            return lines, True
        if self.random.random() < 0.05:
            return lines, False
        told = self.random.choice(("print(type(err).__name__)", "print('no', n)"))
        return ["try:", *indented(lines), "except Exception as err:", f"    {told}"], True

    def runs(self, lines: Sequence[str]) -> bool:
        """Whether Python gets through a statement; the names are known by what they are after it."""
        try:
            exec(compile("\n".join(lines), "<statement>", "exec"), self.live)
        except Exception:
            return False
        finally:
            self.known = {
                kind: [name for name in names if suits(kind, self.live.get(name))]
                for kind, names in NAMES.items()
            }
        return True


def suits(kind: str, value: Any) -> bool:
    """Whether a value is something of the kind; a tensor that has grown large is left alone."""
    if kind == "tensor":
        return isinstance(value, torch.Tensor) and value.numel() <= MOST_ELEMENTS
    if kind == "number":
        return isinstance(value, int | float) and abs(value) < 1e9
    if kind == "list":
        return isinstance(value, list) and len(value) < 20
    return value is not None


def indented(lines: Sequence[str]) -> list[str]:
    """The lines of a block."""
    return textwrap.indent("\n".join(lines), "    ").splitlines()


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing that is run while a program is written is seen or kept."""
    with as_it_was(), redirect_stdout(io.StringIO()):
        torch.manual_seed(0)
        yield


def written(random: Random) -> str:
    """The text of a program, with imports or to be run under the prelude."""
    head = IMPORTS if random.random() < 0.6 else ""
    writer = Writer(random, start(head))
    lines = list(START)
    with quiet():
        exec(head + "\n".join(START), writer.live)
        if random.random() < 0.4:
            lines += writer.settled(writer.function())[0]
        writer.runs(())
        for _ in range(random.randint(4, 10)):
            more, goes_on = writer.settled(writer.readable())
            lines += more
            if not goes_on:
                break
    return head + "\n".join(lines) + "\n"


def programs() -> st.SearchStrategy[str]:
    """Texts of programs."""
    return st.randoms(use_true_random=True).map(written)


def shortened(text: str, is_wrong: Callable[[str], bool]) -> str:
    """`text` without the lines that it can lose and still be wrong."""
    lines, changed = text.splitlines(), True
    while changed:
        changed = False
        for number in reversed(range(len(lines))):
            fewer = "\n".join([*lines[:number], *lines[number + 1 :]]) + "\n"
            if reads(fewer) and is_wrong(fewer):
                lines, changed = fewer.splitlines(), True
    return "\n".join(lines) + "\n"


def reads(text: str) -> bool:
    """Whether Python can read a text."""
    try:
        return bool(compile(text, "<program>", "exec"))
    except SyntaxError:
        return False
