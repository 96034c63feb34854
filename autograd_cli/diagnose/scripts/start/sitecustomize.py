"""Lets a script's process be observed: Python imports this at its start, before the script.

So the script is `__main__` itself, with no frame of agx under it. What led here is taken back before the
script begins: the folder on the path, the variables, this module, and all that was imported for it, so that
a `json.py` beside the script is still the one that the script imports.
"""

import os
import sys

_HERE = os.path.dirname(__file__)
_ROOT = os.path.abspath(os.path.join(_HERE, *[os.pardir] * 4))


def _take_back() -> None:
    """Leave the path, in Python and for processes to come, as if this folder had never been on it."""
    sys.path[:] = [place for place in sys.path if place != _HERE]
    theirs = os.environ.pop("AGX_PYTHONPATH", None)  # `variables.PATH`, not to be had yet
    if theirs is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = theirs


def _begin() -> None:
    """Observe this process; without a word where that cannot be done."""
    modules, places = set(sys.modules), set(sys.path_importer_cache) - {_HERE}
    before = sys.path[:]
    sys.path.append(_ROOT)
    try:
        from autograd_cli.diagnose.scripts import child

        child.begin(modules)
    except Exception:
        return
    finally:
        sys.path[:] = before
        for place in set(sys.path_importer_cache) - places:
            del sys.path_importer_cache[place]


_take_back()
_begin()
sys.modules.pop(__name__)
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401 - the one Python would have found
