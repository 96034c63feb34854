"""`--use`: a person's own callables on the line, in sources, in batches, and what is wrong with them."""

import json
import subprocess
import sys

import pytest

from tests.cli.brought import OPS, report


def test_the_wrong_swish_is_told_as_a_person_reads_it(agx):
    status, out, _ = agx(
        "gradcheck", "swish(x, beta).sum()", "--use", "swish=ops.py:Swish.apply",
        "--x", "randn(3,4)", "--beta", "1.7",
    )  # fmt: skip
    line = OPS[: OPS.index("return g * (s")].count("\n") + 1
    told = [" ".join(each.split()) for each in out.splitlines()]
    assert status == 1
    for expected in (
        "d/dx WRONG 12 of 12 elements",
        "d/dbeta OK 1 element",
        f"where ops.py:{line}, Swish.backward, its 1st return value",
        "pattern not a sign, a constant factor, a transpose or a missing sum",
        "the error is 0 when beta = 1 (tried -1, 0, 1, 2): a factor beta is lost",
    ):
        assert expected in told
    worst = next(each for each in told if each.startswith("worst x["))
    assert worst.startswith("worst x[1,1] = -1.398595 backward -0.023758999 numeric -0.099817418 ±")
    assert any(each.startswith("also saves `s`, neither input nor output: second order") for each in told)
    assert sum(each.startswith("next ") for each in told) == 1
    assert any("next" in each and f"mend ops.py:{line} and run this again" in each for each in told)


@pytest.mark.parametrize(
    ("attribute", "source", "x", "gradient"),
    [
        ("double", "f(x).sum()", "[1., 2.]", [2, 2]),
        ("square", "f(x)", "3.", 6),
        ("cube", "f(x)", "2.", 12),
        ("several", "f(x)[1][0]", "2.", 3),
        ("torch.sin", "f(x)*0 + f(x)*2", "0.", 2),
    ],
)
def test_any_function_is_called_and_its_gradients_agree(agx, attribute, source, x, gradient):
    made = report(agx, "gradcheck", source, "--use", f"f=ops.py:{attribute}", "--x", x)
    assert made["status"] == 0
    assert made["gradients"][0]["autograd"] == gradient
    assert made["gradients"][0]["verdict"] == "OK"


@pytest.mark.parametrize("attribute", ["Net", "net"])
def test_a_module_is_called_and_the_numeric_witness_takes_its_copy_in_float64(agx, attribute):
    made = report(agx, "gradcheck", "f(x).sum()", "--use", f"f=ops.py:{attribute}", "--x", "randn(4,3)")
    assert [gradient["verdict"] for gradient in made["gradients"]] == ["OK"]
    assert made["targets"][0]["kind"] == "module"


def test_a_module_made_by_agx_repeats_with_the_seed(agx):
    words = ("trace", "f(x).sum()", "--use", "f=ops.py:Net", "--x", "ones(1,3)")
    script = [sys.executable, "-m", "autograd_cli", *words, "--json"]
    runs = [subprocess.run(script, capture_output=True, check=True).stdout for _ in range(2)]
    assert runs[0] == runs[1]


def test_what_stands_still_inside_counts_as_a_constant(agx):
    made = report(agx, "gradcheck", "f(x).sum()", "--use", "f=ops.py:stopped", "--x", "randn(5)")
    found = made["gradients"][0]
    assert (made["status"], found["verdict"]) == (0, "OK")
    first, second = (
        OPS[: OPS.index(text)].count("\n") + 1 for text in ("size = x.norm()", "return x * x.det")
    )
    assert "stop-gradient" in found["notes"]
    assert [(cut["text"], cut["place"], cut["line"]) for cut in found["grounds"]["cuts"]] == [
        ("size = x.norm()", f"ops.py:{first}", 1),
        ("return x * x.detach() * size * float(x.max()) * (x > 0)", f"ops.py:{second}", 1),
    ]


@pytest.mark.parametrize(
    ("name", "source", "ending"),
    [
        ("f", "sin(x)", "is not used in `sin(x)`."),
        ("sinn", "sin(x)", "is not used in `sin(x)`: was `sin` meant to be `sinn`?"),
        ("f", "y = x*2", "is not used in `y = x*2`."),
    ],
)
@pytest.mark.parametrize("command", ["trace", "gradcheck"])
def test_a_callable_that_the_source_does_not_use_is_a_warning(agx, command, name, source, ending):
    words = (command, source, "--use", f"{name}=ops.py:double", "--x", "2.")
    (found,) = report(agx, *words)["findings"]
    assert (found["code"], found["severity"]) == ("AGX204", "warning")
    assert found["sentence"] == f"`{name}`, which --use brings, {ending}"
    assert [agx(*words, *more)[0] for more in ((), ("--strict",))] == [0, 1]


