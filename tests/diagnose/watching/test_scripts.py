import re
import sys
from pathlib import Path

import pytest
import torch

SCRIPTS = Path(__file__).parent / "scripts"
WRONG = sorted((SCRIPTS / "wrong").glob("*.py"))
RIGHT = sorted((SCRIPTS / "right").glob("*.py"))
NEEDED = re.compile(r"# <- needed by (.*)")


def test_there_are_ten_mutators_and_more_than_twenty_right_scripts():
    assert len(WRONG) == 10
    assert len(RIGHT) > 20


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_the_guilty_statement_and_all_that_needed_the_old_value_are_named(ended, path):
    code, changed, needed = _marked(path)
    done = ended(path)
    (one,) = done.findings
    found = one.finding
    assert found.code == code
    assert one.frame.line == found.line == changed
    assert {each["line"] for each in found.evidence["changed"]} == {changed}
    assert {
        (each["line"], each["module"].removeprefix("net.")) for each in found.evidence["needed"]
    } == needed
    assert all(f"{path.name}:{line}" in "\n".join(found.cause) for line, _ in needed)
    assert (done.error is not None) == (code != "AGX415")


def _marked(path):
    """The code that a script begins with, the line that changes, and the lines and modules that needed it."""
    lines = path.read_text().splitlines()
    needed = ((number, NEEDED.search(line)) for number, line in enumerate(lines, 1))
    return (
        lines[0].split()[1],
        next(number for number, line in enumerate(lines, 1) if line.endswith("# <- changed")),
        {(number, module) for number, found in needed if found for module in found[1].split()},
    )


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_right_scripts_give_no_finding(found, path):
    assert found(path) == []


@pytest.mark.parametrize("path", WRONG + RIGHT, ids=lambda path: path.stem)
def test_a_watched_script_ends_as_it_ends_alone(ended, path):
    alone, watched = ended(path, watched=False), ended(path)
    assert watched.error == alone.error
    assert watched.printed == alone.printed
    assert watched.state == alone.state


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_traceback_has_the_frames_that_it_has_alone(ended, path):
    frames = [_frames(ended(path, watched)) for watched in (False, True)]
    assert frames[0] == frames[1]


def _frames(done):
    link, found = done.__dict__.get("traceback"), []
    while link is not None:
        found.append((link.tb_frame.f_code.co_filename, link.tb_lineno, link.tb_frame.f_code.co_name))
        link = link.tb_next
    return [each for each in found if "conftest" not in each[0]]


def test_torch_is_as_it_was_after_a_watch(ended):
    before = (torch.autograd._engine_run_backward, torch.overrides.has_torch_function)
    ended(RIGHT[0])
    assert (torch.autograd._engine_run_backward, torch.overrides.has_torch_function) == before
    assert not torch.overrides._get_current_function_mode_stack()
    assert not sys.modules["torch.optim.optimizer"]._global_optimizer_pre_hooks
