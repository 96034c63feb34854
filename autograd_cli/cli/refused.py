"""Reports of sources that could not be run, or not to their end; made without torch."""

import platform
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from autograd_cli import __version__
from autograd_cli.errors import AgxError, ExitStatus
from autograd_cli.lang.source import Source
from autograd_cli.report import Report
from autograd_cli.run.settings import Settings


def report(source: Source, error: AgxError, options: dict[str, Any]) -> Report:
    """What there is to tell of a source that was refused: the finding, and nothing it made."""
    from autograd_cli.catalogue import finding

    found = tuple(finding(each, source) for each in (error, *error.also))
    return replace(bare(source, error.status, options), findings=found)


def so_far(source: Source, written: str, reached: AgxError, options: dict[str, Any]) -> Report:
    """The report that a run had written, as JSON, before it was ended, with the finding that says why."""
    from autograd_cli.report.json import from_json

    if not written:
        return report(source, reached, options)
    return with_finding(from_json(written), source, reached)


def with_finding(began: Report, source: Source, error: AgxError) -> Report:
    """A report of what came before `error`, with what it says at the end."""
    from autograd_cli.catalogue import finding

    return replace(began, findings=(*began.findings, finding(error, source)), status=int(error.status))


def bare(source: Source, status: ExitStatus, options: dict[str, Any]) -> Report:
    """A report that holds the source and how it was to be run."""
    text = source.text.encode("utf-8", "backslashreplace").decode()
    return Report(
        source=text,
        text=text.strip(),
        name=source.name,
        device=options.get("device", Settings.device),
        dtype=options.get("dtype", Settings.dtype),
        seed=options.get("seed", Settings.seed),
        kept_bytes=0,
        versions=_versions(),
        bindings=(),
        output=None,
        graph=None,
        gradients=(),
        findings=(),
        status=int(status),
    )


@cache
def _versions() -> dict[str, str]:
    found = {"agx": __version__}
    for name in ("torch", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, "python": platform.python_version()}
