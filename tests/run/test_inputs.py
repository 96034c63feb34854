"""What a bound text becomes: value, dtype and role."""

import math

import pytest
import torch

from autograd_cli.errors import AgxError, InputError, LimitError
from autograd_cli.lang.functions.rows import Role
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source
from autograd_cli.run import inputs
from autograd_cli.run.inputs import Roles, bind
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue

TENSOR = frozenset({Role.TENSOR})


def one(text: str, *roles: Role, dtype: str | None = None, **how: object) -> BoundValue:
    used = {"x": frozenset(roles) or TENSOR}
    return bind([("x", text)], Roles(used, **how), Settings(), dtype)[0]


@pytest.mark.parametrize(
    ("text", "dtype", "shape"),
    [
        ("2", "float32", ()),
        ("-2", "float32", ()),
        ("1e-3", "float32", ()),
        ("[1,-2]", "float32", (2,)),
        ("[[1,2],[3,4]]", "float32", (2, 2)),
        ("(1,2)", "float32", (2,)),
        ("randn(2,3)", "float32", (2, 3)),
        ("tensor(2., dtype=float64)", "float64", ()),
        ("2j", "complex64", ()),
        ("nan", "float32", ()),
        ("[]", "float32", (0,)),
    ],
)
def test_numbers_and_floating_tensors_are_leaves(text: str, dtype: str, shape: tuple[int, ...]) -> None:
    made = one(text)
    assert made.role == "leaf"
    assert made.value.requires_grad
    assert made.value.is_leaf
    assert (made.value.dtype, tuple(made.value.shape)) == (getattr(torch, dtype), shape)


def test_ints_are_made_floating_and_say_so() -> None:
    assert one("2").converted
    assert one("[1,2]").converted
    assert not one("2.").converted


def test_an_int_tensor_keeps_what_python_gives() -> None:
    made = one("tensor([0,2])")
    assert (made.role, made.value.dtype, made.value.requires_grad) == ("constant", torch.int64, False)


@pytest.mark.parametrize(
    ("text", "role", "value"),
    [("3", Role.DIM, 3), ("[2,3]", Role.SIZE, [2, 3]), ("2", Role.COUNT, 2), ("1", Role.INDEX, 1)],
)
def test_an_int_used_only_as_dim_size_count_or_index_stays(text: str, role: Role, value: object) -> None:
    made = one(text, role)
    assert (made.role, made.value) == ("index", value)


@pytest.mark.parametrize("role", [Role.TARGET, Role.MASK, Role.INDEX])
def test_a_list_of_targets_is_int64(role: Role) -> None:
    assert one("[0,2]", role).value.dtype == torch.int64


def test_a_name_used_as_a_number_too_becomes_floating() -> None:
    assert one("2", Role.DIM, Role.TENSOR).role == "leaf"


def test_const_keeps_pythons_value() -> None:
    made = one("3", const=frozenset({"x"}))
    assert (made.role, made.value, type(made.value)) == ("constant", 3, int)


def test_const_makes_a_tensor_of_a_list() -> None:
    made = one("[1,2]", const=frozenset({"x"}))
    assert made.value.dtype == torch.int64
    assert not made.value.requires_grad


def test_wrt_makes_the_others_constants() -> None:
    both = {"a": TENSOR, "b": TENSOR}
    a, b = bind([("a", "1"), ("b", "[1.,2.]")], Roles(both, wrt=frozenset({"b"})), Settings())
    assert (a.role, a.value.requires_grad, a.value.dtype) == ("constant", False, torch.float32)
    assert b.value.requires_grad


def test_later_bindings_see_earlier_ones() -> None:
    used = {"X": TENSOR, "y": TENSOR}
    _, y = bind([("X", "[1,2]"), ("y", "2*X+1")], Roles(used), Settings())
    assert y.value.tolist() == [3.0, 5.0]
    assert y.value.is_leaf
    assert y.value.requires_grad


def test_a_binding_shares_no_memory_with_another() -> None:
    used = {"a": TENSOR, "b": TENSOR}
    a, b = bind([("a", "ones(2)"), ("b", "a")], Roles(used), Settings())
    assert a.value.data_ptr() != b.value.data_ptr()


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "complex64"])
def test_floating_values_take_the_dtype_asked_for(dtype: str) -> None:
    assert one("randn(2)", dtype=dtype).value.dtype == getattr(torch, dtype)


def test_values_are_computed_in_the_default_dtype_and_then_converted() -> None:
    assert one("tensor(0.1)", dtype="float64").value.item() == torch.tensor(0.1).double().item()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.1", 0.1),
        ("-1e-3", -0.001),
        ("1/3", 1 / 3),
        ("2*pi", 2 * math.pi),
        ("100000001", 100000001.0),
        ("[100000001.]", [100000001.0]),
        ("[[0.1, 2], [0.3, 100000001]]", [[0.1, 2.0], [0.3, 100000001.0]]),
    ],
)
@pytest.mark.parametrize("const", [(), ("x",)])
def test_numbers_that_are_typed_keep_their_digits_in_float64(
    text: str, values: object, const: tuple[str]
) -> None:
    made = one(text, dtype="float64", const=frozenset(const)).value
    assert (made.tolist() if isinstance(made, torch.Tensor) else made) == values
    assert not isinstance(made, torch.Tensor) or made.dtype == torch.float64


