"""README's commands are run, and print what it says they print."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
ERROR_BAR = re.compile(r"± \S+|rounding allows \S+")
"""Figures that depend on the last bits of a processor's arithmetic."""


def blocks(kind: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [block for language, block in fenced if language == kind]


def run(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder but for the samples, as a clone has them."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    return tmp_path


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.splitlines()[0])
def test_a_shown_command_prints_what_is_shown(block: str, folder: Path) -> None:
    command, _, printed = block.partition("\n")
    done = run(command.removeprefix("$ "), folder)
    assert ERROR_BAR.sub("…", done.stdout) == ERROR_BAR.sub("…", printed)


@pytest.mark.parametrize("command", "".join(blocks("sh")).splitlines())
def test_the_tour_can_be_walked(command: str, folder: Path) -> None:
    if "jq" in command and not shutil.which("jq"):
        pytest.skip("jq is not installed")
    done = run(command, folder)
    assert done.returncode == (1 if "status 1" in command else 0), done.stderr
    assert done.stdout or "-o" in shlex.split(command, comments=True)


def test_the_tour_writes_its_picture(tmp_path: Path) -> None:
    (command,) = [line for line in "".join(blocks("sh")).splitlines() if "-o graph.svg" in line]
    run(command, tmp_path)
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_every_sample_that_is_named_is_there() -> None:
    table = TEXT.partition("| topic | samples |")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)`", table)
    assert len(named) > 25
    assert [name for name in named if not (ROOT / "samples" / f"{name}.py").exists()] == []


def test_both_set_up_commands_pin_what_they_install() -> None:
    commands = [
        line for block in blocks("") for line in block.splitlines() if line.startswith("python3 -m venv")
    ]
    assert len(commands) == 2
    assert all("-c .ci/constraints.txt" in command for command in commands)
    assert "torch==2.13.0" in (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()


def test_every_room_is_in_the_house() -> None:
    rooms = re.findall(r"^\| `([a-z_./]+)` \|", TEXT, re.MULTILINE)
    package = ROOT / "autograd_cli"
    found = {f"{path.name}/" for path in package.iterdir() if (path / "__init__.py").exists()}
    found |= {path.name for path in package.glob("*.py") if not path.name.startswith("__")}
    assert set(rooms) == found


def test_the_order_of_the_rooms_is_what_import_linter_checks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (order,) = [c["layers"] for c in project["tool"]["importlinter"]["contracts"] if c["type"] == "layers"]
    assert "\n".join(order) + "\n" in blocks("")


def test_every_exit_status_is_told() -> None:
    from autograd_cli.errors import ExitStatus

    told = {int(number) for number in re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)}
    assert told == {int(status) for status in ExitStatus}
