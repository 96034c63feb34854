"""What is kept of a run: its statements, changes, prints, backwards, and nothing that Python would free."""

import gc
import weakref

import numpy
import pytest
import torch

from autograd_cli.errors import LimitError
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Change, Summary
from autograd_cli.run import recording, specials
from autograd_cli.run.program import run_program
from autograd_cli.run.record import torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.traced import BackwardCall, Ran, Traced, called

LEAF = "x = torch.tensor(2.0, requires_grad=True)\n"


def ran(text: str, observer: object = None, **settings: object) -> Ran:
    chosen = Settings(**settings)
    with torch_state(chosen):
        return run_program(parse(Source(text)), (), chosen, observer)


def sites(text: str) -> list:
    return ran(text).sites


def test_a_statement_tells_what_its_name_stands_for() -> None:
    made = sites(LEAF + "y = x**2")[1].first.made[0]
    assert (made.name, made.shape, made.dtype, made.grad_fn, made.value) == (
        "y",
        (),
        "float32",
        "PowBackward0",
        4.0,
    )
    assert (made.requires_grad, made.is_leaf) == (True, False)


def test_of_a_loop_the_first_and_the_last_round_stand() -> None:
    loop, body = sites("for i in range(500):\n    z = torch.tensor(2.0) * i")
    assert (loop.count, body.count) == (500, 500)
    assert [made.text for did in (loop.first, loop.last) for made in did.made] == ["0", "499"]
    assert [(did.number, did.made[0].value) for did in (body.first, body.last)] == [(1, 0.0), (500, 998.0)]


def test_the_last_round_is_told_as_it_was_then() -> None:
    body = sites("z = torch.zeros(1)\nfor i in range(3):\n    y = z\n    z += 1\nz += 10")[2]
    assert body.last.made[0].value == (2.0,)


def test_a_backward_tells_what_it_added() -> None:
    found = sites(LEAF + "(x**2).backward()\n(x**3).backward()\nx.grad.zero_()\nx.grad = None")
    assert [site.first.changed for site in found[1:]] == [
        (Change("x.grad", "backward", None, 4.0, 4.0),),
        (Change("x.grad", "backward", 4.0, 16.0, 12.0),),
        (Change("x.grad", "in-place", 16.0, 0.0),),
        (Change("x.grad", "set", 0.0, None),),
    ]


PAIR = "w = torch.tensor([3.0, 4.0], requires_grad=True)\n"
"""The gradient of `(w**2).sum()` is [6, 8], which a clip to 1 makes [0.6, 0.8]."""


def rounded(change: Change) -> list:
    """What a change was from and to and what was added, to one digit."""
    values = (change.before, change.after, change.added)
    return [value and tuple(round(each, 1) for each in value) for value in values]


def test_a_gradient_written_right_after_a_backward_is_told_as_the_backward_left_it() -> None:
    body = "    (w**2).sum().backward()\n    torch.nn.utils.clip_grad_norm_([w], 1.0)"
    backward, clip = sites(f"{PAIR}for i in range(2):\n{body}")[2:]
    assert rounded(backward.last.changed[0]) == [(0.6, 0.8), (6.6, 8.8), (6.0, 8.0)]
    assert rounded(clip.last.changed[0]) == [(6.6, 8.8), (0.6, 0.8), None]


def test_two_backwards_and_a_clip_are_told_each_by_itself() -> None:
    text = "(w**2).sum().backward()\n(w**3).sum().backward()\ntorch.nn.utils.clip_grad_norm_([w], 1.0)"
    first, second, clip = (site.first.changed[0] for site in sites(PAIR + text)[1:])
    assert rounded(first) == [None, (6.0, 8.0), (6.0, 8.0)]
    assert rounded(second) == [(6.0, 8.0), (33.0, 56.0), (27.0, 48.0)]
    assert rounded(clip) == [(33.0, 56.0), (0.5, 0.9), None]


def test_clearing_and_steps_are_told_each_by_itself() -> None:
    lines = (
        "opt.zero_grad(set_to_none=False)",
        "(w**2).sum().backward()",
        "torch.nn.utils.clip_grad_norm_([w], 1.0)",
        "opt.step()",
        "opt.step()",
    )
    body = "".join(f"    {line}\n" for line in lines)
    found = sites(f"{PAIR}opt = torch.optim.SGD([w], lr=0.5)\nfor i in range(2):\n{body}")[3:]
    zeroed, backward, clip, *steps = (rounded(site.last.changed[0]) for site in found)
    assert zeroed == [(0.6, 0.8), (0.0, 0.0), None]
    assert backward == [(0.0, 0.0), (4.8, 6.4), (4.8, 6.4)]
    assert clip == [(4.8, 6.4), (0.6, 0.8), None]
    assert steps == [[(2.4, 3.2), (2.1, 2.8), None], [(2.1, 2.8), (1.8, 2.4), None]]


