"""The tensors of failing frames: which, in what order, with what facts, and without the script's own code."""

import sys

import pytest
import torch

from autograd_cli.diagnose.scripts import ended, inside
from autograd_cli.report.diagnosis import Seen

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
        self.scale = nn.Parameter(torch.tensor(float("nan")))
        self.register_buffer("mean", torch.zeros(2))
        self.kept = [torch.ones(1), "no"]

    def forward(self, batch, pair):
        h = batch["x"] * self.scale
        return self.body(h @ pair[0])

net = Net()
x = torch.ones(6, 3, requires_grad=True)
net({"x": x.exp(), "n": torch.tensor([1])}, (x, x + float("inf"))).sum().backward()
"""


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """The tensors of the script's error, by their names."""
    monkeypatch.chdir(tmp_path)

    def made(text):
        (tmp_path / "fit.py").write_text(text)
        (found,) = inside.run("fit.py").findings
        return found.tensors

    return made


def test_what_the_statement_names_comes_first(seen):
    tensors = seen(NET)
    assert [one.name for one in tensors if one.frame.function == "forward"] == [
        "h",
        "pair[0]",
        "self.body[0].weight",
        "self.body[0].bias",
        "self.scale",
        "self.mean",
        "self.kept[0]",
        "batch['x']",
        "batch['n']",
        "pair[1]",
    ]
    assert [one.name for one in tensors if one.frame.function == "<module>"] == []


def test_each_has_its_facts(seen):
    found = {one.name: one for one in seen(NET)}
    frame = found["h"].frame
    assert (frame.line, frame.text) == (14, "return self.body(h @ pair[0])")
    facts = {"dtype": "float32", "device": "cpu", "requires_grad": True, "nan": 0, "inf": 0, "frame": frame}
    made = Seen("h", shape=(6, 3), leaf=False, grad_fn="MulBackward0", **{**facts, "nan": 18})
    assert found["h"] == made
    assert found["pair[0]"] == Seen("pair[0]", shape=(6, 3), leaf=True, **facts)
    assert (found["pair[1]"].inf, found["self.scale"].nan, found["self.scale"].shape) == (18, 1, ())
    assert found["batch['n']"].dtype == "int64"
    assert (found["batch['n']"].nan, found["batch['n']"].requires_grad) == (None, False)
    assert (found["batch['n']"].low, found["batch['n']"].high, found["h"].low) == (1, 1, None)


HOSTILE = """\
import torch

class Any:
    def __getattr__(self, name): print("ran", name); raise SystemError
    def __getattribute__(self, name): print("ran", name); raise SystemError
    def __repr__(self): print("ran repr"); raise SystemError
    __str__ = __iter__ = __len__ = __bool__ = __hash__ = __eq__ = __getitem__ = keys = items = __repr__

class Meta(type):
    def __getattribute__(self, name): print("ran", name); raise SystemError
    def __eq__(self, other): print("ran eq"); raise SystemError
    __hash__ = type.__hash__

class Class(metaclass=Meta):
    pass

class Lying:
    __class__ = property(lambda self: print("ran class"))
    __dict__ = property(lambda self: print("ran dict"))

class Dict(dict):
    items = __iter__ = __getitem__ = __len__ = lambda *a: print("ran", a)

class List(list):
    __iter__ = __getitem__ = __len__ = lambda *a: print("ran list")

class Slots:
    __slots__ = ("t",)

class Tensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *a, **k):
        print("ran torch", a[0]); raise SystemError

def f():
    any_, lying, class_, slots = Any(), Lying(), Class(), Slots()
    d, l = Dict(a=torch.zeros(2)), List([torch.zeros(3), Any(), Lying(), Class()])
    l.append(l)
    special = torch.zeros(4).as_subclass(Tensor)
    deep = [[[[[torch.zeros(5)]]]]]
    many = [torch.zeros(6)] * 100
    lazy = torch.nn.LazyLinear(3)
    meta, sparse = torch.zeros(10**6, 10**6, device="meta"), torch.eye(3).to_sparse()
    wide = torch.zeros(1).expand(10**9)
    gone = torch.zeros(8)
    gone.untyped_storage().resize_(0)
    view = torch.zeros(3, requires_grad=True).clone()
    parts = view.unbind()
    half = torch.tensor([float("nan"), 1j])
    nothing = torch.zeros(0)
    torch.zeros(2, 3) @ torch.zeros(2, 3)

f()
"""


def test_no_code_of_the_script_is_run_and_nothing_is_unbounded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fit.py").write_text(HOSTILE)
    outcome = inside.run("fit.py")
    assert "ran" not in outcome.out
    (found,) = outcome.findings
    named = {one.name: one for one in found.tensors}
    assert {"d['a']", "l[0]", "special", "meta", "sparse", "wide", "gone", "half", "nothing"} <= set(named)
    assert not [name for name in named if name.startswith(("deep", "many"))]
    assert (named["meta"].shape, named["meta"].device, named["meta"].nan) == ((10**6, 10**6), "meta", None)
    assert [named[name].nan for name in ("wide", "gone", "sparse", "special")] == [None] * 4
    assert (named["half"].nan, named["nothing"].nan, named["gone"].shape) == (1, 0, (8,))


def test_fields_go_by_their_names(seen):
    text = """\
import torch
from collections import namedtuple
Pair = namedtuple("Pair", "left right")
def step(pair):
    return pair.left @ pair.right
step(Pair(torch.zeros(2, 3), torch.zeros(2, 3)))
"""
    assert [one.name for one in seen(text)] == ["pair.left", "pair.right"]


def test_many_tensors_are_cut(seen):
    names = "".join(f"t{number} = torch.zeros({number})\n" for number in range(100))
    tensors = seen(f"import torch\n{names}t3 @ t4\n")
    assert [one.name for one in tensors[:3]] == ["t3", "t4", "t0"]
    assert len(tensors) == 16


def test_a_large_tensor_is_counted_in_pieces():
    large = torch.zeros(40_000_000)
    large[[3, -1]] = float("nan")
    try:
        raise RuntimeError("mat1 and mat2")
    except RuntimeError as error:
        (one,) = ended.errors(error, error.__traceback__)
    found = {seen.name: seen for seen in one.tensors}
    assert (found["large"].shape, found["large"].nan, found["large"].inf) == ((40_000_000,), 2, 0)


def test_without_torch_there_are_none(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    value = torch.zeros(2)
    try:
        raise RuntimeError("mat1 and mat2")
    except RuntimeError as error:
        (one,) = ended.errors(error, error.__traceback__)
    assert (one.tensors, value.shape) == ((), (2,))
