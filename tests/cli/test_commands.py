import io
import json
import re

import pytest
import torch
from typer.testing import CliRunner

from autograd_cli import catalogue, cli
from autograd_cli.cli.environment import Environment
from autograd_cli.lang import parse
from autograd_cli.run import callees, devices


def agx(*words, stdin=None):
    return CliRunner().invoke(cli.app, words, input=stdin, env={"NO_COLOR": "1", "COLUMNS": "80"})


def test_run_gives_the_status_and_ends_no_process():
    surroundings = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {})
    assert cli.run(["explain", "AGX101"], surroundings) == 0
    assert surroundings.stdout.getvalue().startswith("# AGX101 ")
    assert cli.run(["explain", "no such rhubarb"], surroundings) == 2


@pytest.mark.parametrize(
    "words", [("explain", "AGX301"), ("explain", "agx301"), ("explain", "matmul-shape-mismatch")]
)
def test_explain_prints_a_page_as_it_is(words):
    result = agx(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.rstrip() == catalogue.page("AGX301").text.rstrip()


def test_explain_lists_all_pages():
    lines = agx("explain").stdout.splitlines()
    assert [line.split()[0] for line in lines[:-2]] == [page.code for page in catalogue.pages()]
    assert [line.split()[2] for line in lines[-2:]] == ["verdicts", "words"]


def test_explain_lists_the_pages_that_speak_of_a_word():
    result = agx("explain", "broadcast")
    assert "AGX302" in result.stdout
    assert 1 < len(result.stdout.splitlines()) < len(catalogue.pages())


def test_explain_lists_the_likeliest_pages_and_says_how_to_see_the_others():
    few, every = agx("explain", "backward").stdout.splitlines(), agx("explain", "backward", "--full").stdout
    assert len(few) == 9
    assert few[-1] == f"and {len(every.splitlines()) - 8} more:  agx explain backward --full"
    assert every.splitlines()[:8] != every.splitlines()[8:16]
    assert [line.split() for line in few[:8]] == [line.split() for line in every.splitlines()[:8]]
    assert (
        agx("explain", "no graph at all", "--full").exit_code == agx("explain", "no graph at all").exit_code
    )


def test_explain_lists_few_pages_whole():
    assert "more:" not in agx("explain", "accumulate").stdout


@pytest.mark.parametrize(
    ("typed", "meant"), [("detatch", "detach"), ("inplcae", "inplace"), ("sofmax", "softmax")]
)
def test_explain_a_misspelt_word_asks_what_was_meant(typed, meant):
    result = agx("explain", typed)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"write: agx explain {meant}\n" in result.stderr


def test_explain_takes_words_as_torch_says_them():
    result = agx("explain", "can", "only", "be", "created", "for", "scalar", "outputs")
    assert "AGX401" in result.stdout


def test_explain_an_unknown_code_asks_what_was_meant():
    result = agx("explain", "matmul-shape-mismach")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No page speaks of `matmul-shape-mismach`." in result.stderr
    assert "Near it: `matmul-shape-mismatch`" in result.stderr
    assert "write: agx explain matmul-shape-mismatch\n" in result.stderr


def test_explain_offers_no_code_for_another_code():
    result = agx("explain", "AGX999")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[1:4] == [
        "  There is no page `AGX999`.",
        "  `agx explain` lists all pages.",
        "  write: agx explain",
    ]


def test_show_draws_a_stored_report_again(tmp_path):
    words = ("trace", "sin(x**2)", "--x", "2.")
    stored = agx(*words, "--json").stdout
    (tmp_path / "r.json").write_text(stored)
    assert agx("show", "-", stdin=stored).stdout == agx(*words).stdout
    assert agx("show", str(tmp_path / "r.json"), "--json").stdout == stored


def test_show_writes_a_file(tmp_path):
    stored = agx("trace", "sin(x**2)", "--x", "2.", "--json").stdout
    result = agx("show", "-", "-o", str(tmp_path / "r.dot"), stdin=stored)
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / "r.dot").read_text().startswith("digraph")


