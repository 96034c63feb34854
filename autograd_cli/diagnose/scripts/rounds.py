"""What a script's source tells of a backward that comes too late: what rounds hand on, and steps before it.

torch says that a graph was freed, or that a value has changed. Whether that is a state of the round before,
or weights that an optimizer has stepped, is written around the failing line.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts import scopes
from autograd_cli.report.diagnosis import Seen

CARRIED = "carried from round to round: "
"""Said, with its name, of what leads from a round of a loop into the round before."""

STEPPED = "optimizer.step() between the forward and this backward"
"""Said where the script steps an optimizer there."""

_FREED = "a second time"
_CHANGED = "modified by an inplace operation"
_OPTIMIZERS = re.compile(r"\boptim\b|\b(?:Adam\w*|SGD|RMSprop|Adagrad|LBFGS|NAdam|RAdam|Adafactor)\(")
_SCHEDULERS = re.compile(r"lr_scheduler|Scheduler|LR\(")
_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try)


def lines(raised: Raised, tensors: Sequence[Seen]) -> tuple[str, ...]:
    """What the source around the failing line tells of an error of a backward; `tensors` are its frames'."""
    message, frame = raised.message, own(raised)
    if frame is None or not (_FREED in message or _CHANGED in message):
        return ()
    script = scopes.read(frame.file)
    if script is None:
        return ()
    graphs = {_name(one) for one in tensors if one.grad_fn and one.frame == frame}
    place = _Place(script, script.around(frame.line), frame.line, graphs)
    if _FREED in message:
        kept = {one.name.rpartition(".")[2] for one in tensors if one.grad_fn and "." in one.name}
        return tuple(f"{CARRIED}{name}" for name in (*place.carried(), *_kept_by_objects(script, kept)))
    return (STEPPED,) if place.is_stepped() else ()


def _name(tensor: Seen) -> str:
    """The variable that a tensor is, or is a part of."""
    return re.split(r"[.\[]", tensor.name, maxsplit=1)[0]


def _kept_by_objects(script: scopes.Script, graphs: set[str]) -> Iterator[str]:
    """Attributes with a graph that a method sets from what they were: a module that keeps its own state."""
    nodes = list(ast.walk(script.tree))
    statements = [one for one in nodes if isinstance(one, ast.Assign | ast.AugAssign)]
    for name in sorted(graphs):
        setting = [one for one in statements if name in _attributes(one, ast.Store)]
        is_read = any(name in _attributes(one.value, ast.Load) for one in setting)
        if is_read and not any("detach" in ast.unparse(one) for one in setting):
            yield f"self.{name}"


def _attributes(node: ast.AST, context: type) -> set[str]:
    """The attributes of `self` that a piece of source reads or sets."""
    found = (one for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, context))
    return {one.attr for one in found if isinstance(one.value, ast.Name) and one.value.id == "self"}


class _Place:
    """The line of a scope where a backward failed; `graphs` are the names that hold results with a graph."""

    def __init__(self, script: scopes.Script, scope: ast.AST, line: int, graphs: set[str]) -> None:
        self.script = script
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
            setting = [one for one in of_loop if name in scopes.stored(one)]
            first = min((one.lineno for one in setting), default=0)
            is_read = any(name in _read(one) and one.lineno <= first for one in of_loop)
            if is_read and not any("detach" in ast.unparse(one) for one in setting):
                yield name

    def is_stepped(self) -> bool:
        """Whether an optimizer steps behind a result on the way to the loss, and before the failing line."""
        before = [one for one in self.statements if one.lineno < self.line]
        wanted = self._way(before) & self.graphs
        first = min((one.lineno for one in before if scopes.stored(one) & wanted), default=self.line)
        return any(one.lineno > first and self._steps(one) for one in before)

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

    def _steps(self, statement: ast.stmt) -> bool:
        calls = (one for one in ast.walk(statement) if isinstance(one, ast.Call))
        steps = (one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "step")
        return any(self._is_optimizer(part) for one in steps for part in (_receiver(one), *one.args))

    def _is_optimizer(self, node: ast.expr) -> bool:
        """Whether a name is given an optimizer somewhere in the file."""
        wanted = scopes.last(node)
        for one in ast.walk(self.script.tree):
            if isinstance(one, ast.Assign) and wanted in map(scopes.last, one.targets):
                text = ast.unparse(one.value)
                if _OPTIMIZERS.search(text) and not _SCHEDULERS.search(text):
                    return True
        return False


def _read(statement: ast.stmt) -> set[str]:
    """The names that a statement reads, that of `+=` too."""
    changed = scopes.stored(statement) if isinstance(statement, ast.AugAssign) else set()
    return scopes.loaded(statement) | changed


def _receiver(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute), "a step is a method"
    return call.func.value
