"""The samples of torch's own database of operators, written as a person would and judged by the witnesses.

Run by hand, `python tests/gradients/database.py [NAME]...` goes through all samples of all entries, or of
those named, and prints each whose gradient is neither OK nor a kink, and how torch's own gradcheck finds it.
Ends with 1 when torch's passes one of them. `test_database` beside this file looks at one sample of each.
"""

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import torch

from autograd_cli.errors import AgxError, first_line
from autograd_cli.gradients.backward import backward
from autograd_cli.gradients.check import Options, check, worst
from autograd_cli.lang.check import check as names_of
from autograd_cli.lang.functions import by_path, members
from autograd_cli.lang.nodes import Name
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Gradient, Verdict
from autograd_cli.run.record import run as record, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Run

PRIVATE = ("_", "masked.", "sparse.", "ops.aten.", "torch.ops.aten.", "torch._")
IN_PLACE = ("zero_",)
"""What a leaf refuses."""
MOST = 1_000
"""Elements of a sample and of its output, at most."""
SECOND_FIRST = ("einsum", "polygamma", "special.polygamma", "where", "nn.functional.embedding")
"""Entries that the database calls with the first two arguments the other way round."""
GOOD = (Verdict.OK, Verdict.KINK)
SETTINGS = Settings(dtype="float64")
COTANGENT = "cotangent"


class UnwrittenError(Exception):
    """An argument of a sample is nothing that a source can say."""


@dataclass
class Written:
    """Arguments as a source has them: the tensors among them by name."""

    tensors: dict[str, torch.Tensor] = field(default_factory=dict)

    def put(self, value: Any) -> str:
        """The text of a value; a tensor is bound to a name, the same one to the same name."""
        if isinstance(value, torch.Tensor):
            known = (name for name, tensor in self.tensors.items() if tensor is value)
            name = next(known, f"x{len(self.tensors)}")
            self.tensors[name] = value
            return name
        if isinstance(value, list | tuple):
            inside = ", ".join(map(self.put, value))
            return f"[{inside}]" if isinstance(value, list) or not inside else f"({inside},)"
        if isinstance(value, float) and value in (float("inf"), -float("inf")):
            return f"float('{value}')"
        if value is None or isinstance(
            value, bool | int | float | complex | str | torch.dtype | torch.memory_format
        ):
            return repr(value)
        if isinstance(value, slice):
            return f"slice({self.put(value.start)}, {self.put(value.stop)}, {self.put(value.step)})"
        raise UnwrittenError(type(value).__name__)


@dataclass(frozen=True)
class Sample:
    """A call of the database: its source, its tensors by name, and what torch's own check takes.

    `item` picks one result of several.
    """

    entry: Any
    given: Any
    source: str
    tensors: dict[str, torch.Tensor]
    item: int | None = None

    @property
    def name(self) -> str:
        """The entry's name and the variant's."""
        return f"{self.entry.name}.{self.entry.variant_test_name}".rstrip(".")

    @property
    def text(self) -> str:
        """The whole source, with the result that is picked."""
        return self.source if self.item is None else f"{self.source}[{self.item}]"

    def bindings(self) -> tuple[BoundValue, ...]:
        """The tensors as a run takes them, in memory of their own; those that require grad are leaves."""
        return tuple(
            BoundValue(name, "", value.detach().clone().requires_grad_(value.requires_grad), role_of(value))
            for name, value in self.tensors.items()
        )

    def run(self) -> Run:
        """The source run as a person would run it; raises what torch raised."""
        with torch_state(SETTINGS):
            made = record(parse(Source(self.text)), self.bindings(), SETTINGS)
        if made.failure is not None:
            raise made.failure.error
        return made


def role_of(value: torch.Tensor) -> str:
    """The role of a tensor of a sample in a run."""
    return "leaf" if value.requires_grad else "constant"


def entries() -> Iterator[Any]:
    """The entries of the language that support autograd."""
    from torch.testing._internal.common_methods_invocations import op_db

    for entry in op_db:
        listed = not entry.name.startswith(PRIVATE + IN_PLACE) and called(entry, "x0", []) is not None
        if listed and entry.supports_autograd and torch.float64 in entry.dtypes:
            yield entry


def called(entry: Any, first: str, rest: list[str]) -> str | None:
    """The call of an entry in the language, None where it is not in there."""
    name = entry.name
    if f"torch.{name}" in by_path:
        return f"torch.{name}({', '.join([first, *rest])})"
    method = members("torch.Tensor").get(name)
    if method is None:
        return None
    return f"{first}.{name}" if method.attribute else f"{first}.{name}({', '.join(rest)})"


def samples(entry: Any) -> Iterator[Sample]:
    """The samples of an entry that are small, have a leaf, and can be written; the same ones every time."""
    torch.manual_seed(0)
    for given in entry.sample_inputs("cpu", torch.float64, requires_grad=True):
        try:
            one = written(entry, given)
            names_of(parse(Source(one.source)), tuple(one.tensors))
        except (UnwrittenError, AgxError):  # nothing that a source can say
            continue
        if sum(tensor.numel() for tensor in one.tensors.values()) <= MOST:
            yield from results(one)