def test_one_that_is_used_inside_of_a_function_is_used(agx):
    source = "def g(x):\n    return f(x)\ny = g(x)"
    assert report(agx, "trace", source, "--use", "f=ops.py:double", "--x", "2.")["findings"] == []


@pytest.mark.parametrize("called", ["swsh", "ff"])
def test_a_name_like_one_that_was_brought_is_told(agx, called):
    name = "swish" if called == "swsh" else "fg"
    status, _, err = agx("trace", f"{called}(x)", "--use", f"{name}=ops.py:double", "--x", "2.")
    assert status == 2
    assert f"`{called}` is no function of the language." in err
    assert f"Did you mean `{name}`, which `--use` brings?" in err
    assert f"write: {name}(x)" in err


def test_there_is_no_formula_and_the_rest_of_the_chain_has_its_local_factor(agx):
    made = report(agx, "trace", "sin(f(x))", "--use", "f=ops.py:square", "--x", "2.")
    assert made["gradients"][0]["no_formula"] == (
        "f is a function of your own, and a formula is not known of it"
    )
    assert made["graph"]["nodes"][0]["local"]["formula"] == "cos(f(x))"


def test_a_formula_beside_it_calls_it(agx):
    made = report(agx, "trace", "f(x).sum()*y", "--use", "f=ops.py:net", "--x", "ones(1,3)", "--y", "2.")
    by_y = made["gradients"][1]
    assert by_y["formula"] == "f(x).sum()"
    assert by_y["symbolic"] == pytest.approx(by_y["autograd"])


def test_nodes_made_inside_have_their_file_and_line(agx):
    made = report(agx, "trace", "f(x)", "--use", "f=ops.py:double", "--x", "2.")
    lines = OPS.splitlines()
    places = {node["op"]: node["place"] for node in made["graph"]["nodes"]}
    assert places["AddBackward0"] == f"ops.py:{lines.index('    return y + 0') + 1}"
    assert places["MulBackward0"] == f"ops.py:{lines.index('    y = x * 2') + 1}"
    assert places["AccumulateGrad"] == ""


def test_what_it_prints_and_warns_of_goes_to_stderr_once(agx):
    status, out, err = agx("gradcheck", "f(x)", "--use", "f=ops.py:double", "--x", "2.", "--json")
    json.loads(out)
    assert status == 0
    assert (err.count("loaded"), err.count("called")) == (1, 1)
    assert "UserWarning: theirs" in err


def test_it_is_called_in_programs_and_in_their_functions(agx):
    source = "def g(a):\n    return f(a) + 1\ny = g(x) * 2\ny.backward()"
    made = report(agx, "trace", source, "--use", "f=ops.py:square", "--x", "3.")
    assert made["backwards"][0]["gradients"][0]["autograd"] == 12
    assert made["status"] == 0


def test_it_is_called_in_the_lines_of_a_batch_and_loaded_once(agx, tmp_path):
    (tmp_path / "lines.txt").write_text("f(x)\nf(x)*2\nf(x, 1)\n")
    status, out, err = agx("trace", "--lines", "lines.txt", "--use", "f=ops.py:square", "--x", "3.", "--json")
    made = [json.loads(line) for line in out.splitlines()]
    assert [one["status"] for one in made] == [0, 0, 1]
    assert [one["gradients"][0]["autograd"] for one in made[:2]] == [6, 12]
    assert made[2]["findings"][0]["code"] == "AGX325"
    assert (status, err.count("loaded")) == (1, 1)


def test_the_script_of_a_run_loads_it_too(agx, tmp_path):
    words = ("trace", "f(x).sum()", "--use", "f=ops.py:Net", "--x", "randn(2,3)")
    value = report(agx, *words)["output"]["value"]
    _, script, _ = agx(*words, "-f", "python")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert f"tensor({value:.8f}"[:14] in run.stdout


