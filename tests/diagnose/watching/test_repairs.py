"""What is written in the place of a change: each repair is put into the script, and does what it says."""

import re

import pytest

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
GIVEN = (
    "torch.manual_seed(0)\nx = torch.randn(3, 4, requires_grad=True)\nw = torch.rand(4, requires_grad=True)\n"
)
START = HEAD + GIVEN
FIRST = START.count("\n") + 1
END = "\nprint(loss.item())\nloss.backward()\n"

CODE = {
    "augmented": ("h = x.exp()\nh *= w + 1\nloss = h.sum()", "h = h * (w + 1)"),
    "a condition": ("h = x.exp()\nh -= 1 if True else 2\nloss = h.sum()", "h = h - (1 if True else 2)"),
    "a method": ("h = x.exp()\nh.clamp_(max=2)\nloss = h.sum()", "h = h.clamp(max=2)"),
    "methods": (
        "h = x.exp()\nh.mul_(0.9).add_(x, alpha=0.1)\nloss = h.sum()",
        "h = h.mul(0.9).add(x, alpha=0.1)",
    ),
    "without a twin": (
        "h = x.exp()\ns = h.sin().sum()\nh.zero_()\nloss = s + h.sum()",
        "h = h.clone()  before it",
    ),
    "of another dtype": (
        "h = x.exp()\ns = h.sin().sum()\nh.gt_(1)\nloss = s + h.sum()",
        "h = h.clone()  before it",
    ),
    "copied": ("h = x.exp()\ns = h.sin().sum()\nh.copy_(w)\nloss = s + h.sum()", "h = h.clone()  before it"),
    "an item": ("h = x.exp()\nh[:, 0] = 0\nloss = h.sum()", "h = h.clone()  before it"),
    "an item, augmented": ("h = x.exp()\nh[0] -= 1\nloss = h.sum()", "h = h.clone()  before it"),
    "an item's method": ("h = x.exp()\nh[0].mul_(2)\nloss = h.sum()", "h = h.clone()  before it"),
    "detached": ("h = x.exp()\nh.detach().clamp_(max=1)\nloss = h.sum()", "h = h.clone()  before it"),
    "a value that goes on": (
        "h = x.exp()\ny = h.mul_(2)\nloss = y.sum() + h.sum()",
        "h = h.clone()  before it",
    ),
    "a function of torch": ("h = x.exp()\ntorch.relu_(h)\nloss = h.sum()", "h = torch.relu(h)"),
    "a function that says so": (
        "h = x.exp()\nF.elu(h - 1, inplace=False)\nF.hardtanh(h, inplace=True)\nloss = h.sum()",
        "h = F.hardtanh(h, inplace=False)",
    ),
    "a function's value": (
        "h = x.sigmoid()\nh = F.silu(h, inplace=True)\nloss = h.sum()",
        "h = F.silu(h, inplace=False)",
    ),
    "a value by another name": (
        "h = x.sigmoid()\ny = F.silu(h, inplace=True)\nloss = y.sum() + h.sum()",
        "h = h.clone()  before it",
    ),
    "a module": (
        "h = x.sigmoid()\nnn.SiLU(inplace=True)(h)\nloss = h.sum()",
        "h = nn.SiLU(inplace=False)(h)",
    ),
    "out": (
        "h = torch.ones(3, 4)\ns = (x * h).sum()\ntorch.mul(torch.ones(3, 4), 3, out=h)\nloss = s + h.sum()",
        "h = torch.mul(torch.ones(3, 4), 3)",
    ),
    "an element of a list": (
        "hs = [x.exp(), x.sin()]\nhs[0] += 1\nloss = hs[0].sum()",
        "hs[0] = hs[0] + 1",
    ),
    "an element that was appended": (
        "hs = []\nhs.append(x.exp())\nhs[-1].mul_(2)\nloss = hs[0].sum()",
        "hs[-1] = hs[-1].mul(2)",
    ),
    "an element's items": (
        "hs = [x.exp()]\nhs[0][:, 1] = 0\nloss = hs[0].sum()",
        "hs[0] = hs[0].clone()  before it",
    ),
    "a value of a dictionary": (
        'd = dict(a=x.exp())\nd["a"].add_(1)\nloss = d["a"].sum()',
        "d['a'] = d['a'].add(1)",
    ),
    "the values of a dictionary": (
        "d = {'a': x.exp()}\nfor k, v in d.items():\n    v.sub_(1)\nloss = d['a'].sum()",
        "d[k] = v.sub(1)",
    ),
    "an attribute": (
        "class A:\n    pass\na = A()\na.h = x.exp()\na.h += 1\nloss = a.h.sum()",
        "a.h = a.h + 1",
    ),
    "a buffer": (
        (
            "net = nn.RNNCell(4, 4)\nnet.register_buffer('m', torch.zeros(3, 4))\nh = net(x, net.m)\n"
            "with torch.no_grad():\n    net.m.copy_(h)\nloss = h.sum() + net.m.sum()"
        ),
        "net.m = net.m.clone()  before it",
    ),
    "a handed value": (
        "def f(h):\n    h += 1\n    return h * 2\nloss = f(x.exp()).sum()",
        "h = h + 1, where nothing else is to see the change",
    ),
}


