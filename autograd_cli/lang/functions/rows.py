"""What a row of the function table says. Data only: the callables are in `run`.

Rows are named tuples, not dataclasses: hundreds are made each time agx starts.
"""

import ast
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import NamedTuple

from autograd_cli.lang.namespaces import FROM_BUILTINS, MODULES, NOT_BARE


class Kind(Enum):
    """What a function does to its arguments, as far as other rooms need to know.

    RANDOM makes a constant by drawing; what passes gradients on and draws besides, as
    dropout does, is a LAYER or an ACTIVATION. EFFECT changes what is there, as backward and
    print do, and MODE is what stands after `with`.
    """

    ELEMENTWISE = "elementwise"
    REDUCTION = "reduction"
    SHAPE = "shape"
    PRODUCT = "product"
    ACTIVATION = "activation"
    LOSS = "loss"
    LAYER = "layer"
    LINALG = "linalg"
    INDEXING = "indexing"
    CREATION = "creation"
    RANDOM = "random"
    CUT = "cut"
    PYTHON = "python"
    EFFECT = "effect"
    MODE = "mode"


class Role(Enum):
    """What an argument is for; all but TENSOR, TENSORS and NUMBER keep an int an int."""

    TENSOR = "tensor"
    TENSORS = "tensors"
    NUMBER = "number"
    INDEX = "index"
    MASK = "mask"
    TARGET = "target"
    DIM = "dim"
    SIZE = "size"
    COUNT = "count"
    FLAG = "flag"
    TEXT = "text"
    DTYPE = "dtype"
    DEVICE = "device"


class Argument(NamedTuple):
    """One argument of a signature; `required` when it has no default.

    A variadic one takes any number of values (`zeros(2, 3)`), or one tuple of them
    (`zeros((2, 3))`), and torch knows it by its keyword too (`zeros(size=(2, 3))`).
    """

    name: str
    role: Role
    required: bool
    keyword_only: bool = False
    variadic: bool = False
    positional_only: bool = False


class Example(NamedTuple):
    """A source and its bindings as a person would type them: `{"x": "[1.,2.]"}`."""

    source: str
    bindings: dict[str, str]

    @property
    def is_expression(self) -> bool:
        """Whether the source is one expression, and no program of several statements."""
        try:
            ast.parse(self.source, mode="eval")
        except SyntaxError:
            return False
        return True


