"""Reports as files: pictures by Graphviz, DOT and JSON; each written whole or not at all.

Graphviz is the system's `dot` where there is one, else the one in pygraphviz's wheel.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from shutil import which
from tempfile import NamedTemporaryFile

from autograd_cli.errors import InputError, MissingError
from autograd_cli.lang.source import visible
from autograd_cli.report.records import Report
from autograd_cli.views.pieces import Room

_DRAWN = ("svg", "png", "pdf")
ENDINGS = (*_DRAWN, "dot", "json")


def check(path: str | Path) -> str:
    """The format that the ending of `path` asks for, once it is clear that it can be written.

    InputError AGX212 for another ending; MissingError AGX602 where a picture is asked
    for and there is no Graphviz, AGX605 where the folder is not there.
    """
    form = Path(path).suffix[1:].lower()
    if form not in ENDINGS:
        raise _unknown_ending(path)
    if form in _DRAWN and which("dot") is None and not _has_pygraphviz():
        raise _no_graphviz(form)
    _check_place(path)
    return form


def _check_place(path: str | Path) -> None:
    """Refuse a place that is no regular file, may not be written, or has no folder."""
    try:
        place = Path(path).resolve(strict=False)
        if not place.parent.is_dir():
            raise _cannot_write(path, "its folder is not there")
        if place.exists() and not place.is_file():
            raise _cannot_write(path, "it is a folder" if place.is_dir() else "it is no regular file")
        if place.exists() and not place.stat().st_mode & 0o222:
            raise _cannot_write(path, "it may only be read")
    except RuntimeError:  # what pathlib makes of links that lead in a circle
        raise _cannot_write(path, "its links lead in a circle") from None
    except OSError as error:
        raise _cannot_write(path, _why(error)) from None


def write(report: Report, path: str | Path, *, full: bool = False, depth: int | None = None) -> None:
    """Write `report` to `path` in the format of its ending; errors as `check` and AGX605."""
    form = check(path)
    _put(_content(report, form, Room(None, full, depth)), path)


def _content(report: Report, form: str, room: Room) -> bytes:
    if form == "json":
        from autograd_cli.report.json import to_json

        return (to_json(report, room.full) + "\n").encode()
    from autograd_cli.views.dot import dot

    source = dot(report, room)
    return source.encode() if form == "dot" else draw(source, form)


def draw(source: str, form: str) -> bytes:
    """DOT text drawn as svg, png or pdf. MissingError AGX602 where there is no Graphviz."""
    drawer = _with_system_dot if which("dot") else _with_pygraphviz
    if drawer is _with_pygraphviz and not _has_pygraphviz():
        raise _no_graphviz(form)
    return drawer(source, form)


def _with_system_dot(source: str, form: str) -> bytes:
    from graphviz import Source
    from graphviz.backend import CalledProcessError

    try:
        drawn: bytes = Source(source).pipe(format=form, quiet=True)
    except CalledProcessError as error:
        said = visible((error.stderr or b"").decode(errors="replace").strip())
        raise _failed(form, said or f"dot ended with status {error.returncode}") from None
    return drawn


def _with_pygraphviz(source: str, form: str) -> bytes:
    """The same with the Graphviz that pygraphviz's wheel carries in its own libraries."""
    from pygraphviz import AGraph

    try:
        with _native_talk_dropped(), redirect_stderr(StringIO()):
            drawn: bytes = AGraph(string=source).draw(format=form, prog="dot")
    except (ValueError, OSError) as error:
        raise _failed(form, visible(str(error))) from None
    return drawn


@contextmanager
def _native_talk_dropped() -> Iterator[None]:
    """Send what C libraries write on stderr to nowhere: Fontconfig warns of the system's own files."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # stderr is closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _has_pygraphviz() -> bool:
    """Whether pygraphviz can be loaded: it may be there without its Graphviz."""
    try:
        import pygraphviz  # noqa: F401
    except (ImportError, OSError):
        return False
    return True


def _put(content: bytes, path: str | Path) -> None:
    """Write a file whole or not at all: beside its place first, then moved there."""
    place = Path(path).resolve()
    temporary = ""
    try:
        with NamedTemporaryFile(dir=place.parent, prefix=".agx-", delete=False) as file:
            temporary = file.name
            file.write(content)
        os.chmod(temporary, _mode(place))
        os.replace(temporary, place)
    except BaseException as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(path, _why(error)) from None
        raise


def _mode(place: Path) -> int:
    """The permissions of the file that is replaced, else those that a new file gets."""
    try:
        return place.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _why(error: OSError) -> str:
    return (error.strerror or "it failed").lower()


def _unknown_ending(path: str | Path) -> InputError:
    return InputError(
        "AGX212",
        f"`{visible(str(path))}` does not end in a format that agx writes.",
        hint=f"End the name in {', '.join(f'.{ending}' for ending in ENDINGS)}.",
    )


def _no_graphviz(form: str) -> MissingError:
    return MissingError(
        "AGX602",
        f"A .{form} is drawn by Graphviz, which is not here: install it, or "
        "`pip install 'autograd-cli[pictures]'`, which brings it along.",
        fix="pip install 'autograd-cli[pictures]'",
    )


def _cannot_write(path: str | Path, why: str) -> MissingError:
    return MissingError("AGX605", f"`{visible(str(path))}` cannot be written: {why}.")


def _failed(form: str, why: str) -> MissingError:
    return MissingError("AGX605", f"Graphviz did not draw the .{form}: {why}.")
