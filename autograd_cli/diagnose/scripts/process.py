"""A script in a process of its own, with the terminal, the streams and the signals that it would have."""

import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograd_cli.diagnose.scripts.records import Happened
from autograd_cli.diagnose.scripts.taking import taken
from autograd_cli.diagnose.scripts.variables import PATH, TASK, WATCH
from autograd_cli.diagnose.scripts.waiting import waited


@dataclass(frozen=True)
class Ran:
    """How a script ended: its exit `code`, or minus the signal that ended it, and what happened in it."""

    code: int
    happened: Happened

    @property
    def status(self) -> int:
        """The code as a shell has it: 128 and the signal."""
        return 128 - self.code if self.code < 0 else self.code

    @property
    def killed_by(self) -> str:
        """The signal that ended it, empty where it ended by itself."""
        return signal.Signals(-self.code).name if self.code < 0 else ""


def run(words: Sequence[str], stdout: int | None = None, is_watched: bool = False) -> Ran:
    """Run the script that `words` begin with, and wait; its output goes to descriptor `stdout`, if given."""
    handle, path = tempfile.mkstemp(prefix="agx-")
    os.close(handle)
    try:
        script, *rest = words
        path_of = os.path.join(os.curdir, script) if script.startswith("-") else script
        code = waited([sys.executable, path_of, *rest], _variables(path, is_watched), stdout)
        return Ran(code, taken(Path(path).read_text("ascii")))
    finally:
        Path(path).unlink(missing_ok=True)


def _variables(path: str, is_watched: bool) -> dict[str, str]:
    """The variables of the process, with what makes Python import `start/sitecustomize.py`."""
    start = str(Path(__file__).parent / "start")
    theirs = os.environ.get("PYTHONPATH")
    kept = {} if theirs is None else {PATH: theirs}
    if is_watched:
        kept[WATCH] = "1"
    places = os.pathsep.join((start, theirs)) if theirs else start
    return {**os.environ, **kept, "PYTHONPATH": places, TASK: path}
