"""A source explored: what trace and gradcheck have in common, from the line to the status."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from autograd_cli.cli import names, output, refused, sources
from autograd_cli.cli.command import Given
from autograd_cli.cli.entry import modules_loaded
from autograd_cli.cli.options import SECONDS
from autograd_cli.cli.progress import PATIENCE, bar
from autograd_cli.cli.supervise import Bounds, Wire, supervised
from autograd_cli.cli.telling import out_of_memory
from autograd_cli.errors import AgxError, ExitStatus, InputError, is_out_of_memory
from autograd_cli.lang.check import Understood
from autograd_cli.lang.source import Source, visible
from autograd_cli.report import Report, Witness
from autograd_cli.report.values import bytes_text, shape_text
from autograd_cli.run.settings import Settings

_READ_FROM = {"": "SOURCE from the line", "-": "SOURCE from standard input"}

_BESIDE = 256 << 20
"""Bytes of address space that libraries take when they are first used."""

_BESIDE_A_CORE = 80 << 20
"""Bytes of address space of a worker thread: its stack and its share of the allocator."""


def explored(given: Given) -> ExitStatus:
    """Read, check and explore the source of the line, or each of a batch; write what comes of it."""
    where = output.destination(given)
    _refuse_two_modes(given)
    if "lines" in given.options:
        from autograd_cli.cli import batch

        return batch.explored(given, where)
    source = sources.read(given)
    stdin = sources.standard_input(given)
    known = names.checked(source, given)
    return supervised(
        given.environment,
        bounds_of(given),
        lambda wire: _run(given, where, known, stdin, wire),
        lambda so_far, reached: _late(given, where, source, so_far, reached),
    )


def bounds_of(given: Given) -> Bounds:
    """The time and the memory that a run may take."""
    options = given.options
    return Bounds(options.get("timeout", SECONDS), options.get("max_memory", Settings.max_memory))


def _run(
    given: Given, where: output.Destination, known: Understood, stdin: str | None, wire: Wire
) -> ExitStatus:
    """Explore the source and write its report."""
    began = time.monotonic()
    from autograd_cli import explore  # noqa: F401 - so that its loading is told apart

    loaded = time.monotonic()
    found = report(given, known, given.line.bindings, stdin, wire)
    ran = time.monotonic()
    wire.done()
    output.put(given, where, found)
    if given.environment.verbose:
        _say_details(given, found, loaded - began, ran - loaded)
    return ExitStatus(found.status)


def report(
    given: Given,
    known: Understood,
    pairs: Sequence[tuple[str, str]],
    stdin: str | None,
    wire: Wire,
) -> Report:
    """The report of a checked source under `pairs`, with the options of the line.

    A program that is refused on its way has a report of what came before.
    """
    from autograd_cli import explore
    from autograd_cli.gradients.progress import showing
    from autograd_cli.report.json import to_json

    modules_loaded()
    options = explore.Options(**_chosen(given, {field.name for field in fields(explore.Options)}))
    if wire.end is not None and options.device == "cpu":
        limit_memory(options.max_memory)
    wire.started()
    told: list[Report] = []

    def tell(so_far: Report) -> None:
        told[:] = [so_far]
        wire.tell(lambda: to_json(so_far))

    try:
        with bar(given.environment, PATIENCE) as show, showing(show):
            return explore.explore(known, pairs, options, stdin, tell)
    except AgxError as error:
        if not told or known.program.is_expression:
            raise
        return refused.with_finding(told[0], known.program.source, error)
    except (MemoryError, RuntimeError) as error:
        if not told or not is_out_of_memory(error):
            raise
        return refused.with_finding(told[0], known.program.source, out_of_memory())


def _chosen(given: Given, known: set[str]) -> dict[str, Any]:
    """The options of a run, by the names that explore gives them."""
    chosen = {key: value for key, value in given.options.items() if key in known}
    if "witness" in given.options:
        chosen["witnesses"] = frozenset(map(Witness, given.options["witness"]))
    return {**chosen, "check": given.line.command == "gradcheck"}


def _late(
    given: Given, where: output.Destination, source: Source, so_far: str, reached: AgxError
) -> ExitStatus:
    """Write the report so far, with the limit among its findings; without one, refuse the run."""
    if not so_far:
        raise reached
    output.put(given, where, refused.so_far(source, so_far, reached, given.options))
    return reached.status


def limit_memory(most: int) -> None:
    """Let the address space of this process grow by `most` bytes and what threads need, no more."""
    size = Path("/proc/self/statm")
    if sys.platform != "linux" or not size.exists():
        return
    import resource  # Windows has no such module.

    now = int(size.read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    beside = _BESIDE + _BESIDE_A_CORE * (os.cpu_count() or 1)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = now + most + beside
    resource.setrlimit(resource.RLIMIT_AS, (soft if hard < 0 else min(soft, hard), hard))


def _say_details(given: Given, report: Report, loading: float, running: float) -> None:
    """On stderr: what was read, by which versions, and the seconds that modules and run took."""
    say = given.environment.say
    size = len(report.source.encode("utf-8", "surrogatepass"))
    say(f"read {_READ_FROM.get(report.name, visible(report.name))}, {bytes_text(size)}")
    for binding in report.bindings:
        shape = "" if binding.shape is None else f" {shape_text(binding.shape)}"
        origin = visible(binding.text) if binding.text.startswith("@") else "the line"
        say(f"read {binding.name}{shape} {binding.dtype} from {origin}")
    say(" · ".join(f"{name} {version}" for name, version in report.versions.items()))
    say(f"modules {loading:.2f} s · run {running:.2f} s")


def _refuse_two_modes(given: Given) -> None:
    if given.options.get("no_grad") and given.options.get("inference_mode"):
        raise InputError(
            "AGX208",
            "`--no-grad` and `--inference-mode` are two modes, and a run has one.",
            hint="Inference mode is no_grad that also forbids its tensors in a graph later.",
        )
