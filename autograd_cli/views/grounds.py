"""The lines of gradcheck under a verdict: what was measured, a label before each, and what to do next."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite, prod

from autograd_cli.report.checks import Asked, Checks, Cut, Element, Forward, Grounds, Guilty, Loss, Sides
from autograd_cli.report.records import Gradient, Summary, Values, Verdict
from autograd_cli.report.values import index_text, summarise
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Line, Piece, one_line, words

_INDENT, _LABEL = 3, 9
_MOST = 3
"""Elements, sides and nodes that stand in text; JSON has more."""


def ground_lines(gradient: Gradient, numbered: bool = False, verbose: bool = False) -> list[Line]:
    """What the verdict on a gradient rests on, one question a line; nothing where nothing was measured.

    With `numbered`, places in the source are told with their lines. The order of the Taylor remainder
    is evidence where something is not right; else only `verbose` asks for it.
    """
    grounds = gradient.grounds
    if grounds is None:
        return []
    grounds = grounds if numbered else _without_lines(grounds)
    told = _told(gradient, grounds)
    is_right = gradient.verdict is Verdict.OK and not verbose
    return [_line(label, text) for label, text in told if label != "order" or not is_right]


def _without_lines(grounds: Grounds) -> Grounds:
    return replace(
        grounds,
        guilty=tuple(replace(one, line=None) for one in grounds.guilty),
        cuts=tuple(replace(one, line=None) for one in grounds.cuts),
        loss=None if grounds.loss is None else replace(grounds.loss, line=None),
    )


def _in_line(place: Guilty | Cut | Loss) -> str:
    if isinstance(place, Cut) and place.place:
        return f" at {place.place}"
    return "" if place.line is None else f" in line {place.line}"


def says_more(gradient: Gradient) -> bool:
    """Whether the grounds hold what has to be said of a gradient that is right, too."""
    grounds = gradient.grounds
    return grounds is not None and (grounds.uncut is not None or grounds.forward is not None)


def check_lines(checks: Checks | None) -> list[Piece]:
    """What torch's own check says, where it was asked."""
    return [] if checks is None or checks.torch is None else [_line("torch", _asked(checks.torch))]


def _line(label: str, text: str) -> Line:
    style = "source" if label == "next" else ""
    said = words((f"{label.ljust(_LABEL)}", "quiet"), (one_line(text), style))
    return Line(said, indent=_INDENT, hang=_LABEL)


def _told(gradient: Gradient, grounds: Grounds) -> Iterator[tuple[str, str]]:
    if text := how(gradient):
        yield "checked", text
    for guilty in grounds.guilty[:_MOST]:
        yield "where", _guilty(guilty)
    if grounds.alone and not grounds.guilty:
        many = f"{grounds.alone:,} nodes checked each by itself: none is wrong"
        yield "alone", many if grounds.alone > 1 else "1 node checked by itself: it is right"
    if gradient.verdict is not Verdict.OK and len(grounds.elements) > 1 and not grounds.sides:
        yield "worst", " · ".join(map(_element, grounds.elements[:_MOST]))
    if prod(gradient.shape) > 1:
        for sides in grounds.sides[:_MOST]:
            yield "slopes", _sides(sides)
    yield from _measured(grounds)
    if grounds.next:
        yield "next", grounds.next


def _measured(grounds: Grounds) -> Iterator[tuple[str, str]]:
    """What is said of a gradient whatever its verdict is."""
    if grounds.order is not None:
        yield "order", _order(grounds.order)
    if grounds.cuts:
        yield "cut", _cut(grounds)
    if grounds.loss is not None:
        yield "digits", _loss(grounds.loss)
    if grounds.fixed is not None:
        yield "fixed", f"under one random state the verdict is {grounds.fixed.value}"
    if grounds.outputs:
        yield "outputs", grounds.outputs
    if grounds.forward is not None:
        yield "forward", _forward(grounds.forward)


def _order(order: float) -> str:
    """By how much what the straight line of the gradient misses falls when the step is halved."""
    fell = f"{2**order:.2f}".rstrip("0").rstrip(".")
    missed = f"halving the step divides what the straight line of this gradient misses by {fell}"
    return f"{missed} (order {order:.2f}); about 4 or more is right, about 2 wrong"


