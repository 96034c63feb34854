"""The rules for a run that failed, each listed once.

A rule looks at a Case and gives its finding or None; they stand in the order in which they
are asked, the most specific first. Those of LAST are asked where none of FAILURES knows the case.
"""

from collections.abc import Callable
from dataclasses import replace

from autograd_cli import catalogue
from autograd_cli.diagnose import (
    arguments,
    arrays,
    broadcasting,
    devices,
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
from autograd_cli.diagnose.remedies import remedies
from autograd_cli.diagnose.search import searched
from autograd_cli.diagnose.trial import attempted, tried
from autograd_cli.errors import AgxError
from autograd_cli.report import Finding
from autograd_cli.run.tape import Run

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
    ("AGX316", values.target_shape),
    ("AGX317", joining.joined),
    ("AGX317", joining.ragged),
    ("AGX324", ranges.probability),
    ("AGX302", broadcasting.assigned),
    ("AGX302", broadcasting.expansion),
    ("AGX302", broadcasting.bias),
    ("AGX302", broadcasting.mismatch),
    ("AGX304", dtypes.mismatch),
    ("AGX314", dtypes.unsupported),
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
    """Why the run failed: one finding, in whose `also` stand the names of others that fit."""
    assert run.failure is not None, "only a run that failed has a failure to explain"
    if isinstance(run.failure.error, AgxError):
        return (catalogue.finding(run.failure.error, run.program.source),)
    case = Case(run, run.failure)
    theirs = own.raised(case)
    if theirs is not None:
        return (theirs,)
    found = [finding for _, rule in FAILURES if (finding := rule(case)) is not None] or [any_kind(case)]
    also = dict.fromkeys(other.name for other in found[1:] if other.name != found[0].name)
    finding = tried(run, replace(found[0], also=tuple(also)))
    # Where the backward failed, a change that is tried forward shows nothing; a person's own functions
    # are not run again and again.
    if run.root is not None or run.settings.uses:
        return (finding,)
    return (searched(finding, remedies(case), lambda fix: attempted(run, fix)),)


def any_kind(case: Case) -> Finding:
    """What is said where no rule knows the case itself: by its kind, and at last in torch's words."""
    return next((finding for _, rule in LAST if (finding := rule(case)) is not None), unknown.error(case))
