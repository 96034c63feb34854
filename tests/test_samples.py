"""Every sample shows what its first lines say, and means in agx what it means in Python."""

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from autograd_cli import cli
from autograd_cli.cli.environment import Environment
from tests.same.runs import PRELUDE, compared, in_python

ROOT = Path(__file__).parent.parent
SAMPLES = sorted((ROOT / "samples").glob("*.py"))
PROGRAMS = [path for path in SAMPLES if "\nimport torch\n" in path.read_text(encoding="utf-8")]
EXPRESSIONS = [path for path in SAMPLES if path not in PROGRAMS]
PIPELINES = sorted((ROOT / "samples").glob("*.sh"))

ROWS = {
    "C1": "creation",
    "C2": "attributes",
    "C3": "arithmetic",
    "C4": "products",
    "C5": "shapes",
    "C6": "indexing",
    "C7": "stretched_shapes",
    "C8": "two_powers",
    "C9": "chain_by_steps backward_in_two_cells",
    "C10": "accumulation added_three_times summed_on_purpose",
    "C11": "one_leaf_two_ways",
    "C12": "detach_shares_memory",
    "C13": "grad_modes",
    "C14": "frozen_layer",
    "C15": "where_it_runs",
    "C16": "moving",
    "C17": "dtypes",
    "C18": "fit_a_line fit_with_an_optimizer",
    "C20": "gradient_check",
    "C21": "square_by_steps",
    "C22": "line_by_grad",
    "C23": "vector_backward",
    "C24": "numpy_bridge",
    "C25": "summary",
    "C26": "claims",
}
"""The programs for each thing that tutorials on tensors and autograd teach."""

MISTAKES = {
    "backward on something that needs no grad": "backward_without_a_graph",
    "backward on a non-scalar": "backward_of_a_vector vector_without_a_cotangent",
    "backward under no_grad": "backward_under_no_grad",
    "operands on two devices": "two_devices indices_elsewhere",
    "operands of two dtypes": "promotion two_dtypes_in_a_product",
    "in-place change of a leaf": "leaf_changed_in_place",
    "in-place change of a value that backward needs": "saved_value_changed",
    "changing .data": "data_changed",
    "a NumPy array that shares the memory": "numpy_memory_changed",
    "a detached alias": "detached_alias_changed",
    "backward twice over one graph": "backward_twice",
    "gradients not cleared": "accumulation gradients_never_cleared",
    "inference without no_grad": "evaluated_with_graphs",
    "keeping a loss tensor instead of its .item()": "losses_kept",
    ".numpy() on a tensor that requires grad": "numpy_of_a_graph",
    "ints asked to require grad": "whole_numbers_with_gradients",
    "view on non-contiguous memory": "view_of_a_transpose",
    "shapes that do not multiply": "shapes_that_do_not_multiply mm_takes_matrices",
    "shapes that do not broadcast": "shapes_that_do_not_fit",
    "shapes that broadcast by accident": "column_less_row",
    "inference tensors used in training": "inference_tensor_in_training",
    "a path cut by argmax": "cut_by_argmax",
    "a path cut by round": "cut_by_rounding",
    "a path cut by a comparison": "cut_by_a_comparison",
    "a path cut by an int cast": "cast_to_int",
    "a path cut by detach": "cut_by_detach",
    "gradients that are NaN": "nan_gradient",
    "gradients that are infinite": "infinite_gradient",
    "gradients that are all zero": "dead_units",
    "gradients that underflowed": "underflow_in_half",
}
"""C19: the samples of each mistake, each with the finding that explains it."""

FINDINGS = {
    # Expressions.
    "boolean_mask": "AGX401",
    "cast_to_half": "AGX401",
    "cast_to_int": "AGX403",
    "chain_rule": "AGX209",
    "column_less_row": "AGX407",
    "cut_by_detach": "AGX453",
    "division_of_integers": "AGX402",
    "index_tensors": "AGX401",
    "indices_elsewhere": "AGX303",
    "infinite_gradient": "AGX502",
    "kink": "AGX503",
    "layout_in_memory": "AGX312",
    "line": "AGX209",
    "linear_layer": "AGX401",
    "mm_takes_matrices": "AGX301",
    "not_a_scalar": "AGX209",
    "number_of_elements": "AGX312",
    "product_of_batches": "AGX401",
    "promotion": "AGX305 AGX401",
    "shapes_that_do_not_fit": "AGX302",
    "shared_leaf": "AGX209",
    "square_of_a_product": "AGX209",
    "sum_of_powers": "AGX209",
    "two_devices": "AGX303",
    "two_dtypes_in_a_product": "AGX304",
    "underflow_in_half": "AGX505",
    "vector_without_a_cotangent": "AGX401",
    "view_of_a_transpose": "AGX306",
    # Programs.
    "accumulation": "AGX410",
    "added_three_times": "AGX410",
    "backward_in_two_cells": "AGX410",
    "backward_of_a_vector": "AGX401",
    "backward_twice": "AGX411",
    "backward_under_no_grad": "AGX402",
    "backward_without_a_graph": "AGX402",
    "claims": "AGX320 AGX410",
    "cut_by_a_comparison": "AGX403",
    "cut_by_argmax": "AGX403",
    "cut_by_rounding": "AGX403",
    "data_changed": "AGX415",
    "dead_units": "AGX505",
    "detached_alias_changed": "AGX409",
    "dtypes": "AGX505",
    "evaluated_with_graphs": "AGX444",
    "gradients_never_cleared": "AGX410",
    "inference_tensor_in_training": "AGX414",
    "leaf_changed_in_place": "AGX412",
    "losses_kept": "AGX420",
    "nan_gradient": "AGX502",
    "numpy_bridge": "AGX305",
    "numpy_memory_changed": "AGX415",
    "numpy_of_a_graph": "AGX413",
    "saved_value_changed": "AGX409",
    "shapes_that_do_not_multiply": "AGX301",
    "whole_numbers_with_gradients": "AGX404",
}
"""The codes of the findings that a sample is there to show; all others get none."""


