"""--steps and --saved on the command line: in both commands, in batches, through `show`, in each format."""

import json
import re

import pytest
from typer.testing import CliRunner

from autograd_cli import cli

FOUR = ("x*x + sin(x*x)", "--x", "1.5", "--steps", "--saved")


def agx(*words, stdin=None):
    return CliRunner().invoke(cli.app, words, input=stdin, env={"NO_COLOR": "1", "COLUMNS": "80"})


@pytest.mark.parametrize("command", ["trace", "gradcheck"])
def test_both_commands_show_the_ways_and_what_is_kept(command):
    result = agx(command, *FOUR)
    assert result.exit_code == 0
    assert "the chain rule down to x: 4 ways, largest first\n" in result.stdout
    assert (
        "together 8 B in 2 pieces of memory, shared memory counted once; 2 nodes keep nothing\n"
        in result.stdout
    )
    assert result.stdout.startswith("x*x + sin(x*x) = 3.028073")
    assert "keeps 8 B\n" in result.stdout


def test_a_stored_report_is_shown_as_it_was():
    stored = agx("trace", *FOUR, "--json").stdout
    data = json.loads(stored)
    assert [way["contribution"] for way in data["chain"]["leaves"][0]["ways"]] == pytest.approx(
        [1.5, 1.5, -0.9422604, -0.9422604]
    )
    assert data["saved"] == {"bytes": 8, "storages": [4, 4]}
    assert agx("show", "-", "-f", "plain", stdin=stored).stdout == agx("trace", *FOUR, "-f", "plain").stdout


def test_a_table_has_a_row_a_step():
    head, *lines = (line.split("\t") for line in agx("trace", *FOUR, "-f", "tsv").stdout.splitlines())
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    counts = {
        kind: sum(row["row"] == kind for row in rows) for kind in ("step", "way", "ways", "kept", "keeps")
    }
    assert counts == {"step": 10, "way": 4, "ways": 1, "kept": 5, "keeps": 1}
    steps = [row for row in rows if row["row"] == "step" and row["round"] == "3"]
    assert [(row["formula"], row["root"]) for row in steps] == [
        ("1", "x*x + sin(x*x)"),
        ("cos(x*x)", "sin(x*x)"),
        ("x", "x*x"),
    ]
    assert rows[-1]["bytes"] == "8"


def test_each_line_of_a_batch_has_its_own():
    lines = agx(
        "trace", "--lines", "-", "--x", "2.", "--steps", "--json", stdin="x*x\nx.foo()\nx**3\n"
    ).stdout
    chains = [json.loads(line)["chain"] for line in lines.splitlines()]
    assert [chain and chain["leaves"][0]["number"] for chain in chains] == [2, None, 1]


def test_one_can_be_asked_for_without_the_other():
    steps, saved = agx("trace", *FOUR[:3], "--steps").stdout, agx("trace", *FOUR[:3], "--saved").stdout
    assert ("the chain rule" in steps, "what backward keeps" in steps) == (True, False)
    assert ("the chain rule" in saved, "what backward keeps" in saved) == (False, True)
    assert "chain, by rows" in saved


def test_beside_the_facts_of_a_value_too():
    result = agx("trace", *FOUR[:3], "--steps", "--inspect", "x")
    assert "requires_grad" in result.stdout
    assert "the chain rule down to x" in result.stdout


def test_with_full_all_ways_are_there():
    source = ("*".join("x" * 20), "--x", "2.", "--steps")
    assert "the other 16 together add" in agx("trace", *source).stdout
    assert re.search(r"^ 20 +0 ", agx("trace", *source, "--full").stdout, re.MULTILINE)


def test_an_own_function_says_where_its_rule_stands():
    swish = ("--use", "swish=samples/own/swish.py:Swish.apply", "--beta", "1.7", "--steps")
    told = agx("trace", "swish(x, beta)", *swish, "--x", "0.5").stdout
    assert re.search(r"SwishBackward +own rule, swish\.py:14 ", told)
    assert re.search(r"^ 0 +swish\(x, beta\) +x +own rule, samples/own/swish\.py:14 ", told, re.MULTILINE)
