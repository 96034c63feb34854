"""What the witnesses say, as findings: a wrong gradient, a kink, a dtype that is too coarse."""

from collections.abc import Iterator
from math import prod

from autograd_cli.diagnose.scene import Scene
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Gradient, Verdict


def disagree(scene: Scene) -> Iterator[Finding]:
    """AGX501 for each gradient on which the witnesses do not agree."""
    for each in scene.gradients:
        if each.verdict is Verdict.WRONG:
            yield scene.finding(
                "AGX501",
                _odd(each),
                cause=(each.sentence,) if each.sentence else (),
                binding=each.name,
                difference=each.difference,
                tolerance=each.tolerance,
            )


def _odd(each: Gradient) -> str:
    worst = "" if not each.worst or prod(each.shape) == 1 else f" at [{', '.join(map(str, each.worst))}]"
    if each.odd is None:
        return f"The witnesses of the gradient of `{each.name}` do not agree{worst}."
    numeric = each.numeric is not None or each.directions is not None
    if numeric and each.symbolic is not None:
        said = f"{each.odd.value} is the odd one out of the three witnesses"
    else:
        said = f"{each.odd.value} is not what the other witness gives"
    return f"The gradient of `{each.name}`: {said}{worst}."


def kink(scene: Scene) -> Iterator[Finding]:
    """AGX503, once, with the number of elements that stand at a kink."""
    found = [each for each in scene.gradients if each.kinks]
    count = sum(each.kinks for each in found)
    if not count:
        return
    stands = "1 element of" if count == 1 else f"{count} elements of"
    slopes = [f"{each.name}: {each.sentence}" for each in found if each.sentence]
    yield scene.finding(
        "AGX503",
        f"{stands} {named([each.name for each in found])} {'stands' if count == 1 else 'stand'} exactly at a "
        "kink: the slopes on its two sides differ, and autograd gives one value between or beside them.",
        cause=slopes[:4],
        count=count,
    )


def precision(scene: Scene) -> Iterator[Finding]:
    """AGX504 for gradients that the run's dtype does not hold."""
    names = [each.name for each in scene.gradients if each.verdict is Verdict.PRECISION]
    if names:
        yield scene.finding(
            "AGX504",
            f"{scene.run.dtype} does not hold the gradient of {named(names)} as float64 does, where the "
            "references agree.",
            cause=[each.sentence for each in scene.gradients if each.name in names and each.sentence],
            bindings=names,
        )
