"""How fast programs run in agx, against Python, and a batch of sources, against the same by hand.

Run as `python tests/benchmarks/programs.py [TURNS]`. First a set of statements that call torch on at
most 20 elements: each stands in a loop of a program, and what counts is the time of a round in agx by
that of the same round in Python, the best of TURNS (5) taken in turns. Then 1,000 one-line sources:
`explore` of each, by forward, backward and central differences written by hand. Ends with 1 when a
ratio is above its bound.
"""

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random
from types import CodeType
from typing import Any

import torch

from autograd_cli.explore import explore
from autograd_cli.lang.check import check
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.program import run_program
from autograd_cli.run.record import torch_state
from autograd_cli.run.settings import Settings

ROUNDS = 5000
MEDIAN, WORST, BATCH = 4.0, 6.0, 5.0

SETUP = """\
import torch
import torch.nn.functional as F
x = torch.linspace(-1, 1, 20, requires_grad=True)
y = torch.linspace(0, 2, 20)
w = torch.ones(4, 5, requires_grad=True)
m = torch.ones(4, 4)
c = torch.zeros(20)
s = torch.tensor(2.0)
losses, total = [], 0.0
optimizer = torch.optim.SGD([w], lr=0.01)
g = torch.ones(3, requires_grad=True)
g.grad = torch.ones(3)
"""

STATEMENTS = (
    "z = x + y",
    "z = y + c",
    "z = x * 2.0",
    "z = -x",
    "z = x**2",
    "z = y > 0",
    "z = m @ m",
    "z = torch.sin(x)",
    "z = F.relu(x)",
    "z = x.sum()",
    "z = x.mean(0, keepdim=True)",
    "z = (x**2 + y).sum()",
    "z = torch.exp(-(x**2)) * 2",
    "z = x[1]",
    "z = x[1:5]",
    "z = x[y > 1]",
    "z = x.view(4, 5)",
    "z = w.T",
    "z = x.reshape(4, 5).permute(1, 0)",
    "z = torch.zeros(3)",
    "z = torch.tensor([1.0, 2.0])",
    "z = torch.randn(3)",
    "z = torch.cat([x, y])",
    "z = torch.where(x > 0, x, 0.0)",
    "z = F.mse_loss(x, y)",
    "z = x.to(torch.float64)",
    "z = x.detach()",
    "z = s.item()",
    "losses.append(s.item())",
    "total += s.item()",
    "if s.item() > 0:\n    z = s",
    "z, k = w.max(0)",
    "z = x.max(0).values",
    "a, b = y.split(10)",
    "for row in w:\n    z = row * 2",
    "c.add_(1.0)",
    "c += y",
    "c[0] = 1.0",
    "c[1:3] += 1.0",
    "c.data.mul_(0.5)",
    "(x * x).sum().backward()",
    "(z,) = torch.autograd.grad((x * y).sum(), x)",
    "with torch.no_grad():\n    z = x * 2",
    "if y.sum() > 0:\n    z = y * 2",
    "for k in range(2):\n    z = y * k",
    "optimizer.zero_grad()\n(w * w).sum().backward()\noptimizer.step()",
    "z = x.dim()",
    "z = x.numel()",
    "z = x.size(0)",
    "z = x.shape[0]",
    "z = x.is_contiguous()",
    "z = x.stride()",
    "z = x.data_ptr() == y.data_ptr()",
    "z = x.dtype == torch.float32",
    "z = torch.is_tensor(x)",
    "z = torch.is_grad_enabled()",
    "z = torch.get_default_dtype()",
    "z = float(s)",
    "z = int(s)",
    "z = s.item() < 1",
    "z = s.item() * 2",
    "z = max(s.item(), 1.0)",
    "z = round(s.item(), 3)",
    "z = x[0].item()",
    "z = x.mean().item()",
    "z = x.tolist()",
    "z = s.detach().item()",
    "z = f'{s.item():.3f}'",
    "assert s.item() > 0",
    "assert torch.allclose(y, y)",
    "z = y.clone()",
    "z = x.detach().clone()",
    "z = x.data",
    "z = y.float()",
    "z = y.double()",
    "z = y.cpu()",
    "z = w.flatten()",
    "z = y.long()",
    "z = y.numpy()",
    "z = torch.from_numpy(y.numpy())",
    "z = x.unsqueeze(0)",
    "z = x.squeeze()",
    "z = x.expand(2, 20)",
    "z = w.transpose(0, 1)",
    "z = w[:, 1]",
    "z = x[None]",
    "z = y[-1]",
    "z = torch.tensor(1.0, requires_grad=True)",
    "z = torch.tensor([[1, 2], [3, 4]])",
    "z = torch.zeros(3, requires_grad=True)",
    "z = torch.zeros_like(x)",
    "z = torch.full((2, 2), 7.0)",
    "z = torch.arange(5)",
    "z = torch.stack([x, y])",
    "z = torch.nn.Parameter(y)",
    "z = y.clone().requires_grad_(True)",
    "z = F.log_softmax(w, dim=-1)",
    "z = torch.argmax(w, dim=1)",
    "z = (y == c).sum().item()",
    "z = torch.equal(x, y)",
    "c.fill_(0.0)",
    "c.copy_(y)",
    "c.sub_(y)",
    "c.data += y",
    "c.data.add_(y)",
    "g.grad.data.zero_()",
    "z = g.grad * 2",
    "z = g.grad.norm()",
    "g.grad = None\n(g * g).sum().backward()",
    "(g * g).sum().backward()\ng.grad.zero_()",
    "with torch.no_grad():\n    g -= 0.1 * g.grad",
    "with torch.no_grad():\n    g.sub_(0.1 * g.grad)",
    "g.data -= 0.1 * g.grad",
    "u = x * 2\nu.retain_grad()\nu.sum().backward()",
    "(x * y).backward(gradient=y)",
    "with torch.enable_grad():\n    z = x * 2",
    "with torch.inference_mode():\n    z = x * 2",
    "for i, row in enumerate(w):\n    z = row * 2",
    "torch.nn.utils.clip_grad_norm_([g], 1.0)",
)


