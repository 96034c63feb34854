"""A person's own callables, and what an examination of their autograd.Functions found."""

from dataclasses import dataclass

from autograd_cli.report.kinds import Shape, Verdict


@dataclass(frozen=True)
class Target:
    """A callable that was brought to the source: `file` and `attribute` as they were typed.

    `kind` is "function", "autograd.Function" or "module"; `line` is where it is defined in the file, 0
    where that is not known.
    """

    name: str
    file: str
    attribute: str
    kind: str
    line: int = 0


@dataclass(frozen=True)
class Concern:
    """Something about a Function beside the values of its gradients, or the cause why there are none.

    `name` is a kebab-case label ("wrong-count", "saves-intermediate"); `wrong` says that gradients are
    wrong or missing for it; `place` is file and line, empty where there is none.
    """

    name: str
    sentence: str
    place: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Slot:
    """What the backward of a Function gives for one of its inputs, held against differences in float64.

    `position` counts the arguments of forward from 0, `returned` the values that backward returns
    from 1. `wrong` of its elements are wrong, `worst` is the index of the furthest; `value` is the input
    there, `backward` and `numeric` the two slopes. `place` is where the value is returned. `patterns`
    say what the error looks like, first what it is. `is_none` says that backward gave None, which counts
    as 0. `only` is what it took for an error to show: "cotangent" where it does under a drawn one and not
    under ones, "values" where it does at drawn values and not at the given ones, else empty. `leaves` are
    the names whose gradients come through it.
    """

    name: str
    position: int
    returned: int
    shape: Shape
    verdict: Verdict
    wrong: int = 0
    worst: tuple[int, ...] | None = None
    value: float | None = None
    backward: float | None = None
    numeric: float | None = None
    error_bar: float | None = None
    place: str = ""
    patterns: tuple[str, ...] = ()
    sentence: str = ""
    is_none: bool = False
    only: str = ""
    leaves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Examination:
    """One autograd.Function at one call of it: its inputs, and what else is to be said.

    `text` is the call in the source that it was made in. `second` is the verdict on its second order,
    None where that was not looked at. `next` is what to do now. `leaves` are the names whose gradients
    pass it.
    """

    function: str
    text: str
    place: str
    slots: tuple[Slot, ...] = ()
    concerns: tuple[Concern, ...] = ()
    second: Verdict | None = None
    second_sentence: str = ""
    next: str = ""
    leaves: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[Slot, ...]:
        """The inputs whose gradients are wrong."""
        return tuple(slot for slot in self.slots if slot.verdict is Verdict.WRONG)

    @property
    def causes(self) -> tuple[Concern, ...]:
        """Why gradients are wrong or missing, beside their values."""
        return tuple(each for each in self.concerns if each.wrong)

    @property
    def fails(self) -> bool:
        """Whether gradients are wrong or missing."""
        return bool(self.wrong or self.causes)
