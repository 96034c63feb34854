"""The ways down a graph: how many, what each adds, and where the engine has something else."""

from math import comb, inf, isnan, log10

import pytest
import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.graph.chain import Followed, distance, follow
from autograd_cli.graph.walk import Walk, walk


def leaf(value: object, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.tensor(value, dtype=dtype, requires_grad=True)


def followed(
    output: torch.Tensor,
    cotangent: torch.Tensor | None = None,
    most: int = 4,
    lie: tuple[int, float] | None = None,
) -> tuple[Followed, Walk]:
    """The ways of a graph beside what torch's own backward kept; `lie` changes that at one node."""
    edge = torch.autograd.graph.get_gradient_edge(output)
    walked = walk([edge.node])
    kept: dict[GradFn, tuple[torch.Tensor | None, ...]] = {}
    handles = [
        node.register_prehook(lambda given, node=node: kept.__setitem__(node, given)) for node in walked.nodes
    ]
    sent = torch.ones_like(output) if cotangent is None else cotangent
    output.backward(sent, retain_graph=True)
    for handle in handles:
        handle.remove()
    came = [kept.get(node, ()) for node in walked.nodes]
    if lie is not None:
        came[lie[0]] = tuple(one if one is None else one * lie[1] for one in came[lie[0]])
    return follow(walked, [(0, edge.output_nr, sent)], came, most), walked


def ends(found: Followed, walked: Walk) -> list[tuple[int | None, torch.Tensor, torch.Tensor]]:
    """Of each leaf: how many ways lead to it, their sum, and its gradient."""
    return [
        (one.count.exact, one.total[0], walked.nodes[number].variable.grad)  # type: ignore
        for number, one in sorted(found.ends.items())
    ]


def test_a_leaf_that_one_node_reaches_twice_has_two_ways_through_it() -> None:
    x = leaf(1.5)
    found, _ = followed(x * x + torch.sin(x * x))
    (end,) = found.ends.values()
    assert sorted(trail.number for trail in end.trails) == pytest.approx([-0.9422604, -0.9422604, 1.5, 1.5])
    assert [len(trail.links()) for trail in end.trails].count(4) == 2
    assert end.total[0] == x.grad
    assert (found.checked, found.apart) == (5, [])


def test_ways_are_counted_and_never_listed() -> None:
    y = leaf(0.9)
    for _ in range(100):
        y = y * y * 1.1
    found, _ = followed(y)
    (end,) = found.ends.values()
    assert end.count.exact is None
    assert end.count.power == pytest.approx(100 * log10(2))
    assert len(end.trails) == 4


def test_counts_are_exact_while_they_can_be() -> None:
    y = leaf(1.0)
    for _ in range(49):
        y = y * y
    assert next(iter(followed(y)[0].ends.values())).count.exact == 2**49
    assert next(iter(followed(y * y)[0].ends.values())).count.exact is None


def test_the_largest_ways_are_those_that_are_left() -> None:
    x = y = leaf(1.0)
    for _ in range(12):
        y = 3 * y + y
    found, _ = followed(y, most=14)
    (end,) = found.ends.values()
    numbers = sorted((trail.number for trail in end.trails), reverse=True)
    assert numbers == [3.0**12, *[3.0**11] * comb(12, 1), 3.0**10]
    assert end.total[0] == 4.0**12 == x.grad


SOURCES = {
    "stretched": lambda x, y: ((x + y[:, None]) * y[:, None]).sum(),
    "several results": lambda x, y: (x.max(1).values * x.unbind(1)[2] * y.softmax(0)).sum(),
    "one result of several": lambda x, y: x.split(2, 1)[1].prod() + y.sum(),
    "in place": lambda x, y: (x * 2).add_(y[:, None]).t().sub_(y * 3).sigmoid_().sum(),
    "half": lambda x, y: (x.half().sum(1) * y.half()).sum().double(),
    "matrices": lambda x, y: torch.linalg.inv(x[:, :3] @ x[:, :3].T + torch.eye(3)).det() * y.norm(),
    "a cut": lambda x, y: (x.detach() * x).sum() + y.prod(),
    "nan": lambda x, y: (torch.sqrt(x * 0) * 0).sum() + y.sum(),
    "no scalar": lambda x, y: x * y[:, None],
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_ways_add_up_to_the_gradient(name: str) -> None:
    torch.manual_seed(0)
    x, y = leaf(torch.randn(3, 4).tolist()), leaf([0.5, -1.0, 2.0])
    found, walked = followed(SOURCES[name](x, y))
    assert found.apart == []
    assert found.checked == len(walked.nodes)
    for count, total, gradient in ends(found, walked):
        assert count is not None
        assert torch.allclose(total, gradient, rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in ("half", "nan")])
def test_a_cotangent_that_is_a_little_off_is_named(name: str) -> None:
    torch.manual_seed(0)
    x, y = leaf(torch.randn(3, 4).tolist()), leaf([0.5, -1.0, 2.0])
    made = SOURCES[name](x, y)
    size = len(walk([made.grad_fn]).nodes)
    for number in range(size):
        found, _ = followed(SOURCES[name](x, y), lie=(number, 1.0005))
        assert found.apart[0].node == number
        one = found.apart[0]
        assert one.difference == pytest.approx(0.0005 * one.expected.abs().max().item(), rel=1e-6)


def test_complex_ways_add_up_as_torch_adds_them() -> None:
    z = leaf([1 + 2j, -0.5j], torch.complex128)
    found, walked = followed((z * z.conj()).abs().sum() + z.real.prod() + (z * (1 - 2j)).imag.sum())
    ((count, total, gradient),) = ends(found, walked)
    assert found.apart == []
    assert (count, total.tolist()) == (4, gradient.tolist())


def test_what_is_no_number_comes_first_and_is_no_departure() -> None:
    x = leaf(0.0)
    found, _ = followed(torch.sqrt(x) * 0 + 5 * x + x, most=2)
    (end,) = found.ends.values()
    assert isnan(end.trails[0].number)
    assert end.trails[1].number == 5.0
    assert found.apart == []


def test_an_infinite_way_is_kept_and_equal_infinities_agree() -> None:
    x = leaf(0.0)
    found, _ = followed(torch.sqrt(x) + x)
    (end,) = found.ends.values()
    assert [trail.number for trail in end.trails] in ([inf, 1.0], [1.0, inf])
    assert found.apart == []


def test_a_cotangent_is_what_the_ways_start_from() -> None:
    x = leaf([1.0, 2.0])
    sent = torch.tensor([10.0, -1.0], dtype=torch.float64)
    found, walked = followed(x * x, sent)
    assert ends(found, walked)[0][1].tolist() == [20.0, -4.0]


class Doubled(torch.autograd.Function):
    """Two results of a person's own; the second is not used."""

    @staticmethod
    def forward(ctx, x, y):  # type: ignore
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, first, second):  # type: ignore
        x, y = ctx.saved_tensors
        return first * y + second, first * x + second