def seconds(call: Callable[[], Any]) -> float:
    """How long a call keeps the processor: what else the machine does does not count."""
    start = time.process_time()
    call()
    return time.process_time() - start


def looped(statement: str) -> str:
    """The program that runs a statement many times."""
    body = "".join(f"    {line}\n" for line in statement.splitlines())
    return f"{SETUP}for i in range({ROUNDS}):\n{body}"


def in_python(text: str) -> Callable[[], Any]:
    """What runs a program in Python."""
    code = compile(text, "<program>", "exec")
    return lambda: exec(code, {})


def in_agx(text: str) -> Callable[[], Any]:
    """What runs a program in agx's interpreter; it is read before."""
    program, settings = parse(Source(text)), Settings()
    check(program, ())

    def run() -> None:
        with torch_state(settings):
            ran = run_program(program, (), settings)
        if ran.failure is not None:
            raise ran.failure.error

    return run


def ratio(statement: str, turns: int) -> float:
    """The time of a round in agx by that in Python."""
    runs = [in_agx(looped(statement)), in_python(looped(statement))]
    empty = [in_agx(SETUP), in_python(SETUP)]
    taken = [[seconds(run) for run in (*runs, *empty)] for _ in range(turns)]
    agx, python, agx_empty, python_empty = (min(one) / ROUNDS for one in zip(*taken, strict=True))
    agx, python = agx - agx_empty, python - python_empty
    print(f"{agx / python:5.2f}  {agx * 1e6:7.1f} µs  {python * 1e6:7.1f} µs  {statement!r}")
    return agx / python