def test_a_write_names_all_that_it_changed() -> None:
    found = sites("y = torch.zeros(2)\nz = y.detach()\nz[0] = 100")
    assert found[2].first.changed == (Change("z", "in-place", (0.0, 0.0), (100.0, 0.0), shares=("y",)),)


def test_a_step_names_its_tensors() -> None:
    text = (
        "w = torch.ones(1, requires_grad=True)\n"
        "opt = torch.optim.SGD([w], lr=0.5)\n"
        "(w * 2).backward()\n"
        "opt.step()\n"
        "opt.zero_grad()"
    )
    found = sites(text)
    assert found[3].first.changed == (Change("w", "in-place", (1.0,), (0.0,)),)
    assert found[4].first.changed == (Change("w.grad", "set", (2.0,), None),)


def test_what_is_large_is_told_in_short() -> None:
    assert isinstance(sites("x = torch.ones(2000)")[0].first.made[0].value, Summary)


def test_statements_stand_in_their_order_and_depth() -> None:
    text = (
        "if 1 > 2:\n"
        "    a = 1\n"
        "elif 2 > 1:\n"
        "    b = 2\n"
        "else:\n"
        "    c = 3\n"
        "for i in range(1):\n"
        "    with torch.no_grad():\n"
        "        d = 1"
    )
    found = sites(text)
    assert [(site.depth, site.count) for site in found] == [
        (0, 1), (1, 0), (0, 1), (1, 1), (1, 0), (0, 1), (1, 1), (2, 1),
    ]  # fmt: skip


def test_prints_are_kept_as_they_are_written() -> None:
    made = ran("print(1, end='')\nprint('a', 'b')")
    assert made.printed == ["1", "a b\n"]
    assert made.sites[1].first.printed == ("a b",)


def test_addresses_are_not_printed() -> None:
    assert ran(LEAF + "y = x*2\nprint(y.grad_fn, f'{y.grad_fn}')").printed == [
        "<MulBackward0> <MulBackward0>\n"
    ]


def test_a_failure_has_its_smallest_expression_and_its_statement() -> None:
    made = ran("a = torch.ones(3)\nprint('before')\nb = (a + torch.ones(4)) * 2\nc = 1")
    text = made.program.source.text
    assert text[made.failure.expr.span.start : made.failure.expr.span.end] == "a + torch.ones(4)"
    assert [operand.text for operand in made.failure.operands] == ["a", "torch.ones(4)"]
    assert made.failed is made.program.statements[2]
    assert (made.printed, made.sites[3].count) == (["before\n"], 0)


def test_a_failure_in_a_function_is_that_of_its_statement() -> None:
    made = ran("def f(t):\n    u = t @ t\n    return u\nf(torch.ones(2, 3))")
    assert made.failed is made.program.statements[0].body[0]


# Gradients that add up


@pytest.mark.parametrize(
    ("between", "how"),
    [("print(x.grad)", "printed"), ("g = x.grad", "read"), ("opt.step()", "step")],
)
def test_a_gradient_that_was_looked_at_and_is_added_to(between: str, how: str) -> None:
    made = ran(LEAF + f"opt = torch.optim.SGD([x], lr=0.)\n(x**2).backward()\n{between}\n(x**3).backward()")
    (found,) = made.accumulated
    assert (found.leaf, found.held, found.since, found.seen, found.how) == ("x", 4.0, 3, 4, how)


@pytest.mark.parametrize(
    "between",
    ["x.grad.zero_()", "x.grad = None", "opt.zero_grad()", (
        "if x.grad is not None:\n"
        "    x.grad.zero_()"
    ), "pass",
     "print(x.grad)\nx.grad.zero_()", "print(x.grad)\nx.grad = None"],
)  # fmt: skip
def test_a_gradient_that_was_cleared_or_not_looked_at(between: str) -> None:
    made = ran(LEAF + f"opt = torch.optim.SGD([x], lr=0.)\n(x**2).backward()\n{between}\n(x**3).backward()")
    assert (made.failure, made.accumulated) == (None, [])


# Backwards are watched


class Watching:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.calls: list[BackwardCall] = []
        self.errors: list[Exception | None] = []

    def begin(self, ran: Ran) -> None:
        self.ran = ran

    def before(self, call: BackwardCall) -> None:
        self.calls.append(call)

    def after(self, call: BackwardCall, error: Exception | None) -> None:
        self.errors.append(error)


def test_who_watches_is_told_of_each_backward() -> None:
    watching = Watching()
    text = LEAF + (
        "for i in range(2):\n"
        "    y = x**2\n"
        "    y.backward(retain_graph=True)\n"
        "g = torch.autograd.grad(x*3, [x])"
    )
    ran(text, watching)
    assert [(c.number, c.round, c.accumulates, c.retain_graph) for c in watching.calls] == [
        (1, 1, True, True), (2, 2, True, True), (3, 1, False, False),
    ]  # fmt: skip
    assert watching.calls[0].roots[0].name == "y"
    assert watching.calls[2].inputs[0].name == "x"
    assert watching.errors == [None, None, None]


