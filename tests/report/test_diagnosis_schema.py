"""Diagnoses against the schema that is published for them."""

import json
from dataclasses import fields
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.report.diagnosis import Diagnosis, Frame, Placed, Seen, to_json
from autograd_cli.report.reproduced import Outcome, Reproduced


def stored(name):
    return json.loads((files("autograd_cli.report") / name).read_text())


SCHEMA, REPORT = stored("diagnosis.json"), stored("schema.json")
VALID = Draft202012Validator(SCHEMA)
FRAME = Frame("fit.py", 3, "step", "loss.backward()")
FOUND = Finding("AGX401", "nonscalar-loss-backward", Severity.ERROR, "It has no one.", fix=(Fix("mean"),))
WHOLE = Placed(
    FOUND,
    FRAME,
    "1",
    (Seen("x", FRAME, (2, 3), "float32", "cpu", True, False, "MulBackward0", 1, 0),),
    Reproduced("2.13.0", Outcome.RAISED, "agx trace program.py", "x = 1", "no", "x = 2", True),
)


def errors(data):
    return [error.message for error in VALID.iter_errors(data)]


def test_the_schema_itself_is_valid():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("found", [(), (Placed(FOUND),), (WHOLE, Placed(FOUND, FRAME))])
@pytest.mark.parametrize("lines", [7, None])
def test_diagnoses_keep_to_the_schema(found, lines):
    assert errors(json.loads(to_json(Diagnosis("a.log", lines, found, 1)))) == []


@pytest.mark.parametrize("record", [Frame, Seen, Reproduced])
def test_the_schema_requires_every_field_of_a_record(record):
    part = SCHEMA["$defs"][record.__name__.lower()]
    names = [field.name for field in fields(record)]
    assert part["required"] == list(part["properties"]) == names


def test_a_finding_is_that_of_a_report_and_more():
    part, finding = SCHEMA["$defs"]["traced"], REPORT["$defs"]["finding"]
    names = [field.name for field in fields(Placed) if field.name != "finding"]
    assert part["required"] == list(part["properties"]) == [*finding["required"], *names]
    assert {name: part["properties"][name] for name in finding["required"]} == finding["properties"]
    for shared in ("fix", "severity", "shape", "span"):
        assert SCHEMA["$defs"][shared] == REPORT["$defs"][shared]


def test_the_schema_has_each_outcome():
    assert SCHEMA["$defs"]["outcome"]["enum"] == [outcome.value for outcome in Outcome]


def test_the_schema_refuses_what_is_missing_or_of_another_kind():
    data = json.loads(to_json(Diagnosis("a.log", 7, (WHOLE,), 1)))
    del data["findings"][0]["tensors"][0]["leaf"]
    data["findings"][0]["reproduced"]["outcome"] = "perhaps"
    data["lines"] = "seven"
    assert len(errors(data)) == 3
