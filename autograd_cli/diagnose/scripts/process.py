"""A script in a process of its own, with the terminal, the streams and the signals that it would have."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograd_cli.diagnose.scripts import handed
from autograd_cli.diagnose.scripts.child import TASK
from autograd_cli.diagnose.scripts.ended import Happened


@dataclass(frozen=True)
class Ran:
    """How a script ended: its status, as a shell has it, and what happened in it."""

    status: int
    happened: Happened


def run(words: Sequence[str], stdout: int | None = None) -> Ran:
    """Run the script that `words` begin with, and wait; its output goes to descriptor `stdout`, if given."""
    handle, path = tempfile.mkstemp(prefix="agx-")
    os.close(handle)
    try:
        status = _status(_waited([sys.executable, *words], _variables(path), stdout))
        return Ran(status, handed.from_json(Path(path).read_text("ascii")))
    finally:
        Path(path).unlink(missing_ok=True)


def _variables(path: str) -> dict[str, str]:
    """The variables of the process, with what makes Python import `start/sitecustomize.py`."""
    start = str(Path(__file__).parent / "start")
    theirs = os.environ.get("PYTHONPATH")
    places = start if theirs is None else os.pathsep.join((start, theirs))
    return {**os.environ, "PYTHONPATH": places, TASK: json.dumps({"path": path})}


def _waited(words: Sequence[str], variables: dict[str, str], stdout: int | None) -> int:
    with subprocess.Popen(words, env=variables, stdout=stdout) as process:
        return process.wait()


def _status(code: int) -> int:
    """The status as a shell has it: 128 and the signal for what a signal ended."""
    return 128 - code if code < 0 else code