class Function(NamedTuple):
    """A row of the table: one function under its path below `torch`, `math` or `builtins`.

    `path` is where Python finds it ("torch.sin", "torch.nn.functional.relu",
    "torch.Tensor.expand_as", "math.sqrt"). `signature` is written as in `def`, each
    argument annotated by its role unless it is a tensor:
    "(input, dim: dim = None, keepdim: flag = False)". `method` says that tensors have
    it as a method too, `input` being the tensor. `key` names the function's derivative
    rule; functions that mean the same share one, and take the same arguments in the
    same order. `domain` says in words where the function is real and differentiable.
    `differentiable` is False where no gradient passes. `aliases` are other paths of the
    same function: each stands in the table as a row of its own.

    `method_signature` is the method's where it is not the function's ("(input, *shape:
    size)" for `x.reshape(2, 3)`). `attribute` marks what is read without a call: `x.T`.
    `operator` is the symbol of an operator's row; these stand apart, in `OPERATORS`.

    `draws` says that it draws at random besides passing gradients on, so that it must draw
    the same when it is evaluated again. `moves` says that its tensors may be on different
    devices, since it is there to bring them together. `writes` says that it changes its first
    tensor in place, as `x.add_(1)` does; so does a call with `inplace=True`.
    """

    path: str
    signature: str
    meaning: str
    kind: Kind
    key: str
    domain: str
    example: Example | None
    method: bool
    differentiable: bool
    aliases: tuple[str, ...] = ()
    method_signature: str = ""
    attribute: bool = False
    operator: str = ""
    draws: bool = False
    moves: bool = False
    writes: bool = False

    def __hash__(self) -> int:
        return hash((self.path, self.operator))

    @property
    def name(self) -> str:
        """The last part of the path: "relu" for torch.nn.functional.relu."""
        return self.path.rpartition(".")[2]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the signature, read when first asked for."""
        return _arguments(self.signature)

    @property
    def method_arguments(self) -> tuple[Argument, ...]:
        """The arguments of the method; the first is the tensor before the dot."""
        return _arguments(self.method_signature or self.signature)

    @property
    def spelling(self) -> str:
        """How a source under the prelude calls it: "sin", "F.relu", "special.erfcx", "x.view"."""
        for prefix, short in _SHORT:
            if self.path.startswith(prefix):
                return short + self.path.removeprefix(prefix)
        rest = self.path.removeprefix("torch.")
        is_bare = rest.partition(".")[0] in MODULES if "." in rest else rest not in _NEVER_BARE
        return rest if is_bare else self.path


_NEVER_BARE = FROM_BUILTINS | NOT_BARE

# The prelude's `import torch.nn.functional as F` and its like; what is no tensor by a name people use.
_SHORT = (
    ("torch.nn.functional.", "F."),
    ("torch.Tensor.", "x."),
    ("torch.optim.Optimizer.", "optimizer."),
    ("torch.autograd.graph.Node.", "x.grad_fn."),
    ("builtins.list.", "list."),
    ("builtins.str.", "text."),
    ("builtins.", ""),
    ("numpy.ndarray.", "array."),
    ("numpy.", "np."),
)

# What torch accepts for its own keywords, as NumPy spells them: `x.sum(axis=0)`. The
# functions of torch.nn.functional and Python's own do not.
NUMPY_KEYWORDS = {
    "axis": "dim",
    "keepdims": "keepdim",
    "a": "input",
    "x": "input",
    "x1": "input",
    "x2": "other",
}


@cache
def _arguments(signature: str) -> tuple[Argument, ...]:
    """The arguments of a signature, in its order."""
    definition = ast.parse(f"def f{signature}: 0").body[0]
    assert isinstance(definition, ast.FunctionDef)
    given = definition.args
    positional = given.posonlyargs + given.args
    first_default = len(positional) - len(given.defaults)
    plain = tuple(
        Argument(a.arg, _role(a), i < first_default, positional_only=i < len(given.posonlyargs))
        for i, a in enumerate(positional)
    )
    rest = (Argument(given.vararg.arg, _role(given.vararg), False, variadic=True),) if given.vararg else ()
    named = tuple(
        Argument(a.arg, _role(a), default is None, keyword_only=True)
        for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    )
    return plain + rest + named


def _role(argument: ast.arg) -> Role:
    return Role(ast.unparse(argument.annotation)) if argument.annotation else Role.TENSOR


def row(
    path: str,
    meaning: str,
    example: str = "",
    *,
    kind: Kind,
    signature: str = "(input)",
    key: str = "",
    domain: str = "any real",
    method: bool = True,
    differentiable: bool = True,
    aliases: tuple[str, ...] = (),
    method_signature: str = "",
    attribute: bool = False,
    operator: str = "",
    draws: bool = False,
    moves: bool = False,
    writes: bool = False,
    **bindings: str,
) -> Function:
    """A row; `example` is a source and the keywords left over are its bindings."""
    return Function(
        path=path,
        signature=signature,
        meaning=meaning,
        kind=kind,
        key=key or path.rpartition(".")[2],
        domain=domain,
        example=Example(example, bindings) if example else None,
        method=method,
        differentiable=differentiable,
        aliases=aliases,
        method_signature=method_signature,
        attribute=attribute,
        operator=operator,
        draws=draws,
        moves=moves,
        writes=writes,
    )


def with_aliases(function: Function) -> Iterator[Function]:
    """The row and one more for each of its aliases, whose example calls the alias."""
    yield function
    for path in function.aliases:
        is_method = function.method and path.count(".") == 1
        other = function._replace(path=path, method=is_method, aliases=())
        yield other._replace(example=_example_of(other, function.spelling))


def _example_of(alias: Function, spelling: str) -> Example | None:
    """The example with the alias in the place of what was called."""
    if alias.example is None:
        return None
    source, bindings = alias.example
    called = f"torch.{spelling}(" if f"torch.{spelling}(" in source else f"{spelling}("
    return Example(source.replace(called, f"{alias.spelling}("), bindings)
