"""Reports to JSON and back, and refusals of what is no report."""

import json
import re

import pytest

from autograd_cli.errors import InputError
from autograd_cli.report.json import from_json, to_json
from autograd_cli.report.records import (
    Backward,
    Output,
    Summary,
)
from tests.report.small import build


def edited(change):
    """The JSON of the small report after `change` was applied to its parsed form."""
    data = json.loads(to_json(build()))
    change(data)
    return json.dumps(data)


def refusal(what):
    """The whole sentence of a refusal, as a pattern."""
    return f"^This is not a report of agx: {re.escape(what)}\\.$"


def test_a_report_comes_back_equal():
    assert from_json(to_json(build())) == build()


def test_json_is_one_ascii_line():
    text = to_json(build(source="sin(\n\u202eπ\x1b)"))
    assert text.isascii()
    assert "\n" not in text


def test_an_edge_says_from_and_to():
    edge = json.loads(to_json(build()))["graph"]["edges"][0]
    assert list(edge) == ["from", "to", "slot", "local"]


def test_numbers_that_json_lacks_are_strings_and_come_back():
    value = (float("nan"), float("inf"), float("-inf"), complex(1, float("inf")), True, 3)
    output = Output("x", value, (6,), "complex64", "cpu", None, False)
    text = to_json(build(output=output))
    assert json.loads(text)["output"]["value"] == [
        "nan",
        "inf",
        "-inf",
        {"real": 1.0, "imag": "inf"},
        True,
        3,
    ]
    assert repr(from_json(text).output.value) == repr(value)


@pytest.mark.parametrize(("count", "full", "written_out"), [(1000, False, True), (1001, False, False)])
def test_tensors_are_written_out_up_to_a_thousand_elements(count, full, written_out):
    output = Output("x", tuple(float(i) for i in range(count)), (count,), "float32", "cpu", None, False)
    value = json.loads(to_json(build(output=output), full=full))["output"]["value"]
    assert isinstance(value, list) is written_out


def test_a_large_tensor_becomes_its_summary():
    value = (*(float(i) for i in range(1000)), float("nan"), float("-inf"))
    output = Output("x", value, (1002,), "float32", "cpu", None, False)
    assert from_json(to_json(build(output=output))).output.value == Summary(1002, 0.0, 999.0, 1, 1)


def test_what_a_leaf_holds_is_summarised_as_any_tensor():
    grad = tuple(float(i) for i in range(1001))
    report = build(backwards=(Backward(1, "y", (), {"x": None}, {"x": grad}),))
    assert from_json(to_json(report)).backwards[0].grad_after == {"x": Summary(1001, 0.0, 1000.0, 0, 0)}
    assert from_json(to_json(report, full=True)) == report


def test_full_writes_every_element():
    value = tuple(float(i) for i in range(5000))
    output = Output("x", value, (5000,), "float32", "cpu", None, False)
    assert from_json(to_json(build(output=output), full=True)).output.value == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is empty"),
        ("{", "it is not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
        ("[1]", "it is a list, not an object"),
        ("{}", 'schema is not there, and this agx reads "agx.report/1"'),
        ('{"schema": "agx.report/9"}', 'schema is "agx.report/9", and this agx reads "agx.report/1"'),
        ('{"schema": "agx.report/1"}', "source is missing"),
        ('{"schema": NaN}', 'it is not strict JSON: NaN stands where "nan" in quotes is meant'),
        ("[" * 100_000, "it is nested too deeply"),
        ("9" * 5000, "it holds an integer of more digits than Python reads"),
    ],
)
def test_what_is_no_report_is_refused(text, sentence):
    with pytest.raises(
        InputError, match=f"^This is not a report of agx: {re.escape(sentence)}\\.$"
    ) as caught:
        from_json(text)
    assert caught.value.code == "AGX213"
    assert caught.value.hint == "A report is what `agx trace SOURCE --json` prints."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d.update(seed="0"), 'seed is "0", not an integer'),
        (lambda d: d.update(seed=True), "seed is true, not an integer"),
        (lambda d: d["graph"]["nodes"][1].pop("op"), "graph.nodes[1].op is missing"),
        (
            lambda d: d["graph"]["nodes"][0].update(span=[5, 2]),
            "graph.nodes[0].span is a list, not [start, end]",
        ),
        (
            lambda d: d["graph"]["edges"][0].update(to=7),
            "graph.edges[0] speaks of node 7, which is not in graph.nodes",
        ),
        (lambda d: d["graph"].update(root=9), "graph.root speaks of node 9, which is not in graph.nodes"),
        (
            lambda d: d["chain"]["leaves"][0]["ways"][0].update(nodes=[0, 5]),
            "chain.leaves[0] speaks of node 5, which is not in graph.nodes",
        ),
        (lambda d: d["graph"]["nodes"][1].update(id=0), "graph.nodes has two nodes with one id"),
        (
            lambda d: d["findings"][0].update(severity="bad"),
            'findings[0].severity is "bad", not one of error, warning, note',
        ),
        (lambda d: d["output"].update(value=["a"]), 'output.value[0] is "a", not a number'),
        (lambda d: d["output"].update(value=[None]), "output.value[0] is null, not a number"),
        (lambda d: d["output"].update(value={"real": 1}), "output.value.imag is null, not a number"),
        (lambda d: d.update(bindings={}), "bindings is an object, not a list"),
        (
            lambda d: d["inspected"].update(rows=[["shape"]]),
            "inspected.rows[0] is a list, not [name, text]",
        ),
        (
            lambda d: d["statements"][0]["last"]["made"][0].pop("dtype"),
            "statements[0].last.made[0].dtype is missing",
        ),
        (lambda d: d.update(versions=[]), "versions is a list, not an object"),
        (lambda d: d.update(output=3), "output is 3, not an object"),
        (lambda d: d.update(source=["x" * 100]), "source is a list, not a string"),
        (lambda d: d.update(device=9 * 10**50), f"device is {'9' + '0' * 36}…, not a string"),
    ],
)
def test_a_fault_is_named_with_its_place(change, sentence):
    with pytest.raises(InputError, match=refusal(sentence)):
        from_json(edited(change))


def test_values_nested_beyond_any_tensor_are_refused():
    def nest(data):
        data["output"]["value"] = json.loads("[" * 100 + "1" + "]" * 100)

    with pytest.raises(InputError, match=r"output\.value(\[0\])+ is a list, not a number"):
        from_json(edited(nest))


def test_a_report_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr("autograd_cli.report.json.MOST_CHARACTERS", 10)
    with pytest.raises(InputError, match=r"it has 11 characters, and at most 10 are read"):
        from_json('{"a": "bc"}')


def test_integers_where_floats_are_meant_are_taken():
    report = from_json(edited(lambda d: d["gradients"][0].update(difference=0)))
    assert repr(report.gradients[0].difference) == "0.0"


def test_keys_of_a_later_agx_are_ignored():
    assert from_json(edited(lambda d: d.update(later=1))) == build()
