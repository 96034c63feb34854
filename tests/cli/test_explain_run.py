import io
import re
import sys

import pytest
import torch

from autograd_cli import catalogue, cli
from autograd_cli.catalogue import Example, Kind, load
from autograd_cli.cli import live
from autograd_cli.cli.environment import Environment

SQUARED = "x = torch.tensor(2.0, requires_grad=True)\ny = x**2\ny.backward()\n"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def agx(*words, stdout=None, **variables):
    """The status of `agx explain … --run` in this process, and what it writes."""
    out, err = stdout or io.StringIO(), io.StringIO()
    status = cli.run(["explain", *words, "--run"], Environment(io.StringIO(), out, err, variables))
    return int(status), out.getvalue(), err.getvalue()


def test_a_page_is_run_part_by_part():
    status, out, err = agx("AGX409")
    assert (status, err) == (0, "")
    page = catalogue.page("AGX409")
    assert out.startswith(
        f"# AGX409 inplace-modified-saved-tensor: {page.title}\ntorch {torch.__version__}\n"
    )
    see, fix = out.index("\n## How to see it\n"), out.index("\n## How to fix it\n")
    fine = out.index("\n## When it is fine\n")
    assert see < fix < fine
    assert f"\n$ cat program.py\n{page.broken[0].text}\n$ agx trace program.py\n" in out[see:fix]
    assert "  torch says  one of the variables needed for gradient computation has been" in out[see:fix]
    assert "\n→ AGX409, status 1\n" in out[see:fix]
    assert page.repaired[0].text in out[fix:fine]
    assert "\n→ no finding, status 0\n" in out[fix:fine]


def test_a_command_of_a_page_is_shown_as_it_is_typed():
    _, out, _ = agx("matmul-shape-mismatch")
    assert '\n$ agx trace "(X @ w).sum()" --X "ones(10,3)" --w "ones(1,3)"\n(X @ w).sum()   failed' in out
    assert "3 meets 1: these two must be equal" in out


def test_a_file_that_a_command_names_is_shown_once():
    _, out, _ = agx("AGX218")
    assert out.count("\n$ cat functions.py\nimport torch\n") == 1
    assert out.count("--use cube=functions.py:Cube") > 1


def test_a_terminal_gets_its_width_and_colours():
    status, out, _ = agx("AGX302", stdout=Terminal(), COLUMNS="80")
    assert status == 0
    assert "\x1b[1;31merror\x1b[0m broadcast-shape-mismatch (AGX302)" in out
    assert "their last dimensions, 4 against\n  5." in out


@pytest.mark.parametrize(
    ("words", "sentence", "fix"),
    [
        ((), "no page is named", "agx explain AGX409 --run"),
        (("verdicts",), "the page on `verdicts` has none", "agx explain AGX409 --run"),
        (("broadcast",), "speak of `broadcast`", "agx explain AGX407 --run"),
    ],
)
def test_one_page_must_be_named(words, sentence, fix):
    status, out, err = agx(*words)
    assert (status, out) == (2, "")
    assert "error bad-option-value (AGX208)" in err
    assert sentence in err
    assert f"  write: {fix}\n" in err


def printed_on_a_terminal(code):
    """What `agx explain CODE` shows a person, without styles."""
    out = Terminal()
    assert cli.run(["explain", code], Environment(io.StringIO(), out, io.StringIO(), {})) == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())


def test_a_page_on_a_terminal_says_what_each_program_is_for():
    text = printed_on_a_terminal("AGX409")
    assert "program.py, for agx trace program.py:" in text
    assert "program.py, for agx diagnose --watch program.py:" in text
    assert "functions.py:" in printed_on_a_terminal("AGX218")


def test_each_fact_of_a_page_has_a_line_of_its_own_on_a_terminal():
    lines = [line.strip() for line in printed_on_a_terminal("AGX340").splitlines()]
    assert lines[lines.index("severity: error") + 1] == "needs: a CUDA device"


def test_a_page_that_cannot_be_shown_says_what_that_takes(monkeypatch):
    page = load.parse(
        catalogue.page("AGX409").text.replace("severity: error", "severity: error\nneeds: a moon")
    )
    page.sections["How to see it"] = "Not here."
    monkeypatch.setattr(catalogue, "pages", lambda: (page,))
    assert agx("AGX409") == (
        3,
        "",
        "nothing is run: to show AGX409 inplace-modified-saved-tensor takes a moon\n",
    )


def test_a_page_that_says_otherwise_than_this_torch_ends_with_status_1(monkeypatch):
    page = load.parse(catalogue.page("AGX409").text)
    page.sections["How to see it"] = f"```python\n{SQUARED}```"
    monkeypatch.setattr(catalogue, "pages", lambda: (page,))
    status, out, _ = agx("AGX409")
    assert status == 1
    assert "\n→ no finding, status 0; the page says AGX409\n" in out


def test_a_script_is_run_by_python_and_read_like_a_log():
    text = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
        "print('begun')\nx = torch.ones(3, requires_grad=True)\nNet()(x).backward()\n"
    )
    found = live.ran(Example(Kind.SCRIPT, text))
    assert [(one.code, one.name) for one in found.found] == [("AGX401", "nonscalar-loss-backward")]
    assert (found.codes, found.status) == ({"AGX401"}, 1)
    assert found.printed == "begun\n"
    assert "program.py:11" in found.told


def test_a_script_sees_the_name_of_its_file_and_no_frame_of_agx():
    text = "import traceback\nimport warnings\n\nwarnings.warn('so')\ntraceback.print_stack()\n"
    found = live.ran(Example(Kind.SCRIPT, text))
    assert "\nprogram.py:4: UserWarning: so\n" in f"\n{found.printed}"
    assert '  File "program.py", line 5, in <module>\n    traceback.print_stack()\n' in found.printed
    assert "autograd_cli" not in found.printed


def test_a_script_sees_the_frames_of_its_own_threads():
    text = (
        "import threading\nimport traceback\n\n\ndef show():\n    traceback.print_stack()\n\n\n"
        "thread = threading.Thread(target=show)\nthread.start()\nthread.join()\n"
    )
    found = live.ran(Example(Kind.SCRIPT, text))
    assert found.printed.count("threading.py") >= 2
    assert '  File "program.py", line 6, in show\n' in found.printed


def test_codes_are_those_of_findings_and_none_that_is_only_printed():
    found = live.ran(Example(Kind.SCRIPT, "print('error of-mine (AGX401)')\n"))
    assert (found.codes, found.printed) == (set(), "error of-mine (AGX401)\n")
    refused = live.ran(Example(Kind.CONSOLE, "agx trace x+ --json"))
    assert [(one.code, one.name) for one in refused.found] == [("AGX101", "syntax-error")]
    shown = live.ran(
        Example(Kind.CONSOLE, 'agx trace "(x@y).sum()" --x "ones(2,3)" --y "ones(2,3)" --json | agx show -')
    )
    assert shown.codes == {"AGX301"}


def test_a_script_leaves_no_hook_behind():
    text = "import sys\n\nsys.excepthook = print\n"
    assert live.ran(Example(Kind.SCRIPT, text)).status == 0
    assert sys.excepthook is not print


def test_a_pipe_hands_on_what_it_prints():
    line = 'agx trace "x**2" --x 3. --json | agx show -'
    assert live.ran(Example(Kind.CONSOLE, line)).printed.startswith("x**2 = 9 ")