def mended(script, text):
    """The script with a repair in it: a statement in the place of another, or before it."""
    number, code = re.fullmatch(r"script\.py:(\d+)  (.+)", text.partition(", where nothing")[0]).groups()
    lines = script.splitlines()
    at = int(number) - 1
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    before = code.endswith("  before it")
    lines[at : at + (not before)] = [indent + code.removesuffix("  before it")]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("case", CODE)
def test_a_repair_that_is_code_cures_and_keeps_what_the_program_computes(found, ended, case):
    text, repair = CODE[case]
    script = START + text + END
    (one,) = found(script)
    assert (one.code, len(one.fix)) == ("AGX409", 1)
    assert re.sub(r"^script\.py:\d+  ", "", one.fix[0].text) == repair
    again = ended(mended(script, one.fix[0].text))
    assert again.error is None
    assert not again.findings
    assert again.printed == ended(script).printed


OF_ITSELF = {
    "rows of rounds": "h = x * 1\nfor t in range(1, 3):\n    h[t] = x[t] * h[t - 1]\nloss = h.sum()",
    "one row": "h = x * 1\nh[0] = h[1] * w\nloss = h.sum()",
    "augmented": "h = x * 1\nh[:, 0] -= h[:, 1].sin()\nloss = h.sum()",
}


@pytest.mark.parametrize("case", OF_ITSELF)
def test_a_statement_that_keeps_what_it_writes_into_computes_with_a_copy(found, ended, case):
    script = START + OF_ITSELF[case] + END
    (one,) = found(script)
    again = ended(mended(script, one.fix[0].text))
    assert (again.error, again.findings) == (None, ())
    assert again.printed == ended(script).printed
    assert ".clone()[" in one.fix[0].text
    assert one.fix[1].text.endswith("by torch.stack or torch.cat, in place of `h`")


def test_tensors_that_one_place_changes_are_counted(found):
    (one,) = found(
        START + "h = x.exp()\ng = x.sigmoid()\ndef bump(ts):\n    for t in ts:\n        t.add_(1)\n"
        "loss = (h * g).sum()\nbump([h, g])" + END
    )
    assert " and 1 other tensor were changed in place through `t`, and" in one.sentence


def test_two_tensors_are_told_each_with_its_own_change_and_repair(found, ended):
    script = START + (
        "h = x.exp()\nz = h.sigmoid()\nnn.ReLU(inplace=True)(z)\ns = h.sin().sum()\nh += 1\n"
        "loss = z.sum() + h.sum() + s" + END
    )
    (one,) = found(script)
    assert one.line == FIRST + 2
    assert one.sentence.startswith(f"`z` (3,4), the result of script.py:{FIRST + 1},")
    assert f"script.py:{FIRST + 4}: `h` (3,4), the result of script.py:{FIRST}," in one.sentence
    rows = [line.split()[0] for line in one.cause]
    assert rows == ["changed", "needed", "changed", "needed", "needed"]
    for fix in one.fix:
        script = mended(script, fix.text)
    again = ended(script)
    assert (again.error, again.findings) == (None, ())


def test_a_second_name_that_writes_on_is_mended_too(found):
    (one,) = found(START + "h = x.exp()\ng = h\nh += 1\ng.mul_(2)\nloss = h.sum()" + END)
    assert [fix.text.partition("  ")[2] for fix in one.fix] == [
        "h = h + 1",
        "g = g.mul(2), where nothing else is to see the change",
    ]


LEAVES = {
    "initialised": "nn.init.zeros_(net.weight)",
    "clamped": "for p in net.parameters():\n    with torch.no_grad():\n        p.clamp_(-0.1, 0.1)",
    "averaged": "with torch.no_grad():\n    for p in net.parameters():\n        p.mul_(0.9).add_(1)",
    "loaded": "net.load_state_dict({k: v * 2 for k, v in net.state_dict().items()})",
    "each": "with torch.no_grad():\n    torch._foreach_mul_(list(net.parameters()), 0.5)",
}


@pytest.mark.parametrize("how", LEAVES)
def test_a_parameter_is_changed_after_the_backward(found, how):
    script = START + f"net = nn.Linear(4, 2)\nloss = net(x).pow(2).sum()\n{LEAVES[how]}" + END
    (one,) = found(script)
    assert re.match(
        r"The parameter `(net\.)?weight` was changed in place(,| through `(p|list))", one.sentence
    )
    changed = one.line
    assert [fix.text for fix in one.fix] == [
        f"make the change of script.py:{changed} after the backward of script.py:{script.count(chr(10))}"
    ]
    assert len([line for line in one.cause if line.startswith("changed")]) == 1


