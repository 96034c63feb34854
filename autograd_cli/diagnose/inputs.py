"""What happened to the bindings on their way in."""

from collections.abc import Iterator, Sequence

from autograd_cli.diagnose.facts import make
from autograd_cli.diagnose.scene import Scene
from autograd_cli.lang.bodies import expressions
from autograd_cli.lang.nodes import Name, Program, walk
from autograd_cli.lang.source import named
from autograd_cli.lang.suggestions import nearest
from autograd_cli.report import Finding
from autograd_cli.run.settings import Use
from autograd_cli.run.values import dtype_name


def made_floating(scene: Scene) -> Iterator[Finding]:
    """AGX209, once, with the names whose whole numbers were made floating."""
    names = [b.name for b in scene.run.bindings if b.converted]
    if names:
        dtypes = {dtype_name(b.value.dtype) for b in scene.run.bindings if b.converted}
        one = len(names) == 1
        yield scene.finding(
            "AGX209",
            f"{named(names)}, {'an int, is' if one else 'ints, are'} made {'/'.join(sorted(dtypes))}, "
            f"since only floating values have a gradient; --const {','.join(names)} keeps "
            f"{'it' if one else 'them'}.",
            bindings=names,
        )


def euler(scene: Scene) -> Iterator[Finding]:
    """AGX111, once, where `e` stands for the constant and may have been meant as a name."""
    for step in scene.run.steps:
        if step.kind == "constant" and step.expr == Name("e"):
            yield scene.finding("AGX111", "`e` is the constant 2.718282; --e 2 makes it a name of your own.")
            return


def unused(scene: Scene) -> Iterator[Finding]:
    """AGX204, once, with the names that the source does not mention."""
    names = [b.name for b in scene.run.bindings if not b.used]
    if names:
        what = "is bound and not used" if len(names) == 1 else "are bound and not used"
        yield scene.finding("AGX204", f"{named(names)} {what} in `{_short(scene)}`.", bindings=names)


def unused_callables(program: Program, uses: Sequence[Use]) -> Iterator[Finding]:
    """AGX204 for each callable of `--use` that a program does not mention, with what may have been meant."""
    mentioned = {
        part.id for each in expressions(program.statements) for part in walk(each) if isinstance(part, Name)
    }
    for use in uses:
        if use.name not in mentioned:
            near = nearest(use.name, mentioned)
            ending = f": was `{near}` meant to be `{use.name}`?" if near else "."
            sentence = f"`{use.name}`, which --use brings, is not used in `{_shortened(program)}`{ending}"
            yield make("AGX204", sentence, program.source, callables=[use.name])


def _short(scene: Scene) -> str:
    return _shortened(scene.run.program)


def _shortened(program: Program) -> str:
    text = " ".join(program.text.split())
    return text if len(text) <= 60 else text[:59] + "…"
