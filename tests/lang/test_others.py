"""All that a program is refused for is told at once: the first in full, the others with their lines."""

import pytest

from autograd_cli.cli.telling import lines
from autograd_cli.errors import LanguageError
from autograd_cli.lang.check import check
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source

CHECKED = """\
import torch
import time
torch.set_default_dtype(torch.float64)
start = time.time()
def f(x):
    return torch.barf(x)
for i in range(3):
    print(time.time() - start)
    torch.ones(2).sum().backward
torch.set_default_dtype(torch.float32)
"""
READ = "import torch\nclass A: pass\nx = lambda t: t\nif x:\n    y = {1: 2}\nwhile True: pass\n"


def refused(text: str) -> LanguageError:
    with pytest.raises(LanguageError) as caught:
        check(parse(Source(text)), ())
    return caught.value


def told(text: str) -> list[tuple[int, str]]:
    error = refused(text)
    found = [(Source(text).line_of(each.span.start), each.code) for each in (error, *error.also)]
    assert len({each.sentence for each in (error, *error.also)}) == len(found)
    return found


def test_names_that_are_not_in_the_language_are_told_together() -> None:
    assert told(CHECKED) == [(4, "AGX104"), (3, "AGX103"), (6, "AGX103"), (9, "AGX109")]


def test_statements_that_are_not_in_the_language_are_told_together() -> None:
    assert told(READ) == [(2, "AGX104"), (3, "AGX104"), (5, "AGX104"), (6, "AGX104")]


def test_a_program_with_one_fault_is_told_it_once() -> None:
    assert refused("import torch\nx = torch.barf(2)\ny = torch.ones(2)\n").also == ()
    assert refused("x = torch.barf(2)\ny = torch.barf(3)\n").also == ()


def test_each_other_is_one_line_and_too_many_are_counted() -> None:
    shown = [text for text, _ in lines(refused(CHECKED), 80)]
    assert shown[-1] == (
        "  also line 9: `.backward` is a method, and without brackets it is not called. Write `.backward()`."
    )
    many = "".join(f"x = torch.barf{i}(2)\n" for i in range(40))
    assert [text for text, _ in lines(refused(many), 80)][-1] == "  and 19 more"


TRAINED = """\
import torch
from torch import nn
net = nn.Linear(3, 4)
both = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
y = both(net(torch.ones(3)))
z = torch.barf(torch.ones(3))
"""


def test_what_follows_from_a_module_is_not_refused_again() -> None:
    error = refused(TRAINED)
    assert told(TRAINED) == [(3, "AGX103"), (4, "AGX103"), (7, "AGX103")]
    assert all("agx diagnose [--watch] FILE" in each.hint for each in (error, error.also[0]))
