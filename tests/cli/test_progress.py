"""The bar of what takes long: on a terminal alone, after a while, and nothing of it stays."""

import io
import re

import pytest

from autograd_cli.cli import progress
from autograd_cli.cli.environment import Environment
from autograd_cli.explore import Options, explore
from autograd_cli.gradients.progress import showing


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def talk():
    """What a bar writes on stderr: of steps (done, count, name), after so many seconds."""

    def made(steps, stderr, patience=0.0, quiet=False):
        surroundings = Environment(io.StringIO(), io.StringIO(), stderr, {}, quiet=quiet)
        with progress.bar(surroundings, patience) as show:
            for step in steps:
                show(*step)
        return stderr.getvalue()

    return made


STEPS = [(1, 20, "x"), (7, 20, "x"), (5, 20, "x")]


def plain(said):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said)


def test_a_bar_moves_on_and_is_wiped(talk):
    said = talk(STEPS, Terminal())
    assert "7/20 x" in plain(said)
    assert "5/20" not in plain(said), "it does not go back"
    assert said.endswith("\x1b[2K")
    assert said.count("\x1b[?25l") == said.count("\x1b[?25h") == 1, "the cursor is there again"


@pytest.mark.parametrize(
    ("stderr", "more"), [(io.StringIO(), {}), (Terminal(), {"quiet": True}), (Terminal(), {"patience": 60.0})]
)
def test_no_bar_where_nobody_watches_or_it_is_over_soon(talk, stderr, more):
    assert talk(STEPS, stderr, **more) == ""


def test_each_leaf_has_its_own_way(talk):
    assert "2/9 w" in plain(talk([*STEPS, (2, 9, "w")], Terminal()))


def test_what_a_killed_bar_left_is_taken_away():
    for stderr, said in ((Terminal(), "\r\x1b[K\x1b[?25h"), (io.StringIO(), "")):
        progress.clear(Environment(io.StringIO(), io.StringIO(), stderr, {}))
        assert stderr.getvalue() == said


def test_elements_that_are_looked_at_one_by_one_are_counted():
    told = []
    with showing(lambda *step: told.append(step)):
        explore("(cumsum(x, 0).sin()*x).sum()", [("x", "randn(300)")], Options(check=True))
    assert {(count, name) for _, count, name in told} == {(300, "x")}
    done = [number for number, _, _ in told]
    assert done[0] < 150 < max(done) == 300
    assert len(set(done)) > 2