def written(entry: Any, given: Any) -> Sample:
    """A sample as a source; where torch's own tests make its input symmetric, the source does."""
    texts = Written()
    first = texts.put(given.input)
    if is_hermitian(entry):
        first = f"({first} + {first}.mH)"
    rest = [texts.put(value) for value in given.args]
    rest += [f"{name}={texts.put(value)}" for name, value in given.kwargs.items()]
    if entry.name in SECOND_FIRST:
        first, rest = rest[0], [first, *rest[1:]]
    if (
        entry.name in ("svd_lowrank", "pca_lowrank") or entry.variant_test_name == "singular"
    ):  # the database has two factors of the matrix
        first, rest = f"{first} @ {rest[0]}.mT", rest[1:]
    source = called(entry, first, rest)
    assert source is not None
    return Sample(entry, given, source, texts.tensors)


def is_hermitian(entry: Any) -> bool:
    return getattr(entry.gradcheck_wrapper, "__name__", "") == "gradcheck_wrapper_hermitian_input"


def results(one: Sample) -> Iterator[Sample]:
    """The sample for each of its results that has a gradient."""
    try:
        output = one.run().output
    except RuntimeError:
        if one.entry.variant_test_name == "partial_views":  # some read memory that the tensor is no part of
            return
        raise
    if isinstance(output, torch.Tensor):
        if is_looked_at(output):
            yield one
    elif isinstance(output, tuple | list):
        for number, value in enumerate(output):
            if is_looked_at(value):
                yield replace(one, item=number)


def is_looked_at(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad and value.numel() <= MOST


def judged(one: Sample) -> tuple[Gradient, ...]:
    """The gradients of a sample under a random cotangent."""
    run = one.run()
    drawn = torch.randn(run.output.shape, generator=torch.Generator().manual_seed(0), dtype=run.output.dtype)
    run = replace(run, bindings=(*run.bindings, BoundValue(COTANGENT, "", drawn, "constant")))
    made = backward(run, drawn)
    if made.error is not None:
        raise made.error
    return check(run, made, drawn, Options(cotangent=Name(COTANGENT)))


def torch_passes(one: Sample) -> bool:
    """Whether torch's own gradcheck finds nothing in the function that the source is."""
    leaves = [
        value.detach().clone().requires_grad_() for value in one.tensors.values() if value.requires_grad
    ]

    def function(*given: torch.Tensor) -> torch.Tensor:
        with torch_state(SETTINGS):
            moved = iter(given)
            tensors = {id(old): next(moved) for old in one.tensors.values() if old.requires_grad}
            first = filled(one.given.input, tensors)
            first = first + first.mH if is_hermitian(one.entry) else first
            rest, names = filled(one.given.args, tensors), filled(one.given.kwargs, tensors)
            made = one.entry.op(first, *rest, **names)
        return made if one.item is None else made[one.item]

    try:
        return torch.autograd.gradcheck(function, leaves, check_undefined_grad=False, raise_exception=False)
    except Exception:  # it cannot go through: it has not passed
        return False


def filled(value: Any, tensors: dict[int, torch.Tensor]) -> Any:
    """The value with its leaves replaced, by their identity."""
    if isinstance(value, torch.Tensor):
        return tensors.get(id(value), value)
    if isinstance(value, dict):
        return {name: filled(item, tensors) for name, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(filled(item, tensors) for item in value)
    return value


def fault(one: Sample) -> str:
    """The worst verdict on a sample, or what kept it from being judged; empty where it is good."""
    try:
        gradients = judged(one)
    except Exception as error:  # one sample must not keep the others from being looked at
        return (
            error.sentence if isinstance(error, AgxError) else f"{type(error).__name__}: {first_line(error)}"
        )
    verdict = worst(gradients)
    if verdict in GOOD and all(gradient.verdict is not None for gradient in gradients):
        return ""
    if verdict is None or verdict in GOOD:
        return next(gradient.sentence or "no verdict" for gradient in gradients if gradient.verdict is None)
    return str(verdict)


def main(names: list[str]) -> int:
    """Goes through the entries named, or all; gives the exit status."""
    counts: Counter[str] = Counter()
    for entry in entries():
        if names and entry.name not in names:
            continue
        try:
            for one in samples(entry):
                tell(one, counts)
        except Exception as error:
            counts["not run"] += 1
            print(f"{entry.name}: {type(error).__name__}: {first_line(error)}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return 1 if counts["where torch's gradcheck passes"] else 0


def tell(one: Sample, counts: Counter[str]) -> None:
    found = fault(one)
    counts[found.partition(":")[0] if found else "good"] += 1
    if not found:
        return
    passes = torch_passes(one)
    counts["where torch's gradcheck passes"] += passes
    shapes = ", ".join(f"{name} {list(value.shape)}" for name, value in one.tensors.items())
    print(
        f"{one.name}: {'torch passes' if passes else 'torch fails'}: {found}: {one.text}: {shapes}",
        flush=True,
    )


def first(entry: Any) -> Sample | None:
    """The first sample of an entry that fits."""
    return next(islice(samples(entry), 1), None)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    sys.exit(main(sys.argv[1:]))
