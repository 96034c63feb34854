import io
import os
from pathlib import Path

import pytest

from autograd_cli.cli import output
from autograd_cli.cli.bindings import Line
from autograd_cli.cli.command import Given
from autograd_cli.cli.environment import Environment
from autograd_cli.errors import InputError, MissingError
from autograd_cli.report import Finding, Report, Severity

WARNING = Finding("AGX204", "unused-binding", Severity.WARNING, "`y` is not used.")
ERROR = Finding("AGX301", "matmul-shape-mismatch", Severity.ERROR, "They do not multiply.")
REPORT = Report(
    source="x",
    device="cpu",
    dtype="float32",
    seed=0,
    kept_bytes=0,
    versions={},
    bindings=(),
    output=None,
    graph=None,
    gradients=(),
    findings=(WARNING, ERROR),
    status=0,
)


class Stream(io.TextIOWrapper):
    def __init__(self, terminal=False):
        super().__init__(io.BytesIO(), encoding="utf-8")
        self.terminal = terminal

    def isatty(self):
        return self.terminal

    @property
    def text(self):
        self.flush()
        return self.buffer.getvalue().decode()


def given(terminal=False, quiet=False, **options):
    surroundings = Environment(Stream(), Stream(terminal), Stream(), {"NO_COLOR": "1"}, quiet=quiet)
    return Given(surroundings, Line("trace", ()), options)


@pytest.mark.parametrize(
    ("terminal", "options", "form"),
    [
        (True, {}, "rich"),
        (False, {}, "plain"),
        (True, {"json": True}, "json"),
        (False, {"format": "rich"}, "rich"),
        (True, {"format": "json", "json": True}, "json"),
        (False, {"format": "tsv"}, "tsv"),
    ],
)
def test_the_format_follows_from_the_options_and_the_terminal(terminal, options, form):
    assert output.destination(given(terminal, **options)) == output.Destination(form)


@pytest.mark.parametrize("name", ["r.json", "r.dot", "R.JSON"])
def test_a_file_has_the_format_of_its_ending(tmp_path, name):
    file = tmp_path / name
    assert output.destination(given(output=str(file))) == output.Destination(file.suffix[1:].lower(), file)


@pytest.mark.parametrize("name", ["r.txt", "r", "keep.doc", ".svg"])
def test_another_ending_is_refused(tmp_path, name):
    with pytest.raises(InputError, match=r".") as caught:
        output.destination(given(output=str(tmp_path / name)))
    assert caught.value.code == "AGX212"


@pytest.mark.parametrize(
    "options",
    [
        {"json": True, "format": "tsv"},
        {"format": "plain", "output": "r.dot"},
        {"json": True, "output": "r.dot"},
    ],
)
def test_two_formats_are_refused(options):
    with pytest.raises(InputError, match="Two formats are asked for at once") as caught:
        output.destination(given(**options))
    assert caught.value.code == "AGX208"


def test_a_folder_that_is_not_there_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(MissingError, match="folder") as caught:
        output.destination(given(output=str(tmp_path / "none" / "r.dot")))
    assert caught.value.code == "AGX605"


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "r.dot").mkdir()
    with pytest.raises(MissingError, match="it is a folder") as caught:
        output.destination(given(output=str(tmp_path / "r.dot")))
    assert caught.value.code == "AGX605"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(MissingError, match="its folder may not be written") as caught:
        output.destination(given(output=str(tmp_path / "r.dot")))
    assert caught.value.code == "AGX605"


def test_stdout_gets_the_report_and_stderr_nothing():
    to = given()
    output.put(to, output.Destination("plain"), REPORT)
    assert to.environment.stdout.text
    assert to.environment.stderr.text == ""


def test_a_file_leaves_stdout_empty_and_names_itself_on_stderr(tmp_path):
    to = given()
    file = tmp_path / "r.json"
    output.put(to, output.Destination("json", file), REPORT)
    assert to.environment.stdout.text == ""
    assert to.environment.stderr.text == f"written: {file}\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.json"]


def test_quiet_does_not_name_the_file(tmp_path):
    to = given(quiet=True)
    output.put(to, output.Destination("json", tmp_path / "r.json"), REPORT)
    assert to.environment.stderr.text == ""


def test_findings_go_to_stderr_where_the_format_has_no_room_for_them():
    to = given()
    output.put(to, output.Destination("tsv"), REPORT)
    assert to.environment.stderr.text == (
        "warning unused-binding (AGX204): `y` is not used.\n"
        "error matmul-shape-mismatch (AGX301): They do not multiply.\n"
    )


def test_quiet_keeps_errors():
    to = given(quiet=True)
    output.put(to, output.Destination("tsv"), REPORT)
    assert to.environment.stderr.text == "error matmul-shape-mismatch (AGX301): They do not multiply.\n"


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    file = tmp_path / "r.json"
    file.write_text("precious")

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(MissingError, match="o space left"):
        output.put(given(), output.Destination("json", file), REPORT)
    assert file.read_text() == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.json"]
