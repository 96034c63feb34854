"""The rules for a run that failed, each listed once.

A rule looks at a Case and gives its finding or None; they stand in the order in which
they are asked, the most specific first.
"""

from collections.abc import Callable
from dataclasses import replace

from autograd_cli import catalogue
from autograd_cli.diagnose import (
    arrays,
    broadcasting,
    devices,
    dtypes,
    joining,
    memory,
    own,
    places,
    products,
    ranges,
    unknown,
    values,
)
from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.trial import tried
from autograd_cli.errors import AgxError
from autograd_cli.report import Finding
from autograd_cli.run.tape import Run

FAILURES: tuple[tuple[str, Callable[[Case], Finding | None]], ...] = (
    ("AGX601", devices.unusable),
    ("AGX303", devices.mismatch),
    ("AGX301", products.mismatch),
    ("AGX310", values.no_data),
    ("AGX404", values.integer_grad),
    ("AGX306", memory.noncontiguous),
    ("AGX308", memory.wrong_count),
    ("AGX313", dtypes.index),
    ("AGX309", places.index),
    ("AGX311", places.dimension),
    ("AGX315", values.truth),
    ("AGX318", arrays.given),
    ("AGX318", values.number),
    ("AGX316", values.target_shape),
    ("AGX317", joining.joined),
    ("AGX317", joining.ragged),
    ("AGX324", ranges.probability),
    ("AGX302", broadcasting.expansion),
    ("AGX302", broadcasting.bias),
    ("AGX302", broadcasting.mismatch),
    ("AGX304", dtypes.mismatch),
    ("AGX314", dtypes.unsupported),
)


def failure(run: Run) -> tuple[Finding, ...]:
    """Why the run failed: one finding, in whose `also` stand the names of others that fit."""
    assert run.failure is not None, "only a run that failed has a failure to explain"
    if isinstance(run.failure.error, AgxError):
        return (catalogue.finding(run.failure.error, run.program.source),)
    case = Case(run, run.failure)
    theirs = own.raised(case)
    if theirs is not None:
        return (theirs,)
    found = [finding for _, rule in FAILURES if (finding := rule(case)) is not None]
    if not found:
        return (unknown.error(case),)
    also = dict.fromkeys(other.name for other in found[1:] if other.name != found[0].name)
    return (tried(run, replace(found[0], also=tuple(also))),)
