"""What a script's source tells of a backward that comes too late: what rounds hand on, and steps before it.

torch says that a graph was freed, or that a value has changed. Whether that is a state of the round before,
or weights that an optimizer has stepped, is written around the failing line.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts import scopes
from autograd_cli.diagnose.scripts.letting_go import LettingGo, sets
from autograd_cli.diagnose.scripts.records import Failure
from autograd_cli.report.diagnosis import Seen

_FREED = "a second time"
_CHANGED = "modified by an inplace operation"
_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try)


def read(failure: Failure) -> Raised:
    """The error of a backward, with what the source around its line tells; another error as it is."""
    raised, tensors = failure.raised, failure.tensors
    frame = own(raised)
    if frame is None or not (_FREED in raised.message or _CHANGED in raised.message):
        return raised
    script = scopes.read(frame.file)
    if script is None:
        return raised
    graphs = {_name(one) for one in tensors if one.grad_fn and one.frame == frame}
    place = _Place(script, script.around(frame.line), frame.line, graphs)
    if _CHANGED in raised.message:
        return replace(raised, is_stepped=place.is_stepped(set(failure.optimizers)))
    kept = {one.name.rpartition(".")[2] for one in tensors if one.grad_fn and "." in one.name}
    return replace(raised, carried=(*place.carried(), *_kept_by_objects(script, kept)))


def _name(tensor: Seen) -> str:
    """The variable that a tensor is, or is a part of."""
    return re.split(r"[.\[]", tensor.name, maxsplit=1)[0]


def _kept_by_objects(script: scopes.Script, graphs: set[str]) -> Iterator[str]:
    """Attributes with a graph that a method sets from what they were: a module that keeps its own state."""
    statements = [one for one in ast.walk(script.tree) if isinstance(one, ast.stmt)]
    source = LettingGo(script)
    for name in sorted(f"self.{one}" for one in graphs):
        is_read = any(source.reads(name, one) for one in statements if sets(name, one))
        if is_read and source.keeps(name, statements):
            yield name


class _Place:
    """The line of a scope where a backward failed; `graphs` are the names that hold results with a graph."""

    def __init__(self, script: scopes.Script, scope: ast.AST, line: int, graphs: set[str]) -> None:
        self.source = LettingGo(script)
        self.scope = scope
        self.line = line
        self.graphs = graphs
        self.statements = [one for one in scopes.inside(scope) if not isinstance(one, _BLOCKS)]

    def carried(self) -> Iterator[str]:
        """What has a graph and is read in a round before it is set, on the way to the loss."""
        loops = [one for one in scopes.inside(self.scope) if isinstance(one, ast.For | ast.While)]
        around = [one for one in loops if one.lineno <= self.line <= (one.end_lineno or 0)]
        of_loop = [one for loop in around[:1] for one in self.statements if one in list(scopes.inside(loop))]
        for name in sorted(self._way(of_loop) & self.graphs):
            first = min((one.lineno for one in of_loop if name in scopes.stored(one)), default=0)
            is_read = any(self.source.reads(name, one) for one in of_loop if one.lineno <= first)
            if is_read and self.source.keeps(name, of_loop):
                yield name

    def is_stepped(self, optimizers: set[str]) -> bool:
        """Whether an optimizer steps behind a result on the way to the loss, and before the failing line."""
        before = [one for one in self.statements if one.lineno < self.line]
        wanted = self._way(before) & self.graphs
        first = min((one.lineno for one in before if scopes.stored(one) & wanted), default=self.line)
        return any(one.lineno > first and _steps(one, optimizers) for one in before)

    def _way(self, statements: Sequence[ast.stmt]) -> set[str]:
        """The names that go into what the failing line reads, by some statements in any order."""
        failing = [one for one in self.statements if one.lineno <= self.line <= (one.end_lineno or 0)]
        names = set[str]().union(*map(scopes.loaded, failing))
        while True:
            setting = [one for one in statements if scopes.stored(one) & names]
            more = names.union(*map(scopes.loaded, setting))
            if more == names:
                return names
            names = more


def _steps(statement: ast.stmt, optimizers: set[str]) -> bool:
    """Whether a statement has one of the optimizers step, by itself or by what scales its gradients."""
    calls = (one for one in ast.walk(statement) if isinstance(one, ast.Call))
    steps = [(one.func, one.args) for one in calls if scopes.last(one.func) == "step"]
    given = (part for of, words in steps if isinstance(of, ast.Attribute) for part in (of.value, *words))
    return any(ast.unparse(one) in optimizers for one in given)