@pytest.mark.parametrize("text", ["[0.5, x]", "(0.5, x)", "[1/2, x*1]", "[[0.5, x]]"])
def test_a_list_may_hold_earlier_values(text: str) -> None:
    pairs = [("x", "2"), ("y", text)]
    y = bind(pairs, Roles({"x": TENSOR, "y": TENSOR}), Settings())[1]
    assert y.value.flatten().tolist() == [0.5, 2.0]


def test_a_list_of_longer_tensors_is_refused() -> None:
    with pytest.raises(InputError, match="it holds tensors of several elements") as caught:
        bind([("x", "[1,2]"), ("y", "[x, x]")], Roles({"x": TENSOR, "y": TENSOR}), Settings())
    assert caught.value.hint == "Write stack([…]) or cat([…])."


def test_of_several_results_the_values_are_taken() -> None:
    assert one("tensor([1.,3.]).max(0)").value.item() == 3.0


def test_imaginary_numbers_keep_their_digits() -> None:
    assert one("0.1j", dtype="complex128").value.item() == 0.1j


def test_later_values_see_earlier_ones_in_the_default_dtype() -> None:
    used = {"x": TENSOR, "y": TENSOR}
    pairs = [("x", "[0.1, 0.2]"), ("y", "x @ ones(2)")]
    x, y = bind(pairs, Roles(used), Settings(), "float64")
    assert x.value.tolist() == [0.1, 0.2]
    assert y.value.item() == (torch.tensor([0.1, 0.2]) @ torch.ones(2)).double().item()


def test_a_complex_value_stays_complex() -> None:
    assert one("2j", dtype="float64").value.dtype == torch.complex128


def test_an_unused_binding_is_marked() -> None:
    made = bind([("z", "1")], Roles({}), Settings())[0]
    assert not made.used


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[1,[2]]", "The value of `x` is no tensor: its lists are not of one shape."),
        ("randn(2)@randn(3)", "The value of `x` cannot be computed: "),
        ("ones(2).grad.shape", "The value of `x` cannot be computed: 'NoneType' object has no attribute"),
        ("None", "The value of `x` is nothing; a number, a list of numbers of one shape or a tensor is due."),
        ("[1,10**30]", "The value of `x` is no tensor: it holds an integer beyond int64."),
        ("y+1", "The value of `x` uses `y`, which has no value yet."),
        ("['1','2']", "The value of `x` is of type list; a number, a list of numbers of one shape"),
    ],
)
def test_what_is_no_value_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        one(text)
    assert caught.value.code == "AGX202"
    assert caught.value.sentence.startswith(sentence)


@pytest.mark.parametrize("text", ["1+1+1+1", "(1 ,)*3"])
def test_the_limits_of_a_text_hold_for_values(text: str) -> None:
    settings = Settings(text=TextLimits(max_text=6, max_nodes=4))
    with pytest.raises(LimitError, match="The source") as caught:
        bind([("x", text)], Roles({"x": TENSOR}), settings)
    assert caught.value.code == "AGX108"


@pytest.mark.parametrize("text", ["[1,2,3]", "[[1.]]"])
@pytest.mark.parametrize("least", [{"max_items": 0}, {"max_steps": 0}, {"text": TextLimits(max_nodes=1)}])
def test_the_limits_hold_for_lists_of_numbers(text: str, least: dict[str, object]) -> None:
    with pytest.raises(LimitError):
        bind([("x", text)], Roles({"x": TENSOR}), Settings(**least))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, -2.5, 1e3]", [1.0, -2.5, 1000.0]),
        ("[[1.], [2.]]", [[1.0], [2.0]]),
        ("[[1., 2.]][0]", [1.0, 2.0]),
        ("[1.,2.][1]", 2.0),
        ("[1],[2]", [[1.0], [2.0]]),
    ],
)
def test_lists_of_numbers_are_what_python_makes_of_them(text: str, value: object) -> None:
    assert one(text).value.tolist() == value


@pytest.mark.parametrize("text", ["[1 2]", "[[1, 2]", "[1,,2]", "[01]"])
def test_what_python_cannot_read_as_a_list_is_refused_as_a_text(text: str) -> None:
    with pytest.raises(AgxError) as caught:
        one(text)
    assert caught.value.code.startswith("AGX1")


def test_a_list_of_a_value_has_at_most_max_items() -> None:
    with pytest.raises(LimitError, match=r"`\*` makes a list of 6 items; the limit is 5\.") as caught:
        bind([("x", "[0]*6")], Roles({"x": TENSOR}), Settings(max_items=5))
    assert caught.value.code == "AGX606"


def test_an_error_without_words_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "evaluate", lambda *_: (None, RuntimeError()))
    with pytest.raises(InputError, match="The value of `x` cannot be computed: RuntimeError"):
        one("2. * 3")


def test_a_binding_that_another_is_made_from_is_used() -> None:
    programs = {name: parse(Source(text)) for name, text in (("x", "2"), ("y", "x*x"))}
    x, _ = bind([("x", "2"), ("y", "x*x")], Roles({"y": TENSOR}), Settings(), programs=programs)
    assert x.used
