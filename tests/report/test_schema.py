"""Reports against the schema that is published for them."""

import json
from dataclasses import fields
from enum import Enum
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from autograd_cli.report.chain import Chain, Departure, Handing, Keeping, Link, Way as Passed, Ways
from autograd_cli.report.json import from_json, to_json
from autograd_cli.report.records import (
    Asked,
    Backward,
    Binding,
    Change,
    Checks,
    Cut,
    Edge,
    Element,
    Finding,
    Fix,
    Forward,
    Gradient,
    Graph,
    Grounds,
    Guilty,
    Inspection,
    Local,
    Loss,
    Made,
    Node,
    Output,
    Path as Way,
    Repeat,
    Report,
    Round,
    Saved,
    Second,
    SecondBlock,
    Severity,
    Sides,
    Statement,
    Stretch,
    Verdict,
    Witness,
)
from tests.report.small import build

SCHEMA = json.loads((files("autograd_cli.report") / "schema.json").read_text())
VALID = Draft202012Validator(SCHEMA)


def test_the_schema_itself_is_valid():
    Draft202012Validator.check_schema(SCHEMA)


def test_reports_keep_to_the_schema():
    assert [error.message for error in VALID.iter_errors(json.loads(to_json(build())))] == []


@pytest.mark.parametrize(
    "record",
    [
        Report, Binding, Output, Graph, Node, Edge, Local, Saved, Stretch, Way, Gradient, Finding, Fix,
        Statement, Made, Change, Round, Backward, Inspection, Chain, Ways, Passed, Link, Departure,
        Handing, Keeping,
        Second, SecondBlock,
        Asked, Checks, Cut, Element, Forward, Grounds, Guilty, Loss, Repeat, Sides,
    ],
)  # fmt: skip
def test_the_schema_requires_every_field_of_a_record(record):
    part = SCHEMA if record is Report else SCHEMA["$defs"][record.__name__.lower()]
    names = [
        name.rstrip("_") for name in getattr(record, "_fields", None) or [f.name for f in fields(record)]
    ]
    assert part["required"] == names
    assert list(part["properties"]) == names


@pytest.mark.parametrize("words", [Severity, Verdict, Witness])
def test_the_schema_has_the_words_of_each_enum(words):
    assert issubclass(words, Enum)
    assert SCHEMA["$defs"][words.__name__.lower()]["enum"] == [word.value for word in words]


STORED = sorted((Path(__file__).parent.parent / "views" / "reports").glob("*.json"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_reports_keep_to_the_schema_and_come_back_equal(path):
    text = path.read_text()
    assert [error.message for error in VALID.iter_errors(json.loads(text))] == []
    report = from_json(text)
    assert repr(from_json(to_json(report, full=True))) == repr(report)


def test_the_schema_refuses_what_is_missing_or_of_another_kind():
    data = json.loads(to_json(build()))
    del data["graph"]["edges"][0]["slot"]
    data["findings"][0]["severity"] = "fatal"
    data["status"] = 9
    assert len(list(VALID.iter_errors(data))) == 3
