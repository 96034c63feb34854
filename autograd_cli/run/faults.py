"""Errors that are agx's own and not of what a person typed, as far as they show it."""

from types import ModuleType

_PACKAGE = __name__.partition(".")[0]


def is_fault(error: Exception) -> bool:
    """Whether Python raised `error` for a name or an attribute that agx's own code lacks."""
    if isinstance(error, NameError):
        return error.name is not None and _raised_in_package(error)
    if isinstance(error, AttributeError):
        owner = error.obj if isinstance(error.obj, ModuleType | type) else type(error.obj)
        module = owner.__name__ if isinstance(owner, ModuleType) else owner.__module__
        return str(module).partition(".")[0] == _PACKAGE
    return False


def _raised_in_package(error: Exception) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else trace.tb_frame.f_globals.get("__name__", "")
    return str(module).partition(".")[0] == _PACKAGE
