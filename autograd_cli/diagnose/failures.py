"""The rules for a run that failed, each listed once.

A rule looks at a Case and gives its finding or None; they stand in the order in which they
are asked, the most specific first. Those of LAST are asked where none of FAILURES knows the case.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from autograd_cli import catalogue
from autograd_cli.diagnose import (
    arguments,
    arrays,
    broadcasting,
    devices,
    dividing,
    dtypes,
    joining,
    layouts,
    memory,
    own,
    places,
    products,
    ranges,
    unknown,
    values,
    writes,
)
from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.faults import Faults
from autograd_cli.diagnose.remedies import remedies
from autograd_cli.diagnose.search import searched
from autograd_cli.diagnose.trial import attempted, tried
from autograd_cli.errors import AgxError
from autograd_cli.report import Finding
from autograd_cli.run.tape import Run

Kind = TypeVar("Kind", bound=Case)

FAILURES: tuple[tuple[str, Callable[[Case], Finding | None]], ...] = (
    ("AGX601", devices.unusable),
    ("AGX303", devices.mismatch),
    ("AGX432", writes.one_of_several),
    ("AGX433", writes.made_unrecorded),
    ("AGX434", writes.stretched),
    ("AGX302", writes.grown),
    ("AGX336", writes.narrowed),
    ("AGX301", products.mismatch),
    ("AGX310", values.no_data),
    ("AGX404", values.integer_grad),
    ("AGX306", memory.noncontiguous),
    ("AGX308", memory.wrong_count),
    ("AGX313", dtypes.index),
    ("AGX314", dtypes.mask),
    ("AGX309", places.index),
    ("AGX311", places.dimension),
    ("AGX315", values.truth),
    ("AGX318", arrays.given),
    ("AGX318", values.number),
    ("AGX333", values.class_column),
    ("AGX316", values.target_shape),
    ("AGX317", joining.joined),
    ("AGX317", joining.ragged),
    ("AGX324", ranges.probability),
    ("AGX302", broadcasting.assigned),
    ("AGX302", broadcasting.expansion),
    ("AGX302", broadcasting.bias),
    ("AGX302", broadcasting.mismatch),
    ("AGX334", dtypes.compared),
    ("AGX304", dtypes.mismatch),
    ("AGX314", dtypes.unsupported),
    ("AGX507", dividing.undifferentiated),
    ("AGX327", layouts.channels),
    ("AGX332", layouts.single),
)

LAST: tuple[tuple[str, Callable[[Case], Finding | None]], ...] = (
    ("AGX344", arguments.count),
    ("AGX344", arguments.kind),
    ("AGX345", arguments.value),
    ("AGX314", dtypes.refused),
    ("AGX346", layouts.refused),
)
"""What is asked where none of the others knows: these go by the kind of error alone, the first that fits."""


def failure(run: Run) -> tuple[Finding, ...]:
    """Why the run failed: one finding, in whose `also` stand the names of others that fit.

    A rule that fails leaves a note of that behind it, AGX609.
    """
    assert run.failure is not None, "only a run that failed has a failure to explain"
    if isinstance(run.failure.error, AgxError):
        return (catalogue.finding(run.failure.error, run.program.source),)
    case, faults = Case(run, run.failure), Faults()
    theirs = faults.one("AGX325", own.raised, case)
    if theirs is not None:
        return (theirs, *faults.notes)
    finding = faults.changed(known(case, FAILURES, faults), lambda each: tried(run, each))
    # Where the backward failed, a change that is tried forward shows nothing; a person's own functions
    # are not run again and again.
    if run.root is None and not run.settings.uses:
        finding = faults.changed(
            finding, lambda each: searched(each, remedies(case), lambda fix: attempted(run, fix))
        )
    return (finding, *faults.notes)


def known(
    case: Kind, rules: Sequence[tuple[str, Callable[[Kind], Finding | None]]], faults: Faults
) -> Finding:
    """What the first rule that knows a case says of it, with the names of what the others say in `also`.

    Where none knows the case itself it is told by its kind, and at last in torch's words.
    """
    found = list(_asked(case, rules, faults))
    found = found or [next(_asked(case, LAST, faults), None) or unknown.error(case)]
    also = dict.fromkeys(other.name for other in found[1:] if other.name != found[0].name)
    return replace(found[0], also=tuple(also))


def _asked(
    case: Kind, rules: Sequence[tuple[str, Callable[[Kind], Finding | None]]], faults: Faults
) -> Iterator[Finding]:
    answers = (faults.one(code, rule, case) for code, rule in rules)
    yield from (finding for finding in answers if finding is not None)
