"""The tensors of failing frames as text."""

import json
from dataclasses import replace

from autograd_cli.report import Finding, Severity
from autograd_cli.report.diagnosis import Diagnosis, Frame, Placed, Seen, to_json
from autograd_cli.views import diagnosis as view

INNER = Frame("/home/me/fit.py", 8, "forward", "return self.fc(x)")
OUTER = Frame("/home/me/fit.py", 12, "<module>", "net(x)")
X = Seen("x", INNER, (5, 7), "float32", "cpu", False, True, None, 0, 0)
WEIGHT = Seen("self.fc.weight", INNER, (4, 3), "float32", "cuda:0", True, True, None, 1200, 3)
HIDDEN = Seen("h", OUTER, (), "bfloat16", "cpu", True, False, "ReluBackward0")


def rendered(tensors, form="plain", width=80):
    finding = Finding("AGX326", "linear-in-features-mismatch", Severity.ERROR, "Sizes differ.", line=8)
    found = Diagnosis("fit.py", None, (Placed(finding, INNER, tensors=tuple(tensors)),), 1)
    return view.render(found, form, width=width, colour=False)


def test_the_whole_text():
    assert (
        rendered([X, WEIGHT, HIDDEN])
        == """\
error linear-in-features-mismatch (AGX326)
  /home/me/fit.py:8 in forward   return self.fc(x)
  Sizes differ.
  tensors at fit.py:8 in forward
    x               (5,7)  float32  cpu     no grad
    self.fc.weight  (4,3)  float32  cuda:0  leaf, requires grad  1,200 NaN and 3 inf
  called from fit.py:12
    h  ()  bfloat16  cpu  ReluBackward0
  agx explain AGX326
"""
    )


def test_whole_numbers_are_told_from_where_to_where_they_go():
    labels = Seen("y", INNER, (9,), "int64", "cpu", False, True, low=-1, high=12)
    assert "    y  (9,)  int64  cpu  no grad  -1 … 12\n" in rendered([labels])


def test_many_are_cut_and_long_names_are_whole():
    many = [replace(X, name=f"x{number}") for number in range(11)]
    text = rendered([*many, replace(HIDDEN, name="model.encoder.layers[10].self_attn.in_proj_weight")])
    assert "    x7 " in text
    assert "    x8 " not in text
    assert "    and 3 more\n" in text
    assert "    model.encoder.layers[10].self_attn.in_proj_weight  ()  bfloat16  cpu  ReluBackward0\n" in text


def test_a_narrow_terminal_loses_nothing():
    text = rendered([WEIGHT], "rich", 40)
    assert max(map(len, text.splitlines()[3:])) <= 40
    assert text.split() == rendered([WEIGHT], "rich", 200).split()


def test_what_acts_on_a_terminal_is_shown():
    frame = replace(INNER, file="/a/\x1b]0;x\x07.py", function="f\u202e", text="x = '\x1b[31m'\r")
    seen = replace(X, name="d['\x1b[2J']", frame=frame, grad_fn="\x9bEvil", device="[/red]")
    for form in ("plain", "rich"):
        text = rendered([seen], form, 200)
        assert "\x1b" not in text
        assert "\x9b" not in text
        assert r"d['\x1b[2J']  (5,7)  float32  [/red]  \x9bEvil" in text
        assert r"tensors at \x1b]0;x\x07.py:8 in f\u202e" in text


def test_json_has_all_of_them():
    finding = Finding("AGX326", "linear-in-features-mismatch", Severity.ERROR, "Sizes differ.", line=8)
    data = json.loads(to_json(Diagnosis("fit.py", None, (Placed(finding, INNER, tensors=(X, HIDDEN)),), 1)))
    assert data["lines"] is None
    assert data["findings"][0]["tensors"][1] == {
        "name": "h",
        "frame": {"file": "/home/me/fit.py", "line": 12, "function": "<module>", "text": "net(x)"},
        "shape": [],
        "dtype": "bfloat16",
        "device": "cpu",
        "requires_grad": True,
        "leaf": False,
        "grad_fn": "ReluBackward0",
        "nan": None,
        "inf": None,
        "low": None,
        "high": None,
    }
