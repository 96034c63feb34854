"""`w = w - step`: the name of a leaf given to another tensor."""

from collections.abc import Iterator

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.upstream import Source, mode_around, names_in
from autograd_cli.diagnose.statements import indent_of, replaced, targets
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


def in_place(case: Ended, statement: Statement) -> Iterator[Fix]:
    """`w = w - step` as an update of the leaf, under no_grad, with its gradient cleared."""
    value = statement.value if isinstance(statement, nodes.Assign) else None
    name = next(iter(targets(statement)), "")
    if not isinstance(value, nodes.Binary) or value.op not in "+-" or value.left != nodes.Name(name):
        return
    right = case.source[value.right.span]
    new = f"{name} {value.op}= {right}"
    blank = indent_of(case.source, statement.span.start)
    mode = f"with {repair.spelled(case.run.program, 'torch.no_grad')}():"
    text = new if mode_around(case.whole, statement) else f"{mode}\n{blank}    {new}"
    text += f"\n{blank}{name}.grad = None"
    words = new if mode_around(case.whole, statement) else f"{mode} {new}"
    line = case.where(statement.span)
    yield Fix(f"{line}:  {words}; {name}.grad = None", replaced(case.source, {statement.span: text}))
