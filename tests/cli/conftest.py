"""agx in a folder with a person's own callables: in this process, and in one of its own."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from autograd_cli import cli
from tests.cli.brought import OPS


@pytest.fixture
def agx(tmp_path, monkeypatch):
    """Runs agx in a folder with the file above; gives status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ops.py").write_text(OPS)

    def run(*words, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        made = CliRunner().invoke(cli.app, list(words), env={"NO_COLOR": "1", "COLUMNS": "100"})
        assert "Traceback" not in made.stdout + made.stderr
        assert "agx itself failed" not in made.stdout + made.stderr
        return made.exit_code, made.stdout, made.stderr

    return run


@pytest.fixture
def console(tmp_path):
    """Runs agx in a process of its own, beside the file above."""
    (tmp_path / "ops.py").write_text(OPS)

    def run(*words):
        line = [sys.executable, "-m", "autograd_cli", *words]
        return subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    return run
