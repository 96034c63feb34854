"""The rows as data: nothing stands twice, each says what a person needs, none is dangerous."""

import ast
import subprocess
import sys
from collections import Counter

import pytest

from autograd_cli.lang.functions import FUNCTIONS, OPERATORS, by_path, indexed, is_member, members
from autograd_cli.lang.functions.outs import OUT
from autograd_cli.lang.functions.rows import Example, Function, Kind, Role, row

EVERY = (*FUNCTIONS, *OPERATORS.values())

# What reads or writes files, runs code, changes process state, or hands out memory.
DANGEROUS = frozenset(
    {
        "load", "save", "open", "eval", "exec", "compile", "getattr", "setattr", "input", "vars",
        "globals", "from_file", "frombuffer", "from_blob", "as_strided_", "empty_strided", "resize_",
        "resize_as_", "set_", "apply_", "map_", "register_hook", "storage", "untyped_storage",
        "share_memory_", "set_default_dtype", "set_num_threads", "set_printoptions",
        "vmap", "factorial", "comb", "perm", "lobpcg", "ctc_loss",
    }
)  # fmt: skip


def test_the_table_is_large() -> None:
    own = [f for f in FUNCTIONS if not any(f.path in other.aliases for other in FUNCTIONS)]
    assert len(own) >= 250
    assert sum(f.differentiable for f in own) >= 150


def test_every_row_stands_under_its_path() -> None:
    assert [by_path[f.path] for f in FUNCTIONS] == list(FUNCTIONS)
    assert {f.path.partition(".")[0] for f in FUNCTIONS} == {"torch", "math", "builtins", "numpy"}


def test_a_path_that_stands_twice_is_refused() -> None:
    first = row("torch.sin", "the sine", kind=Kind.ELEMENTWISE)
    second = row("torch.other", "another", kind=Kind.ELEMENTWISE, aliases=("torch.sin",))
    with pytest.raises(ValueError, match=r"^torch\.sin stands twice in the function table$"):
        indexed((first, second))


def test_an_alias_is_a_row_of_its_own() -> None:
    original, alias = by_path["torch.sigmoid"], by_path["torch.special.expit"]
    assert alias.key == original.key == "sigmoid"
    assert (original.method, alias.method) == (True, False)
    assert alias.example is not None
    assert alias.example.source == "special.expit(x)"
    assert by_path["torch.absolute"].method


def test_no_method_has_two_rows() -> None:
    names = Counter(f.name for f in FUNCTIONS if f.method)
    assert [name for name, times in names.items() if times > 1] == []


def test_every_row_is_whole() -> None:
    for function in EVERY:
        assert all((function.meaning, function.domain, function.key)), function.path
        assert not function.meaning.endswith("."), function.path
        assert not (function.method and function.attribute), function.path
        arguments = (*function.arguments, *function.method_arguments)
        assert all(isinstance(a.role, Role) for a in arguments), function.path


def test_every_example_calls_its_function() -> None:
    assert [f.path for f in FUNCTIONS if not calls_itself(f)] == []


def calls_itself(function: Function) -> bool:
    """Whether the example calls its row and uses every one of its bindings."""
    if function.example is None:
        return False
    nodes = list(ast.walk(ast.parse(function.example.source)))
    called = {ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)}
    after_a_dot = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    named = {n.id for n in nodes if isinstance(n, ast.Name)}
    is_called = (
        function.name in after_a_dot
        if is_member(function.path)
        else bool({function.spelling, function.path} & called)
    )
    return is_called and set(function.example.bindings) <= named


def test_an_example_is_an_expression_or_a_program() -> None:
    assert Example("sin(x)", {}).is_expression
    assert not Example("y = sin(x); y", {}).is_expression
    programs = {f.path for f in FUNCTIONS if f.example and f.differentiable and not f.example.is_expression}
    assert programs == {"builtins.enumerate", "builtins.zip"}, "all other gradients are checked by the suite"


def test_functions_of_one_key_take_the_same_arguments() -> None:
    shapes: dict[str, set[tuple[Role, ...]]] = {}
    for function in EVERY:
        if not function.operator:
            shapes.setdefault(function.key, set()).add(
                tuple(a.role for a in function.arguments if not a.keyword_only)
            )
    for key, roles in shapes.items():
        longest = max(roles, key=len)
        assert [r for r in roles if longest[: len(r)] != r] == [], key


