"""agx ops: functions listed and found, one shown whole, and none of it needs torch."""

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from autograd_cli import cli
from autograd_cli.cli import ops
from autograd_cli.cli.environment import Environment
from autograd_cli.lang.functions import by_path, find


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Told:
    def __init__(self, status: int, stdout: str, stderr: str) -> None:
        self.status, self.stdout, self.stderr = status, stdout, stderr


def agx(*words: str, terminal: bool = False, columns: str = "80") -> Told:
    out = Terminal() if terminal else io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    environment = Environment(io.StringIO(), out, io.StringIO(), {"COLUMNS": columns, "NO_COLOR": "1"})
    status = cli.run(["ops", *words], environment)
    text = out.getvalue() if isinstance(out, Terminal) else written(out)
    return Told(status, text, environment.stderr.getvalue())  # type: ignore[attr-defined]


def written(stream: Any) -> str:
    return bytes(stream.buffer.getvalue()).decode()


SUM = """\
std: the standard deviation, by n - 1 unless told

called      std(input, dim=None, unbiased=True, keepdim=False, *, correction=1)
            x.std(dim=None, unbiased=True, keepdim=False, *, correction=1)
also        torch.std
arguments   input       a tensor or a number
            dim         a dim, or several: counted from 0, or from -1 at the end
            unbiased    True or False
            keepdim     True or False
            correction  a whole number
domain      at least two elements, not all equal
gradient    has a derivative rule
example     agx trace "std(x)" --x "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"
"""


def test_one_function_is_shown_whole() -> None:
    told = agx("std")
    assert (told.status, told.stdout, told.stderr) == (0, SUM, "")
    assert agx("torch.std", terminal=True).stdout == SUM


def test_a_row_without_a_rule_says_so() -> None:
    assert "gradient    passes; the table of formulas has no rule for it\n" in agx("frexp").stdout
    assert "gradient    none passes\n" in agx("argmax").stdout


def test_an_attribute_is_read() -> None:
    assert "read as     x.T\n" in agx("x.T").stdout


def test_without_a_word_every_function_stands_on_a_line_of_its_own() -> None:
    told = agx()
    lines = told.stdout.splitlines()
    assert told.status == 0
    assert [line.split()[0] for line in lines] == [row.spelling for row in find.own_rows()]
    assert lines[0].split("  ")[-1].strip() == "the distance from 0"
    assert any(line.endswith(by_path["torch.nn.functional.grid_sample"].meaning) for line in lines)


def test_in_a_terminal_no_line_is_wider_than_it() -> None:
    lines = agx(terminal=True).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert all(" ".join(row.meaning.split()) in text for row in find.own_rows())


def test_a_pattern_lists_what_fits() -> None:
    told = agx("F.*unpool*")
    assert [line.split()[0] for line in told.stdout.splitlines()] == [
        "F.max_unpool1d", "F.max_unpool2d", "F.max_unpool3d",
    ]  # fmt: skip


def test_words_are_looked_for_in_meanings() -> None:
    assert agx("the", "hyperbolic", "sine", "-q").stdout == "sinh\nmath.sinh\nsinh_\n"


def test_quiet_gives_names_alone() -> None:
    assert agx("F.*unpool*", "-q").stdout == "F.max_unpool1d\nF.max_unpool2d\nF.max_unpool3d\n"


@pytest.mark.parametrize(
    ("word", "hint", "fix"),
    [
        ("sined", "Did you mean `sin`?", "agx ops sin"),
        ("x.reshpae", "Did you mean `reshape`?", "agx ops reshape"),
        ("qqqqqq", "`agx ops` lists all functions.", "agx ops"),
    ],
)
def test_a_word_that_finds_nothing_is_refused_with_what_was_meant(word: str, hint: str, fix: str) -> None:
    told = agx(word)
    assert (told.status, told.stdout) == (2, "")
    assert f"No function of the language is called `{word}`, and none speaks of it." in told.stderr
    assert hint in told.stderr
    assert f"write: {fix}\n" in told.stderr
    assert agx(*fix.split()[2:]).status == 0


def test_a_persons_word_does_not_act_on_the_terminal() -> None:
    told = agx("\x1b[31mred[/bold]")
    assert told.status == 2
    assert "\x1b" not in told.stderr


def test_json_is_the_whole_table() -> None:
    found = json.loads(agx("--json").stdout)
    assert len(found) == len(find.own_rows())
    assert all(
        list(one) == ["name", "aliases", "signature", "meaning", "domain", "example", "has_rule"]
        for one in found
    )
    (sine,) = [one for one in found if one["name"] == "torch.sin"]
    assert sine == {
        "name": "torch.sin",
        "aliases": ["sin", "x.sin"],
        "signature": "(input)",
        "meaning": "the sine",
        "domain": "any real",
        "example": {"source": "sin(x)", "bindings": {"x": "[0.3,1.2]"}},
        "has_rule": True,
    }


def test_json_takes_a_pattern() -> None:
    assert [one["name"] for one in json.loads(agx("x.T", "--json").stdout)] == ["torch.Tensor.T"]


def test_what_is_no_gradient_has_no_rule() -> None:
    assert ops.has_rule(by_path["torch.sin"])
    assert ops.has_rule(by_path["torch.sum"])
    assert not ops.has_rule(by_path["torch.frexp"])
    assert not any(ops.has_rule(row) for row in by_path.values() if not row.differentiable)


def test_torch_is_not_loaded() -> None:
    code = "import sys; from autograd_cli.cli import main; sys.argv = ['agx', 'ops', 'sin']\n"
    code += "import atexit; atexit.register(lambda: None)\n"
    code += "from autograd_cli import cli; from autograd_cli.cli.environment import of_process\n"
    code += "cli.run(['ops', 'sin'], of_process()); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
