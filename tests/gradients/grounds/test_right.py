"""A sample of right expressions, none of which is called wrong; `right.py` runs as many as are wanted."""

import importlib.util
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("right", Path(__file__).with_name("right.py"))
right = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(right)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_no_right_expression_is_called_wrong(dtype):
    verdicts, found = right.alarms(60, 5000, dtype)
    assert found == []
    assert sum(verdicts.values()) >= 100
