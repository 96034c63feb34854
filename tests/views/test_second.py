"""The second derivative in text and as a table: names of blocks, what is told once, what cannot be."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autograd_cli.report import Verdict, Witness
from autograd_cli.report.json import from_json
from autograd_cli.views import render
from autograd_cli.views.second import name_of

ROOM = Path(__file__).parent / "reports"


def stored(name):
    return from_json((ROOM / f"{name}.json").read_text())


def changed(report, **changes):
    first, *rest = report.second.blocks
    return replace(report, second=replace(report.second, blocks=(replace(first, **changes), *rest)))


@pytest.mark.parametrize(
    ("pair", "name"), [(("x", "x"), "d²/dx²"), (("x", "y"), "d²/dx dy"), (("x\x1b", "x\x1b"), "d²/dx\\x1b²")]
)
def test_what_a_block_is_called(pair, name):
    assert name_of(pair) == name


@pytest.mark.parametrize("form", ["rich", "plain"])
@pytest.mark.parametrize("check", [False, True])
def test_a_report_of_first_order_says_nothing_of_a_second(form, check):
    assert "d²" not in render(stored("sin"), form, width=80, colour=False, check=check)


def test_the_table_has_a_row_for_each_pair():
    rows = [
        line.split("\t") for line in render(stored("second"), "tsv", width=None, colour=False).splitlines()
    ]
    second = [dict(zip(rows[0], row, strict=True)) for row in rows[1:] if "second" in row]
    assert [row["name"] for row in second] == ["x,x", "x,y", "y,y"]
    assert [row["formula"] for row in second] == ["y*A + (y*A).T", "A@x + x@A", "0"]
    assert json.loads(second[1]["autograd"]) == [11.0, -1.0, 21.5]


def test_a_formula_that_is_applied_says_to_what_in_the_table():
    assert "2*v*cos(x) - x*v*sin(x) · v\tsecond" in render(
        stored("second_product"), "tsv", width=None, colour=False
    )


def test_a_second_without_a_verdict_is_the_whole_s():
    said = "not known whether it is right: no formula, and no difference is sharp enough to tell"
    report = changed(
        stored("second"), verdict=None, worst=None, difference=None, tolerance=None, sentence=said
    )
    lines = render(report, "plain", width=None, colour=False, check=True).splitlines()
    assert any(line.split() == ["d²/dx²", "-", "9", "-", "-", "-"] for line in lines)
    assert any(line.endswith(f"d²/dx²   {said}") for line in lines)
    assert any(line.startswith("the second order: not known ·") for line in lines)


def test_a_wrong_second_is_first_and_says_why():
    sentence = "autograd gives 0, differences of its first gradient give 1 ± 1e-12: double backward is wrong"
    wrong = {"verdict": Verdict.WRONG, "odd": Witness.AUTOGRAD, "worst": (1, 2), "difference": 1.0}
    text = render(
        changed(stored("second"), **wrong, tolerance=1e-9, sentence=sentence),
        "rich", width=200, colour=False, check=True,
    )  # fmt: skip
    rows = [line.split() for line in text.splitlines() if line.startswith(" d²/dx²")]
    assert rows[0] == ["d²/dx²", "WRONG", "9", "[1,2]", "1", "1e-9"]
    assert sentence in text
    assert "the second order: WRONG" in text


@pytest.mark.parametrize("check", [False, True])
def test_why_there_is_none_stands_in_its_place(check):
    report = stored("second")
    none = replace(report, second=replace(report.second, blocks=(), kind="", sentence="by real leaves only"))
    text = render(none, "rich", width=80, colour=False, check=check)
    assert "second derivative: by real leaves only" in text
    assert "d²" not in text


@pytest.mark.parametrize("check", [False, True])
def test_what_torch_said_is_told_once(check):
    text = render(stored("second_none"), "rich", width=200, colour=False, check=check)
    assert text.count("_cdist_backward") == 1
    assert "torch has no second derivative of `cdist(x, y)`" in text


def test_text_of_a_person_is_not_markup():
    report = changed(stored("second"), pair=("x[/i]", "y"), formula="[red]x[/red]")
    text = render(report, "rich", width=80, colour=False)
    assert "d²/dx[/i] dy = [red]x[/red]" in text


@pytest.mark.parametrize("width", [80, 200, None])
def test_a_hessian_stands_in_rows_and_a_direction_in_its_formula_is_explained(width):
    block = {"shape": (2, 2), "applied": "v", "formula": "-v", "pair": ("x", "x"), "verdict": Verdict.OK}
    values = dict.fromkeys(("autograd", "symbolic", "numeric"), ((1.5, -2.0), (-2.0, 4.0)))
    text = render(changed(stored("second"), **block, **values), "plain", width=width, colour=False)
    autograd = text.index("     autograd  [[", text.index("d²/dx² · v"))
    assert text[autograd:].splitlines()[:2] == ["     autograd  [[1.5,  -2],", "                [ -2,   4]]"]
    assert "v is any direction in x, of its shape" in " ".join(text.split())
