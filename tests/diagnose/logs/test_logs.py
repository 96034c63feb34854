"""Whole logs, each with the kind of mistake that it shows, read as `agx diagnose` reads them.

A line of field.jsonl is a log of a mistake that people met, composed from the facts of it: `silent` where
torch said nothing. Those of composed.jsonl are of our own making, in many forms; `own` is the person's last
line of source in it. Of kinds in one family of families.json the message alone may not tell which.
"""

import json
import re
from pathlib import Path

import pytest

from autograd_cli.diagnose.logs.read import read
from autograd_cli.report import Severity

HERE = Path(__file__).parent
FAMILIES = [set(kinds) for kinds in json.loads((HERE / "families.json").read_text()).values()]
LEAST = 0.97


def logs(file):
    return [json.loads(line) for line in (HERE / file).read_text().splitlines()]


def findings(log):
    return read([log.encode("utf-8", "surrogatepass")]).findings


def is_told(kind, found):
    """Whether the first finding is the kind, or one of its family with the kind among the others."""
    if not found:
        return False
    first = found[0].finding
    is_of_family = any({kind, first.name} <= family for family in FAMILIES)
    return first.name == kind or (is_of_family and kind in first.also)


@pytest.mark.parametrize("file", ["field.jsonl", "composed.jsonl"])
def test_the_mistake_is_told_by_its_kind(file):
    cases = [case for case in logs(file) if case["kind"] != "none" and not case.get("silent")]
    missed = [
        (case["kind"], [one.finding.name for one in found], case["log"][-200:])
        for case in cases
        if not is_told(case["kind"], found := findings(case["log"]))
    ]
    assert len(missed) <= (1 - LEAST) * len(cases), missed


@pytest.mark.parametrize("file", ["field.jsonl", "composed.jsonl"])
def test_nothing_is_told_of_what_is_none_of_torchs(file):
    cases = [case["log"] for case in logs(file) if case["kind"] == "none"]
    assert cases
    assert [(log, found[0].finding.name) for log in cases if (found := findings(log))] == []


def test_where_torch_said_nothing_the_kind_is_told_or_none():
    silent = [case for case in logs("field.jsonl") if case.get("silent")]
    assert silent
    told = [(case["kind"], found) for case in silent if (found := findings(case["log"]))]
    assert all(is_told(kind, found) for kind, found in told)


def test_every_kind_has_a_log():
    kinds = {case["kind"] for case in logs("composed.jsonl")}
    assert kinds >= {case["kind"] for case in logs("field.jsonl") if not case.get("silent")}


def test_the_frame_is_the_persons_own_last_line_in_every_form():
    wrong = [
        (case["own"], found and found[0].frame, case["log"][:200])
        for case in logs("composed.jsonl")
        if "own" in case
        and (
            (found := findings(case["log"])) == () or (found[0].frame and found[0].frame.text) != case["own"]
        )
    ]
    assert wrong == []


def test_what_is_said_has_no_gap_in_it_and_ends():
    for case in (*logs("field.jsonl"), *logs("composed.jsonl")):
        for one in findings(case["log"]):
            said = (one.finding.sentence, *one.finding.cause, *(fix.text for fix in one.finding.fix))
            assert len(said) > 1
            assert one.finding.sentence.endswith((".", "?"))
            assert not any(re.search(r"\{\w+\}", text) for text in said), said


def test_an_error_ends_with_one_and_a_warning_with_none():
    for case in logs("composed.jsonl"):
        log = read([case["log"].encode()])
        assert log.status == any(one.finding.severity is Severity.ERROR for one in log.findings)


@pytest.mark.parametrize("size", [1, 97])
def test_a_log_that_comes_in_pieces_says_the_same(size):
    for case in logs("composed.jsonl")[::40]:
        log = case["log"].encode()
        pieces = read(log[at : at + size] for at in range(0, len(log), size))
        assert pieces.findings == findings(case["log"])


@pytest.mark.parametrize(
    "prefix",
    [
        "2031-05-04T10:11:12.{:09d}Z stderr F ",
        "\x1b[36mtrainer-1  |\x1b[0m ",
        "[rank3]: ",
        "May 04 10:11:{:02d} gpu7 fit[9]: ",
        "pod-{} <night> ",
        "\t",
    ],
)
def test_a_log_with_a_prefix_on_each_line_says_the_same(prefix):
    cases = logs("composed.jsonl")[::8]
    other = 0
    for case in cases:
        lines = enumerate(case["log"].split("\n"))
        told = findings("\n".join(prefix.format(at) + line for at, line in lines))
        names = [one.finding.name for one in told]
        other += names[:1] != [one.finding.name for one in findings(case["log"])][:1]
    assert other <= (1 - LEAST) * len(cases)


def each_line(log):
    return "\n".join(json.dumps({"log": f"{line}\n", "stream": "stderr"}) for line in log.split("\n"))


def as_field(log):
    return json.dumps({"level": "error", "message": "failed", "exc_info": log})


def as_pair(log):
    return f"level=error msg=failed exc={json.dumps(log)}"


@pytest.mark.parametrize("packed", [each_line, as_field, as_pair])
def test_a_log_that_a_logger_packed_says_the_same(packed):
    cases = logs("composed.jsonl")[::8]
    told = [(findings(case["log"]), findings(packed(case["log"]))) for case in cases]
    other = sum([one.finding.name for one in a] != [one.finding.name for one in b] for a, b in told)
    assert other <= (1 - LEAST) * len(cases)
    frames = [(a[0].frame, b[0].frame) for a, b in told if a and b and a[0].frame]
    assert sum(a.text != (b and b.text) for a, b in frames) <= (1 - LEAST) * len(frames)


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-8"])
def test_a_windows_shell_writes_utf_16(name):
    mark = "\ufeff"
    for case in logs("composed.jsonl")[::40]:
        told = read([(mark + case["log"].replace("\n", "\r\n")).encode(name)]).findings
        names = [one.finding.name for one in told]
        assert names == [one.finding.name for one in findings(case["log"])]
