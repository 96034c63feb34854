"""The script's own process: what is noted while it runs, and handed over as it ends.

Loads next to nothing before the script has ended, and never torch; nothing that the script can see is
changed but the class of warnings, the hook of threads and who answers when `SystemExit` is asked for its
code. So little is imported here that Python has not loaded by itself: ctypes, on Linux, and that is
forgotten before the script begins, as is all that agx brings.
"""

import atexit
import os
import sys

from autograd_cli.diagnose.scripts.leaving import Leaving
from autograd_cli.diagnose.scripts.threads import Threads
from autograd_cli.diagnose.scripts.variables import TASK, WATCH
from autograd_cli.diagnose.scripts.warned import Warned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType, TracebackType

    from autograd_cli.diagnose.watching.watch import Watch

_KEPT = ("warnings",)
"""What stays loaded: the module that is listened to."""


def begin(modules: set[str]) -> None:
    """Note what happens from here on; `modules` were loaded before this one was."""
    path, is_watched = os.environ.pop(TASK), os.environ.pop(WATCH, None) is not None
    warned = Warned()
    warned.start()
    _end_with_parent()
    leaving, threads = Leaving(), Threads()
    leaving.start()
    threads.start()
    if is_watched:
        _watch(path, warned, leaving, threads)
        return
    added = {name: sys.modules.pop(name) for name in set(sys.modules) - modules if name not in _KEPT}
    ours = {name: module for name, module in added.items() if name.startswith("autograd_cli")}
    atexit.register(_end, os.getpid(), path, tuple(sys.path), ours, warned, leaving, threads)


def _watch(path: str, warned: Warned, leaving: Leaving, threads: Threads) -> None:
    """Watch torch as well; what was loaded for that stays loaded, since it has to fit what comes later."""
    from autograd_cli.diagnose.watching.watch import Watch

    watch = Watch()
    watch.__enter__()

    def show(kind: type[BaseException], error: BaseException, traceback: "TracebackType | None") -> None:
        sys.__excepthook__(kind, error, watch.cleaned(error))

    sys.excepthook = show
    atexit.register(_end, os.getpid(), path, tuple(sys.path), {}, warned, leaving, threads, watch)


def _end_with_parent() -> None:
    """On Linux: have the kernel end this process when agx is killed."""
    if sys.platform == "linux":
        import ctypes

        set_signal, kill = 1, 9  # PR_SET_PDEATHSIG, SIGKILL
        ctypes.CDLL(None).prctl(set_signal, kill)


def _end(
    process: int,
    path: str,
    places: tuple[str, ...],
    ours: "dict[str, ModuleType]",
    warned: Warned,
    leaving: Leaving,
    threads: Threads,
    watch: "Watch | None" = None,
) -> None:
    """Hand over what happened; registered first, it runs when all else of the script is over."""
    uncaught, traceback = _uncaught()
    error, leaving.failure = uncaught or leaving.failure, None
    others = _had_others()
    has_news = error is not None or warned.found or threads.errors or watch is not None or others
    if os.getpid() != process or not has_news:  # a fork, or nothing to tell
        return
    try:
        sys.path[:] = places
        _unshadow()
        sys.modules.update(ours)
        from autograd_cli.diagnose.scripts import handing

        if watch is not None and error is not None:
            traceback = watch.cleaned(error)
        handing.over(path, (error, traceback), threads.errors, warned.found, watch, others)
        if isinstance(uncaught, KeyboardInterrupt):
            _interrupt()
    except BaseException:  # whatever is wrong, the script has ended as it ends
        return


def _had_others() -> bool:
    """Whether the script waited for a process that it started, where the system tells."""
    times = os.times()
    return times.children_user + times.children_system > 0


def _unshadow() -> None:
    """Forget the script's own modules that are called like Python's: from here on Python's are meant."""
    standard = os.path.dirname(os.__file__)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in sys.stdlib_module_names and name != "__main__":
            file = module.__dict__.get("__file__") if type(module) is type(sys) else ""
            if file is not None and not str(file).startswith(standard):
                del sys.modules[name]


def _interrupt() -> None:
    """End as Python does after an interrupt, which it forgets where modules are loaded at its exit."""
    import signal

    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def _uncaught() -> "tuple[BaseException | None, TracebackType | None]":
    """What ended the script, if that was an error: Python keeps it, from the module's frame on."""
    error: BaseException | None = getattr(sys, "last_value", None)
    traceback: TracebackType | None = getattr(sys, "last_traceback", None)
    main = sys.modules.get("__main__")
    if error is None or traceback is None or traceback.tb_frame.f_globals is not getattr(main, "__dict__", 0):
        return None, None
    return error, traceback
