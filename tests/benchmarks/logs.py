"""What `agx diagnose` costs on logs, in time of the processor and memory.

Run as `python tests/benchmarks/logs.py [MEBIBYTES] [RUNS]`: medians over RUNS (5) of each command, taken
in turns. A log of 1 MiB is compared with importing rich and typer, large ones of MEBIBYTES (256; the bound
holds for 1024 too, which takes four times as long and as much room in the temporary folder) with
`grep -c Error`: with one error, with a traceback every 50 lines, and with nothing but tracebacks.
Ends with 1 when a ratio or the memory is above its bound.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHON = [sys.executable, "-c"]
AGX = [sys.executable, "-m", "autograd_cli", "diagnose"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
BOUNDS = {"small": 2.5, "large": 15.0}
MOST_MEMORY = 100.0

STEP = "2031-05-04 10:{:02d}:{:02d},123 - fit - INFO - epoch {} step {} loss 0.{:04d} lr 1e-4 norm 1.{:03d}\n"
ERROR = """\
Traceback (most recent call last):
  File "fit.py", line {}, in step
    total.backward()
  File "/env/lib/python3.11/site-packages/torch/_tensor.py", line 522, in backward
    torch.autograd.backward(
RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
"""


def written(path, size, every):
    """A log of `size` bytes with an error after every so many lines, and one at its end."""
    with path.open("w") as log:
        at = 0
        while log.tell() < size:
            block = []
            for _ in range(5_000):
                at += 1
                block.append(
                    STEP.format(at // 60 % 60, at % 60, at // 1000, at, at * 7 % 10_000, at * 13 % 1000)
                )
                if every and at % every == 0:
                    block.append(ERROR.format(at))
            log.write("".join(block))
        log.write(ERROR.format(at))
    return str(path)


def measured(command):
    """Seconds of the processor that `command` takes, and its peak memory in MiB."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT
    )  # to a pipe: grep stops at the first match where it writes to nothing
    process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    memory = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return usage.ru_utime + usage.ru_stime, memory


def pairs(folder, size):
    """What is measured: a name, a command, what it is compared with, and the kind of its bound."""
    small = written(folder / "small.log", 1 << 20, 0)
    yield "1 MiB, one error", [*AGX, small], [*PYTHON, "import rich, typer"], "small"
    often = written(folder / "small-many.log", 1 << 20, 50)
    yield "1 MiB, an error every 50 lines", [*AGX, often], [*PYTHON, "import rich, typer"], "small"
    for name, every in (("one error", 0), ("an error every 50 lines", 50), ("an error every line", 1)):
        large = written(folder / f"large-{every}.log", size << 20, every)
        yield f"{size} MiB, {name}", [*AGX, large], ["grep", "-c", "Error", large], "large"
        Path(large).unlink()


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    over = False
    with tempfile.TemporaryDirectory() as folder:
        for name, command, other, kind in pairs(Path(folder), size):
            measured(command), measured(other)
            taken = [(measured(command), measured(other)) for _ in range(runs)]
            ours = statistics.median(one[0][0] for one in taken)
            theirs = statistics.median(one[1][0] for one in taken)
            memory = max(one[0][1] for one in taken)
            ratio = ours / theirs
            over = over or ratio > BOUNDS[kind] or memory > MOST_MEMORY
            print(
                f"{name:32} {ours:6.2f} s  {theirs:6.2f} s of {other[0].rpartition('/')[2]}  "
                f"{ratio:5.2f} (at most {BOUNDS[kind]})  {memory:4.0f} MiB"
            )
    sys.exit(over)


if __name__ == "__main__":
    main()
