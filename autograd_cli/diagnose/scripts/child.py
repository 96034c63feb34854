"""The script's own process: what is noted while it runs, and handed over as it ends.

Loads next to nothing before the script has ended, and never torch. Nothing that the script can see is
changed but the class of warnings.
"""

import atexit
import json
import os
import sys
from pathlib import Path
from types import TracebackType

from autograd_cli.diagnose.scripts.warned import Warned

TASK = "AGX_DIAGNOSE"
"""The variable that says what to do, in JSON: `path` is the file that takes what happened."""


def begin() -> None:
    """Note what happens from here on, as TASK says, which is taken out of the environment."""
    path: str = json.loads(os.environ.pop(TASK))["path"]
    warned = Warned()
    warned.start()
    atexit.register(_end, os.getpid(), path, tuple(sys.path), warned)


def _end(process: int, path: str, places: tuple[str, ...], warned: Warned) -> None:
    """Hand over what happened; registered first, it runs when all else of the script is over."""
    if os.getpid() != process:  # a fork of the script
        return
    try:
        sys.path[:] = places  # not the script's folder: a `types.py` there is none of ours
        from autograd_cli.diagnose.scripts import ended, handed

        error, traceback = _uncaught()
        Path(path).write_text(handed.to_json(ended.happened(error, traceback, warned.seen())), "ascii")
    except BaseException:  # whatever is wrong, the script has ended as it ends
        return


def _uncaught() -> tuple[BaseException | None, TracebackType | None]:
    """What ended the script, if that was an error: Python keeps it, from the module's frame on."""
    error: BaseException | None = getattr(sys, "last_value", None)
    traceback: TracebackType | None = getattr(sys, "last_traceback", None)
    main = sys.modules.get("__main__")
    if error is None or traceback is None or traceback.tb_frame.f_globals is not getattr(main, "__dict__", 0):
        return None, None
    return error, traceback
