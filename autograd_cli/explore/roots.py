"""Whose graph a program's report shows, and the backward that is made where the program makes none."""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograd_cli.explore.options import Options, unknown_name
from autograd_cli.explore.single import cotangent_of
from autograd_cli.explore.watching import Seen, Watching
from autograd_cli.gradients.again import again
from autograd_cli.gradients.backward import start
from autograd_cli.gradients.replay import ReplayError
from autograd_cli.gradients.watch import Watch
from autograd_cli.graph.read import Glance, Numbers, glance, numbers_of
from autograd_cli.run.functions import Defined
from autograd_cli.run.limits import refuse_output
from autograd_cli.run.slices import Slice, sliced
from autograd_cli.run.tape import grad_fns_of
from autograd_cli.run.traced import BackwardCall, Ran, Traced, now


@dataclass(frozen=True)
class Root:
    """The value whose graph is shown, None where there is no tensor; `seen` is a backward from it.

    `again` is the slice of a value that was computed anew, since its graph had been freed;
    `is_own` says that the backward is none of the program's.
    """

    traced: Traced | None
    name: str = ""
    text: str = ""
    seen: Seen | None = None
    again: Slice | None = None
    is_own: bool = False


def check_names(ran: Ran, watching: Watching, options: Options) -> None:
    """Refuse names that no value has, before any long stage: AGX208."""
    values = [name for name, value in ran.names.items() if not isinstance(value, Defined)]
    if options.inspect is not None and options.inspect not in values:
        raise unknown_name("inspect", options.inspect, values)
    known = [*watching.named, *(name for name, value in ran.names.items() if _tensor(value))]
    if options.root is not None and options.root not in known:
        raise unknown_name("root", options.root, known)


def chosen(ran: Ran, watching: Watching, options: Options, stdin: str | None = None) -> Root:
    """The root: --root, else that of the last backward, else the last value that has a graph."""
    if options.root is not None:
        return _named(ran, watching, options.root, options, stdin)
    seen = _last(ran, watching)
    if seen is not None:
        return _of(ran, seen.root, seen)
    last = _tensor(ran.last) or (_newest(ran) if ran.last else None) or _tensor(ran.value)
    return Root(None) if last is None else _own(ran, now(last), options, stdin)


def _last(ran: Ran, watching: Watching) -> Seen | None:
    """The backward to be shown: the last; one that torch refused where the program ended with it.

    Where it was the second over one graph, the first shows what the graph held.
    """
    last, failed = watching.last, watching.failed
    if failed is None or (last is not None and (ran.failure is None or failed.root is last.root)):
        return last
    return failed


def _named(ran: Ran, watching: Watching, name: str, options: Options, stdin: str | None) -> Root:
    """The root that a person asked for, by the name of its variable."""
    if name in watching.named:
        seen = watching.named[name]
        return _of(ran, seen.root, seen)
    return _own(ran, now(ran.names[name]), options, stdin, name)


def _newest(ran: Ran) -> Traced | None:
    """The last value with a graph that a variable holds, where the last statement made several at once."""
    held = [found for value in ran.names.values() if (found := _tensor(value)) and found.grad_fns]
    return max(held, key=lambda traced: traced.number, default=None)


def _tensor(value: Any) -> Traced | None:
    """A value that is a tensor whose graph can be asked for: torch refuses that of a view it lost."""
    if not isinstance(value, Traced) or not isinstance(value.value, torch.Tensor):
        return None
    try:
        return value if value.value.is_leaf or value.value.grad_fn else None
    except RuntimeError:
        return None


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
    root = _of(ran, traced, passed(traced, ran.names, cotangent), name)
    if root.seen is not None and root.seen.error is not None and ran.backwards:
        root = _once_more(ran, root, cotangent)
    return replace(root, is_own=True)


def _once_more(ran: Ran, root: Root, cotangent: torch.Tensor | None) -> Root:
    """The root computed anew, where a backward of the program has freed its graph; else as it is."""
    assert root.traced is not None
    try:
        made = again(sliced(ran, root.traced))
    except (ReplayError, RuntimeError, TypeError, ValueError):
        return root
    traced = copy(root.traced)
    traced.value, traced.grad_fns = made.output, grad_fns_of(made.output)
    return replace(root, traced=traced, seen=passed(traced, ran.names, cotangent), again=made)


def numbers_again(run: Slice, seen: Glance) -> list[Numbers] | None:
    """The local derivatives of a graph that was freed, from one computed anew; None where that differs."""
    try:
        walked = glance([again(run).output], with_numbers=False).walk
    except (ReplayError, RuntimeError, TypeError, ValueError):
        return None
    if [type(node) for node in walked.nodes] != [type(node) for node in seen.walk.nodes]:
        return None
    return numbers_of(walked)


def passed(traced: Traced, names: dict[str, Any], cotangent: torch.Tensor | None = None) -> Seen:
    """A backward from a value, made and watched, each .grad put back afterwards."""
    root = traced.value
    call = BackwardCall(
        span=traced.expr.span, roots=(traced,), cotangents=(cotangent,), inputs=None, accumulates=True,
        retain_graph=False, number=0, round=1, names=names, at=traced.number + 1,
    )  # fmt: skip
    read = glance([root])
    leaves = [node.variable for node in read.walk.nodes if hasattr(node, "variable")]
    held = (now(value).value for value in names.values() if isinstance(value, Traced))
    leaves += [tensor for tensor in held if isinstance(tensor, torch.Tensor) and tensor.retains_grad]
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
