"""Any report comes back from JSON equal; any other data, and any damage, is read or refused."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from autograd_cli.errors import InputError
from autograd_cli.report import records
from autograd_cli.report.json import from_json, to_json
from autograd_cli.report.records import (
    Binding,
    Finding,
    Output,
    Severity,
    Summary,
)
from tests.report.small import build

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
