"""A person's own callables, found in their files; nothing here runs unless --use names one.

What their code prints goes to stderr, and so do its warnings; what it changes of torch's own
settings while it is loaded is put back.
"""

import ast
import copy
import importlib
import importlib.util
import inspect
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from traceback import extract_tb
from types import FrameType, ModuleType
from typing import Any

import torch

from autograd_cli.errors import AgxError, ExitStatus, InputError, MissingError, Span, first_line, missing_file
from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.run.applies import install, leaving, staying
from autograd_cli.run.settings import Use

KEY = "--use "
"""How the key of a target's row begins: no rule of a formula has such a name."""

_STANDS = sys.stdlib_module_names | {"torch", "numpy", "autograd_cli"}


@dataclass(frozen=True, eq=False)
class Target:
    """A person's own callable. `kind` is "function", "autograd.Function" or "module".

    `owner` is the class of an autograd.Function; `line` is where it is defined, 0 where that is not
    known; `folder` is where their own files are.
    """

    use: Use
    kind: str
    call: Callable[..., Any]
    path: Path
    line: int
    owner: type | None = None

    @property
    def folder(self) -> Path:
        """Where their own files are."""
        return self.path.parent

    @property
    def row(self) -> Function:
        """What the other rooms know of it: that gradients pass, and nothing else."""
        return Function(
            self.use.name, "(*args)", self.use.place, Kind.LAYER, KEY + self.use.name, "", None, False, True
        )


def targets(uses: Sequence[Use]) -> Mapping[str, Target]:
    """The callables by the names that sources call them by, each file loaded once a process.

    Raises MissingError AGX206 and AGX610 for a file and an attribute that are not there, InputError
    AGX218 for what cannot be called, AgxError AGX611 where their file failed.
    """
    return {use.name: _target(use) for use in uses}


def _target(use: Use) -> Target:
    return _found(_path(use), use)


@cache
def _found(path: Path, use: Use) -> Target:
    if use.double:
        return _doubled(_found(path, use._replace(double=False)))
    with theirs(path.parent):
        module = _module(path, use)
        found = _attribute(use, module)
        owner = _owner(use, found)
        kind, call = ("autograd.Function", found) if owner else _called(use, path, found)
    return Target(use, kind, call, path, _line(owner or (type(call) if kind == "module" else call)), owner)


def _doubled(target: Target) -> Target:
    """The target with a module's parameters in double precision; a function is as it was."""
    call = target.call
    return replace(target, call=copy.deepcopy(call).double()) if isinstance(call, torch.nn.Module) else target


_is_hushed = False


@contextmanager
def hushed(on: bool) -> Iterator[None]:
    """What their code prints and warns of inside is not shown; with `on` False it goes to stderr."""
    global _is_hushed
    before, _is_hushed = _is_hushed, on
    try:
        with redirect_stdout(Nothing() if on else sys.stderr):
            yield
    finally:
        _is_hushed = before


@contextmanager
def theirs(folder: Path) -> Iterator[None]:
    """Their code may run inside: it finds modules beside it, and what it prints goes to stderr."""
    sys.path.insert(0, str(folder))
    with warnings.catch_warnings(), redirect_stderr(Nothing()) if _is_hushed else redirect_stdout(sys.stderr):
        warnings.showwarning = partial(_told, folder)
        warnings.simplefilter("ignore" if _is_hushed else "default")
        try:
            yield
        finally:
            if str(folder) in sys.path:
                sys.path.remove(str(folder))


class Nothing(io.TextIOBase):
    """A stream that takes everything and keeps nothing."""

    def write(self, text: str) -> int:
        """How much was taken: all."""
        return len(text)


def _told(folder: Path, message: Warning | str, category: type[Warning], *place: Any, **_: Any) -> None:
    """A warning of theirs on stderr, at their line where agx stands between."""
    filename, line = place[:2]
    if str(filename).startswith(_OWN):
        filename, line = where(sys._getframe(1), folder) or (filename, line)
    sys.stderr.write(warnings.formatwarning(message, category, filename, line))


