"""The verdicts on the whole and what was found of a person's Functions, brought to agree.

Where a Function explains what is wrong with a gradient, that names it and its line in place of the
expression it was called in; where nothing else tells of a Function that is wrong, a finding does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograd_cli.diagnose.facts import make
from autograd_cli.explore.options import Options
from autograd_cli.lang.source import Source, named
from autograd_cli.report import Examination, Finding, Gradient, Report, Slot, Verdict, Witness
from autograd_cli.report.checks import Grounds

_ALLOWED = "nothing: --allow WRONG counts it as right"
_HIDDEN = {
    "cotangent": "the cotangent that arrives here does not show it, as ones do not; a drawn one does",
    "values": "the values given here do not show it; values drawn nearby do",
    "": "what arrives here does not show it; a cotangent of ones does",
}


def agreed(report: Report, found: Sequence[Examination], source: Source, options: Options) -> Report:
    """The report with the examinations, its gradients and its findings being of one mind with these."""
    every = [*report.gradients, *(one for row in report.backwards for one in row.gradients)]
    said = [each.sentence.partition(": ")[2] for each in report.findings if each.code == "AGX325"]
    found = [_met(one, every, said, options) for one in found]
    gradients = {id(one): _explained(one, found) for one in every}
    backwards = tuple(
        replace(row, gradients=tuple(gradients[id(one)] for one in row.gradients)) for row in report.backwards
    )
    told = [_with_places(each, found) for each in report.findings]
    silent = [each for one in found if one.fails and one.next for each in _finding(one, every, source)]
    return replace(
        report,
        gradients=tuple(gradients[id(one)] for one in report.gradients),
        backwards=backwards,
        examined=tuple(found),
        findings=(*silent, *told),
    )


def fails(one: Examination, options: Options) -> bool:
    """Whether a Function counts as wrong; that its second order is, which nobody asked for, is a warning."""
    is_allowed = Verdict.WRONG in options.allow
    is_warned = options.strict and one.second is Verdict.WRONG
    return bool(one.causes) or ((bool(one.wrong) or is_warned) and not is_allowed)


def _met(one: Examination, every: Sequence[Gradient], said: Sequence[str], options: Options) -> Examination:
    """The examination as this run met the Function.

    What is right by itself is not said of a backward that fails here, nor again what a finding has `said`
    of an error; a wrong value may be allowed.
    """
    absent = any(each.verdict is Verdict.NO_GRAPH and each.name in one.leaves for each in every)
    slots = one.wrong if one.causes and absent else one.slots
    concerns = tuple(replace(each, sentence=_once(each.sentence, said)) for each in one.concerns)
    is_allowed = one.fails and not fails(one, options)
    return replace(one, slots=slots, concerns=concerns, next=_ALLOWED if is_allowed else one.next)


def _once(sentence: str, said: Sequence[str]) -> str:
    """A sentence without the words at its end that a finding has."""
    words = next((each for each in said if each and sentence.endswith(f": {each}")), "")
    return sentence.removesuffix(f": {words}") if words else sentence


def _blamed(name: str, found: Sequence[Examination]) -> Iterator[tuple[Examination, Slot]]:
    """The wrong values that the gradient of a leaf passes."""
    for one in found:
        for slot in one.wrong:
            if name in slot.leaves:
                yield one, slot


def _explained(gradient: Gradient, found: Sequence[Examination]) -> Gradient:
    """A gradient that is wrong or missing for a Function, with the place of that."""
    grounds = gradient.grounds or Grounds()
    if gradient.verdict is Verdict.WRONG and gradient.odd is not Witness.SYMBOLIC:
        blamed = list(_blamed(gradient.name, found))
        places = list(dict.fromkeys(slot.place for _, slot in blamed))
        if not places:
            return gradient
        texts = {one.text for one, _ in blamed}
        guilty = tuple(each for each in grounds.guilty if each.text not in texts)
        grounds = replace(grounds, guilty=guilty, alone=None, next="")
        verb = "is" if len(places) == 1 else "are"
        return replace(gradient, sentence=f"{'; '.join(places)} {verb} wrong", grounds=grounds)
    causes = [each for one in found if gradient.name in one.leaves for each in one.causes]
    if gradient.verdict is Verdict.NO_GRAPH and causes:
        place = f" at {causes[-1].place}" if causes[-1].place else ""
        sentence = f"there is a graph, and its backward fails{place}: the cause stands below"
        return replace(gradient, sentence=sentence, grounds=replace(grounds, next=""))
    return gradient


def _with_places(finding: Finding, found: Sequence[Examination]) -> Finding:
    """A finding on a wrong gradient with what is wrong in their file in place of its numbers."""
    if finding.code != "AGX501" or "binding" not in finding.evidence:
        return finding
    cause = tuple(
        ": ".join((slot.place, *slot.patterns[-1:]))
        for _, slot in _blamed(finding.evidence["binding"], found)
    )
    return replace(finding, cause=tuple(dict.fromkeys(cause))) if cause else finding


def _finding(one: Examination, every: Sequence[Gradient], source: Source) -> Iterator[Finding]:
    """AGX501 of a Function whose error no gradient of the run shows, and why that does not."""
    passing = [each.name for each in every if each.name in one.leaves]
    if any(each.verdict in (Verdict.WRONG, Verdict.NO_GRAPH) for each in every if each.name in one.leaves):
        return
    why = [f"{slot.place}: {_HIDDEN[slot.only]}" for slot in one.wrong]
    why += [f"{each.place}: {each.sentence}" for each in one.causes]
    right = f", though the gradient of {named(list(dict.fromkeys(passing)))} is right here" if passing else ""
    sentence = f"The backward of {one.function} is wrong{right}."
    yield make("AGX501", sentence, source, cause=why, function=one.function, place=one.place)
