"""Every stored report, drawn at 80 and 200 columns, plain and as verdicts, against a file that a person read.

`pytest --refresh-golden` writes the files anew; read the difference before keeping it.
"""

from pathlib import Path

import pytest

from autograd_cli.report.json import from_json
from autograd_cli.views import render

ROOM = Path(__file__).parent
REPORTS = sorted((ROOM / "reports").glob("*.json"))
DRAWINGS = {
    "80": ("rich", 80, False),
    "200": ("rich", 200, False),
    "plain": ("plain", None, False),
    "check": ("rich", 80, True),
}


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_stored_report_looks_as_it_did(path, drawing, request):
    form, width, check = DRAWINGS[drawing]
    text = render(from_json(path.read_text()), form, width=width, colour=False, check=check)
    golden = ROOM / "golden" / f"{path.stem}.{drawing}.txt"
    if request.config.getoption("--refresh-golden"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_no_row_of_a_listing_is_broken_where_there_is_room(path):
    report = from_json(path.read_text())
    plain, wide = (_listing(render(report, form, width=width, colour=False)) for form, width in WIDE)
    assert len(wide) == len(plain)


WIDE = [("plain", None), ("rich", 200)]


def _listing(text):
    return next((part.splitlines() for part in text.split("\n\n") if part.startswith(" line ")), [])


def test_every_golden_file_belongs_to_a_stored_report():
    kept = {f"{path.stem}.{drawing}.txt" for path in REPORTS for drawing in DRAWINGS}
    assert {path.name for path in (ROOM / "golden").iterdir()} == kept


def test_there_are_stored_reports():
    assert {"sin", "linear_regression", "failed", "hostile"} <= {path.stem for path in REPORTS}