# Files


def _path(use: Use) -> Path:
    """The file that is named, of a package its __init__.py; MissingError AGX206 where there is none."""
    path = Path(use.file).expanduser()
    path = path / "__init__.py" if path.is_dir() else path
    try:
        with path.open("rb"):
            return Path(os.path.abspath(path))  # a link stays one: it is told as it was typed
    except OSError as error:
        raise missing_file(use.file, error) from None


_loaded: dict[Path, ModuleType] = {}


def _module(path: Path, use: Use) -> ModuleType:
    """The module of a file; AGX611 where it raises or ends Python."""
    if path not in _loaded:
        install()
        with _as_it_was(path):
            try:
                _loaded[path] = _imported(path)
            except (Exception, SystemExit, KeyboardInterrupt) as error:
                if isinstance(error, KeyboardInterrupt) and not leaving(error):
                    raise
                raise _failed(use, path, error) from error
    return _loaded[path]


@contextmanager
def _as_it_was(path: Path) -> Iterator[None]:
    """Put back what a file may change: torch's grad mode and default dtype, the words of the line."""
    argv, dtype, graded = sys.argv, torch.get_default_dtype(), torch.is_grad_enabled()
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.argv = [str(path)]
    try:
        yield
    finally:
        sys.argv, sys.dont_write_bytecode = argv, writes
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(graded)


def _imported(path: Path) -> ModuleType:
    """The module that Python makes of a file, which belongs to a package if one stands around it."""
    names, folder = [] if path.name == "__init__.py" else [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    if len(names) > 1 or path.name == "__init__.py":
        sys.path.insert(0, str(folder))
        module = importlib.import_module(".".join(names))
        if not path.samefile(module.__file__ or ""):
            raise ImportError(f"another module is called {'.'.join(names)}: {module.__file__}")
        return module
    return _alone(path)


def _alone(path: Path) -> ModuleType:
    """The module of a file that stands in no package; for relative imports its folder counts as one."""
    name = path.stem if path.stem not in {*_STANDS, *sys.modules} else f"{path.stem}_"
    if _is_relative(path) and path.parent.name.isidentifier():
        package = ModuleType(path.parent.name)
        package.__path__ = [str(path.parent)]
        sys.modules.setdefault(package.__name__, package)
        name = f"{package.__name__}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("its name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_relative(path: Path) -> bool:
    tree = ast.parse(path.read_bytes(), str(path))
    return any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))


def _failed(use: Use, path: Path, error: BaseException) -> AgxError:
    """AGX611: what their file raised while it was loaded, at their line."""
    file, line = place_of(error, path.parent) or (path, 0)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        file, line = Path(error.filename), error.lineno
    what = leaving(error) or f"raises {type(error).__name__}"
    said = "" if leaving(error) else f": {first_line(error)}"
    where = f" at {shown(file)}:{line}" if line else ""
    text, span = _quoted(file, line)
    made = AgxError(
        "AGX611",
        f"`{use.file}` {what} while it is loaded{where}{said}",
        text=text,
        span=span,
        hint=_hint(error),
    )
    made.status = ExitStatus.FAILED
    return made


