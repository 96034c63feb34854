"""Rows found by a name, a pattern or a word, and how a person reads them."""

import pytest

from autograd_cli.lang.functions import FUNCTIONS, by_path, find


def paths(pattern: str) -> list[str]:
    return [row.path for row in find.found(pattern)]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("sin", "torch.sin"),
        ("torch.sin", "torch.sin"),
        ("x.sin", "torch.sin"),
        ("F.tanh", "torch.tanh"),
        ("torch.nn.functional.tanh", "torch.tanh"),
        ("special.expit", "torch.sigmoid"),
        ("clip", "torch.clamp"),
        ("mse_loss", "torch.nn.functional.mse_loss"),
        ("append", "builtins.list.append"),
        ("x.add_", "torch.Tensor.add_"),
        ("np.array", "numpy.array"),
        ("x.T", "torch.Tensor.T"),
        ("ln", "torch.log"),
        ("MSELoss", "torch.nn.functional.mse_loss"),
    ],
)
def test_a_name_finds_its_function(written: str, path: str) -> None:
    assert paths(written) == [path]


def test_a_name_that_is_torchs_and_pythons_finds_both() -> None:
    assert paths("sum") == ["torch.sum", "builtins.sum"]


def test_a_last_name_finds_every_function_of_that_name() -> None:
    assert paths("seed") == ["numpy.random.seed"]
    assert paths("grad_norm_") == ["torch.nn.utils.clip_grad_norm_"], "a part of a name finds it too"
    assert paths("backward") == ["torch.Tensor.backward", "torch.autograd.backward"]


def test_a_pattern_is_one_of_names() -> None:
    assert set(paths("F.*_pool1d")) == {
        f"torch.nn.functional.{name}_pool1d" for name in ("avg", "max", "lp", "adaptive_avg", "adaptive_max")
    }
    assert paths("no*such") == []


def test_a_word_finds_what_speaks_of_it() -> None:
    assert "torch.nn.functional.gelu" in paths("standard normal")
    assert paths("HYPERBOLIC SINE") == ["torch.sinh", "math.sinh", "torch.sinh_"]
    assert paths("nothing at all") == []


def test_every_way_of_writing_a_function_is_a_name_of_it() -> None:
    assert find.names(by_path["torch.sigmoid"]) == (
        "torch.sigmoid",
        "sigmoid",
        "x.sigmoid",
        "torch.special.expit",
        "special.expit",
        "torch.nn.functional.sigmoid",
        "F.sigmoid",
    )


def test_every_row_is_found_by_its_path() -> None:
    for row in FUNCTIONS:
        assert any(row.path in find.names(found) for found in find.found(row.path)), row.path


def test_rows_of_aliases_stand_with_their_own() -> None:
    own = {row.path for row in find.own_rows()}
    assert "torch.tanh" in own
    assert "torch.nn.functional.tanh" not in own


@pytest.mark.parametrize(
    ("path", "calls"),
    [
        ("torch.sum", ("sum(input, dim=None, keepdim=False, *, dtype=None)",
                       "x.sum(dim=None, keepdim=False, *, dtype=None)")),
        ("torch.reshape", ("reshape(input, shape)", "x.reshape(*shape)")),
        ("torch.Tensor.view", ("x.view(*size)",)),
        ("torch.Tensor.T", ("x.T",)),
        ("builtins.list.append", ("list.append(object, /)",)),
        ("builtins.print", ("print(*values, sep=' ', end='\\n', flush=False)",)),
        ("torch.Tensor.uniform_", ("x.uniform_(from_=0, /, to=1)",)),
        ("torch.no_grad", ("no_grad()",)),
        ("torch.autograd.graph.Node.next_functions", ("x.grad_fn.next_functions",)),
    ],
)  # fmt: skip
def test_a_call_is_shown_as_python_shows_it(path: str, calls: tuple[str, ...]) -> None:
    assert find.calls(by_path[path]) == calls


def test_arguments_are_those_that_a_person_gives() -> None:
    assert [a.name for a in find.arguments(by_path["torch.Tensor.view"])] == ["size"]
    assert [a.name for a in find.arguments(by_path["torch.add"])] == ["input", "other", "alpha"]
    assert {a.role for row in FUNCTIONS for a in row.arguments} <= set(find.MEANINGS)
