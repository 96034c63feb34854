"""`w = w - step`: the name of a leaf given to another tensor."""

from collections.abc import Iterator

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.upstream import Source, mode_around, names_in, sources
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, calls, indent_of, targets
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import Operand


def is_rebound(case: Ended, source: Source) -> bool:
    """Whether an assignment in a loop gives the name of a leaf to what was computed from it."""
    own = set(targets(source.statement)) & set(names_in(case.whole, source.value))
    if not case.whole.loops(source.statement.span):
        return False
    sites = [case.whole.sites.get(s.span) for s in case.whole.all_statements if own & set(targets(s))]
    return any(made.requires_grad for site in sites if site and site.first for made in site.first.made)


def under_a_mode(case: Ended, root: Operand, source: Source, mode: Expr) -> Finding:
    """`w = w - …` under no_grad, which makes a new tensor that does not require grad."""
    name, line = targets(source.statement)[0], case.where(source.statement.span)
    return case.finding(
        "AGX402",
        f"{drawing.quoted(root.text)} has no graph: since {line} `{name}` is another tensor, made under "
        f"`{case.source[mode.span]}`, and it does not require grad; the leaf has no name any more.",
        name="leaf-rebound",
        fix=tuple(in_place(case, source.statement)),
    )


def since(whole: Whole, name: str, before: int) -> Statement | None:
    """The assignment that gave the name of a leaf to what is computed from it; None where none did."""
    found = next(sources(whole, nodes.Name(name), before), None)
    if found is None or not isinstance(found.statement, nodes.Assign) or name not in targets(found.statement):
        return None
    return found.statement if name in names_in(whole, found.value) else None


def as_leaf(case: Ended, name: str, statement: Statement) -> Iterator[Fix]:
    """The update of every round in place; what is no update made a leaf of its own."""
    updates = [s for s in case.whole.all_statements if _is_update(s, name)]
    if statement in updates:
        yield from in_place(case, *updates)
    elif isinstance(statement, nodes.Assign):
        new = repair.followed(case.source, statement.value, ".detach().requires_grad_()")
        program = edited(case.source, {statement.value.span: new})
        yield Fix(f"{case.where(statement.span)}:  {name} = {new}", program)


def _is_update(statement: Statement, name: str) -> bool:
    """Whether a statement is `name = name - step` or its like."""
    value = statement.value if isinstance(statement, nodes.Assign) else None
    is_sum = isinstance(value, nodes.Binary) and value.op in "+-" and value.left == nodes.Name(name)
    return is_sum and targets(statement) == (name,)


def in_place(case: Ended, *updates: Statement) -> Iterator[Fix]:
    """`w = w - step` as an update of the leaf, under no_grad; its gradient cleared if nothing else does."""
    edits, words = {}, []
    for statement in updates:
        name = next(iter(targets(statement)), "")
        if not isinstance(statement, nodes.Assign) or not _is_update(statement, name):
            return
        lines = [*_update(case, statement, name), *_clearing(case, name)]
        edits[statement.span] = f"\n{indent_of(case.source, statement.span.start)}".join(lines)
        words.append(f"{case.where(statement.span)}:  {'; '.join(' '.join(line.split()) for line in lines)}")
    if words:
        yield Fix("; ".join(words), edited(case.source, edits))


def _update(case: Ended, statement: nodes.Assign, name: str) -> Iterator[str]:
    assert isinstance(statement.value, nodes.Binary)
    new = f"{name} {statement.value.op}= {case.source[statement.value.right.span]}"
    if mode_around(case.whole, statement):
        yield new
        return
    inner = f"\n{indent_of(case.source, statement.span.start)}    {new}"
    yield f"with {repair.spelled(case.run.program, 'torch.no_grad')}():{inner}"


def _clearing(case: Ended, name: str) -> Iterator[str]:
    """`w.grad = None`, where the program clears that gradient nowhere."""
    source, places = case.source, (f"{name}.grad", f"{name}.grad.data")
    assigned = (s for s in case.whole.all_statements if isinstance(s, nodes.Assign))
    if any(source[target.span] == places[0] for s in assigned for target in s.targets):
        return
    for call in calls(case.run.program, "zero_", "zero_grad"):
        of = source[call.function.span].rpartition(".")[0]
        if called(call) == "zero_grad" or of in places:
            return
    yield f"{name}.grad = None"