def _hint(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return (
            "Put what runs as a script under `if __name__ == '__main__':`; the file is loaded without words."
        )
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"`{error.name}` is to be installed for the Python that runs agx, {sys.executable}."
    return ""


def _quoted(file: Path, line: int) -> tuple[str, Span | None]:
    """The text of a file and where its line stands in it."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return "", None
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return "", None
    written, start = lines[line - 1], sum(len(each) + 1 for each in lines[: line - 1])
    indent = len(written) - len(written.lstrip())
    return text, Span(start + indent, start + len(written.rstrip()))


def place_of(error: BaseException, folder: Path) -> tuple[Path, int] | None:
    """The deepest place in files of `folder` that an error came through; None where there is none."""
    frames = [(frame.filename, frame.lineno or 0) for frame in extract_tb(error.__traceback__)]
    own = [(Path(file), line) for file, line in frames if _is_theirs(file, f"{folder}{os.sep}")]
    return own[-1] if own else None


def where(frame: FrameType | None, folder: Path) -> tuple[str, int] | None:
    """The innermost place in their files that is being run."""
    inside = f"{folder}{os.sep}"
    while frame is not None:
        name = frame.f_code.co_filename
        if _is_theirs(name, inside):
            return shown(Path(name)), frame.f_lineno
        frame = frame.f_back
    return None


def _is_theirs(file: str, inside: str) -> bool:
    """Whether a file of code stands in the folder `inside`, and is neither installed nor a part of agx."""
    return file.startswith(inside) and _INSTALLED not in file and not file.startswith(_OWN)


_INSTALLED = f"{os.sep}site-packages{os.sep}"
_OWN = f"{Path(__file__).parent.parent}{os.sep}"


def shown(path: Path) -> str:
    """A file as it is told: from the working folder where it stands in that."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


# Attributes


def _attribute(use: Use, module: ModuleType) -> Any:
    """What stands at the end of the dotted attribute; MissingError AGX610 where something is not there."""
    found: Any = module
    passed = use.file
    for name in use.attribute.split("."):
        if not hasattr(found, name):
            names = [each for each in dir(found) if not each.startswith("_")]
            near = get_close_matches(name, names, 1)
            own = [each for each in names if callable(getattr(found, each, None))]
            listed = f"It has: {', '.join(own[:10])}." if own and found is module else ""
            raise MissingError(
                "AGX610",
                f"`{passed}` has no `{name}`.",
                hint=f"Did you mean `{near[0]}`?" if near else listed,
            )
        found = getattr(found, name)
        passed = name
    return found


def _owner(use: Use, found: Any) -> type | None:
    """The class whose `apply` was named; None for anything else."""
    if isinstance(found, type) and issubclass(found, torch.autograd.Function):
        raise _unusable(
            use, "is the class of an autograd.Function, which is called by its `apply`", f"{use.place}.apply"
        )
    owner = getattr(found, "__self__", None)
    is_apply = getattr(found, "__name__", "") == "apply"
    is_function = isinstance(owner, type) and issubclass(owner, torch.autograd.Function)
    return owner if is_apply and is_function else None


def _called(use: Use, path: Path, found: Any) -> tuple[str, Callable[..., Any]]:
    """The kind of a callable and what is called: of the class of a module an instance."""
    if isinstance(found, type) and issubclass(found, torch.nn.Module):
        return "module", _instance(use, path, found)
    if isinstance(found, type):
        raise _unusable(use, "is a class and no nn.Module")
    if inspect.iscoroutinefunction(found) or not callable(found):
        kind = (
            "is an async function"
            if callable(found)
            else f"is no function, but of type {type(found).__name__}"
        )
        raise _unusable(use, kind)
    return ("module" if isinstance(found, torch.nn.Module) else "function"), found


def _instance(use: Use, path: Path, kind: type) -> Callable[..., Any]:
    """An instance of a module's class; AGX218 where it takes arguments."""
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        name = kind.__name__.lower()
        raise _unusable(
            use,
            f"is a class whose instances take arguments ({error})",
            hint=f"Make one in the file, `{name} = {kind.__name__}(…)`, and name that.",
        ) from None
    try:
        with staying():
            made: Callable[..., Any] = kind()
    except Exception as error:
        raise _failed(use, path, error) from error
    return made


def _unusable(use: Use, why: str, fix: str = "", hint: str = "") -> InputError:
    return InputError(
        "AGX218",
        f"`{use.place}` {why}.",
        hint=hint or ("" if fix else "Name a function, `MyFunction.apply`, or a module."),
        fix=f"--use {use.name}={fix}" if fix else "",
    )


def _line(found: Any) -> int:
    """Where something is defined; 0 where that is not known."""
    while hasattr(found, "func"):  # a partial
        found = found.func
    try:
        return inspect.getsourcelines(inspect.unwrap(found))[1]
    except (OSError, TypeError, ValueError):
        return 0
