"""Tensors as plain data: their summary, and how shapes and sizes are written."""

from math import inf, nan

import pytest
import torch

from autograd_cli.report import Summary
from autograd_cli.report.values import bytes_text, is_number, shape_text, summarise
from autograd_cli.run.values import plain


@pytest.mark.parametrize(
    ("values", "summary"),
    [
        ([1.5, -2.0, 0.0], Summary(3, -2.0, 1.5, 0, 0)),
        ([nan, inf, -inf, 3.0], Summary(4, 3.0, 3.0, 1, 2)),
        ([nan, inf], Summary(2, None, None, 1, 1)),
        ([[1, 2], [3, 4]], Summary(4, 1.0, 4.0, 0, 0)),
        ([True, False], Summary(2, 0.0, 1.0, 0, 0)),
        ([1 + 2j, 3j], Summary(2, None, None, 0, 0)),
        ([complex(nan, 1), complex(1, inf), 1j], Summary(3, None, None, 1, 1)),
    ],
)
def test_a_tensor_has_the_same_summary_in_torch_and_as_plain_data(values: object, summary: Summary) -> None:
    assert summarise(values) == summary
    made = plain(torch.tensor(values), limit=0)
    assert made == summary
    assert type(made.min) is type(summary.min)


def test_a_tensor_of_no_elements_has_no_ends() -> None:
    assert summarise([]) == Summary(0, None, None, 0, 0)


@pytest.mark.parametrize(("shape", "text"), [((), "()"), ((3,), "(3,)"), ((10, 3), "(10,3)")])
def test_a_shape_is_written_without_blanks(shape: tuple[int, ...], text: str) -> None:
    assert shape_text(shape) == text
    assert shape_text(torch.Size(shape)) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0 B"), (8, "8 B"), (1000, "1000 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"),
        (1200, "1.17 KiB"), (40 << 10, "40 KiB"), (1023 << 10, "1023 KiB"), (3 << 30, "3 GiB"),
        (1 << 50, "1024 TiB"), (100 << 40, "100 TiB"),
    ],
)  # fmt: skip
def test_bytes_are_written_in_three_digits(amount: int, text: str) -> None:
    assert bytes_text(amount) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", True), (" -2.5e3 ", True), ("nan", True), ("", False), ("1,2", False), ("x", False)],
)
def test_a_number_is_what_python_reads_as_a_float(text: str, expected: bool) -> None:
    assert is_number(text) is expected
