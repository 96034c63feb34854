"""Reports to JSON and back, against the schema, and refusals of what is no report."""

import json
import re
from dataclasses import fields
from enum import Enum
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator

from autograd_cli.errors import InputError
from autograd_cli.report import records
from autograd_cli.report.chain import Chain, Departure, Handing, Keeping, Link, Way as Passed, Ways
from autograd_cli.report.json import from_json, to_json
from autograd_cli.report.records import (
    Asked,
    Backward,
    Binding,
    Change,
    Checks,
    Concern,
    Cut,
    Edge,
    Element,
    Examination,
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
    Slot,
    Statement,
    Stretch,
    Summary,
    Target,
    Verdict,
    Witness,
)

SCHEMA = json.loads((files("autograd_cli.report") / "schema.json").read_text())
VALID = Draft202012Validator(SCHEMA)


def build(**changes):
    """A small report with one of everything; `changes` replace its fields."""
    node = Node(0, "SinBackward0", (0, 6), "sin(x)", 1, (), "float32", "cpu", 0.5, 1.0, Local("cos(x)", 0.9))
    leaf = Node(1, "AccumulateGrad", (4, 5), "x", 1, (), "float32", "cpu", 2.0, 0.9, leaf="x")
    gradient = Gradient(
        "x", (), "cos(x)", "", "", 0.9, 0.9, 0.9, 1e-11, 1e-9, 1e-7, (), Verdict.OK, Witness.NUMERIC
    )
    parts = {
        "source": "sin(x)",
        "device": "cpu",
        "dtype": "float32",
        "seed": 0,
        "kept_bytes": 4,
        "versions": {"torch": "2.13.0"},
        "bindings": (Binding("x", "2", (), "float32", "cpu", True, 2.0, "leaf"),),
        "output": Output("sin(x)", 0.5, (), "float32", "cpu", "SinBackward0", True, 1.0),
        "graph": Graph(
            0,
            (node, leaf),
            (Edge(0, 1, 0, Local("cos(x)", 0.9)),),
            (Stretch(0, "b", (1,), (10, 1)),),
            (Way("x", (0, 1), (1.0, 0.9), 0.9),),
        ),
        "gradients": (gradient,),
        "findings": (
            Finding("AGX503", "kink", Severity.NOTE, "x is at a kink.", (0, 3), fix=(Fix("move x"),)),
        ),
        "status": 0,
        "statements": (
            Statement(
                1,
                (0, 6),
                "sin(x)",
                count=2,
                made=(Made("y", (), "float32", "cpu", True, False, "SinBackward0", 0.5),),
                changed=(Change("x.grad", "backward", None, (4.0, 1.0), (4.0, 1.0), ("z",)),),
                printed=("tensor(4.)\n",),
                last=Round(2, (Made("k", None, "int", text="3"),)),
                claim="tensor(5.)",
                findings=("AGX503",),
            ),
        ),
        "printed": ("tensor(4.)\n",),
        "backwards": (Backward(3, "y1", (gradient,), {"x": None}, {"x": 4.0}, (0, 6), value=0.5),),
        "inspected": Inspection("y", (("shape", "()"),), (("grad", "None"),), (("grad", "4"),)),
        "root": "y1",
        "chain": Chain(
            (
                Ways(
                    "x",
                    1,
                    (),
                    1,
                    0.0,
                    (Passed((0, 1), (Link(0, 0, (), "cos(x)", 0.9, 0.9, True, 0.9),), 0.9),),
                    total=0.9,
                    autograd=0.9,
                    difference=0.0,
                    tolerance=1e-7,
                    cut=(1,),
                ),
            ),
            2,
            (Departure(1, 0.9, 0.8, 0.1, 1e-7),),
            1,
            calls=(Handing((0,), 1, (), "g*cos(x)", True),),
        ),
        "saved": Keeping(4, (4,)),
        "second": Second(
            "hessian",
            "the sum of its elements",
            (
                SecondBlock(
                    ("x", "x"),
                    (),
                    "-sin(x)",
                    "",
                    "",
                    -0.9,
                    -0.9,
                    -0.9,
                    1e-10,
                    -0.9,
                    1e-12,
                    None,
                    0.0,
                    1e-9,
                    1e-7,
                    (),
                    Verdict.OK,
                ),
            ),
        ),
        "targets": (Target("swish", "my_ops.py", "Swish.apply", "autograd.Function", 4),),
        "examined": (
            Examination(
                "Swish",
                "swish(x)",
                "my_ops.py:4",
                (
                    Slot(
                        "x",
                        0,
                        1,
                        (3,),
                        Verdict.WRONG,
                        2,
                        (1,),
                        0.5,
                        1.0,
                        -1.0,
                        1e-9,
                        "my_ops.py:8",
                        ("a sign",),
                    ),
                ),
                (Concern("saves-intermediate", "it saves `s`", "my_ops.py:5"),),
                Verdict.OK,
            ),
        ),
    }
    return Report(**{**parts, **changes})


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


reals = st.floats(allow_nan=False)
numbers = st.one_of(reals, st.integers(-(2**63), 2**63), st.booleans(), st.complex_numbers(allow_nan=False))
tensors = st.one_of(
    st.none(),
    st.recursive(numbers, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=8),
    st.builds(Summary, st.integers(0), st.none() | reals, st.none() | reals, st.integers(0), st.integers(0)),
)
shapes = st.lists(st.integers(0, 9), max_size=4).map(tuple)
texts = st.text(max_size=12)
spans = st.tuples(st.integers(0, 50), st.integers(50, 99))


outputs = st.builds(
    Output, texts, tensors, st.none() | shapes, texts, texts, st.none() | texts, st.booleans(), tensors
)
bindings = st.builds(Binding, texts, texts, shapes, texts, texts, st.booleans(), tensors, texts)
evidence = st.dictionaries(texts, st.none() | st.integers() | texts, max_size=3)
findings = st.builds(
    Finding,
    texts,
    texts,
    st.sampled_from(Severity),
    texts,
    st.none() | spans,
    st.none() | st.integers(),
    texts,
    st.lists(texts, max_size=3).map(tuple),
    evidence,
)
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
)


@given(
    source=texts,
    output=st.none() | outputs,
    bindings=st.lists(bindings, max_size=3).map(tuple),
    findings=st.lists(findings, max_size=2).map(tuple),
)
@settings(max_examples=60, deadline=None)
def test_any_report_comes_back_equal_and_keeps_to_its_types(source, output, bindings, findings):
    report = build(source=source, output=output, bindings=bindings, findings=findings)
    again = from_json(to_json(report, full=True))
    assert again == report
    assert repr(again) == repr(report)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | texts,
        lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    )
)
@settings(max_examples=100, deadline=None)
def test_any_json_is_read_or_refused(data):
    with pytest.raises(InputError, match=r"^This is not a report of agx: "):
        from_json(json.dumps(data))


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_damage_is_read_or_refused(data):
    report = json.loads(to_json(build()))
    place = report
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            break
        place = place[key]
    if place:
        place[key] = data.draw(st.sampled_from([None, "", -1, 1e999, [], {}, [[1]], {"real": 1}, True]))
    try:
        read = from_json(json.dumps(report).replace("Infinity", "1e999"))
    except InputError as error:
        assert error.code == "AGX213"  # noqa: PT017 - either outcome is right
    else:
        assert isinstance(read, records.Report)


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
