"""`--lines`: a report for each line, whatever the line is."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from autograd_cli import cli

AGX = [sys.executable, "-m", "autograd_cli"]


@pytest.fixture
def batch(tmp_path, monkeypatch):
    """Runs agx on lines, from a file unless told otherwise; gives its result."""
    monkeypatch.chdir(tmp_path)

    def run(text, *words, name="lines.txt", command="trace"):
        content = text if isinstance(text, bytes) else text.encode()
        if name != "-":
            (tmp_path / name).write_bytes(content)
        result = CliRunner().invoke(
            cli.app,
            [command, "--lines", name, *words],
            input=content,
            env={"NO_COLOR": "1", "COLUMNS": "80"},
        )
        assert "Traceback" not in result.stdout + result.stderr
        assert "agx itself failed" not in result.stderr
        return result

    return run


def reports(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_line_gives_a_line(batch):
    result = batch("x*2\nx*3\n", "--x", "2.", "--json")
    assert result.exit_code == 0
    assert [report["output"]["value"] for report in reports(result)] == [4, 6]
    assert [report["name"] for report in reports(result)] == ["lines.txt:1", "lines.txt:2"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_lines_end_as_they_may(batch, ending):
    result = batch(f"x*2{ending}", "--x", "2.", "--json", name="-")
    assert [report["source"] for report in reports(result)] == ["x*2"]


def test_empty_lines_and_comments_are_passed_over(batch):
    result = batch("\ufeff# what follows\n\n  \nx*2\n   # more\n", "--x", "2.", "--json")
    assert [report["name"] for report in reports(result)] == ["lines.txt:4"]


def test_an_object_brings_its_bindings(batch):
    line = {"source": "x*y*z", "bindings": {"x": 3, "y": [1, 2.5], "z": "2*x", "ﬁ": True}}
    result = batch(json.dumps(line), "--x", "2.", "--json")
    (report,) = reports(result)
    assert [(b["name"], b["text"]) for b in report["bindings"]] == [
        ("x", "3"),
        ("y", "[1, 2.5]"),
        ("z", "2*x"),
        ("fi", "True"),
    ]
    assert report["output"]["value"] == [18, 45]


def test_bindings_of_the_command_line_are_there_for_lines_that_use_them(batch):
    result = batch("x*2\nz*3\n", "--x", "2.", "--y", "x+1", "--z", "y+0.", "--json")
    names = [[b["name"] for b in report["bindings"]] for report in reports(result)]
    assert names == [["x"], ["x", "y", "z"]]
    assert result.exit_code == 0


FAULTS = [
    # line, code, status
    ("sin(x", "AGX101", 2),
    ("x.__class__", "AGX105", 2),
    ("x*unknown", "AGX201", 2),
    ("x@randn(2,3)", "AGX301", 1),
    ("x*zeros(100000,100000)", "AGX604", 4),
    (b"x + \xff", "AGX207", 2),
    ("[" * 300 + "x" + "]" * 300, "AGX108", 4),
    ("{", "AGX217", 2),
    ("{}", "AGX217", 2),
    ('{"source": 2}', "AGX217", 2),
    ('{"source": "x", "more": 1}', "AGX217", 2),
    ('{"source": "x", "bindings": [1]}', "AGX217", 2),
    ('{"source": "x", "bindings": {"x": null}}', "AGX217", 2),
    ('{"source": "x", "bindings": {"x": {"y": 1}}}', "AGX217", 2),
    ('{"source": "x", "bindings": {"__x": 1}}', "AGX210", 2),
    ('{"source": "x", "bindings": {"lambda": 1}}', "AGX210", 2),
    ('{"source": "x", "bindings": {"x": "@nofile.npy"}}', "AGX206", 3),
    ('{"source": "x", "bindings": {"x": "2+"}}', "AGX101", 2),
    ('{"source": "x", "bindings": {"x": ' + "[" * 5000 + "]" * 5000 + "}}", "AGX217", 2),
    ('{"source": "\\ud800", "bindings": {}}', "AGX207", 2),
]


@pytest.mark.parametrize(("line", "code", "status"), FAULTS)
def test_a_line_that_fails_has_its_finding_and_the_next_is_run(batch, line, code, status):
    content = (line if isinstance(line, bytes) else line.encode()) + b"\nx*2\n"
    result = batch(content, "--x", "2.", "--json")
    failed, right = reports(result)
    assert [finding["code"] for finding in failed["findings"]] == [code]
    assert (failed["status"], right["status"], result.exit_code) == (status, 0, status)
    assert (failed["output"], right["output"]["value"]) == (None, 4)


def test_the_highest_status_is_that_of_the_batch(batch):
    assert batch("x@randn(2,3)\nsin(x\nx*2", "--x", "2.", "--json").exit_code == 2


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_batch_of_no_lines_is_refused(batch, text):
    result = batch(text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "`lines.txt` holds no source." in result.stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["x*2"], 2, "`--lines lines.txt` reads the sources, and `x*2` is one more."),
        (["-o", "x.svg"], 2, "`--lines` makes a report for each line, and `-o` names one file."),
        (["--devise", "cpu"], 2, "Did you mean `--device`?"),
        (["--lines", "nothing.txt"], 3, "The file `nothing.txt` cannot be read"),
        (["--lines", "."], 3, "The file `.` cannot be read"),
    ],
)
def test_what_does_not_go_with_a_batch_is_refused(batch, words, status, said):
    result = batch("x*2\n", *words)
    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr


def test_standard_input_is_read_once(batch):
    result = batch("x*2\n", "--x", "@-", name="-")
    assert result.exit_code == 2
    assert "`--lines -` and `--x @-` read it." in result.stderr


def test_a_name_close_to_an_option_is_meant_when_it_is_given_with_var(batch):
    assert batch("depths*2\n", "--var", "depths=2.", "--json").exit_code == 0


def test_plain_reports_stand_apart(batch):
    result = batch("x*2\nsin(x\nx*3\n", "--x", "2.", "-f", "plain")
    assert result.exit_code == 2
    assert [block.split()[0] for block in result.stdout.split("\n\n") if block[0] not in " d#"][:1] == ["x*2"]
    assert "\n\nx*3 = 6" in result.stdout
    assert "error syntax-error (AGX101)" in result.stdout


def test_a_table_has_one_header_and_says_where_each_row_is_from(batch):
    result = batch("x*2\nsin(x\nx*3\n", "--x", "2.", "-f", "tsv")
    rows = [line.split("\t")[:2] for line in result.stdout.splitlines()]
    assert rows == [["source", "name"], ["lines.txt:1", "x"], ["lines.txt:3", "x"]]
    assert result.stderr.startswith("lines.txt:2: error syntax-error (AGX101): ")


def test_gradcheck_takes_a_batch(batch):
    result = batch("x*2\nx**3\n", "--x", "2.", "--json", command="gradcheck")
    assert [report["gradients"][0]["verdict"] for report in reports(result)] == ["OK", "OK"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_line_that_does_not_end_is_ended_and_the_next_is_run(tmp_path):
    long = {"source": "print(x)\nlinalg.svd(randn(3000,3000)*x)[1].sum()"}
    lines = f"x*2\n{json.dumps(long)}\nx*3\n"
    process = subprocess.run(
        [*AGX, "trace", "--lines", "-", "--x", "2.", "--timeout", "0.5", "--json"],
        input=lines, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    found = [json.loads(line) for line in process.stdout.splitlines()]
    assert [report["status"] for report in found] == [0, 4, 0]
    assert (found[1]["source"], found[1]["printed"]) == (long["source"], ["tensor(2., requires_grad=True)\n"])
    assert found[1]["findings"][-1]["code"] == "AGX603"
    assert (process.returncode, process.stderr) == (4, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_report_is_there_before_the_next_line_is_asked_for():
    words = [*AGX, "trace", "--lines", "-", "--x", "2.", "--json"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for source, value in (("x*2", 4), ("x*3", 6)):
            process.stdin.write(source + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["output"]["value"] == value
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "source", ["", "linalg.svd(randn(3000,3000)*x)[1].sum()\n"], ids=["waiting", "running"]
)
def test_130_when_interrupted(source):
    words = [*AGX, "trace", "--lines", "-", "--x", "2.", "--json"]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    process.stdin.write("x*2\n" + source)
    process.stdin.flush()
    assert process.stdout.readline()
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (130, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_reader_that_stops_reading_ends_the_batch():
    command = f"yes 'x*2' | {sys.executable} -m autograd_cli trace --lines - --x 2. --json | head -n 2"
    process = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[1]}}"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert process.stdout.splitlines()[2:] == ["0"]
    assert process.stderr == ""


def test_a_fault_in_agx_is_told_and_the_next_line_is_run(batch, monkeypatch):
    from autograd_cli import explore as room

    explore = room.explore

    def faulty(known, *rest):
        return explore(known, *rest) if known.program.text == "x*3" else 1 / 0

    monkeypatch.setattr(room, "explore", faulty)
    result = CliRunner().invoke(cli.app, ["trace", "--lines", "-", "--x", "2.", "--json"], input="x*2\nx*3\n")
    assert [report["status"] for report in reports(result)] == [1, 0]
    assert "agx itself failed (ZeroDivisionError" in result.stderr
    (finding,) = reports(result)[0]["findings"]
    assert (finding["code"], finding["severity"]) == ("AGX609", "error")
    assert finding["sentence"].startswith(
        "agx itself failed (ZeroDivisionError: division by zero, at test_batch"
    )


def test_a_line_for_which_memory_runs_out_is_refused_and_the_next_is_run(batch, monkeypatch):
    from autograd_cli import explore as room

    explore = room.explore

    def scarce(known, *rest):
        if known.program.text == "x*3":
            return explore(known, *rest)
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(room, "explore", scarce)
    result = batch("x*2\nx*3\n", "--x", "2.", "--json")
    assert [report["status"] for report in reports(result)] == [4, 0]
    assert reports(result)[0]["findings"][0]["code"] == "AGX604"
