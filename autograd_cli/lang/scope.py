"""What names mean at a place of a source: under the prelude, or under the imports that it has."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

from autograd_cli.lang.bodies import assigned, statements
from autograd_cli.lang.functions import by_path, is_member
from autograd_cli.lang.namespaces import CONSTANTS, FROM_BUILTINS, MODULES, NOT_BARE
from autograd_cli.lang.nodes import Define, Import, Program
from autograd_cli.lang.same import SHORT, Same, once, remembered

# What `from torch import *` gives under names of Python's own, beside what the table has.
_HIDES = frozenset({"range", "compile"})

STARRED = frozenset({"torch", "math"})
"""The modules that a star import is known for."""


_NAMES = 1 << 12
"""Names of which the meaning under the prelude is kept."""


@dataclass(frozen=True)
class Scope(Collection[str]):
    """What the names at a place stand for; as a collection, the names with a value of their own.

    `bound` are those names: bindings, and what the program assigns. They hide all others.
    `imported` maps each name of an import to its path, None under the prelude; `stars` are
    the modules of star imports. `defined` are the functions that the program makes, and
    `callables` those that were brought to it: both are among `bound`, as are `given`, the names
    that have a value from outside before the first statement. `uses_arrays` says
    that NumPy's arrays can arise, whose methods are not those of tensors.
    """

    bound: frozenset[str] = frozenset()
    imported: Mapping[str, str] | None = None
    stars: tuple[str, ...] = ()
    defined: frozenset[str] = frozenset()
    callables: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    is_program: bool = field(default=False, compare=False)
    uses_arrays: bool = field(default=False, compare=False)

    def __contains__(self, name: object) -> bool:
        return name in self.bound

    def __iter__(self) -> Iterator[str]:
        return iter(self.bound)

    def __len__(self) -> int:
        return len(self.bound)

    def path(self, name: str) -> str | None:
        """The path that a name stands for where it has no value: "torch.sin", "torch.nn" for `nn`.

        None where it stands for nothing. What an import gives need not be in the language.
        """
        if self.imported is None:
            return _under_prelude(name)
        if name in self.imported:
            return self.imported[name]
        for module in reversed(self.stars):
            if f"{module}.{name}" in _starred(module):
                return f"{module}.{name}"
        path = f"builtins.{name}"
        return path if path in by_path or path in CONSTANTS else None

    @once
    def outside(self) -> "Scope":
        """What the names mean where none has a value of its own."""
        return replace(self, bound=frozenset())

    def local(self, names: Collection[str]) -> "Scope":
        """The scope inside a function that gives values to `names`."""
        own = frozenset(names)
        return replace(
            self, bound=self.bound | own, defined=self.defined - own, callables=self.callables - own
        )

    def without(self, name: str) -> "Scope":
        """The scope where `name` has no value of its own yet."""
        return replace(self, bound=self.bound - {name})

    def spelled(self, spelling: str) -> str:
        """How what the prelude calls `spelling`, "F.relu", is called here: "nn.functional.relu"."""
        first, _, rest = spelling.partition(".")
        start = _under_prelude(first)
        if self.imported is None or start is None or start.startswith("builtins"):
            return spelling
        path = f"{start}.{rest}" if rest else start
        named = [name for name, each in self.imported.items() if each == path]
        if named:
            return named[0]
        inside = [(each, name) for name, each in self.imported.items() if path.startswith(f"{each}.")]
        if inside:
            longest, name = max(inside)
            return name + path.removeprefix(longest)
        return spelling if not rest and self.path(first) == path else path


PRELUDE = Scope()
"""Names under the prelude, none of them bound."""


def of(program: Program, bound: Collection[str], callables: Collection[str] = ()) -> Scope:
    """The scope of a program outside of its functions; `bound` are the names with a value from outside.

    `callables` are names of functions from outside.
    """
    if len(program.source.text) > SHORT:
        return _of(program, bound, callables)
    return _kept(Same(program), tuple(bound), tuple(callables))


@remembered
def _kept(program: Same, bound: tuple[str, ...], callables: tuple[str, ...]) -> Scope:
    """The scope of a program that `parse` remembers; a Scope is never changed."""
    return _of(program.it, bound, callables)


def _of(program: Program, bound: Collection[str], callables: Collection[str]) -> Scope:
    imported, stars = _imports(program)
    defined = {each.name for each in statements(program.statements) if isinstance(each, Define)}
    assigned_here = assigned(program.statements)
    from_outside = {*bound, *callables} - (imported or {}).keys()
    text = program.source.text
    return Scope(
        bound=frozenset(from_outside | assigned_here),
        imported=imported,
        stars=stars,
        defined=frozenset(defined),
        callables=frozenset(callables) & from_outside,
        given=frozenset(from_outside),
        is_program=not program.is_expression,
        uses_arrays="numpy" in text,
    )


def _imports(program: Program) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    """What the imports of a program give, by name, and the modules of its star imports."""
    found: dict[str, str] = {}
    stars: list[str] = []
    imports = [each for each in program.statements if isinstance(each, Import)]
    for each in (name for statement in imports for name in statement.names):
        if each.name == "*":
            module = each.path.removesuffix(".*")
            stars.append(module)
            for path in _starred(module):
                found.pop(path.rpartition(".")[2], None)
        else:
            found[each.name] = each.path
    return (found if imports else None), tuple(stars)


@cache
def modules() -> frozenset[str]:
    """The path of every module that the table or the constants have something of."""
    found: set[str] = set(MODULES.values()) | {"numpy"}
    for path in (*by_path, *CONSTANTS):
        if not is_member(path):
            parts = path.split(".")
            found.update(".".join(parts[:end]) for end in range(1, len(parts)))
    return frozenset(found)


def is_known(path: str) -> bool:
    """Whether `path` is a module, a function or a constant of the language."""
    return path in modules() or path in CONSTANTS or (path in by_path and not is_member(path))


@lru_cache(_NAMES)
def _under_prelude(name: str) -> str | None:
    if name in MODULES:
        return MODULES[name]
    roots = ("builtins",) if name in FROM_BUILTINS else ("torch", "builtins")
    if name in NOT_BARE:
        return None
    paths = (f"{root}.{name}" for root in roots)
    return next((path for path in paths if path in by_path or path in CONSTANTS), None)


@cache
def _starred(module: str) -> frozenset[str]:
    """The paths of what a star import of `module` gives."""
    own = (p for p in (*by_path, *CONSTANTS) if p.rpartition(".")[0] == module)
    found = {path for path in own if path.rpartition(".")[2] not in (*NOT_BARE, "set_grad_enabled")}
    return frozenset(found | ({f"torch.{name}" for name in _HIDES} if module == "torch" else set()))
