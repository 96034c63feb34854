"""Scripts as people write them, each with one mistake: what is told of it is its kind, and no other."""

import re
from pathlib import Path

import pytest

from autograd_cli.diagnose.scripts import inside

SCRIPTS = sorted((Path(__file__).parent / "wrong").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_told_of_by_the_kind_of_its_mistake(path):
    (expected,) = re.findall(r"^# expect: (\S+)$", path.read_text(), re.MULTILINE)
    assert [one.finding.name for one in inside.run(str(path)).findings] == [expected]
