"""How long reading a long graph takes, against a bare loop over `next_functions`.

Run as `python tests/benchmarks/graphs.py [NODES] [sin]`. Ends with 1 when a ratio is above
its bound. A first loop makes torch create a Python wrapper for each node; a second finds
them. The chain is of additions; with `sin` of sines, each of which keeps a tensor that has
a record of its own.
"""

import gc
import os
import sys
import time

import torch

from autograd_cli.graph.pack import graph
from autograd_cli.graph.read import read
from autograd_cli.graph.walk import collector_paused, walk
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import Run

BOUND = 5.0


def chain(nodes, step):
    """A scalar under `nodes` times the same step."""
    value = torch.tensor(1.0, requires_grad=True)
    for _ in range(nodes):
        value = step(value)
    return value


def loop(root):
    """Every node below `root`, by nothing but `next_functions`."""
    seen, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for following, _ in node.next_functions:
            stack.append(following)
    return seen


def records(value):
    """The whole Graph of a report, of a run whose steps are not known."""
    run = Run(parse(Source("x")), (), [], None, None, Settings())
    with collector_paused():
        return graph(run, read(run, value))


def timed(call, *arguments):
    """Seconds of processor time of a call, and what it gave."""
    gc.collect()
    start = time.process_time()
    made = call(*arguments)
    return time.process_time() - start, made


def main():
    """Print the times and the ratios; the exit status says whether both are within bounds."""
    words = sys.argv[1:]
    step = torch.sin if "sin" in words else (lambda value: value + 1)
    nodes = next((int(word) for word in words if word.isdigit()), 100_000)
    value = chain(nodes, step)
    first, kept = timed(loop, value.grad_fn)
    second, _ = timed(loop, value.grad_fn)
    walking, walked = timed(walk, [value.grad_fn])
    packing, packed = timed(records, value)
    assert len(kept) == len(walked.nodes) == len(packed.nodes) == nodes + 1
    print(f"{nodes:,} nodes: bare loop {first:.3f} s at first, {second:.3f} s again")
    print(f"walk {walking:.3f} s, {walking / second:.2f} times the second loop (at most {BOUND:g})")
    print(f"with all records {packing:.3f} s, {packing / first:.2f} times the first loop (at most {BOUND:g})")
    sys.stdout.flush()
    # The nodes are freed with the process: here nothing lets go of them from the root down.
    os._exit(walking > BOUND * second or packing > BOUND * first)


if __name__ == "__main__":
    main()
