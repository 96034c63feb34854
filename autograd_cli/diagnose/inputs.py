"""What happened to the bindings on their way in."""

from collections.abc import Iterator

from autograd_cli.diagnose.scene import Scene
from autograd_cli.lang.nodes import Name
from autograd_cli.lang.source import named
from autograd_cli.report import Finding
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


def _short(scene: Scene) -> str:
    text = " ".join(scene.run.program.text.split())
    return text if len(text) <= 60 else text[:59] + "…"
