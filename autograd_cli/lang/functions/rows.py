"""What a row of the function table says. Data only: the callables are in `run`."""

import ast
from dataclasses import dataclass, field
from enum import Enum
from functools import cache


class Kind(Enum):
    """What a function does to its arguments, as far as other rooms need to know."""

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


@dataclass(frozen=True)
class Argument:
    """One argument of a signature; `required` when it has no default."""

    name: str
    role: Role
    required: bool
    keyword_only: bool = False
    variadic: bool = False


@dataclass(frozen=True)
class Example:
    """A source and its bindings as a person would type them: `{"x": "[1.,2.]"}`."""

    source: str
    bindings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Function:
    """A row of the table: one function under its path below `torch`, `math` or `builtins`.

    `path` is where Python finds it ("torch.sin", "torch.nn.functional.relu",
    "torch.Tensor.expand_as", "math.sqrt"). `signature` is written as in `def`, each
    argument annotated by its role unless it is a tensor:
    "(input, dim: dim = None, keepdim: flag = False)". `method` says that tensors have
    it as a method too, `input` being the tensor. `key` names the function's derivative
    rule; functions that mean the same share one. `domain` says in words where the
    function is real and differentiable. `differentiable` is False where no gradient
    passes.
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

    @property
    def name(self) -> str:
        """The last part of the path: "relu" for torch.nn.functional.relu."""
        return self.path.rpartition(".")[2]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the signature, read when first asked for."""
        return _arguments(self.signature)


@cache
def _arguments(signature: str) -> tuple[Argument, ...]:
    """The arguments of a signature, in its order."""
    definition = ast.parse(f"def f{signature}: 0").body[0]
    assert isinstance(definition, ast.FunctionDef)
    given = definition.args
    positional = given.posonlyargs + given.args
    first_default = len(positional) - len(given.defaults)
    plain = tuple(Argument(a.arg, _role(a), i < first_default) for i, a in enumerate(positional))
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
    *,
    kind: Kind,
    signature: str = "(input)",
    key: str = "",
    domain: str = "any real",
    example: str = "",
    method: bool = True,
    differentiable: bool = True,
    aliases: tuple[str, ...] = (),
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
    )