@pytest.mark.parametrize(
    ("use", "code", "status", "words"),
    [
        ("class=ops.py:double", "AGX210", 2, "it is a word of Python"),
        ("__f=ops.py:double", "AGX210", 2, "two underscores"),
        ("sin=ops.py:double", "AGX208", 2, "--use my_sin=ops.py:double"),
        ("pi=ops.py:double", "AGX208", 2, "would hide `pi`"),
        ("x=ops.py:double", "AGX203", 2, "bound by `--x` too"),
        ("ops.py:double", "AGX208", 2, "write NAME=ops.py:double"),
        ("f=ops.py", "AGX208", 2, "no NAME=file.py:attribute"),
        ("f=ops.py:a-b", "AGX208", 2, "no NAME=file.py:attribute"),
        ("f=none.py:double", "AGX206", 3, "`none.py` cannot be read"),
        ("f=.:double", "AGX206", 3, "a folder and no package"),
        ("f=ops.py:doubel", "AGX610", 3, "Did you mean `double`?"),
        ("f=ops.py:Net.layr", "AGX610", 3, "`Net` has no `layr`"),
        ("f=ops.py:Swish", "AGX218", 2, "--use f=ops.py:Swish.apply"),
        ("f=ops.py:Sized", "AGX218", 2, "instances take arguments"),
        ("f=ops.py:number", "AGX218", 2, "of type int"),
        ("f=ops.py:later", "AGX218", 2, "async function"),
    ],
)
def test_what_cannot_be_used_is_refused(agx, use, code, status, words):
    found, out, err = agx("trace", "f(x)", "--use", use, "--x", "2.")
    assert (found, out) == (status, "")
    assert code in err
    assert words in err


def test_a_name_has_one_meaning(agx):
    for words in (["f(x)", "--use", "f=ops.py:square"], ["f = x*2; f"], ["def f(a): return a\nf(x)"]):
        status, _, err = agx("trace", *words, "--use", "f=ops.py:double", "--x", "2.")
        assert status == 2
        assert "AGX203" in err


def test_a_callable_is_no_value(agx):
    for source in ("f + x", "y = f; y(x)"):
        status, _, err = agx("trace", source, "--use", "f=ops.py:square", "--x", "2.")
        assert (status, "AGX109" in err) == (2, True)


@pytest.mark.parametrize(
    ("attribute", "words"),
    [
        ("fails", "f raises ValueError at ops.py:{}: not today"),
        ("leaves", "f raises RuntimeError at ops.py:{}: it ends Python (sys.exit, 3)"),
        ("table", "f gives a dict; a source has tensors, numbers, and lists and tuples of them"),
    ],
)
def test_what_it_raises_is_theirs_with_its_line(agx, attribute, words):
    status, out, _ = agx("trace", "f(x)", "--use", f"f=ops.py:{attribute}", "--x", "2.")
    place = {"fails": "raise ValueError", "leaves": "sys.exit(3)"}.get(attribute, "return {")
    line = OPS[: OPS.index(place)].count("\n") + 1
    assert status == 1
    assert words.format(line) in " ".join(out.split())
    assert "AGX325" in out
    assert "torch says" not in out


@pytest.mark.parametrize(
    ("attribute", "raising", "words"),
    [
        ("Leaves.apply", "raise SystemExit(7)", "it ends Python (sys.exit, 7)"),
        ("Interrupts.apply", "raise KeyboardInterrupt\n\n\ndef", "it raises KeyboardInterrupt"),
        ("interrupts", "raise KeyboardInterrupt\n\n\ndef is_pressed", "it raises KeyboardInterrupt"),
    ],
)
def test_what_ends_python_in_their_code_is_theirs_with_its_line(console, attribute, raising, words):
    ended = console("gradcheck", "f(x)", "--use", f"f=ops.py:{attribute}", "--x", "2.")
    line = OPS[: OPS.index(raising)].count("\n") + 1
    assert (ended.returncode, "AGX325" in ended.stdout) == (1, True)
    assert f"at ops.py:{line}: {words}" in " ".join(ended.stdout.split())


def test_an_interrupt_from_outside_stays_one(console):
    ended = console("trace", "f(x)", "--use", "f=ops.py:is_pressed", "--x", "2.")
    assert (ended.returncode, ended.stdout) == (130, "")


def test_an_int_that_was_made_floating_is_told(agx):
    status, out, _ = agx("trace", "f(x, n)", "--use", "f=ops.py:counts", "--x", "2.", "--n", "3")
    assert (status, "`--const n` keeps the int" in out) == (1, True)
    made = report(
        agx, "trace", "f(x, n)", "--use", "f=ops.py:counts", "--x", "2.", "--n", "3", "--const", "n"
    )
    assert (made["status"], made["output"]["value"]) == (0, 6)
