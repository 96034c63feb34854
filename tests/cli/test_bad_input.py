"""What a person may type by mistake or out of malice: told in place, nothing done."""

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

from autograd_cli import cli


@pytest.fixture
def agx(tmp_path, monkeypatch):
    """Runs agx in an empty folder, which it must leave as it was."""
    monkeypatch.chdir(tmp_path)

    def run(*words, stdin=None):
        before = sorted(os.listdir())
        result = CliRunner().invoke(cli.app, words, input=stdin, env={"NO_COLOR": "1", "COLUMNS": "80"})
        assert sorted(os.listdir()) == before
        assert "Traceback" not in result.stdout + result.stderr
        assert not isinstance(result.exception, Exception)
        return result

    return run


REFUSED = [
    # words, status, code, what is said
    (["sin(x)", "--x", "2", "--x", "3"], 2, "AGX203", "`--x` is given twice."),
    (["sin('x)", "--x", "2"], 2, "AGX101", "no closing '."),
    (["", "--x", "2"], 2, "AGX106", "The source is empty."),
    (["x", "--x", ""], 2, "AGX202", "The value of `x` is empty."),
    (["seed", "--seed", "3"], 2, "AGX201", "write: agx trace seed --seed 3 --var seed=2"),
    (["x", "--x", "2", "--jsn"], 2, "AGX214", "Did you mean `--json`?"),
    (["x", "--x", "2", "-d", "gpu"], 2, "AGX208", "did you mean `cuda`"),
    (["x*2", "--x", "2.", "-g", "1j"], 2, "AGX208", "--grad-output is complex, and the output is real."),
    ([" \n ", "--x", "2"], 2, "AGX106", "The source is empty."),
    (["# a comment", "--x", "2"], 2, "AGX106", "empty"),
    (["x+" * 51_200 + "x", "--x", "2"], 4, "AGX108", "--max-text"),
    (["(" * 10_000 + "x" + ")" * 10_000, "--x", "2"], 4, "AGX108", "nest"),
    (["-" * 10_000 + "x", "--x", "2"], 4, "AGX108", "nest"),
    (["x.__class__", "--x", "2"], 2, "AGX105", "`.__class__`"),
    (["open('f')", "--x", "2"], 2, "AGX103", "`open`"),
    (["__import__('os')", "--x", "2"], 2, "AGX104", "`__import__`"),
    (["lambda t: t", "--x", "2"], 2, "AGX104", "lambda"),
    (["x[/i]", "--x", "2"], 2, "AGX101", "x[/i]"),
    (["x\x1b[31m", "--x", "2"], 2, "AGX101", "\\x1b"),
    (["x + \udcff", "--x", "2"], 2, "AGX207", "SOURCE is no UTF-8 text"),
    (["sin(x)", "--x", "@missing.npy"], 3, "AGX206", "missing.npy"),
    (["missing.py", "--x", "2"], 3, "AGX206", "missing.py"),
    (["sin(x)", "--x", "[1, [2]]"], 2, "AGX202", "x"),
    (["sin(x)", "--x", "2", "-o", "keep.txt"], 2, "AGX212", "keep.txt"),
    (["-", "--x", "@-"], 2, "AGX211", "`SOURCE -` and `--x @-` read it."),
    (["x*y", "--x", "@-", "--y", "@-"], 2, "AGX211", "`--x @-` and `--y @-` read it."),
    (["-"], 2, "AGX106", "The source is empty."),
    ([], 2, "AGX214", "There is no SOURCE."),
    (["--", "-q", "--q", "3."], 2, "AGX215", "`--q` is a second SOURCE; one is expected."),
    (["sin(x)", "x", "--x", "2"], 2, "AGX215", "`x` is a second SOURCE; one is expected."),
    (["sin(x)", "--x", "2", "--max-memory", "lots"], 2, "AGX208", "is no size"),
    (["sin(x)", "--x", "2", "--root", "y"], 2, "AGX208", "`--root y` names no value"),
]