UNSURE = {
    "a tuple": ("hs = (x.exp(), x.sin())\nhs[0].mul_(2)\nloss = hs[0].sum()", "`hs[0]`"),
    "a loop over a list": ("hs = [x.exp()]\nfor h in hs:\n    h += 1\nloss = hs[0].sum()", "`hs`"),
    "nothing given back": ("h = x.exp()\ndef f(h):\n    h += 1\nf(h)\nloss = h.sum()", "`h`"),
    "changed again and given back to nobody": (
        "h = x.exp()\ndef f(h):\n    h -= 1\n    h.mul_(2)\nf(h)\nloss = h.sum()",
        "`h`",
    ),
    "a call's result": ("h = x.exp()\ndef f():\n    return h\nf().mul_(2)\nloss = h.sum()", "`f()`"),
    "an unknown row": ("h = x.exp()\nhs = [h[0], h[1]]\nhs[0].mul_(2)\nloss = h.sum()", "`hs[0]`"),
    "a list": ("hs = [x.exp()]\ntorch._foreach_mul_(hs, 2)\nloss = hs[0].sum()", "`hs`"),
}


@pytest.mark.parametrize("case", UNSURE)
def test_where_the_text_does_not_tell_what_holds_the_tensor_no_code_is_offered(found, case):
    text, name = UNSURE[case]
    (one,) = found(START + text + END)
    (fix,) = one.fix
    assert re.match(r"script\.py:\d+  make a new tensor", fix.text)
    assert name in fix.text
    assert ".clone()" not in fix.text


NAMES = {
    "torch.relu_(h)": "`h` (3,4), the result of script.py:7, was changed in place, and",
    "nn.init.constant_(h, 2.0)": "`h` (3,4), the result of script.py:7, was changed in place, and",
    "h.view(-1)[0] = 1": "was changed in place through `h.view(-1)[0]`",
}


@pytest.mark.parametrize("statement", NAMES)
def test_what_is_written_to_is_never_called_by_a_module_of_torch(found, statement):
    lines = f"h = x.exp()\nwith torch.no_grad():\n    {statement}\nloss = h.sum()"
    (one,) = found(START + lines + END)
    assert NAMES[statement].replace("script.py:7", f"script.py:{FIRST}") in one.sentence
    assert "h = " in one.fix[0].text


def test_a_buffer_is_called_one(found):
    (one,) = found(START + CODE["a buffer"][0] + END)
    assert re.match(r"The buffer `(net\.)?m` was changed in place, and", one.sentence)


FUNCTION = """class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g
h = x + 0
{calls}
h.zero_()
loss = y.sum()"""


@pytest.mark.parametrize(
    ("calls", "line"),
    [("y = Sq.apply(h)", 9), ("f = Sq.apply; y = f(h)", 9), ("y = Sq.apply(h)\nz = Sq.apply(h)", 0)],
)
def test_a_function_of_ones_own_is_placed_where_it_is_applied(found, calls, line):
    (one,) = found(START + FUNCTION.format(calls=calls) + END)
    needed = next(row for row in one.cause if row.startswith("needed"))
    assert needed.split()[1] == f"script.py:{FIRST + line}"


WITHOUT_GRAPH = {
    "a name": ("with torch.no_grad():\n    h.mul_(2)", 1, "h = h.clone()  before it"),
    "an item": ("with torch.inference_mode():\n    h[0] = 2", 1, "h = h.clone()  before it"),
    "rows": ("with torch.no_grad():\n    for row in h:\n        row.mul_(2)", 1, "h = h.clone()  before it"),
    "a view": (
        "v = h[0]\nwith torch.no_grad():\n    v.mul_(2)",
        1,
        "h = h.clone()  before it",
    ),
    "a view inside": ("with torch.no_grad():\n    v = h[0]\n    v.mul_(2)", 1, "h = h.clone()  before it"),
}


@pytest.mark.parametrize("case", WITHOUT_GRAPH)
def test_a_copy_is_made_where_it_does_not_cut_the_graph(found, ended, case):
    text, line, repair = WITHOUT_GRAPH[case]
    script = f"{START}h = x.exp()\n{text}\nloss = h.sum(){END}"
    (one,) = found(script)
    assert one.fix[0].text == f"script.py:{FIRST + line}  {repair}"
    again = ended(mended(script, one.fix[0].text) + "seen = bool((x.grad != 0).all())\n")
    assert (again.error, again.findings, again.state["seen"]) == (None, (), "True")


def test_in_a_function_without_a_graph_no_new_value_is_given_a_name(found):
    (one,) = found(
        f"{START}@torch.no_grad()\ndef f(h):\n    h.mul_(2)\n    return h\n"
        f"h = x.exp()\nf(h)\nloss = h.sum(){END}"
    )
    assert one.fix[0].text.endswith(
        "change a copy in its place, which is made by clone() where torch makes a graph"
    )
