"""What programs mean: each of `programs.txt` comes to the same as in Python."""

import re
from pathlib import Path

import pytest

from tests.same.outcomes import differences
from tests.same.runs import in_agx, in_python

TEXT = (Path(__file__).parent / "programs.txt").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_means_what_it_means_in_python(name: str) -> None:
    assert differences(in_python(PROGRAMS[name]), in_agx(PROGRAMS[name])) == []