def test_nothing_dangerous_is_listed() -> None:
    assert sorted(f.path for f in FUNCTIONS if f.name in DANGEROUS) == []
    assert sorted(f.path for f in FUNCTIONS if any(p.startswith("_") for p in f.path.split("."))) == []


def test_the_members_of_each_owner_stand_apart() -> None:
    assert set(members("builtins.list")) == {"append"}
    assert set(members("builtins.str")) >= {"format", "join", "split", "upper"}
    assert set(members("torch.optim.Optimizer")) == {"zero_grad", "step"}
    assert members("torch.Tensor")["sum"] is by_path["torch.sum"]
    assert members("torch.Tensor")["where"] is by_path["torch.Tensor.where"]
    assert members("numpy.ndarray")["sum"] is by_path["numpy.ndarray.sum"]
    assert "append" not in members("torch.Tensor")
    assert is_member("torch.Tensor.view")
    assert not is_member("torch.Tensor")


def test_what_writes_says_so() -> None:
    named = {f.path for f in FUNCTIONS if f.name.endswith("_")}
    others = {"torch.Tensor.requires_grad_", "torch.nn.utils.clip_grad_norm_"}
    assert {f.path for f in FUNCTIONS if f.writes} == named - others
    assert {symbol for symbol, each in OPERATORS.items() if each.writes} == {
        *(f"{symbol}=" for symbol in ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>")),
        "[]=",
    }


def test_no_row_draws_by_a_generator_and_what_writes_into_another_tensor_is_listed() -> None:
    names = {a.name for f in FUNCTIONS for a in (*f.arguments, *f.method_arguments)}
    assert names.isdisjoint({"out", "generator"})
    assert by_path.keys() >= OUT
    assert not {path for path in OUT if by_path[path].draws or by_path[path].writes}


def test_signatures_are_read_when_asked_for() -> None:
    code = (
        "import autograd_cli.lang.functions as table\n"
        "from autograd_cli.lang.functions import rows\n"
        "print(rows._arguments.cache_info().currsize)\n"
        "table.by_path['torch.sum'].arguments\n"
        "print(rows._arguments.cache_info().currsize)\n"
        "import sys; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "1", "False"]


def test_arguments_say_what_they_are_for() -> None:
    found = [(a.name, a.role, a.required, a.keyword_only) for a in by_path["torch.sum"].arguments]
    assert found == [
        ("input", Role.TENSOR, True, False),
        ("dim", Role.DIM, False, False),
        ("keepdim", Role.FLAG, False, False),
        ("dtype", Role.DTYPE, False, True),
    ]


def test_a_method_may_differ_from_its_function() -> None:
    function = by_path["torch.reshape"]
    assert [(a.name, a.variadic) for a in function.arguments] == [("input", False), ("shape", False)]
    assert [(a.name, a.variadic) for a in function.method_arguments] == [("input", False), ("shape", True)]


def test_positional_only_arguments_are_marked() -> None:
    assert [a.positional_only for a in by_path["math.atan2"].arguments] == [True, True]
    assert [a.positional_only for a in by_path["torch.sin"].arguments] == [False]


@pytest.mark.parametrize(
    ("path", "spelling"),
    [
        ("torch.sin", "sin"),
        ("torch.complex", "torch.complex"),
        ("torch.nn.functional.relu", "F.relu"),
        ("torch.special.expit", "special.expit"),
        ("torch.linalg.det", "linalg.det"),
        ("torch.fft.fft", "fft.fft"),
        ("torch.Tensor.view", "x.view"),
        ("math.sqrt", "math.sqrt"),
        ("builtins.complex", "complex"),
    ],
)
def test_the_spelling_is_that_of_the_prelude(path: str, spelling: str) -> None:
    assert by_path[path].spelling == spelling


def test_every_symbol_has_its_row() -> None:
    two = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"}
    truth = {"<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in", "not"}
    plain = {symbol for symbol, each in OPERATORS.items() if not each.writes}
    assert plain == two | truth | {"~", "unary -", "unary +", "[]"}
    assert OPERATORS["*"].key == by_path["torch.mul"].key == "mul"
    keys = [OPERATORS[symbol].key for symbol in ("+", "-", "*", "/", "//", "%", "**", "@", "unary -")]
    assert keys == ["add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "matmul", "neg"]
    assert OPERATORS["*"] is not by_path["torch.mul"]
