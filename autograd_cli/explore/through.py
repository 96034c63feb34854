"""The door: a source of either kind, with its bindings, to its report."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from threading import Event, Thread
from time import monotonic

import torch

from autograd_cli.errors import AgxError
from autograd_cli.explore import brought, single
from autograd_cli.explore.options import Options, Pairs, settings_of, text_limits, unknown_name
from autograd_cli.explore.packing import so_far
from autograd_cli.explore.watching import Watching
from autograd_cli.lang.check import Understood, understood
from autograd_cli.lang.source import Source
from autograd_cli.report import Report
from autograd_cli.run.inputs import Roles, bind
from autograd_cli.run.program import run_program
from autograd_cli.run.record import set_dtype, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.slices import whole
from autograd_cli.run.tape import BoundValue
from autograd_cli.run.traced import Ran

Progress = Callable[[Report], None]

_SECONDS = 0.1
"""How often what a program did so far is told, while that takes little of the time."""

_SHARE = 20
"""One part in so many of the time, at most, goes into telling."""


def explore(
    source: Source | str | Understood,
    bindings: Pairs,
    options: Options = Options(),  # noqa: B008 - frozen
    stdin: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """The report of `source` under `bindings`, (name, text) pairs in the order written.

    A program that fails in torch gives a report with its finding and status 1. A source
    or a binding that cannot be understood raises an AgxError. `stdin` is what `@-` reads.
    `progress` is given the report so far before each long stage, and of a program also
    while it runs and where it is refused on the way.
    An Understood source is not parsed again.
    """
    known = source
    if not isinstance(known, Understood):
        text = Source(known) if isinstance(known, str) else known
        known = understood(text, [name for name, _ in bindings], text_limits(options), _names(options))
    if known.program.is_expression and options.root is not None:
        raise unknown_name("root", options.root, ())
    settings = settings_of(options)
    if not options.use:
        return _explored(known, bindings, options, settings, stdin, progress)
    _load(settings)
    with brought.muted():
        report = _explored(known, bindings, options, settings, stdin, progress)
    return brought.with_callables(report, known.program, options)


def _explored(
    known: Understood,
    bindings: Pairs,
    options: Options,
    settings: Settings,
    stdin: str | None,
    progress: Progress | None,
) -> Report:
    """The report, once a person's own callables are there."""
    with torch_state(settings if settings.dtype == "float32" else replace(settings, dtype="float32")):
        bound = _bound(known, bindings, options, settings, stdin)
        set_dtype(getattr(torch, settings.dtype))
        watching = Watching(options.inspect)
        telling = nullcontext() if progress is None else progressing(watching, options, progress)
        state = torch.random.get_rng_state() if options.check else None
        with telling, brought.told(options.use):
            ran = run_program(known.program, bound, settings, watching)

        def once_more(other: Watching) -> Ran:
            with torch_state(replace(settings, dtype="float32")):  # the same values of the bindings
                same = _bound(known, bindings, options, settings, stdin)
            return run_program(known.program, same, settings, other)

        if state is not None:
            return _repeated(ran, watching, state, once_more, options, progress, stdin)
        return _report(ran, watching, options, progress, stdin)


def _repeated(
    ran: Ran,
    watching: Watching,
    state: torch.Tensor,
    once_more: Callable[[Watching], Ran],
    options: Options,
    progress: Progress | None,
    stdin: str | None,
) -> Report:
    """The report of a run that is made a second time, to see whether it gives the same."""
    from autograd_cli.explore.repeat import repeated, with_repeat  # a trace does without

    found = repeated(ran, watching, state, once_more, options.limit)
    report = _report(ran, watching, options, progress, stdin)
    return report if found is None else with_repeat(report, found, options)


def _report(
    ran: Ran, watching: Watching, options: Options, progress: Progress | None, stdin: str | None
) -> Report:
    """The report of what was run: of an expression, or of a program."""
    if not ran.program.is_expression or ran.printed or watching.last or watching.failed:
        from autograd_cli.explore import programs  # an expression needs none of its rules

        return programs.explored(ran, watching, options, progress, stdin)
    made = whole(ran)
    if made.failure is not None:
        return single.report_of(made, options, single.of_expression(made, ran))
    return single.explored(made, options, progress, stdin, ran)


@contextmanager
def progressing(watching: Watching, options: Options, progress: Progress) -> Iterator[None]:
    """Tell `progress` what a program did so far, again and again while it runs."""
    over = Event()

    def tell(ran: Ran) -> None:
        pause = _SECONDS
        while not over.wait(pause):
            began = monotonic()
            with suppress(RuntimeError):  # what the run changes while it is looked at is told the next time
                progress(so_far(ran, options))
            pause = max(_SECONDS, _SHARE * (monotonic() - began))

    threads: list[Thread] = []
    runs: list[Ran] = []

    def begun(ran: Ran) -> None:
        if not ran.program.is_expression:
            runs.append(ran)
            threads.append(Thread(target=tell, args=(ran,), daemon=True))
            threads[0].start()

    watching.begun = begun
    try:
        yield
    except AgxError:
        for ran in runs:
            progress(so_far(ran, options))
        raise
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _names(options: Options) -> list[str]:
    """The names of a person's own callables."""
    return [use.name for use in options.use]


def _load(settings: Settings) -> None:
    """Load a person's own callables; what their files draw follows the seed, and moves nothing later."""
    from autograd_cli.run.targets import targets  # few runs have one

    with torch_state(replace(settings, dtype="float32")):
        targets(settings.uses)


def _bound(
    known: Understood, pairs: Pairs, options: Options, settings: Settings, stdin: str | None
) -> tuple[BoundValue, ...]:
    roles = Roles(
        used=known.usage.names,
        const=frozenset(options.const),
        wrt=None if options.wrt is None else frozenset(options.wrt),
    )
    return bind(pairs, roles, settings, options.dtype, stdin, known.values)
