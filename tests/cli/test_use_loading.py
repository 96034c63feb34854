"""How the file of a person's own callables is loaded, and what goes wrong there."""

import json
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "import torch\n\n1/0\n",
            "raises ZeroDivisionError while it is loaded at bad.py:3: division by zero",
        ),
        ("\nraise KeyboardInterrupt\n", "raises KeyboardInterrupt while it is loaded at bad.py:2"),
        ("import sys\nsys.exit(4)\n", "ends Python (sys.exit, 4) while it is loaded at bad.py:2"),
        ("def f(x):\n    return x +\n", "raises SyntaxError while it is loaded at bad.py:2"),
        ("import no_such_thing\n", "raises ModuleNotFoundError while it is loaded at bad.py:1"),
        ("from .none import f\n", "while it is loaded at bad.py:1"),
    ],
)
def test_a_file_that_fails_is_told_at_its_line(agx, text, words):
    status, out, err = agx("trace", "f(x)", "--use", "f=bad.py:f", "--x", "2.", bad=text)
    assert (status, out) == (1, "")
    assert "AGX611" in err
    assert words in err


def test_modules_beside_it_are_found_and_packages_around_it(agx, tmp_path):
    (tmp_path / "beside_it.py").write_text("def k(x): return x*3")
    (tmp_path / "pack" / "inner").mkdir(parents=True)
    (tmp_path / "pack" / "__init__.py").write_text("def two(x): return x*2")
    (tmp_path / "pack" / "inner" / "__init__.py").write_text("")
    (tmp_path / "pack" / "inner" / "deep.py").write_text("from .. import two\ndef f(x): return two(x)*5")
    for use, value in (("main.py:f", 6), ("relative.py:f", 6), ("pack/inner/deep.py:f", 20), ("pack:two", 4)):
        made = agx(
            "trace", "f(x)", "--use", f"f={use}", "--x", "2.", "--json",
            main="import beside_it\nf = beside_it.k", relative="from .beside_it import k as f",
        )  # fmt: skip
        assert json.loads(made[1])["output"]["value"] == value


def test_it_is_loaded_as_a_module_and_torch_is_as_it_was(agx):
    text = (
        "import sys, torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\n"
        "assert __name__ != '__main__' and len(sys.argv) == 1\ndef f(x): return x*torch.ones(1)"
    )
    made = json.loads(agx("trace", "f(x)", "--use", "f=sets.py:f", "--x", "2.", "--json", sets=text)[1])
    assert (made["dtype"], made["gradients"][0]["autograd"]) == ("float32", 1)


def test_a_file_that_does_not_end_reaches_the_limit(tmp_path):
    (tmp_path / "endless.py").write_text("while True: pass")
    script = [sys.executable, "-m", "autograd_cli", "trace", "f(x)", "--use", "f=endless.py:f", "--x", "2."]
    made = subprocess.run(
        [*script, "--timeout", "1"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (made.returncode, "AGX603" in made.stderr) == (4, True)


def test_nothing_is_loaded_before_the_line_is_understood(agx):
    status, _, err = agx("trace", "f(x", "--use", "f=ops.py:double", "--x", "2.")
    assert status == 2
    assert "loaded" not in err
