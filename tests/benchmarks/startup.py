"""How long agx takes to start, and how much memory, against importing what it needs.

Run as `python tests/benchmarks/startup.py [RUNS]`: medians over RUNS (10) of each
command, taken in turns so that whatever else the machine does meets all of them.
Ends with 1 when a ratio is above its bound.
"""

import os
import statistics
import subprocess
import sys
import time

PYTHON = [sys.executable, "-c"]
AGX = [sys.executable, "-m", "autograd_cli"]
COMMANDS = {
    "trace": [*AGX, "trace", "sin(x**2)", "--x", "2"],
    "import torch": [*PYTHON, "import torch"],
    "help": [*AGX, "--help"],
    "import rich, typer": [*PYTHON, "import rich, typer"],
}
BOUNDS = [
    # what, compared with, in which respect, at most
    ("trace", "import torch", "seconds", 0.85),
    ("help", "import rich, typer", "seconds", 2.5),
    ("trace", "import torch", "peak", 1.15),
]


# Compiled modules are kept, as in any installation; the first turn makes them.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measured(command):
    """Seconds until `command` has ended, and its peak memory in MiB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return {"seconds": seconds, "peak": usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)}


def medians(runs):
    """The median of `runs` measurements of each command, after one that fills the caches."""
    taken = {name: [] for name in COMMANDS}
    for turn in range(runs + 1):
        for name, command in COMMANDS.items():
            found = measured(command)
            if turn:
                taken[name].append(found)
    return {
        name: {key: statistics.median(run[key] for run in found) for key in ("seconds", "peak")}
        for name, found in taken.items()
    }


def main():
    """Print the medians and the ratios; the exit status says whether all are within bounds."""
    found = medians(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
    for name, one in found.items():
        print(f"{name:20} {one['seconds']:7.3f} s   {one['peak']:7.1f} MiB")
    within = True
    for what, against, respect, bound in BOUNDS:
        ratio = found[what][respect] / found[against][respect]
        within &= ratio <= bound
        print(f"{what} / {against}, {respect}: {ratio:.2f} (at most {bound})")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
