import re

import pytest
from typer.testing import CliRunner

from autograd_cli import cli
from autograd_cli.cli import options
from autograd_cli.errors import InputError
from autograd_cli.report import Verdict

COMMANDS = ("trace", "gradcheck", "diagnose", "devices", "explain", "show")


def help_of(command):
    result = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_lists_the_table_and_nothing_else(command):
    shown = set(re.findall(r"^  (?:(-\w), )?(--[a-z-]+)", help_of(command), re.MULTILINE))
    table = {(option.short, option.name) for option in options.of(command)}
    assert shown == table


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_the_table_says(command):
    text = " ".join(help_of(command).split())
    for option in options.of(command):
        assert f"{option.label} {option.help}" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_name_the_command(command):
    examples = help_of(command).partition("Examples:")[2]
    assert f"agx {command}" in examples


def test_help_fits_80_columns():
    for command in COMMANDS:
        result = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": "80", "NO_COLOR": "1"})
        text = result.stdout.partition("Examples:")[0]
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("trace", "[OPTIONS] [--NAME VALUE]… SOURCE"),
        ("gradcheck", "[OPTIONS] [--NAME VALUE]… [SOURCE]"),
        ("explain", "[OPTIONS] [CODE|WORD]"),
        ("show", "[OPTIONS] REPORT"),
        ("devices", "[OPTIONS]"),
        ("diagnose", "[OPTIONS] [FILE]"),
    ],
)
def test_usage_says_which_words_may_be_left_out(command, usage):
    assert help_of(command).splitlines()[0] == f"Usage: agx {command} {usage}"


def test_the_list_of_commands_is_not_cut():
    shown = CliRunner().invoke(cli.app, ["--help"], env={"COLUMNS": "80", "NO_COLOR": "1"}).stdout
    listed = " ".join(shown.partition("Commands:")[2].partition("Examples:")[0].split())
    assert "trace Show the graph, the gradients by three witnesses, and what is wrong. gradcheck" in listed


@pytest.mark.parametrize("command", COMMANDS)
def test_the_parts_of_help_stand_in_one_order(command):
    headings = re.findall(r"^(Options|Output|Limits):$", help_of(command), re.MULTILINE)
    assert headings == [panel for panel in options.PANELS if panel in headings]


def test_help_names_the_defaults_that_hold():
    said = {option.key: option.help for option in options.OPTIONS}
    assert said["max_memory"] == "Memory beyond start, 1 GiB unless said"
    assert said["max_text"] == "Length of a source, 64 KiB unless said"
    assert said["max_nodes"] == "Nodes of an expression, 10,000 unless said"


def test_every_option_is_spelled_once():
    for command in COMMANDS:
        spellings = [s for option in options.of(command) for s in option.spellings]
        assert len(spellings) == len(set(spellings))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("65536", 65536),
        ("1KiB", 1024),
        ("512MB", 512_000_000),
        ("1GiB", 2**30),
        ("1gib", 2**30),
        ("1.5 GiB", 3 * 2**29),
        ("2k", 2000),
        ("0", 0),
    ],
)
def test_sizes(text, size):
    assert options.size(text) == size


@pytest.mark.parametrize("text", ["", "GiB", "1XB", "-1", "1e3", "1 2", "inf", "9" * 30, "٣"])
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match="no size such as 512MB, 1GiB or 65536"):
        options.size(text)


REFUSED = [
    (
        {"device": "cida"},
        "`--device cida` is none of cpu, auto, cuda, cuda:1, mps, xpu, meta; did you mean `cuda`.",
    ),
    ({"device": "cuda:x"}, "did you mean `cuda:1`."),
    (
        {"dtype": "float"},
        "`--dtype float` is none of float32, float64, float16, bfloat16, complex64, complex128",
    ),
    ({"seed": "-1"}, "`--seed -1` is no whole number of 0 or more."),
    ({"seed": "1.5"}, "`--seed 1.5` is no whole number of 0 or more."),
    ({"seed": "9" * 5000}, "is too large a number: 18 digits are the most."),
    ({"elements": "9" * 20}, f"`--elements {'9' * 20}` is too large a number: 18 digits are the most."),
    ({"elements": "some"}, "`--elements some` is no whole number of 1 or more."),
    ({"depth": "x"}, "`--depth x` is no whole number of 0 or more."),
    ({"max_nodes": "0"}, "`--max-nodes 0` is no whole number of 1 or more."),
    ({"timeout": "0"}, "`--timeout 0` is no number above 0."),
    ({"timeout": "nan"}, "`--timeout nan` is no number above 0."),
    ({"timeout": "inf"}, "`--timeout inf` is no number above 0."),
    ({"rtol": "-1"}, "`--rtol -1` is no number of 0 or more."),
    ({"max_memory": "much"}, "`--max-memory much` is no size such as 512MB, 1GiB or 65536."),
    ({"wrt": ["a,,b"]}, "`--wrt a,,b` is no list of names such as w,b."),
    ({"witness": "symbolic,guess"}, "is none of autograd, symbolic, numeric."),
    ({"format": "xml"}, "`--format xml` is none of rich, plain, json, tsv, dot, python."),
    ({"order": "3"}, "`--order 3` is no order that there is: 1, or 2 at most."),
    ({"order": "0"}, "`--order 0` is no order"),
    ({"color": "blue"}, "`--color blue` is none of auto, always, never."),
]


@pytest.mark.parametrize(("given", "words"), REFUSED)
def test_a_value_that_is_none_is_refused(given, words):
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        options.values("gradcheck" if "elements" in given else "trace", given)
    assert caught.value.code == "AGX208"


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"device": "cuda:3"}, {"device": "cuda:3"}),
        ({"wrt": ["a,b", "c"]}, {"wrt": ("a", "b", "c")}),
        ({"const": ["n"]}, {"const": ("n",)}),
        ({"witness": "numeric,autograd"}, {"witness": frozenset({"numeric", "autograd"})}),
        ({"timeout": "0.5"}, {"timeout": 0.5}),
        ({"atol": "0"}, {"atol": 0.0}),
        ({"max_steps": "1_000"}, {"max_steps": 1000}),
        ({"full": True}, {"full": True}),
        ({"order": "2"}, {"order": 2}),
        ({"grad_output": "[1,2]"}, {"grad_output": "[1,2]"}),
    ],
)
def test_values_are_read(given, values):
    assert options.values("trace", given) == values


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("JUMP", ["JUMP"]),
        ("jump,", ["JUMP"]),
        ("jump,domain-edge", ["JUMP", "DOMAIN EDGE"]),
        ("no_graph", ["NO GRAPH"]),
    ],
)
def test_verdicts_are_read_as_a_person_writes_them(text, read):
    assert list(options.values("gradcheck", {"allow": [text]})["allow"]) == read


def test_the_help_of_allow_names_every_verdict_that_fails():
    (allow,) = (option for option in options.OPTIONS if option.name == "--allow")
    words = re.split(r",? ", allow.help)
    failing = {verdict.value.replace(" ", "-") for verdict in Verdict if not verdict.passes}
    assert failing == {word for word in words if word.isupper() or "-" in word}


def test_a_verdict_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"none of OK, KINK, .*; did you mean `JUMP`"):
        options.values("gradcheck", {"allow": ["jumps"]})


@pytest.mark.parametrize(("text", "read"), [("all", "all"), ("ALL", "all"), ("12", 12)])
def test_elements_are_a_number_or_all(text, read):
    assert options.values("gradcheck", {"elements": text})["elements"] == read