@pytest.mark.parametrize(
    ("words", "stdin", "status", "code"),
    [
        (("show", "missing.json"), None, 3, "AGX206"),
        (("show", "-"), "not json", 2, "AGX213"),
        (("show", "-"), "{}", 2, "AGX213"),
        (("show", "-"), "", 2, "AGX213"),
        (("show",), None, 2, "AGX214"),
        (("show", "a.json", "b.json"), None, 2, "AGX215"),
        (("show", "-", "--x", "2"), "", 2, "AGX205"),
        (("devices", "cpu"), None, 2, "AGX215"),
        (("explain", "AGX999"), None, 2, "AGX216"),
        (("explain", "no", "such", "rhubarb"), None, 2, "AGX216"),
        (("trce", "x"), None, 2, "AGX205"),
        (("--x", "2", "x"), None, 2, "AGX205"),
    ],
)
def test_what_a_command_refuses(words, stdin, status, code):
    result = agx(*words, stdin=stdin)
    assert (result.exit_code, result.stdout) == (status, "")
    assert f"({code})" in result.stderr


def test_a_word_too_many_is_marked():
    assert agx("devices", "cpu").stderr.splitlines()[:4] == [
        "error extra-word (AGX215)",
        "   │ agx devices cpu",
        "   │             ^^^",
        "  `cpu` is a word, and `agx devices` takes none.",
    ]


