"""What is said of an error that another library raised."""

import errno

import pytest

from autograd_cli.errors import ExitStatus, first_line, missing_file


@pytest.mark.parametrize(
    ("said", "line"),
    [("one", "one"), ("\n one \ntwo", "one"), ("", "ValueError"), (" \n\n", "ValueError"), ("a\r\nb", "a")],
)
def test_the_first_line_of_an_error_or_its_kind(said: str, line: str) -> None:
    assert first_line(ValueError(said)) == line


def test_a_missing_file_is_refused_with_the_reason_of_the_system() -> None:
    error = missing_file("data.npy", FileNotFoundError(errno.ENOENT, "No such file or directory"))
    assert (error.code, error.status) == ("AGX206", ExitStatus.MISSING)
    assert error.sentence == "The file `data.npy` cannot be read: No such file or directory."
    assert missing_file("x", OSError("odd")).sentence == "The file `x` cannot be read: odd."
