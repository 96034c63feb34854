"""`--order 2` as it is typed: in trace and gradcheck, in every format, and where it is refused."""

import json
import subprocess
import sys

import pytest

AGX = [sys.executable, "-m", "autograd_cli"]
FORM = ("x@A@x", "--x", "[1.,2.]", "--A", "[[1.,2.],[3.,4.]]", "--const", "A", "--order", "2")


def agx(*words):
    return subprocess.run(
        [*AGX, *words], capture_output=True, text=True, check=False, encoding="utf-8", timeout=120
    )


@pytest.mark.parametrize("form", ["rich", "plain"])
def test_trace_writes_the_hessian(form):
    process = agx("trace", *FORM, "-f", form)
    assert process.returncode == 0
    assert "d²/dx² = A + A.T" in process.stdout


def test_gradcheck_has_a_verdict_for_each_pair():
    process = agx("gradcheck", "x*y", "--x", "2.", "--y", "3.", "--order", "2")
    assert process.returncode == 0
    rows = [
        line for line in process.stdout.splitlines() if line.startswith(" d²/d") and "autograd" not in line
    ]
    assert [row.split("OK")[0].split() for row in rows] == [["d²/dx²"], ["d²/dx", "dy"], ["d²/dy²"]]
    assert "the second order: OK" in process.stdout


def test_json_has_it_under_its_key():
    second = json.loads(agx("trace", *FORM, "--json").stdout)["second"]
    assert second["kind"] == "hessian"
    assert second["blocks"][0]["autograd"] == [[2.0, 5.0], [5.0, 8.0]]


def test_a_table_has_its_rows():
    rows = [line.split("\t") for line in agx("trace", *FORM, "-f", "tsv").stdout.splitlines()]
    assert [row[0] for row in rows if "second" in row] == ["x,x"]


def test_order_1_is_what_is_done_anyway():
    one, plain = (agx("trace", "sin(x)", "--x", "2.", *more).stdout for more in (("--order", "1"), ()))
    assert one == plain


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("trace", "sin(x)", "--x", "2.", "--order", "3"),
            "`--order 3` is no order that there is: 1, or 2 at most.",
        ),
        (("gradcheck", "--order", "2"), "There is no SOURCE, and `--order` needs one."),
    ],
)
def test_what_is_refused(words, said):
    process = agx(*words)
    assert (process.returncode, process.stdout) == (2, "")
    assert said in process.stderr