def how(gradient: Gradient) -> str:
    """How the elements of a gradient were looked at, where they are more than are written out."""
    count, said = prod(gradient.shape), []
    if count <= numbers.MOST_LISTED:
        return ""
    if gradient.symbolic is not None:
        said.append("each element by the formula")
    if gradient.directions is not None:
        said.append(f"all at once by the slopes along {gradient.directions} random directions")
    elif gradient.numeric is not None:
        seen = gradient.numeric if isinstance(gradient.numeric, Summary) else summarise(gradient.numeric)
        which = "each" if not seen.nan else f"{count - seen.nan:,} elements"
        bar = "" if gradient.error_bar is None else f" {numbers.error_bar(gradient.error_bar)}"
        said.append(f"{which} by its own slope, {numbers.summary(replace(seen, nan=0))}{bar}")
    return f"of {count:,} elements: {', '.join(said)}" if said else ""


def _guilty(guilty: Guilty) -> str:
    what = f"{guilty.text} ({guilty.node}){_in_line(guilty)}"
    if guilty.given is None or guilty.reference is None or guilty.relative is None:
        return f"{what} is wrong by itself"
    given, right = numbers.in_step([guilty.given, guilty.reference])
    off = f"{_percent(guilty.relative)} off"
    if guilty.sentence:
        return f"{what}: {guilty.sentence}: {given} for {right}, {off}"
    return f"{what} is wrong by itself, by {guilty.operand}: it gives {given}, and {right} is right, {off}"


def _percent(relative: float) -> str:
    percent = float(f"{100 * relative:.2g}")
    if percent > 1000 or percent < 0.001:
        return "more than 1,000 %" if percent > 1000 else "less than 0.001 %"
    return f"{percent:,.4f}".rstrip("0").rstrip(".") + " %"


def _element(element: Element) -> str:
    given, right = numbers.in_step([element.autograd, element.reference])
    return f"{index_text(element.index)} {given} for {right}"


def _sides(sides: Sides) -> str:
    left, right = ("none" if side != side else numbers.number(side) for side in (sides.left, sides.right))
    said = f"{index_text(sides.index)} {left} to the left, {right} to the right"
    return f"{said}; autograd{_where(sides, left, right, numbers.number(sides.autograd))}"


def _where(sides: Sides, left: str, right: str, given: str) -> str:
    """Where autograd's value lies among the slopes, as these are written; nowhere where one is none."""
    if given in (left, right):
        which = "one on both sides" if left == right else f"one to the {'left' if given == left else 'right'}"
        return f"'s {given} is the {which}"
    if not (isfinite(sides.left) and isfinite(sides.right)):
        return f" gives {given}"
    return f"'s {given} is {'between' if sides.between else 'not between'}"


def _cut(grounds: Grounds) -> str:
    places = ", ".join(f"{cut.text}{_in_line(cut)}" for cut in grounds.cuts)
    if grounds.uncut is None:
        return f"the graph ends at {places}"
    return f"{places} counts as a constant (stop-gradient); without the cut: {_values(grounds.uncut)}"


def _values(values: Values) -> str:
    return numbers.tensor(values)


def _loss(loss: Loss) -> str:
    arrives, leaves = numbers.small(loss.arrives), numbers.small(loss.leaves)
    return f"most are lost at {loss.text}{_in_line(loss)}: relative error {arrives} arrives, {leaves} leaves"


def _forward(forward: Forward) -> str:
    if forward.agrees is None:
        return forward.sentence
    how = f"along {forward.directions} directions" if forward.directions else "by every element"
    if forward.agrees:
        return f"jvp agrees {how}, {numbers.small(forward.difference or 0.0)} off at most"
    return f"jvp disagrees {how}: {forward.sentence}"


def _asked(asked: Asked) -> str:
    if asked.passed is None:
        return asked.said
    said = f"torch.autograd.gradcheck: {asked.said}"
    return f"{said}; {asked.differs}" if asked.differs else said
