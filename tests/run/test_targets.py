"""Which lines are a person's own, and which results of their callables are the same."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import autograd_cli
from autograd_cli.run.brought import are_near
from autograd_cli.run.targets import place_of, shown, where

TEXT = """
def fails():
    raise LookupError

def asks():
    return where(sys._getframe(), folder)
"""


def loaded(file: Path, folder: Path) -> dict[str, Any]:
    """The names of a file with `TEXT` in it."""
    names: dict[str, Any] = {"where": where, "sys": sys, "folder": folder}
    exec(compile(TEXT, str(file), "exec"), names)
    return names


@pytest.mark.parametrize("within", [".", "autograd_cli", "my-site-packages", "a/autograd_cli/b"])
def test_a_line_is_theirs_whatever_the_folders_are_called(tmp_path, within):
    file = tmp_path / within / "f.py"
    names = loaded(file, tmp_path)
    assert names["asks"]() == (str(file), 6)
    with pytest.raises(LookupError) as caught:
        names["fails"]()
    assert place_of(caught.value, tmp_path) == (file, 3)


@pytest.mark.parametrize("within", ["venv/site-packages/other", "../beside"])
def test_a_line_of_what_is_installed_or_stands_elsewhere_is_not(tmp_path, within):
    names = loaded(tmp_path / within / "f.py", tmp_path / "venv")
    assert names["asks"]() is None
    with pytest.raises(LookupError) as caught:
        names["fails"]()
    assert place_of(caught.value, tmp_path / "venv") is None


def test_a_line_of_agx_is_not_theirs_where_it_stands_in_their_folder():
    room = Path(autograd_cli.__file__).parent
    names = loaded(room / "run" / "f.py", room.parent)
    assert names["asks"]() == (shown(Path(__file__)), sys._getframe().f_lineno)


NEAR = [
    (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]), True),
    ([torch.ones(2), torch.ones(2)], [torch.ones(2)], False),
    ([torch.ones(2)], [torch.ones(2), torch.ones(2)], False),
    ([], [], True),
    (torch.ones(2), torch.ones(2, 1), False),
    (torch.tensor([1.0, 1e-6]), torch.tensor([1.0, 2e-6]), True),
    (torch.tensor(1e-6), torch.tensor(2e-6), False),
    (torch.tensor([torch.nan, 1.0]), torch.tensor([torch.nan, 1.0]), True),
    (torch.tensor([torch.nan, 1.0]), torch.tensor([1.0, 1.0]), False),
    (torch.tensor(1.02), torch.tensor(1.0), False),
    (torch.tensor(1.02), torch.tensor(1.0, dtype=torch.float16), True),
    (torch.tensor(1.2), torch.tensor(1.0, dtype=torch.float16), False),
    (torch.tensor(1.0001), torch.tensor(1.0), True),
    (torch.tensor(1.0001), torch.tensor(1.0, dtype=torch.float64), False),
    (torch.tensor(1 + 1j), torch.tensor(1 + 1j), True),
    (torch.tensor(1 + 1j), torch.tensor(1 + 2j), False),
    (torch.tensor([1, 2]), torch.tensor([1, 2]), True),
    (torch.tensor([1, 2]), torch.tensor([1, 3]), False),
    (torch.ones(0), torch.ones(0), True),
]


@pytest.mark.parametrize(("one", "other", "near"), NEAR)
def test_results_are_near_within_half_of_their_digits(one, other, near):
    assert are_near(one, other) is near