def test_a_function_of_a_persons_own_hands_down_what_the_engine_makes_of_it() -> None:
    x, y = leaf(2.0), leaf([1.0, 3.0])
    found, walked = followed(Doubled.apply(x, y)[0].sum())  # type: ignore
    assert found.apart == []
    assert [(count, total.tolist()) for count, total, _ in ends(found, walked)] == [(1, 4.0), (1, [2.0, 2.0])]


def test_a_way_that_the_engine_did_not_go_is_not_compared() -> None:
    x, y = leaf(2.0), leaf(3.0)
    output = x * y * y
    walked = walk([output.grad_fn])
    found = follow(walked, [(0, 0, torch.ones_like(output))], [()] * len(walked.nodes), 4)
    assert (found.checked, found.apart) == (0, [])
    assert sorted(float(end.total[0]) for end in found.ends.values()) == [9.0, 12.0]


def test_a_graph_of_many_nodes_is_followed_without_recursion() -> None:
    y = leaf(0.5)
    for _ in range(10_000):
        y = torch.sin(y) + y
    found, walked = followed(y)
    (end,) = found.ends.values()
    assert end.count.power == pytest.approx(10_000 * log10(2))
    assert found.apart == []
    assert len(end.trails[0].links()) > 10_000
    found.ends.clear()
    del y, end
    walked.release()


SMALL = {torch.float64: 1e-40, torch.float32: 1e-30, torch.float16: 1e-5, torch.bfloat16: 1e-30}


@pytest.mark.parametrize("dtype", SMALL)
def test_small_numbers_are_held_against_the_limits_of_their_own_dtype(dtype: torch.dtype) -> None:
    given = torch.tensor([SMALL[dtype], 0.0], dtype=dtype)
    off, allowed = distance(given, 4 * given)
    assert off == pytest.approx(3 * SMALL[dtype], rel=0.1)
    assert off > allowed
    least = torch.tensor([torch.finfo(dtype).tiny * torch.finfo(dtype).eps, 0.0], dtype=dtype)
    off, allowed = distance(least, torch.zeros_like(least))
    assert 0 < off <= allowed
