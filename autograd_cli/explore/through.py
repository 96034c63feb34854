"""The door: a source of either kind, with its bindings, to its report."""

from collections.abc import Callable
from dataclasses import replace

import torch

from autograd_cli.explore import single
from autograd_cli.explore.options import Options, Pairs, settings_of, text_limits
from autograd_cli.lang.check import Understood, understood
from autograd_cli.lang.source import Source
from autograd_cli.report import Report
from autograd_cli.run.inputs import Roles, bind
from autograd_cli.run.record import run, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue


def explore(
    source: Source | str | Understood,
    bindings: Pairs,
    options: Options = Options(),  # noqa: B008 - frozen
    stdin: str | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """The report of `source` under `bindings`, (name, text) pairs in the order written.

    A program that fails in torch gives a report with its finding and status 1. A source
    or a binding that cannot be understood raises an AgxError. `stdin` is what `@-` reads.
    `progress` is given the report so far before each long stage.
    An Understood source is not parsed again.
    """
    known = source
    if not isinstance(known, Understood):
        text = Source(known) if isinstance(known, str) else known
        known = understood(text, [name for name, _ in bindings], text_limits(options))
    settings = settings_of(options)
    with torch_state(replace(settings, dtype="float32")):
        bound = _bound(known, bindings, options, settings, stdin)
        torch.set_default_dtype(getattr(torch, settings.dtype))
        made = run(known.program, bound, settings)
        if made.failure is not None:
            return single.report_of(made, options, single.explained(made))
        return single.explored(made, options, progress, stdin)


def _bound(
    known: Understood, pairs: Pairs, options: Options, settings: Settings, stdin: str | None
) -> tuple[BoundValue, ...]:
    roles = Roles(
        used=known.usage.names,
        const=frozenset(options.const),
        wrt=None if options.wrt is None else frozenset(options.wrt),
    )
    return bind(pairs, roles, settings, options.dtype, stdin, known.values)