def shown(text):
    """What a sample says it shows."""
    lines = re.findall(r"^# shows: (.+)$", text, re.MULTILINE)
    assert lines
    return lines


def command(sample):
    """The words of a sample's first line, without `agx`."""
    words = shlex.split(sample.read_text(encoding="utf-8").splitlines()[0].removeprefix("# "))
    assert words[:3] == ["agx", "trace", f"samples/{sample.name}"]
    return words[1:]


def agx(words):
    """The status, stdout and stderr of a command line, run in this process at the root."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    status = cli.run(words, Environment(io.StringIO(), out, err, {}))
    out.seek(0)
    return status, out.read(), err.getvalue()


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_shows_what_it_says(sample):
    text = sample.read_text(encoding="utf-8")
    expected = re.search(r"^# status: (\d)$", text, re.MULTILINE)
    status, out, err = agx(command(sample))
    assert (status, err) == (int(expected[1]) if expected else 0, "")
    for line in shown(text):
        assert line in out


def bound(binding, names):
    """What a binding is in Python, given what it was converted to."""
    value = eval(binding["text"], names)  # our own text, from the first line of a sample
    if binding["shape"] is None:
        return value
    kept = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value)
    return kept.to(getattr(torch, binding["dtype"])).requires_grad_(binding["requires_grad"])


def evaluated(sample, report):
    """The value of a sample in Python, under the prelude and with the bindings of a report."""
    names = {}
    exec(PRELUDE, names)
    torch.manual_seed(report["seed"])
    for binding in report["bindings"]:
        names[binding["name"]] = bound(binding, names)
    return eval(sample.read_text(encoding="utf-8").strip(), names)


@pytest.mark.parametrize("sample", EXPRESSIONS, ids=lambda path: path.stem)
def test_an_expression_is_python_and_means_the_same_there(sample):
    report = json.loads(agx([*command(sample), "--json", "--full", "--witness", "autograd"])[1])
    devices = {binding["device"] for binding in report["bindings"]}
    if len(devices) > 1:
        pytest.skip("torch itself does not notice every meta operand")
    if report["output"] is None:
        with pytest.raises(RuntimeError, match=re.escape(report["findings"][0]["torch"])):
            evaluated(sample, report)
        return
    value = evaluated(sample, report)
    output = report["output"]
    plain = value.tolist() if isinstance(value, torch.Tensor) else value
    assert json.loads(json.dumps(plain)) == output["value"]
    assert output["requires_grad"] == getattr(value, "requires_grad", False)
    grad_fn = getattr(value, "grad_fn", None)
    assert output["grad_fn"] == (type(grad_fn).__name__ if grad_fn else None)


@pytest.mark.parametrize("sample", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs_in_python_and_means_the_same_in_agx(sample):
    text = sample.read_text(encoding="utf-8")
    raises = re.search(r"^# raises: (\w+)$", text, re.MULTILINE)
    assert (in_python(text).error, compared(text)) == (raises[1] if raises else "", [])


@pytest.mark.parametrize("sample", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_says_how_python_runs_it(sample):
    assert sample.read_text(encoding="utf-8").splitlines()[1] == f"# python samples/{sample.name}"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_gets_no_finding_but_those_it_is_there_to_show(sample):
    report = json.loads(agx([*command(sample), "--json"])[1])
    found = sorted({finding["code"] for finding in report["findings"]})
    assert found == FINDINGS.get(sample.stem, "").split()


def test_every_topic_has_its_program():
    known = {name for names in (*ROWS.values(), *MISTAKES.values()) for name in names.split()}
    assert known >= {path.stem for path in PROGRAMS}
    assert known <= {path.stem for path in SAMPLES}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_has_a_sample_that_is_explained(mistake):
    for name in MISTAKES[mistake].split():
        assert FINDINGS[name]


def piped(pipeline):
    return subprocess.run(
        ["sh", str(pipeline)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def ended():
    """What each pipeline came to, two run at a time: loading torch is most of each."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(PIPELINES, pool.map(piped, PIPELINES), strict=True))


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda path: path.stem)
def test_a_pipeline_shows_what_it_says(pipeline, ended):
    text = pipeline.read_text(encoding="utf-8")
    if "jq" in text and not shutil.which("jq"):
        pytest.skip("jq is not installed")
    assert (ended[pipeline].returncode, ended[pipeline].stderr) == (0, "")
    for line in shown(text):
        assert line in ended[pipeline].stdout
