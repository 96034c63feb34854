"""A script started under Python and under agx, each in a process of its own."""

import os
import re
import subprocess
import sys

PYTHON = [sys.executable]
AGX = [sys.executable, "-P", "-m", "autograd_cli", "diagnose"]


def ran(line, folder, text="", *words, stdin=b"", **variables):
    """What a script ends with, prints and says, in a folder that begins with it alone."""
    folder.mkdir(exist_ok=True)
    if text:
        (folder / "fit.py").write_text(text)
    return subprocess.run(
        [*line, *(words or ["fit.py"])],
        cwd=folder,
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )


def both(folder, text, *words, **more):
    """The same script under Python and under agx: status, stdout and stderr of each."""
    found = [ran(line, folder, text, *words, **more) for line in (PYTHON, AGX)]
    return [(one.returncode, _same(one.stdout), _same(one.stderr)) for one in found]


def _same(text):
    """What was written, without the addresses of objects."""
    return re.sub(r"0x[0-9a-f]+", "0x…", text.decode())


FAILING = """\
import sys, torch
print("begun")
a, b = torch.zeros(2, 3), torch.zeros(2, 3)
(a @ b).sum()
"""
