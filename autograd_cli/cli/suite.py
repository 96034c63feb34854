"""The suite of gradcheck: every function of the language checked, and what failed listed."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograd_cli.cli.command import Given
from autograd_cli.cli.entry import modules_loaded
from autograd_cli.cli.progress import bar
from autograd_cli.cli.supervise import Bounds, Wire, supervised
from autograd_cli.errors import AgxError, ExitStatus, InputError
from autograd_cli.lang.source import visible
from autograd_cli.report.kinds import Verdict

_POINTS = 3
"""Random points at which each function is checked, beside its example."""

if TYPE_CHECKING:
    from autograd_cli.gradients.suite import Examined
    from autograd_cli.lang.functions.rows import Function

_FEW = 12
"""Functions that are listed by name, where more are counted."""

_USED = frozenset({"device", "dtype", "seed", "only", "allow", "strict", "json", "timeout", "max_memory"})
"""The keys of the options that say something here; all others are about a source."""


def checked(given: Given) -> ExitStatus:
    """Check the functions, list those that fail, and give 1 when there are any."""
    _refuse_what_needs_a_source(given)
    bounds = Bounds(given.options.get("timeout"), given.options.get("max_memory"))
    return supervised(given.environment, bounds, lambda wire: _run(given, wire), _late)


def _refuse_what_needs_a_source(given: Given) -> None:
    idle = [f"--{key.replace('_', '-')}" for key in given.options if key not in _USED]
    idle += [f"--{name}" for name, _ in given.line.bindings]
    if idle:
        raise InputError(
            "AGX214",
            f"There is no SOURCE, and `{idle[0]}` needs one.",
            hint="Without SOURCE every function of the language is checked on its own example.",
            fix='agx gradcheck "sin(x**2)" --x 2',
        )


def _run(given: Given, wire: Wire) -> ExitStatus:
    from autograd_cli.gradients.suite import suite
    from autograd_cli.run.devices import choose

    modules_loaded()
    options, environment = given.options, given.environment
    device, dtype = str(choose(options.get("device", "cpu"))), options.get("dtype", "float64")
    wire.started()
    with bar(environment) as move:

        def show(number: int, count: int, function: "Function") -> None:
            move(number, count, function.name)

        found = suite(device, dtype, options.get("seed", 0), options.get("only"), show, _POINTS)
    wire.done()
    if not found:
        raise _no_match(options["only"])
    allowed = options.get("allow", ())
    failed = [one for one in found if _fails(one, bool(options.get("strict"))) and one.verdict not in allowed]
    if options.get("json"):
        environment.put_data(_as_json(found, device, dtype))
    else:
        every = environment.verbose or len(found) <= _FEW
        environment.put(_as_text(found, failed, device, dtype, every))
    return ExitStatus.FAILED if failed else ExitStatus.OK


def _no_match(only: str) -> InputError:
    return InputError(
        "AGX208",
        f"`--only {only}` matches no differentiable function.",
        hint="`*` stands for anything, as in cum* or torch.linalg.*; `agx ops` lists the functions.",
    )


def _late(so_far: str, reached: AgxError) -> ExitStatus:
    raise reached


def _fails(one: "Examined", strict: bool) -> bool:
    """Whether it counts as a failure; with --strict every verdict but OK does."""
    right = one.verdict is not None and one.verdict.value == "OK" and not one.unchecked
    return one.failed or (strict and not one.missing and not right)


def _as_text(
    found: Sequence["Examined"], failed: Sequence["Examined"], device: str, dtype: str, every: bool
) -> str:
    """What was checked and how it came out; then a line or more for each that failed.

    Each that passed is named where `every` one is asked for, else those that are not simply OK.
    """
    missing = [one for one in found if one.missing]
    unchecked = [one for one in found if one.unchecked]
    verdicts = Counter(one.verdict.value for one in found if one.verdict and not one.unchecked)
    told = " · ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    points = f" and at {count:,} random points" if (count := sum(one.points for one in found)) else ""
    what = (
        "1 function checked on its example"
        if len(found) == 1
        else f"{len(found)} functions checked on their examples"
    )
    lines = [f"{what}{points} · {dtype} · {device}"]
    lines += [told] if told else []
    lines += _named(found, every)
    if unchecked:
        lines.append(f"{len(unchecked)} without a verdict")
        lines += [f"  {one.function.path}  not checked: {visible(one.unchecked)}" for one in unchecked]
    if missing:
        names = ", ".join(one.function.path for one in missing)
        lines.append(f"{len(missing)} not in torch for {dtype} on {device}: {names}")
    lines.append(f"{len(failed)} failed" if failed else "none failed")
    for one in failed:
        lines += _failure(one)
    return "\n".join(lines) + "\n"


def _named(found: Sequence["Examined"], every: bool) -> list[str]:
    """A line for each function with a verdict that passes."""
    shown = [
        one
        for one in found
        if one.verdict and one.verdict.passes and not one.unchecked and not one.failed
        if every or one.verdict is not Verdict.OK
    ]
    size = max((len(one.function.path) for one in shown), default=0)
    return [f"  {one.function.path:{size}}  {one.verdict}{_why(one)}" for one in shown]


def _why(one: "Examined") -> str:
    """What the first gradient that is not simply OK says."""
    said = (g.sentence for g in (*one.gradients, *one.nearby) if g.verdict is one.verdict and g.sentence)
    text = "" if one.verdict is Verdict.OK else next(said, "")
    return f"  {visible(text)}" if text else ""


def _failure(one: "Examined") -> list[str]:
    """The function, its example as a command, and what is wrong with each gradient."""
    example = one.function.example
    lines = [f"  {one.function.path}  {one.verdict.value if one.verdict else ''}".rstrip()]
    if example is not None:
        pairs = "".join(f' --{name} "{text}"' for name, text in example.bindings.items())
        lines.append(f'    agx gradcheck "{example.source}"{pairs}')
    lines += [f"    {visible(one.failure)}"] if one.failure else []
    lines += [
        f"    d/d{g.name}  {g.verdict.value}  {visible(g.sentence)}"
        for g in (*one.gradients, *(near for near in one.nearby if near.verdict is not Verdict.OK))
        if g.verdict
    ]
    return lines


def _as_json(found: Sequence["Examined"], device: str, dtype: str) -> str:
    """One object: where it ran, and of each function its verdict, failure and gradients."""
    from autograd_cli.report.json import encoded

    functions: list[dict[str, Any]] = [
        {
            "path": one.function.path,
            "verdict": one.verdict.value if one.verdict and not one.unchecked else None,
            "failure": one.failure or None,
            "unchecked": one.unchecked or None,
            "missing": one.missing,
            "failed": one.failed,
            "gradients": [encoded(gradient) for gradient in one.gradients],
            "points": one.points,
            "nearby": [encoded(gradient) for gradient in one.nearby],
        }
        for one in found
    ]
    content = {"device": device, "dtype": dtype, "functions": functions}
    return json.dumps(content, allow_nan=False) + "\n"