def test_a_file_of_other_data_is_no_report(tmp_path):
    (tmp_path / "d.npy").write_bytes(b"\x93NUMPY\x01\x00")
    result = agx("show", str(tmp_path / "d.npy"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "(AGX213)" in result.stderr
    assert "d.npy` is no report of agx: it is no text." in result.stderr


def test_a_command_misspelt_gets_the_line_that_works():
    assert "write: agx trace x --x 2\n" in agx("trce", "x", "--x", "2").stderr


def test_a_source_in_the_place_of_a_command_gets_the_line_that_works():
    assert 'write: agx trace "sin(x**2)" --x 2\n' in agx("sin(x**2)", "--x", "2").stderr


def test_devices_lists_every_kind_with_the_reason():
    result = agx("devices")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["device", "name", "usable", "why", "not", "memory", "float64", "bfloat16"]
    assert {line.split()[0].partition(":")[0] for line in lines[1:-1]} == {"cpu", "cuda", "mps", "xpu"}
    assert sum(" yes *" in line for line in lines) == 1
    assert lines[-1].startswith("torch 2.")
    assert all(line == line.rstrip() for line in lines)


def test_devices_as_json():
    found = json.loads(agx("devices", "--json").stdout)
    assert [d["name"] for d in found["devices"]] == [d.name for d in devices.survey()]
    assert set(found["versions"]) == {"torch", "numpy", "python"}


def test_devices_quiet_names_what_auto_takes():
    assert agx("devices", "-q").stdout == f"{devices.choose('auto')}\n"


def test_gradcheck_passes_what_is_right():
    result = agx("gradcheck", "sin(x**2)", "--x", "2.")
    assert result.exit_code == 0, result.stderr


class Wrong(torch.autograd.Function):
    """sin, with a backward that is 0.05 % off."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * ctx.saved_tensors[0].cos() * 1.0005


def test_gradcheck_fails_what_is_wrong(monkeypatch):
    real = callees.callable_for

    def wrong(function, **method):
        return Wrong.apply if function.path == "torch.sin" else real(function, **method)

    monkeypatch.setattr(callees, "callable_for", wrong)
    result = agx("gradcheck", "sin(x)", "--x", "0.3", "--dtype", "float64")
    assert result.exit_code == 1, result.stderr
    assert "WRONG" in agx("gradcheck", "sin(x)", "--x", "0.3", "--dtype", "float64", "--json").stdout


@pytest.mark.parametrize("words", [("--x", "2"), ("--wrt", "x"), ("-o", "r.json"), ("-f", "dot")])
def test_the_suite_takes_nothing_that_needs_a_source(words):
    result = agx("gradcheck", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "(AGX214)" in result.stderr


def test_a_line_is_parsed_once(monkeypatch):
    parsed = []
    grammar = parse._grammar
    monkeypatch.setattr(parse, "_grammar", lambda text, tokens: parsed.append(text) or grammar(text, tokens))
    texts = ("sin(x)*y + 0.0625", "2.0625*3", "2*x+1.0625")  # texts are remembered: no other test asks these
    assert agx("trace", texts[0], "--x", texts[1], "--y", texts[2]).exit_code == 0
    assert [parsed.count(text) for text in texts] == [1, 1, 1]


def test_verbose_tells_what_was_read_and_how_long_it_took(tmp_path):
    (tmp_path / "x.json").write_text("[1.5, 2]")
    result = agx("trace", "-", "--x", f"@{tmp_path}/x.json", "--y", "2.", "-v", stdin="(x*y).sum()")
    lines = result.stderr.splitlines()
    assert lines[:3] == [
        "read SOURCE from standard input, 11 B",
        f"read x (2,) float32 from @{tmp_path}/x.json",
        "read y () float32 from the line",
    ]
    assert lines[3].startswith("agx ")
    assert re.fullmatch(r"modules \d+\.\d\d s · run \d+\.\d\d s", lines[4])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("x*y.detach()", "--x", "2.", "--y", "3."), "AGX453"),
        (("x@y", "--x", "ones(2,3)", "--y", "ones(2,3)"), "AGX301"),
    ],
)
def test_a_finding_has_its_line(words, code):
    source = f"(  # two lines\n{words[0]})"
    found = json.loads(agx("trace", source, *words[1:], "--json").stdout)["findings"]
    assert [finding["line"] for finding in found if finding["code"] == code] == [2]


def test_the_pipe_of_the_first_page():
    result = agx("trace", "-", "--x", "2", "--y", "3", "--json", stdin="x*y+sin(x)\n")
    values = [gradient["autograd"] for gradient in json.loads(result.stdout)["gradients"]]
    assert values == pytest.approx([2.583853, 2], abs=1e-6)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("agx tr", ["trace"]),
        ("agx trace --dev", ["--device"]),
        ("agx trace x --x 2 --max-m", ["--max-memory"]),
        ("agx show --for", ["--format"]),
    ],
)
def test_the_shell_completes_commands_and_options(line, offered):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    result = CliRunner().invoke(cli.app, [], env={"_AGX_COMPLETE": "complete_bash", **words})
    assert result.stdout.split() == offered


@pytest.mark.parametrize("witness", ["symbolic", "autograd", "numeric"])
def test_one_witness_alone_has_nothing_to_be_held_against(witness):
    result = agx("gradcheck", "sin(x)", "--x", "2.", "--witness", witness)
    assert result.exit_code == 2
    assert f"With `--witness {witness}` alone there is nothing to compare with.\n" in result.stderr
    assert result.stdout == ""
    assert agx("trace", "sin(x)", "--x", "2.", "--witness", witness).exit_code == 0


def test_colours_that_are_asked_for_come_through_a_pipe():
    assert "\x1b[" in agx("trace", "sin(x)", "--x", "2.", "--color", "always").stdout
    assert "\x1b[" not in agx("trace", "sin(x)", "--x", "2.").stdout


def test_a_verdict_that_is_allowed_says_so():
    result = agx("gradcheck", "floor(x)", "--x", "2.", "--allow", "JUMP")
    assert result.exit_code == 0
    assert "next     nothing: --allow JUMP counts it as right\n" in result.stdout
    result = agx("gradcheck", "y = floor(x); y.backward()", "--x", "2.", "--allow", "WRONG")
    assert result.exit_code == 1
    assert "agx gradcheck … --allow JUMP   if the jump is meant\n" in result.stdout
