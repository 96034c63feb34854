"""Loops that record graphs no backward goes through: values are read out of them, and that is all.

Such a loop is run again under no_grad. Where all that is printed and every gradient stay the same,
and fewer bytes are kept for backward, the graphs were recorded in vain.
"""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.programs.ways import is_trained
from autograd_cli.diagnose.repair import edited, spelled
from autograd_cli.diagnose.statements import around, called, indent_of, parts, statements, targets
from autograd_cli.errors import LimitError
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Block, Expr, For
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import bytes_text
from autograd_cli.run.traced import Ran, Traced, now

_MOST = 3
"""Loops that are run again."""

_BACKWARDS = {"backward", "grad", "register_hook", "retain_grad"}
_READS = {"item", "tolist", "float", "int", "bool", "numpy", "print", "append", "argmax"}


def in_vain(whole: Whole) -> Iterator[Finding]:
    """AGX444 for each loop whose values are read out of graphs that no backward goes through."""
    if whole.ran.failure is not None or not _records(whole):
        return
    loops = [loop for loop in _outermost(whole) if _reads_out(loop) and not _is_slope(loop)][:_MOST]
    before = _kept_in(whole, whole.source.text) if loops else None
    if before is None or not before.bytes:
        return
    for loop in loops:
        fix = _under_no_grad(whole, loop)
        after = _kept_in(whole, fix.program)
        if after is not None and after.bytes < before.bytes and after.is_like(before):
            yield _finding(whole, loop, fix, before.bytes - after.bytes)


def _records(whole: Whole) -> bool:
    """Whether anything of the program requires grad, as far as statements tell."""
    dids = (did for site in whole.ran.sites for did in (site.first, site.last) if did is not None)
    is_made = any(made.requires_grad for did in dids for made in did.made)
    return is_made or any(bound.role == "leaf" for bound in whole.ran.bindings)


def _outermost(whole: Whole) -> Iterator[For]:
    """The loops of several rounds that make no backward, those inside another such loop aside."""
    said: list[For] = []
    for statement in whole.all_statements:
        site = whole.sites.get(statement.span)
        if not isinstance(statement, For) or site is None or site.count < 2:
            continue
        if any(outer in said for outer in around(whole.program, statement.span)):
            continue
        if not _makes(whole, statement.body, _BACKWARDS, set()):
            said.append(statement)
            yield statement


def _makes(whole: Whole, block: Block, names: set[str], seen: set[str]) -> bool:
    """Whether a block calls one of `names`, itself or through functions of the program."""
    made = {called(node) for node in _nodes(block)}
    if made & names:
        return True
    defined = [s for s in whole.all_statements if isinstance(s, nodes.Define) and s.name in made - seen]
    return any(_makes(whole, each.body, names, seen | made) for each in defined)


def _nodes(block: Block) -> Iterator[Expr]:
    for statement in statements(block):
        for part in parts(statement):
            yield from nodes.walk(part)


def _reads_out(loop: For) -> bool:
    """Whether what is computed in a loop is taken out of its tensors, printed, kept or added up."""
    own = {name for statement in statements(loop.body) for name in targets(statement)}
    return any(_is_computed(expr, own) for expr in _read_in(loop))


def _read_in(loop: For) -> Iterator[Expr]:
    """The expressions that are read for their numbers, or kept."""
    for statement in statements(loop.body):
        if isinstance(statement, nodes.Augment):
            yield statement.value
    for node in _nodes(loop.body):
        if isinstance(node, nodes.Compare):
            yield from node.operands
        if isinstance(node, nodes.Call) and called(node) in _READS:
            yield from node.args
            if isinstance(node.function, nodes.Attribute):
                yield node.function.value


def _is_computed(expr: Expr, own: set[str]) -> bool:
    """Whether an expression names what the loop assigns, or computes something itself."""
    return any(
        (isinstance(node, nodes.Name) and node.id in own)
        or isinstance(node, nodes.Binary)
        or (isinstance(node, nodes.Call) and called(node) not in _READS)
        for node in nodes.walk(expr)
    )


def _is_slope(loop: For) -> bool:
    """Whether a difference quotient is taken, which is a gradient by hand: (f(x + h) - f(x)) / h."""
    quotients = [node for node in _nodes(loop.body) if isinstance(node, nodes.Binary) and node.op == "/"]
    return any(_is_difference(node.left) and not isinstance(node.right, nodes.Number) for node in quotients)


def _is_difference(expr: Expr) -> bool:
    if not isinstance(expr, nodes.Binary) or expr.op != "-":
        return False
    first, second = called(expr.left), called(expr.right)
    return first == second and isinstance(expr.left, type(expr.right)) and first not in ("item", "float")


# Run again


@dataclass
class _Kept(saved_tensors_hooks):
    """Counts the bytes that a run keeps for backward; `ran` is what it left."""

    bytes: int = 0
    ran: Ran | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        super().__init__(self._pack, lambda kept: kept)

    def _pack(self, tensor: torch.Tensor) -> torch.Tensor:
        self.bytes += tensor.nbytes
        return tensor

    def is_like(self, other: "_Kept") -> bool:
        """Whether two runs came to their ends, printed the same and left the same gradients."""
        one, two = self.ran, other.ran
        if one is None or two is None or one.failure is not None or two.failure is not None:
            return False
        return one.printed == two.printed and _same(_gradients(one), _gradients(two))


def _kept_in(whole: Whole, text: str) -> _Kept | None:
    kept = _Kept()
    try:
        kept.ran = rerun(whole.ran, text, around=kept)
    except LimitError:
        return None
    return kept


def _gradients(ran: Ran) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = {}
    for name, held in ran.names.items():
        value: Any = now(held).value if isinstance(held, Traced) else None
        if is_trained(value) and value.grad is not None:
            found[name] = value.grad
    return found


def _same(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


# In words


def _under_no_grad(whole: Whole, loop: For) -> Fix:
    source, line = whole.source, whole.line(loop.span)
    blanks, mode = indent_of(source, loop.span.start), spelled(whole.program, "torch.no_grad")
    text = textwrap.indent(source[loop.span], "    ").lstrip()
    program = edited(source, {loop.span: f"with {mode}():\n{blanks}    {text}"})
    return Fix(f"line {line}:  the loop under `with {mode}():`", program)


def _finding(whole: Whole, loop: For, fix: Fix, size: int) -> Finding:
    rounds = whole.sites[loop.span].count
    head = whole.source[loop.span].splitlines()[0].rstrip(":")
    return whole.finding(
        "AGX444",
        f"`{head}` records a graph in each of its {rounds:,} rounds, and no backward goes through any: "
        "values are read out of them, and that is all.",
        span=loop.span,
        cause=(
            f"{bytes_text(size)} were kept for backward in these rounds; under no_grad none",
            "what is printed and every gradient are the same there (run)",
        ),
        fix=(fix,),
        rounds=rounds,
        kept_bytes=size,
    )
