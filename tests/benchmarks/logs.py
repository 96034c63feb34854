"""What `agx diagnose` costs on logs, in time of the processor and memory.

Run as `python tests/benchmarks/logs.py [MEBIBYTES] [RUNS]`: medians over RUNS (5) of each command, taken
in turns. A log of 1 MiB is compared with importing rich and typer, large ones of MEBIBYTES (256; the bound
holds for 1024 too, which takes four times as long and as much room in the temporary folder) with
`grep -c Error`: steps with one error and with a traceback every 50 lines, nothing but tracebacks, errors
of one line, errors of which each is another, or warnings, very long lines, and progress bars.
Ends with 1 when a ratio or the memory is above its bound.
"""

import os
import random
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


WARNING = (
    "/srv/app/fit.py:{}: UserWarning: Using a target size (torch.Size([{}])) that is different to the input "
    "size (torch.Size([{}, 1])).\n  loss = F.mse_loss(out, y)\n"
)
BAR = "\rEpoch {}:  {}%|█████▌     | {}/5000 [00:{:02d}<01:07, 21.{:02d}it/s, loss=0.{:04d}]"


def steps(every):
    """Lines of steps, with an error after so many where there is a number."""

    def line(at):
        step = STEP.format(at // 60 % 60, at % 60, at // 1000, at, at * 7 % 10_000, at * 13 % 1000)
        return step + ERROR.format(at) if every and at % every == 0 else step

    return line


def another(at):
    """An error that no other line has."""
    return f"KeyError: 'sample {random.Random(at).randbytes(9).hex()}'\n"


def bar(at):
    """A state of a progress bar, a line only at its end."""
    shown = BAR.format(at // 5000, at % 5000 // 50, at % 5000, at % 60, at * 7 % 100, at * 7 % 10_000)
    return shown + ("\n" if at % 5000 == 0 else "")


LARGE = {
    "one error": steps(0),
    "an error every 50 lines": steps(50),
    "an error every line": steps(1),
    "errors of one line": "RuntimeError: CUDA out of memory at step {}\n".format,
    "errors, each another": another,
    "warnings": lambda at: WARNING.format(at % 500, at % 64, at % 64),
    "lines of a mebibyte": lambda at: f"[{'0.25, -1.5e-7, ' * (1 << 16)}{at}]\n",
    "progress bars": bar,
}


def written(path, size, line):
    """A log of `size` bytes, each line as `line` makes it of its number, and one error at its end."""
    with path.open("w", encoding="utf-8") as log:
        at = 0
        while log.tell() < size:
            block = []
            while sum(map(len, block[-1:])) * len(block) < 1 << 18:
                at += 1
                block.append(line(at))
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
    small = written(folder / "small.log", 1 << 20, steps(0))
    yield "1 MiB, one error", [*AGX, small], [*PYTHON, "import rich, typer"], "small"
    often = written(folder / "small-many.log", 1 << 20, steps(50))
    yield "1 MiB, an error every 50 lines", [*AGX, often], [*PYTHON, "import rich, typer"], "small"
    for name, line in LARGE.items():
        large = written(folder / "large.log", size << 20, line)
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
