"""A write through a view: the repair keeps what the program means and what its backward needs."""

import re

import pytest

HEAD = "import torch\nx = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n"
TAIL = "print(s.tolist(), float(loss))\nloss.backward()\n"

SCRIPTS = {
    "kept before the view": "s = x.sigmoid()\nfirst = s[:, 0]\nfirst.mul_(0.)\nloss = s.sum()\n",
    "kept after the view": "s = x.exp()\nfirst = s[:, 0]\nloss = (s**2).sum()\nfirst.mul_(0.)\n",
    "augmented": "s = x.exp()\nrow = s[-1]\nloss = s.cos().sum()\nrow *= 3\n",
    "view of a view": "s = x.exp()\nrow = s[0]\none = row.view(2)\nloss = s.cos().sum()\none.add_(1.)\n",
    "items of a view": "s = x.exp()\nflat = s.view(-1)\nloss = s.cos().sum()\nflat[1] = 7.\n",
    "transposed": "s = x.exp()\nturned = s.t()\nloss = s.cos().sum()\nturned.clamp_(max=3.)\n",
    "in a loop": "s = x.exp()\nloss = 0\nfor i in range(2):\n    row = s[i]\n"
    "    loss = loss + s.cos().sum()\n    row.zero_()\n",
    "in a function": "def change(s):\n    top = s[:1]\n    loss = s.cos().sum()\n    top.mul_(2)\n"
    "    return s, loss\ns, loss = change(x.exp() * 1)\n",
}


def mended(script, text):
    """The script with the statements of a repair put before the line that it names."""
    number, code = re.fullmatch(r"script\.py:(\d+)  (.+)  before it", text).groups()
    lines = script.splitlines()
    line = lines[int(number) - 1]
    indent = line[: len(line) - len(line.lstrip())]
    lines.insert(int(number) - 1, indent + code)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("case", SCRIPTS)
def test_what_a_view_looks_at_is_cloned_and_the_program_means_the_same(found, ended, case):
    script = HEAD + SCRIPTS[case] + TAIL
    (one,) = found(script)
    assert one.code == "AGX409"
    again = ended(mended(script, one.fix[0].text))
    assert again.error is None
    assert not again.findings
    assert again.printed == ended(script).printed
    assert one.fix[1].text.endswith("where nothing else is to see the change") or "clone" in one.fix[1].text


def test_a_value_of_its_own_is_made_anew(found):
    for made in ("x.exp()", "x.exp()[torch.tensor([0, 1])]", "x.exp().clone()"):
        (one,) = found(f"{HEAD}s = {made}\nloss = (s**2).sum()\ns.mul_(0.)\n{TAIL}")
        assert [fix.text for fix in one.fix] == ["script.py:5  s = s.mul(0.0)"]
