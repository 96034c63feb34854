"""Imports from torch, math and numpy: what these do not have is refused, as Python refuses it."""

import sys
import warnings
from importlib.util import find_spec
from types import ModuleType

from autograd_cli.errors import LanguageError
from autograd_cli.lang.nodes import Import, Imported
from autograd_cli.lang.suggestions import nearest
from autograd_cli.run.operations import ROOTS


def check_imports(node: Import, text: str) -> None:
    """Nothing, or LanguageError AGX104 for a name that torch, math or numpy does not have.

    Nothing is loaded for it: what is in a module that is not loaded is taken to be there.
    """
    for each in node.names:
        if each.module.partition(".")[0] in ROOTS:
            _check(each, text)


def _check(each: Imported, text: str) -> None:
    path, *rest = each.module.split(".")
    found = ROOTS[path]
    for name in rest:
        owner, path = found, f"{path}.{name}"
        found = sys.modules.get(path)
        if found is None and not _has_module(path):
            raise _missing(each, text, owner, path, name)
        if found is None:
            return
    last = each.path.removeprefix(f"{each.module}.")
    if last not in (each.path, "*") and not _has(found, each.module, last):
        raise _missing(each, text, found, each.path, last)


def _has_module(path: str) -> bool:
    """Whether there is a module to load; that which it lies in is loaded."""
    try:
        return find_spec(path) is not None
    except (ImportError, ValueError):
        return False


def _has(module: ModuleType, path: str, name: str) -> bool:
    if name in vars(module) or _has_module(f"{path}.{name}"):
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hasattr(module, name)


def _missing(each: Imported, text: str, owner: ModuleType, path: str, name: str) -> LanguageError:
    module, is_module = path.rpartition(".")[0], path in each.module
    others = [(other, value) for other, value in vars(owner).items() if not other.startswith("_")]
    near = nearest(name, [other for other, value in others if not is_module or type(value) is ModuleType])
    hint = f"Did you mean `{near}`?" if near else "Leave the import out where nothing uses it."
    return LanguageError(
        "AGX104",
        f"`{module}` has no {'module' if is_module else 'name'} called `{name}`.",
        text=text,
        span=each.span,
        hint=f"Write `from {module} import {name}`." if is_module and name in vars(owner) else hint,
    )
