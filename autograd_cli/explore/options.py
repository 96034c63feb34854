"""What a person may choose about a run, and what its outcome amounts to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from autograd_cli.errors import ExitStatus, InputError
from autograd_cli.gradients.compare import NO_VALUE
from autograd_cli.lang.parse import TextLimits
from autograd_cli.lang.same import Same, remembered
from autograd_cli.lang.suggestions import nearest
from autograd_cli.report import Finding, Gradient, SecondBlock, Severity, Verdict, Witness
from autograd_cli.run.devices import choose
from autograd_cli.run.settings import Settings, Use
from autograd_cli.run.values import VALUES_LIMIT

Chosen = int | Literal["all"]

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Options:
    """What a person may choose about a run; the defaults are the command line's.

    `dtype` None keeps what the bindings are; sizes are in bytes; `witnesses` are the
    ways to know a gradient that are used; `full` writes tensors out whole. With `check`
    gradients are demanded: an output without a graph is a verdict, not a remark. `root` and
    `inspect` are names of values; `no_grad`, `inference_mode` and `autocast`, the name of a
    dtype, are modes for the whole run. `use` are a person's own callables. `elements` is how many
    of each leaf the numeric witness looks at; `forward` and `torch` ask forward mode and torch's own
    gradcheck too, `through_detach` differentiates through what is cut; verdicts in `allow` count as right.
    `steps` and `saved` ask for the chain rule way by way and for what nodes keep; of `order` 2 the
    second derivative is worked out too.
    """

    device: str = "cpu"
    dtype: str | None = None
    seed: int = 0
    wrt: tuple[str, ...] | None = None
    const: tuple[str, ...] = ()
    grad_output: str | None = None
    witnesses: frozenset[Witness] = frozenset(Witness)
    eps: float | None = None
    rtol: float | None = None
    atol: float | None = None
    max_memory: int = Settings.max_memory
    max_text: int = TextLimits.max_text
    max_nodes: int = TextLimits.max_nodes
    max_items: int = Settings.max_items
    max_steps: int = Settings.max_steps
    full: bool = False
    strict: bool = False
    check: bool = False
    root: str | None = None
    inspect: str | None = None
    no_grad: bool = False
    inference_mode: bool = False
    autocast: str | None = None
    use: tuple[Use, ...] = ()
    steps: bool = False
    saved: bool = False
    order: int = 1
    elements: Chosen | None = None
    forward: bool = False
    torch: bool = False
    through_detach: bool = False
    allow: tuple[Verdict, ...] = ()

    @property
    def limit(self) -> int | None:
        """The most elements of a tensor that are written out, None for all."""
        return None if self.full else VALUES_LIMIT


def text_limits(options: Options) -> TextLimits:
    """How large a source may be."""
    return _text_limits(Same(options))


@remembered
def _text_limits(chosen: Same) -> TextLimits:
    options: Options = chosen.it
    return TextLimits(max_text=options.max_text, max_nodes=options.max_nodes)


def settings_of(options: Options) -> Settings:
    """How the interpreter is to run; MissingError AGX601 for a device that is not usable."""
    return _settings(Same(options))


@remembered
def _settings(chosen: Same) -> Settings:
    options: Options = chosen.it
    return Settings(
        device=str(choose(options.device)),
        dtype=options.dtype if options.dtype and "complex" not in options.dtype else "float32",
        seed=options.seed,
        max_memory=options.max_memory,
        max_items=options.max_items,
        max_steps=options.max_steps,
        text=text_limits(options),
        mode=_mode(options),
        autocast=options.autocast or "",
        uses=options.use,
        keeps=options.check,
    )


def _mode(options: Options) -> str:
    if options.inference_mode:
        return "inference_mode"
    return "no_grad" if options.no_grad else ""


def status_of(
    gradients: Sequence[Gradient | SecondBlock], findings: Sequence[Finding], options: Options
) -> ExitStatus:
    """The exit status that a report's verdicts and findings amount to."""
    failing = {Severity.ERROR, Severity.WARNING} if options.strict else {Severity.ERROR}
    bad = any(each.severity in failing and not _is_allowed(each, options) for each in findings)
    wrong = not all(
        _passes(each.verdict, options) or _is_explained(each, findings, options) for each in gradients
    )
    unchecked = options.check and not gradients
    return ExitStatus.FAILED if bad or wrong or unchecked else ExitStatus.OK


_BY_CAUSE = {
    "AGX415": (Verdict.WRONG,),
    "AGX502": (Verdict.WRONG, Verdict.DOMAIN_EDGE, Verdict.JUMP),
}
"""Warnings that say why a gradient is no good, with the verdicts that count no more beside them."""


def _is_explained(each: Gradient | SecondBlock, findings: Sequence[Finding], options: Options) -> bool:
    """Whether a warning of what made a gradient wrong, or no number, counts for its verdict."""
    if options.check or options.strict or not isinstance(each, Gradient):
        return False
    found = [one for one in findings if each.verdict in _BY_CAUSE.get(one.code, ())]
    if any(one.code == "AGX415" or each.name in one.leaves for one in found):
        return True
    # What has no value has no slope by any leaf, also by one whose gradient comes out as a number.
    return each.verdict is Verdict.DOMAIN_EDGE and NO_VALUE in each.sentence and bool(found)


def _is_allowed(finding: Finding, options: Options) -> bool:
    """Whether a finding says no more than a verdict that counts as right."""
    return finding.code == "AGX501" and Verdict.WRONG in options.allow


def _passes(verdict: Verdict | None, options: Options) -> bool:
    """Whether a verdict counts as right; where gradients are demanded, no verdict does not."""
    if verdict is None:
        return not (options.check or options.strict)
    if verdict in options.allow:
        return True
    return verdict is Verdict.OK if options.strict else verdict.passes


def unknown_name(option: str, name: str, known: Iterable[str]) -> InputError:
    """AGX208: the refusal of a name that no value of the program has."""
    names = list(dict.fromkeys(known))
    near, listed = nearest(name, names), ", ".join(names) or "none"
    return InputError(
        "AGX208",
        f"`--{option} {name}` names no value of the source.",
        hint=f"Did you mean --{option} {near}?" if near else f"Its names: {listed}.",
    )
