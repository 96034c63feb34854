"""The walk: order, sharing, parallel edges, and chains too long for recursion."""

import subprocess
import sys

import torch

from autograd_cli.graph.walk import walk


def names(walked: object) -> list[str]:
    return [type(node).__name__ for node in walked.nodes]


def test_nodes_are_numbered_in_preorder() -> None:
    x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    walked = walk([(x * y + torch.sin(x)).grad_fn])
    assert names(walked) == [
        "AddBackward0",
        "MulBackward0",
        "AccumulateGrad",
        "AccumulateGrad",
        "SinBackward0",
    ]
    assert [walked.inputs(n) for n in range(5)] == [[1, 4], [2, 3], [], [], [2]]


def test_parallel_edges_are_two() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    walked = walk([(x * x).grad_fn])
    assert list(walked.edges()) == [(0, 1, 0), (0, 1, 1)]


def test_an_operand_without_grad_fn_leaves_its_slot_empty() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    walked = walk([(torch.tensor(3.0) * x).grad_fn])
    assert walked.inputs(0) == [None, 1]


def test_a_node_with_many_parents_stands_once() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(40):
        y = y + y
    assert len(walk([y.grad_fn]).nodes) == 41


def test_the_order_from_the_root_puts_each_node_after_its_users() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    walked = walk([(y + torch.sin(y) * x).grad_fn])
    order = walked.from_the_root()
    place = {number: at for at, number in enumerate(order)}
    assert sorted(order) == list(range(len(walked.nodes)))
    assert all(place[a] < place[b] for a, b, _ in walked.edges())


CHAIN = """
import torch
from autograd_cli.graph.walk import walk
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range({n}):
    y = y + 1
walked = walk([y.grad_fn])
print(len(walked.nodes))
del y
{release}
print("freed")
"""


def chain(n: int, release: str) -> subprocess.CompletedProcess[str]:
    program = CHAIN.format(n=n, release=release)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_a_million_nodes_are_walked_and_freed() -> None:
    done = chain(1_000_000, "walked.release()")
    assert (done.returncode, done.stdout) == (0, "1000001\nfreed\n")


def test_release_is_what_keeps_a_long_chain_from_crashing() -> None:
    assert chain(400_000, "walked.nodes.clear()").returncode < 0