SHAPES = {
    "sin(x**2)": {"x": "{0}"},
    "x*y + sin(x)": {"x": "{0}", "y": "{1}"},
    "(a*b + 1)**2": {"a": "{0}", "b": "{1}"},
    "(x**2 * {0}).sum()": {"x": "[{0}, {1}, 1.5]"},
    "exp(-x**2).mean()": {"x": "{0} * linspace(0, 1, 20)"},
    "mean((X@w + b - y)**2)": {
        "X": "randn(10, 3)",
        "w": "[[{0}], [1.], [{1}]]",
        "b": "zeros(1)",
        "y": "randn(10, 1)",
    },
    "tanh(w*x + b)": {"x": "{0}", "w": "{1}", "b": "0.5"},
    "log(x**2 + y**2 + 1)": {"x": "{0}", "y": "{1}"},
    "(softmax(x, 0) * y).sum()": {"x": "[{0}, {1}, 1.]", "y": "[1., 2., {0}]"},
    "(A@x * {0}).tanh().sum()": {"A": "randn(4, 4)", "x": "[{0}, {1}, 1., 2.]"},
}


def sources(count: int) -> list[tuple[str, dict[str, str]]]:
    """Sources with their bindings; all differ."""
    random, found = Random(0), []
    for number in range(count):
        source, bindings = list(SHAPES.items())[number % len(SHAPES)]
        numbers = [round(random.uniform(0.2, 2), 4) for _ in range(2)]
        found.append((filled(source, numbers), {k: filled(v, numbers) for k, v in bindings.items()}))
    return found


def filled(text: str, numbers: list[float]) -> str:
    """A text with numbers in their places."""
    return text.format(*numbers)


def by_hand(batch: list[tuple[str, dict[str, str]]]) -> None:
    """Forward, backward and central differences of each source, as one writes them."""
    names: dict[str, Any] = {}
    exec("from torch import *\nimport torch.nn.functional as F", names)
    for source, bindings in batch:
        code = compile(source, "<source>", "eval")
        values = {
            name: torch.as_tensor(eval(text, names)).requires_grad_() for name, text in bindings.items()
        }
        eval(code, {**names, **values}).backward()
        exact = {name: value.detach().double() for name, value in values.items()}
        for name, value in exact.items():
            differences(partial(moved, code, {**names, **exact}, name), value)


def moved(code: CodeType, names: dict[str, Any], name: str, value: torch.Tensor) -> Any:
    """A source's value where one name has another value."""
    return eval(code, {**names, name: value})


def differences(function: Callable[[torch.Tensor], torch.Tensor], at: torch.Tensor) -> torch.Tensor:
    """The central differences of a function by each element."""
    gradient, flat, h = torch.zeros_like(at).reshape(-1), at.reshape(-1), 1e-6
    for number in range(flat.numel()):
        up, down = flat.clone(), flat.clone()
        up[number] += h
        down[number] -= h
        gradient[number] = (function(up.reshape(at.shape)) - function(down.reshape(at.shape))) / (2 * h)
    return gradient.reshape(at.shape)


def explored(batch: list[tuple[str, dict[str, str]]]) -> None:
    """A report of each source."""
    for source, bindings in batch:
        report = explore(source, list(bindings.items()))
        if report.status:
            sys.exit(f"{source} ended with {report.status}")


def main() -> int:
    """Print the ratios; the exit status says whether all are within their bounds."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    torch.set_num_threads(1)
    ratios = [ratio(statement, turns) for statement in STATEMENTS]
    batch = sources(1000)
    explored(batch[:20])
    by_hand(batch[:20])
    times = seconds(lambda: explored(batch)), seconds(lambda: by_hand(batch))
    found = [
        ("median statement", statistics.median(ratios), MEDIAN),
        ("worst statement", max(ratios), WORST),
        (f"1,000 sources, {times[0]:.2f} s by {times[1]:.2f} s", times[0] / times[1], BATCH),
    ]
    for what, value, bound in found:
        print(f"{what}: {value:.2f} (at most {bound})")
    return int(any(value > bound for _, value, bound in found))


if __name__ == "__main__":
    sys.exit(main())
