"""`agx devices`: what torch can run on here, and why not on the rest."""

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from autograd_cli.cli.command import Command, Given
from autograd_cli.cli.entry import modules_loaded
from autograd_cli.errors import ExitStatus

if TYPE_CHECKING:
    from autograd_cli.run.devices import Device

EXAMPLES = """\
agx devices
agx devices --json
agx trace "sin(x)" --x 2 --device $(agx devices -q)"""

_TITLES = ("device", "name", "usable", "why not", "memory", "float64", "bfloat16")


def devices(given: Given) -> ExitStatus:
    """List what torch can run on here, and why not on the rest.

    A device is usable when a small backward on it gives what the CPU gives. With -q
    only the name of the device that --device auto takes.
    """
    given.no_word()
    from autograd_cli.run.devices import survey

    modules_loaded()
    found = survey()
    if given.environment.quiet:
        given.environment.put(next(d.name for d in found if d.is_auto) + "\n")
    elif given.options.get("json"):
        given.environment.put_data(_as_json(found))
    else:
        given.environment.put(_as_table(found))
    return ExitStatus.OK


def _as_json(found: Sequence["Device"]) -> str:
    return json.dumps({"devices": [asdict(d) for d in found], "versions": _versions()}, indent=2) + "\n"


def _as_table(found: Sequence["Device"]) -> str:
    rows = [_TITLES, *map(_row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{c:{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    versions = " · ".join(f"{name} {version}" for name, version in _versions().items())
    return "\n".join([*lines, f"{versions} · * what --device auto takes"]) + "\n"


def _row(device: "Device") -> tuple[str, ...]:
    usable = f"yes{' *' if device.is_auto else ''}" if device.usable else "no"
    works = tuple("yes" if there else "no" for there in (device.float64, device.bfloat16))
    return (
        device.name,
        device.description or "-",
        usable,
        device.why_not,
        _memory(device.memory_bytes),
        *(works if device.usable else ("", "")),
    )


def _memory(size: int | None) -> str:
    return "" if size is None else f"{size / 2**30:.1f} GiB"


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    import torch

    return {
        "torch": str(torch.__version__),
        "numpy": version("numpy"),
        "python": platform.python_version(),
    }


COMMAND = Command("devices", devices, EXAMPLES)