@pytest.mark.parametrize(("words", "status", "code", "said"), REFUSED)
def test_bad_input_is_refused(agx, words, status, code, said):
    result = agx("trace", *words)
    assert (result.exit_code, result.stdout) == (status, "")
    assert f"({code})" in result.stderr
    assert said in result.stderr
    assert len(result.stderr) < 2000


def test_a_file_that_is_no_array_is_refused(agx, tmp_path):
    (tmp_path / "bad.npy").write_bytes(b"not an array")
    result = agx("trace", "sin(x)", "--x", "@bad.npy")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "(AGX207)" in result.stderr
    assert "bad.npy" in result.stderr


def test_an_array_of_objects_is_refused_without_unpickling(agx, tmp_path):
    np.save(tmp_path / "objects.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    result = agx("trace", "sin(x)", "--x", "@objects.npy")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "(AGX207)" in result.stderr
    assert "Python objects" in result.stderr


@pytest.mark.parametrize("flag", ["--device=cuda:x", "--dtype=int", "--seed=one", "-f", "--json=1"])
def test_an_option_that_cannot_be_read_is_refused(agx, flag):
    result = agx("trace", "sin(x)", "--x", "2", flag)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("words", "stdin", "value"),
    [
        (["-x**2", "--x", "2."], None, "= -4"),
        (["-d*2", "--d", "3."], None, "= -6"),
        (["--x=-1e-3", "x*2"], None, "= -0.002"),
        (["--x", "-2.", "x*2"], None, "= -4"),
        (["x.sum()", "--x", "[1.,-2.]"], None, "= -1"),
        (["x*y", "--x", "2.", "--y", "2*x+1"], None, "= 10"),
        (["seed*2", "--var", "seed=3."], None, "= 6"),
        (["-", "--x", "2."], "x*2 \n", "= 4"),
        (["-", "--x", "2."], "\ufeffx*2", "= 4"),
        (["x.sum()", "--x", "@-"], "[1.5, 2]", "= 3.5"),
        (["x.sum()", "--x", "@-"], "1.5\n2\n", "= 3.5"),
    ],
)
def test_lines_that_look_odd_and_are_right(agx, words, stdin, value):
    result = agx("trace", *words, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    assert value in result.stdout.splitlines()[0]


def test_a_file_that_holds_one_expression_is_a_source(agx, tmp_path):
    (tmp_path / "f.py").write_text("# the main job\nsin(x**2)\n")
    result = agx("trace", "f.py", "--x", "2.")
    assert result.exit_code == 0, result.stderr
    assert "-0.7568025" in result.stdout


def test_standard_input_that_is_no_text_is_refused(agx):
    result = agx("trace", "-", "--x", "2", stdin=b"x \xff")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "`standard input` is no UTF-8 text: byte 0xff at offset 2." in result.stderr


def test_standard_input_is_read_to_the_limit_and_no_further(agx):
    result = agx("trace", "-", "--x", "2", stdin=b"x" * 10_000_000)
    assert result.exit_code == 4
    assert "(AGX108)" in result.stderr
    assert "raise the limit with --max-text." in result.stderr


def test_a_value_on_standard_input_has_a_bound_of_its_own(agx):
    result = agx("trace", "x.sum()", "--x", "@-", "--max-items", "100", stdin=b"1 " * 10_000)
    assert result.exit_code == 4
    assert "(AGX606)" in result.stderr
    assert "`standard input` holds more than 6,400 bytes." in result.stderr
    assert "raise the limit with --max-items." in result.stderr


def test_a_limit_can_be_raised(agx):
    source = "x *" + " " * 70_000 + "2"
    assert agx("trace", source, "--x", "2.").exit_code == 4
    result = agx("trace", source, "--x", "2.", "--max-text", "1MB", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["output"]["value"] == 4


@pytest.mark.parametrize("words", [("trace", "a.py", "--x", "2"), ("show", "a.py")])
def test_a_pipe_in_the_place_of_a_file_is_refused_before_it_is_read(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("a.py")
    result = CliRunner().invoke(cli.app, words)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "The file `a.py` cannot be read: it is no regular file." in result.stderr
