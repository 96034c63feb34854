"""The callables that --use brings, looked at before torch is loaded: names, and that files are there."""

from pathlib import Path

from autograd_cli.cli.bindings import why_no_name
from autograd_cli.cli.command import Given
from autograd_cli.errors import InputError, MissingError, missing_file
from autograd_cli.lang import lookup
from autograd_cli.lang.bodies import assigned
from autograd_cli.lang.nodes import Program
from autograd_cli.run.settings import Use


def checked(program: Program, given: Given) -> tuple[str, ...]:
    """The names of the callables that the line brings to a program.

    Raises InputError AGX203 for a name that has a meaning twice, AGX210 for one that is none, AGX208
    for one that would hide what the language has, MissingError AGX206 for a file that is not there.
    """
    brought: tuple[Use, ...] = given.options.get("use", ())
    bound = {name for name, _ in given.line.bindings}
    names: list[str] = []
    for use in brought:
        _check_name(use)
        if use.name in names:
            raise _twice(use, "is brought twice", "Keep one of the two.")
        if use.name in bound:
            raise _twice(use, f"is bound by `--{use.name}` too", "Give one of the two another name.")
        if use.name in assigned(program.statements):
            raise _twice(use, "is given a value by the source too", "Give one of the two another name.")
        names.append(use.name)
    for use in brought:
        _check_file(use)
    return tuple(names)


def _check_name(use: Use) -> None:
    if why := why_no_name(use.name):
        raise InputError("AGX210", f"`{use.name}` cannot be the name of a callable: {why}.")
    if use.name in lookup.bare_names():
        raise InputError(
            "AGX208",
            f"`--use {use.name}={use.place}` would hide `{use.name}`, which the language has.",
            hint="Give it another name.",
            fix=f"--use my_{use.name}={use.place}",
        )


def _twice(use: Use, why: str, hint: str) -> InputError:
    return InputError("AGX203", f"`{use.name}`, which `--use` brings, {why}.", hint=hint)


def _check_file(use: Use) -> None:
    path = Path(use.file).expanduser()
    try:
        with (path / "__init__.py" if path.is_dir() else path).open("rb"):
            return
    except (OSError, ValueError) as error:
        if path.is_dir():
            raise MissingError(
                "AGX206",
                f"`{use.file}` is a folder and no package: it has no __init__.py.",
                hint="Name a file in it.",
            ) from None
        raise missing_file(use.file, error if isinstance(error, OSError) else OSError(str(error))) from None
