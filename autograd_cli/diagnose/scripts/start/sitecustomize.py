"""Lets a script's process be observed: Python imports this at its start, before the script.

So the script is `__main__` itself, with no frame of agx under it. What led here is taken back before the
script begins: the folder on the path, the variables, this module.
"""

import os
import sys
from pathlib import Path


def _take_back() -> None:
    """Leave the path, in Python and for processes to come, as if this folder had never been on it."""
    here = str(Path(__file__).parent)
    sys.path[:] = [place for place in sys.path if place != here]
    sys.path_importer_cache.pop(here, None)
    _, parted, theirs = os.environ.pop("PYTHONPATH", "").partition(os.pathsep)
    if parted:
        os.environ["PYTHONPATH"] = theirs


def _begin() -> None:
    """Observe this process; without a word where that cannot be done."""
    sys.path.append(str(Path(__file__).parents[4]))
    try:
        from autograd_cli.diagnose.scripts import child

        child.begin()
    except Exception:
        return
    finally:
        sys.path.pop()


_take_back()
_begin()
sys.modules.pop(__name__)
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401 - the one that Python would have found
