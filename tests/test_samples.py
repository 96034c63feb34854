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

ROOT = Path(__file__).parent.parent
SAMPLES = sorted((ROOT / "samples").glob("*.py"))
PIPELINES = sorted((ROOT / "samples").glob("*.sh"))

PRELUDE = (Path(__file__).parent / "prelude.txt").read_text(encoding="utf-8")
"""What an expression without an import stands under, in Python."""


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
def test_an_expression_shows_what_it_says(sample):
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


def in_python(sample, report):
    """The value of a sample in Python, under the prelude and with the bindings of a report."""
    names = {}
    exec(PRELUDE, names)
    torch.manual_seed(report["seed"])
    for binding in report["bindings"]:
        names[binding["name"]] = bound(binding, names)
    return eval(sample.read_text(encoding="utf-8").strip(), names)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_an_expression_is_python_and_means_the_same_there(sample):
    report = json.loads(agx([*command(sample), "--json", "--full", "--witness", "autograd"])[1])
    devices = {binding["device"] for binding in report["bindings"]}
    if len(devices) > 1:
        pytest.skip("torch itself does not notice every meta operand")
    if report["output"] is None:
        with pytest.raises(RuntimeError, match=re.escape(report["findings"][0]["torch"])):
            in_python(sample, report)
        return
    value = in_python(sample, report)
    output = report["output"]
    plain = value.tolist() if isinstance(value, torch.Tensor) else value
    assert json.loads(json.dumps(plain)) == output["value"]
    assert output["requires_grad"] == getattr(value, "requires_grad", False)
    grad_fn = getattr(value, "grad_fn", None)
    assert output["grad_fn"] == (type(grad_fn).__name__ if grad_fn else None)


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
