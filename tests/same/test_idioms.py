"""What tutorials write beside tensors: each program of `idioms.txt` comes to the same as in Python."""

import re
from pathlib import Path

import pytest

from tests.same.runs import compared

TEXT = (Path(__file__).parent / "idioms.txt").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_comes_to_the_same_as_in_python(name: str) -> None:
    assert compared(PROGRAMS[name]) == []