def test_who_watches_is_told_of_a_failing_backward() -> None:
    watching = Watching()
    made = ran("torch.ones(2).backward()", watching)
    assert watching.errors == [made.failure.error]
    assert made.backwards == []


# What is freed, and what is restored


def test_values_that_no_name_holds_are_freed(monkeypatch: object) -> None:
    alive = []

    def counted(*args: object) -> Traced:
        made = called(*args)
        if isinstance(made.value, torch.Tensor) and made.value.shape == (7,):
            alive.append(weakref.ref(made.value))
        return made

    monkeypatch.setattr(recording, "called", counted)
    made = ran(
        "w = torch.ones(7, requires_grad=True)\nkept = []\nfor i in range(50):\n"
        "    loss = (w * 2 + i).sum()\n"
        "    loss.backward()\n    kept.append(loss.item())\n    last = loss.detach()\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad.zero_()"
    )
    gc.collect()
    assert made.failure is None
    assert len(alive) > 200
    assert sum(ref() is not None for ref in {id(ref()): ref for ref in alive}.values()) < 10


def test_modes_and_seeds_are_as_they_were() -> None:
    numpys, torchs = numpy.random.get_state()[1].copy(), torch.random.get_rng_state()
    text = (
        "import torch\n"
        "import numpy as np\n"
        "np.random.seed(3)\n"
        "np.random.rand(2)\n"
        "torch.manual_seed(5)\n"
        "torch.set_grad_enabled(False)\n"
        "torch.rand(3)"
    )
    assert ran(text).failure is None
    assert torch.is_grad_enabled()
    assert (numpy.random.get_state()[1] == numpys).all()
    assert torch.equal(torch.random.get_rng_state(), torchs)


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_a_mode_of_the_settings_holds_for_the_run(mode: str) -> None:
    made = ran(LEAF + "y = x * 2\nprint(y.requires_grad, y.is_inference())", mode=mode)
    assert made.printed == [f"False {mode == 'inference_mode'}\n"]
    assert torch.is_grad_enabled()


def test_autocast_of_the_settings_holds_for_the_run() -> None:
    made = ran("a = torch.ones(2, 2)\nprint((a @ a).dtype)", autocast="bfloat16")
    assert made.printed == ["torch.bfloat16\n"]


# Limits


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(10**9):\n    pass",
        "a = 'x' * 10**9",
        "x = torch.ones(1)\nprint(f'{x.item():1000000000d}')",
        "a = [0] * 10**9",
        "def f(n):\n    return n\na = [1]\nfor i in range(40):\n    a += a",
        "x = torch.ones(3).repeat(10**5, 10**5)",
        "x = torch.outer(torch.ones(10**6), torch.ones(10**6))",
        "x = torch.arange(10**12)",
        "x = torch.ones(1).expand(10**10).contiguous()",
        "x = torch.cartesian_prod(torch.ones(10**5), torch.ones(10**5))",
        "x = torch.einsum('i,j->ij', torch.ones(10**6), torch.ones(10**6))",
        "x = torch.nn.functional.one_hot(torch.tensor([10**11]))",
        "import numpy as np\nx = np.zeros((10**6, 10**6))",
        "x = torch.ones(10**6)\nfor i in range(30):\n    x = torch.cat([x, x])",
        "x = torch.ones(10**6)\na = torch.stack([x] * 1000)",
    ],
)  # fmt: skip
def test_what_would_cost_too_much_is_refused_before(text: str) -> None:
    with pytest.raises(LimitError) as caught:
        ran(text, max_steps=10_000, max_memory=1 << 28)
    assert caught.value.span is not None


def test_prints_are_bounded(monkeypatch: object) -> None:
    monkeypatch.setattr(specials, "MOST_PRINTED", 100)
    with pytest.raises(LimitError, match="prints more"):
        ran("for i in range(100):\n    print(i)")


def test_a_value_that_ends_a_program_is_told_as_a_notebook_shows_it() -> None:
    site = sites(LEAF + "x.backward()\nx.grad")[-1]
    assert [(made.name, made.value) for made in site.first.made] == [("x.grad", 1.0)]
    assert sites(LEAF + "x\nx * 2")[1].first.made == ()


UNSET = ["torch.empty(3)", "torch.empty_like(torch.ones(3))", "torch.ones(1).new_empty(3)"]


@pytest.mark.parametrize("made", UNSET)
def test_what_has_no_values_yet_shows_none(made: str) -> None:
    _, first, second = sites(f"import torch\nb = {made}\nb.fill_(2.)")
    assert (first.first.made[0].shape, first.first.made[0].value) == ((3,), None)
    assert second.first.changed[0].after == (2.0, 2.0, 2.0)
