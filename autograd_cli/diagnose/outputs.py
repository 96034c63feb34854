"""What the source came to: no tensor, no gradient path, several elements, complex numbers."""

from collections.abc import Iterator

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.values import dtype_name, plain

NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
NOT_REAL = "grad can be implicitly created only for real scalar outputs but got {}"


def unrecording(mode: str) -> str:
    """That the run was asked to record nothing, in words; the empty string where it was not."""
    return f"the option --{mode.replace('_', '-')} is why torch records nothing" if mode else ""


def not_a_tensor(scene: Scene) -> Iterator[Finding]:
    """AGX312 where the source gives a Python value or several tensors at once."""
    value = scene.run.output
    if isinstance(value, torch.Tensor) and scene.several is None:
        return
    span, text = scene.run.program.body.span, drawing.quoted(scene.run.program.text)
    if scene.several is not None:
        count = len(scene.several)
        sentence = f"{text} gives {count} values, and a gradient is of one: the first is taken."
        yield scene.finding("AGX312", sentence, span=span, fix=(Fix("pick one", scene.output_text),))
    elif not any(way.ends for way in scene.ways.values()):
        kind, shown = type(value).__name__, drawing.label(str(plain(value)), 40)
        yield scene.finding("AGX312", f"{text} is a Python {kind}, {shown}: it has no graph.", span=span)


def no_leaf(scene: Scene) -> Iterator[Finding]:
    """AGX402 where there are bindings and none of them requires grad."""
    bindings = scene.run.bindings
    value = scene.run.output
    if not bindings or scene.run.leaves or not _could_pass(scene):
        return
    if isinstance(value, torch.Tensor) and value.requires_grad:
        return
    rows = [(b.name, _dtype(b.value), _why(b.role, b.value)) for b in bindings]
    yield scene.finding(
        "AGX402",
        f"Nothing here requires grad: {drawing.quoted(scene.run.program.text)} has no graph and no gradient.",
        span=scene.run.program.body.span,
        torch=NO_GRAPH,
        cause=drawing.columns(rows),
        fix=(Fix("write a floating value, such as 2. or [1.,2.], for what is to have a gradient"),)
        if not any(_is_float(b.value) for b in bindings)
        else (Fix("leave out --const, or name in --wrt what is to have a gradient"),),
        bindings={b.name: b.role for b in bindings},
    )


def _could_pass(scene: Scene) -> bool:
    """Whether the source computes with functions that have a gradient: arithmetic of bits has none."""
    calls = [scene.run.steps[index].function for index in scene.needed]
    return all(function is None or function.differentiable for function in calls)


def _dtype(value: object) -> str:
    return dtype_name(value.dtype) if isinstance(value, torch.Tensor) else type(value).__name__


def _is_float(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, torch.Tensor) and value.is_floating_point())


def _why(role: str, value: object) -> str:
    if role == "index":
        return "used only as an index, a size or a class, so kept whole"
    if not isinstance(value, torch.Tensor) or _is_float(value) or value.is_complex():
        return "held constant"
    return "whole numbers have no gradient" if value.dtype != torch.bool else "truth values have no gradient"


def nonscalar(scene: Scene) -> Iterator[Finding]:
    """AGX401 where the output has several elements and no cotangent was given."""
    value = scene.run.output
    if not _needs_cotangent(scene) or value.is_complex() or value.numel() == 1:
        return
    text = scene.output_text
    yield scene.finding(
        "AGX401",
        f"{drawing.quoted(text)} {shape_text(value.shape)} has {value.numel()} elements, not one; "
        "backward goes on from ones, so each gradient is that of the sum.",
        span=scene.run.program.body.span,
        torch=NOT_SCALAR,
        fix=(
            Fix("the sum, which gives these gradients", f"({text}).sum()"),
            Fix(f"or say with -g what each element counts: {_ones(value)} gives these gradients"),
        ),
        shape=tuple(value.shape),
    )


def _needs_cotangent(scene: Scene) -> bool:
    value = scene.run.output
    return isinstance(value, torch.Tensor) and value.requires_grad and not scene.cotangent_given


def _ones(value: torch.Tensor) -> str:
    few = value.ndim == 1 and value.numel() <= 5
    return f'-g "[{",".join(["1."] * value.numel())}]"' if few else f'-g "ones{shape_text(value.shape)}"'


def complex_output(scene: Scene) -> Iterator[Finding]:
    """AGX405 where the output is complex and no cotangent was given."""
    value = scene.run.output
    if not _needs_cotangent(scene) or not value.is_complex():
        return
    text = scene.output_text
    yield scene.finding(
        "AGX405",
        f"{drawing.quoted(text)} is {dtype_name(value.dtype)}: complex numbers have no order, so none "
        "of them is the lower loss, and there is no one gradient; backward goes on from ones.",
        span=scene.run.program.body.span,
        torch=NOT_REAL.format(value.dtype) if value.numel() == 1 else NOT_SCALAR,
        fix=(Fix("its size", f"({text}).abs().sum()"), Fix("or its real part", f"({text}).real.sum()")),
    )
