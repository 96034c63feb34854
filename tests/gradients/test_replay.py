"""The replay: float64 on the CPU, only what the root needs, what was held stays."""

import pytest
import torch

from autograd_cli.gradients.replay import Replay, ReplayError, raised


def replayed(run, **leaves):
    replay = Replay(run)
    with replay.session():
        return replay({name: torch.tensor(value, dtype=torch.float64) for name, value in leaves.items()})


def test_the_recorded_values_give_the_output_in_float64(traced):
    run = traced("sin(x**2)", dtype="float32", x="2.")
    value = replayed(run)
    assert value.dtype == torch.float64
    assert float(value) == pytest.approx(-0.7568024953079282, abs=1e-16)


def test_other_values_of_a_leaf_give_another_output(traced):
    assert replayed(traced("x*y", x="2.", y="3."), x=5.0).item() == 15.0


def test_a_float32_leaf_is_cast_as_it_is(traced):
    run = traced("x*1", dtype="float32", x="0.1")
    assert replayed(run).item() == float(torch.tensor(0.1, dtype=torch.float32))


@pytest.mark.parametrize(
    "source", ["zeros(1).add_(x)", "zeros(2)[:1].add_(x)", "x*1 + zeros(1).copy_(x) - x"]
)
def test_a_constant_that_the_last_call_writes_into_is_made_anew(traced, source):
    run = traced(source, x="2.")
    assert [replayed(run, x=value).item() for value in (2.0, 5.0, 3.0)] == [2.0, 5.0, 3.0]


def test_what_is_drawn_over_a_tensor_is_held(traced):
    run = traced("x.clone().uniform_(0., 1.)*x", dtype="float32", x="2.")
    assert replayed(run, x=3.0).item() == run.output.item() / 2 * 3


@pytest.mark.parametrize(
    "source",
    [
        "x.half()*3",
        "x.float()*3",
        "x.to(float16)*3",
        "x.bfloat16()*3",
        "x.type(torch.float32)*3",
        "x*ones(1)*3",
    ],
)
def test_casts_and_creation_are_float64_in_a_replay(traced, source):
    value = replayed(traced(source, dtype="float32", x="1."), x=0.1)
    assert value.dtype == torch.float64
    assert value.reshape(()).item() == 0.1 * 3


def test_a_dtype_among_the_keywords_is_raised(traced):
    run = traced("F.softmax(x, 0, dtype=float32)", x="[1.,2.]")
    assert torch.equal(replayed(run), torch.softmax(torch.tensor([1.0, 2.0], dtype=torch.float64), 0))


def test_complex_numbers_become_complex128(traced):
    assert replayed(traced("x*x", dtype="complex64", x="[1+2j]")).dtype == torch.complex128


def test_what_is_cut_keeps_its_recorded_value(traced):
    run = traced("x*x.detach()", x="2.")
    assert replayed(run, x=5.0).item() == 10.0


def test_a_comparison_keeps_its_recorded_value(traced):
    run = traced("where(x > 0, x, 7*x)", x="1.")
    assert replayed(run, x=-1.0).item() == -1.0


def test_what_was_drawn_keeps_its_recorded_value(traced):
    run = traced("x*randn(3)", x="1.")
    assert torch.equal(replayed(run), run.output.detach())
    assert torch.equal(replayed(run, x=2.0), 2 * run.output.detach())


def test_indices_of_a_result_keep_their_recorded_value(traced):
    run = traced("x[max(x, 0).indices]*3", x="[1.,2.]")
    assert replayed(run, x=[5.0, 2.0]).item() == 6.0


def test_int_tensors_divide_in_float64(traced):
    run = traced("x*(tensor([1,2])/3)", dtype="float32", x="1.")
    assert replayed(run)[0].item() == 1 / 3


def dropout_run(traced):
    run = traced("F.dropout(x, 0.5)*x", x="ones(20)")
    with torch.random.fork_rng(devices=[]):
        torch.random.manual_seed(0)
        state = torch.random.get_rng_state()
    for step in run.steps:
        if step.function is not None and step.function.name == "dropout":
            step.random_state = state
    return run


def test_a_draw_that_lets_gradients_pass_is_drawn_again_from_its_state(traced):
    run = dropout_run(traced)
    assert torch.equal(replayed(run), run.output.detach())
    assert torch.equal(replayed(run, x=[3.0] * 20), 9 * run.output.detach())


def test_the_random_state_of_the_process_is_left_alone(traced):
    run = dropout_run(traced)
    before = torch.random.get_rng_state()
    replayed(run)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_draw_without_its_state_cannot_be_replayed(traced):
    run = dropout_run(traced)
    for step in run.steps:
        step.random_state = None
    with pytest.raises(ReplayError, match=r"^what dropout drew here cannot be drawn again$"):
        Replay(run)


def test_only_what_the_root_needs_is_replayed(traced):
    run = traced("x*2 if y > 0 else y*3", x="2.", y="1.")
    replay = Replay(run)
    assert list(replay.leaves) == ["x"]
    assert len(replay.plan) == 1


def test_what_depends_on_no_leaf_is_made_once(traced):
    run = traced("x*sin(linspace(0, 1, 5))", dtype="float32", x="2.")
    replay = Replay(run)
    assert len(replay.plan) == 1
    assert [planned.call for planned in replay.fixed][-1] is torch.sin


def test_the_default_dtype_is_restored(traced):
    replayed(traced("x*ones(2)", dtype="float32", x="2."))
    assert torch.get_default_dtype() == torch.float32


def test_an_error_of_torch_is_the_reason(traced):
    run = traced("reshape(x, (2, 2))", x="[1.,2.,3.,4.]")
    with pytest.raises(ReplayError, match=r"^shape '\[2, 2\]' is invalid for input of size 3$"):
        replayed(run, x=[1.0, 2.0, 3.0])


def test_a_tensor_without_values_has_no_replay(traced):
    run = traced("x*2", device="meta", x="2.")
    with pytest.raises(ReplayError, match=r"^meta tensors have no values$"):
        Replay(run)


def test_warnings_stay_inside(traced):
    run = traced("F.mse_loss(x, y)", x="[1.,2.]", y="[1.,2.]", const="y")
    with pytest.warns(UserWarning, match="target size"):
        torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2, 2))
    assert replayed(run, x=[[1.0, 2.0], [3.0, 4.0]]).ndim == 0


def test_the_run_s_own_precision_can_be_kept(traced):
    run = traced("x.half()*3", dtype="float32", x="0.1")
    replay = Replay(run, double=False)
    with replay.session():
        assert torch.equal(replay({}), run.output.detach())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("cuda:1", "cpu"),
        ("mean", "mean"),
        (torch.device("meta"), torch.device("cpu")),
        (torch.bfloat16, torch.float64),
        (torch.complex64, torch.complex128),
        (torch.int32, torch.int32),
        ((1, [2.5, "xpu"]), (1, [2.5, "cpu"])),
        (torch.Size([2, 3]), torch.Size([2, 3])),
    ],
)
def test_arguments_are_raised(value, expected):
    assert raised(value) == expected


def test_a_replay_in_the_run_s_own_precision_stays_on_its_device():
    given = (torch.device("cuda"), torch.float32, torch.zeros(2, device="cpu", dtype=torch.float16), "cuda:0")
    kept = raised(given, double=False)
    assert (kept[0], kept[1], kept[2].dtype, kept[3]) == (given[0], given[1], torch.float16, "cuda:0")
    assert raised(given)[0] == torch.device("cpu")
