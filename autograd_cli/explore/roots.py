"""Whose graph a program's report shows, and the backward that is made where the program makes none."""

from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.errors import InputError
from autograd_cli.explore.options import Options
from autograd_cli.explore.single import cotangent_of
from autograd_cli.explore.watching import Seen, Watching
from autograd_cli.gradients.backward import start
from autograd_cli.gradients.watch import Watch
from autograd_cli.graph.read import glance
from autograd_cli.lang.suggestions import nearest
from autograd_cli.run.limits import refuse_output
from autograd_cli.run.traced import BackwardCall, Ran, Traced, now


@dataclass(frozen=True)
class Root:
    """The value whose graph is shown, None where there is no tensor; `seen` is a backward from it."""

    traced: Traced | None
    name: str = ""
    text: str = ""
    seen: Seen | None = None


def chosen(ran: Ran, watching: Watching, options: Options, stdin: str | None = None) -> Root:
    """The root: --root, else that of the last backward, else the last value that has a graph."""
    if options.inspect is not None and options.inspect not in ran.names:
        raise _unknown("inspect", options.inspect, ran.names)
    if options.root is not None:
        return _named(ran, watching, options.root, options, stdin)
    seen = watching.failed or watching.last if ran.failure is not None else watching.last or watching.failed
    if seen is not None:
        return _of(ran, seen.root, seen)
    last = ran.last or _tensor(ran.value)
    return Root(None) if last is None else _own(ran, now(last), options, stdin)


def _named(ran: Ran, watching: Watching, name: str, options: Options, stdin: str | None) -> Root:
    """The root that a person asked for, by the name of its variable."""
    if name in watching.named:
        seen = watching.named[name]
        return _of(ran, seen.root, seen)
    held = ran.names.get(name)
    if not isinstance(held, Traced) or not isinstance(held.value, torch.Tensor):
        known = [
            n for n, v in ran.names.items() if isinstance(v, Traced) and isinstance(v.value, torch.Tensor)
        ]
        raise _unknown("root", name, [*watching.named, *known])
    return _own(ran, now(held), options, stdin, name)


def _unknown(option: str, name: str, known: Any) -> InputError:
    """AGX208: the refusal of a name that no value of the program has."""
    near = nearest(name, list(known))
    listed = ", ".join(dict.fromkeys(known)) or "none"
    return InputError(
        "AGX208",
        f"`--{option} {name}` names no value of the program.",
        hint=f"Did you mean --{option} {near}?" if near else f"Its variables: {listed}.",
    )


def _tensor(value: Any) -> Traced | None:
    return value if isinstance(value, Traced) and isinstance(value.value, torch.Tensor) else None


def _of(ran: Ran, traced: Traced, seen: Seen | None, name: str = "") -> Root:
    text = ran.program.source[traced.expr.span]
    return Root(traced, name or traced.name or text, text, seen)


def _own(ran: Ran, traced: Traced, options: Options, stdin: str | None, name: str = "") -> Root:
    """A root with a backward of our own from it, which leaves every .grad as it was."""
    value = traced.value
    if not value.requires_grad:
        return _of(ran, traced, None, name)
    refuse_output(value, options.max_memory)
    cotangent = cotangent_of(ran, value, options, stdin)
    return _of(ran, traced, passed(traced, ran.names, cotangent), name)


def passed(traced: Traced, names: dict[str, Any], cotangent: torch.Tensor | None = None) -> Seen:
    """A backward from a value, made and watched, each .grad put back afterwards."""
    root = traced.value
    call = BackwardCall(
        span=traced.expr.span, roots=(traced,), cotangents=(cotangent,), inputs=None, accumulates=True,
        retain_graph=False, create_graph=False, number=0, round=1, names=names, at=traced.number + 1,
    )  # fmt: skip
    read = glance([root])
    leaves = [node.variable for node in read.walk.nodes if hasattr(node, "variable")]
    kept = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    seen = Seen(call, read, Watch(read.walk.nodes, None))
    try:
        start(root, cotangent)
    except (RuntimeError, NotImplementedError, ValueError, TypeError) as error:
        seen.error = error
    seen.watch.end()
    for leaf, grad in zip(leaves, kept, strict=True):
        leaf.grad = grad
    return seen
