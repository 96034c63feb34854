"""Every sample is run as its first lines say, and shows what they say."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SAMPLES = sorted((ROOT / "samples").glob("*.py"))
PIPELINES = sorted((ROOT / "samples").glob("*.sh"))
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def shown(text: str) -> list[str]:
    return re.findall(r"^# shows: (.+)$", text, re.MULTILINE)


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_an_expression_shows_what_it_says(sample: Path) -> None:
    text = sample.read_text(encoding="utf-8")
    command = shlex.split(text.splitlines()[0].removeprefix("# "))
    assert command[:3] == ["agx", "trace", f"samples/{sample.name}"]
    status = re.search(r"^# status: (\d)$", text, re.MULTILINE)
    done = run(command)
    assert done.returncode == (int(status[1]) if status else 0), done.stderr
    assert shown(text)
    for line in shown(text):
        assert line in done.stdout


@pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda path: path.stem)
def test_a_pipeline_shows_what_it_says(pipeline: Path) -> None:
    text = pipeline.read_text(encoding="utf-8")
    if "jq" in text and not shutil.which("jq"):
        pytest.skip("jq is not installed")
    done = run(["sh", str(pipeline)])
    assert (done.returncode, done.stderr) == (0, "")
    assert shown(text)
    for line in shown(text):
        assert line in done.stdout
