"""`agx diagnose --reproduce`: the mistake of a log, made again on the torch that is installed."""

import io
import json

import pytest
import torch

from autograd_cli import catalogue, cli
from autograd_cli.catalogue import Kind, load
from autograd_cli.cli import live, reproduce
from autograd_cli.cli.environment import Environment
from autograd_cli.diagnose.logs.rows import ROWS
from autograd_cli.report import Finding, Severity
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.reproduced import Outcome

LINEAR = """\
Traceback (most recent call last):
  File "/home/me/fit.py", line 31, in forward
    x = self.fc(x)
  File "/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x784 and 128x10)
"""

ON_CUDA = """\
Traceback (most recent call last):
  File "/home/me/fit.py", line 3, in <module>
    plt.plot(losses.numpy())
TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host \
memory first.
"""

OF_LOGS = {row.code for row in ROWS}
SHOWN = [
    page
    for page in catalogue.pages()
    if page.code in OF_LOGS
    and not page.needs
    and any(example.kind is not Kind.CONSOLE for example in page.broken)
]


def of(code, message, name=None):
    """What comes of a finding of a log."""
    page = catalogue.page(code)
    finding = Finding(code, name or page.name, Severity.ERROR, "It is so.", torch=message)
    (one,) = reproduce.reproduced([Placed(finding)])
    assert one.finding is finding
    assert one.reproduced.torch == torch.__version__
    return one.reproduced


def words(message):
    """The words of a message, in whatever order torch lists tensors."""
    return catalogue.message_words(message)


def agx(log, *options):
    """The status of `agx diagnose --reproduce` in this process, and what it prints."""
    stdin = io.TextIOWrapper(io.BytesIO(log.encode()))
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    status = cli.run(["diagnose", "--reproduce", *options], Environment(stdin, out, err, {}))
    assert err.getvalue() == ""
    return int(status), out.buffer.getvalue().decode()


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.code)
def test_what_a_program_of_a_page_raises_is_reproduced_by_it(page):
    for example in page.broken:
        error, told = live.plainly(example) if example.kind is not Kind.CONSOLE else ("", ())
        name = next((one.name for one in told if one.code == page.code), None)
        found = of(page.code, error or "what this torch does not say", name)
        if error:
            assert told
            assert found.outcome is Outcome.RAISED
            assert words(found.said) == words(error)
        else:
            assert found.outcome in (Outcome.SILENT, Outcome.REWORDED)
        assert (found.passed, found.command) == (True, "python program.py")


def test_the_same_message_is_raised_from_a_smallest_program_and_the_repaired_one_is_run():
    status, text = agx(LINEAR)
    assert status == 1
    assert f"  reproduced  torch {torch.__version__} raises the same from this:\n" in text
    assert "\n       layer = nn.Linear(10, 3)\n" in text
    assert "  torch says  RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x12 and 10x3)\n" in text
    assert "  repaired  this comes to its end, nothing is found in it:\n" in text
    assert "\n       layer = nn.Linear(12, 3)\n" in text
    assert text.endswith("\n  agx explain AGX326\n")


def test_json_has_both_programs_and_what_came_of_them():
    status, text = agx(LINEAR, "--json")
    (finding,) = json.loads(text)["findings"]
    page = catalogue.page("AGX326")
    assert status == 1
    assert finding["reproduced"] == {
        "torch": str(torch.__version__),
        "outcome": "raised",
        "command": "python program.py",
        "program": page.broken[0].text,
        "said": "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x12 and 10x3)",
        "repaired": page.repaired[0].text,
        "passed": True,
        "needs": "",
    }


def test_what_takes_another_machine_is_not_run():
    status, text = agx(ON_CUDA)
    assert status == 1
    assert "  reproduced  no program shows it on every machine: it takes a CUDA device\n" in text
    found = of("AGX340", "can't convert cuda:0 device type tensor to numpy.")
    assert (found.outcome, found.needs) == (Outcome.NOT_HERE, "a CUDA device")
    assert (found.program, found.said, found.passed) == ("", "", None)


def test_a_page_whose_mistake_takes_a_command_has_nothing_to_reproduce(monkeypatch):
    page = load.parse(catalogue.page("AGX409").text)
    page.sections["How to see it"] = "```console\nagx trace x\n```"
    monkeypatch.setattr(reproduce, "page", lambda code: page)
    told = Placed(Finding("AGX409", page.name, Severity.ERROR, "It is so.", torch="modified in place"))
    assert reproduce.reproduced([told]) == (told,)


def test_an_error_that_this_torch_words_otherwise_is_still_raised():
    found = of("AGX409", "saved variable was overwritten by some operation")
    assert found.outcome is Outcome.REWORDED
    assert "modified by an inplace operation" in found.said
    assert found.passed is True


def test_an_error_that_this_torch_no_longer_raises_is_said_to_be_gone(monkeypatch):
    page = load.parse(catalogue.page("AGX409").text)
    page.sections["How to see it"] = "```python\nimport torch\n\nx = torch.ones(2)\n```"
    monkeypatch.setattr(reproduce, "page", lambda code: page)
    found = of("AGX409", "one of the variables has been modified by an inplace operation")
    assert (found.outcome, found.said) == (Outcome.GONE, "")
    assert found.program == "import torch\n\nx = torch.ones(2)\n"


def test_another_error_is_not_taken_for_it(monkeypatch):
    page = load.parse(catalogue.page("AGX409").text)
    page.sections["How to see it"] = "```python\nimport no_such_module_here\n```"
    monkeypatch.setattr(reproduce, "page", lambda code: page)
    found = of("AGX409", "one of the variables has been modified by an inplace operation")
    assert (found.outcome, found.said) == (Outcome.GONE, "")


@pytest.mark.parametrize("turned", [False, True])
def test_of_several_programs_the_one_that_says_the_same_is_taken(turned, monkeypatch):
    product = "import torch\n\ntorch.ones(2, 3) @ torch.ones(4, 1)\n"
    vectors = "import torch\n\ntorch.dot(torch.ones(3), torch.ones(4))\n"
    page = load.parse(catalogue.page("AGX301").text)
    blocks = [f"```python\n{text}```\n" for text in (product, vectors)]
    page.sections["How to see it"] = "\n".join(blocks[::-1] if turned else blocks)
    monkeypatch.setattr(reproduce, "page", lambda code: page)
    found = of("AGX301", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (7x8 and 9x1)")
    assert (found.outcome, found.program) == (Outcome.RAISED, product)


def test_a_mistake_of_which_torch_says_nothing_is_shown_all_the_same():
    found = of("AGX420", "RuntimeError: CUDA out of memory. Tried to allocate 2.00 MiB")
    assert (found.outcome, found.said, found.passed) == (Outcome.SILENT, "", True)
    assert "losses.append(loss)" in found.program


def test_a_warning_is_raised_again_too():
    found = of(
        "AGX407", "UserWarning: Using a target size (torch.Size([9])) that is different to the input size"
    )
    assert found.outcome is Outcome.RAISED
    assert found.said.startswith("UserWarning: Using a target size (torch.Size([4]))")
