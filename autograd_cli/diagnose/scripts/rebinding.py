"""Which statement of a script gives the name of a tensor to what it computes from it."""

import ast
import re

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import Raised
from autograd_cli.diagnose.scripts import scopes

_GRAD = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\.grad\b")


def statement(raised: Raised) -> str:
    """The statement around a line that reads a .grad that is None, as it is written; else empty."""
    frame = own(raised)
    named = _GRAD.search(frame.text) if frame and "NoneType" in raised.message else None
    script = scopes.read(frame.file) if frame and named else None
    if frame is None or named is None or script is None:
        return ""
    assigning = [one for one in scopes.inside(script.around(frame.line)) if isinstance(one, ast.Assign)]
    found = (one for one in assigning if named[1] in scopes.stored(one) & scopes.loaded(one.value))
    return next((ast.unparse(one) for one in found if isinstance(one.targets[0], ast.Name)), "")
