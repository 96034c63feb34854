"""What is to be said of a Function beside its gradients: what it returns, keeps, and minds."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.clinic import written
from autograd_cli.gradients.clinic.differences import same
from autograd_cli.gradients.clinic.trial import Passed, Trial, backward_of, is_real
from autograd_cli.lang.source import several
from autograd_cli.report import Concern
from autograd_cli.run.applies import leaving
from autograd_cli.run.targets import place_of, shown


def concerns(trial: Trial, passed: Passed) -> tuple[Concern, ...]:
    """All that is to be said after one backward, what makes gradients wrong or missing first."""
    found = [each for look in _LOOKS for each in look(trial, passed)]
    distinct = list(dict.fromkeys(found))
    return tuple(sorted(distinct, key=lambda each: not each.wrong))


def _counted(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """The number of values that backward returns."""
    if passed.returned is None:
        return
    values, wanted = passed.returned.values, len(trial.values)
    extra = [value for value in values[wanted:] if value is not None]
    if len(values) < wanted or extra:
        yield Concern(
            "wrong-count",
            f"backward returns {several(len(values), 'value')}, and forward takes "
            f"{several(wanted, 'argument')} ({', '.join(trial.names)}): one is due for each, None where "
            "there is no gradient",
            written.returned(trial.owner, 1),
            True,
        )


def _shaped(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """Values of another shape than their input: summed by torch where that fits, else an error."""
    for number, value, input_ in _pairs(trial, passed):
        position, place = number - 1, written.returned(trial.owner, number)
        if not isinstance(value, torch.Tensor):
            sentence = (
                f"its {written.ordinal(number)} return value is no tensor but of type {type(value).__name__}"
            )
            yield Concern("wrong-type", sentence, place, True)
            continue
        shapes = tuple(value.shape), tuple(input_.shape)
        if shapes[0] == shapes[1]:
            continue
        name = trial.names[position]
        said = f"its {written.ordinal(number)} return value has shape {shapes[0]}, and {name} has {shapes[1]}"
        if _fits(*shapes):
            sentence = f"{said}: torch sums it over what broadcasting added, silently"
            yield Concern("summed-by-torch", sentence, place)
        else:
            yield Concern("wrong-shape", said + _meant_for(trial, value, position), place, True)


def _cast(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """Values of another dtype than their input, with casts as they are written."""
    if passed.error is not None:
        return
    for number, value, input_ in _pairs(trial, trial.as_written().backward(trial.values, trial.ones())):
        if isinstance(value, torch.Tensor) and value.dtype != input_.dtype:
            dtype, name = str(value.dtype).removeprefix("torch."), trial.names[number - 1]
            sentence = f"its {written.ordinal(number)} return value is {dtype} where {name} is float64"
            yield Concern("other-dtype", sentence, written.returned(trial.owner, number))


def _meant_for(trial: Trial, value: torch.Tensor, position: int) -> str:
    """Which other input the value would fit."""
    fits = [i for i in trial.slots if i != position and trial.values[i].shape == value.shape]
    if fits:
        return f"; {trial.names[fits[0]]} has that shape: are the two swapped?"
    flipped = value.ndim >= 2 and value.mT.shape == trial.values[position].shape
    return "; transposed it would fit" if flipped else ""


def _pairs(trial: Trial, passed: Passed) -> Iterator[tuple[int, Any, torch.Tensor]]:
    """Each value that backward returned for a slot, with its number from 1 and the input."""
    values = passed.returned.values if passed.returned else ()
    for position in trial.slots:
        if position < len(values) and values[position] is not None:
            yield position + 1, values[position], trial.values[position]


def _fits(given: tuple[int, ...], own: tuple[int, ...]) -> bool:
    """Whether `own` broadcasts to `given`, so that torch sums the rest away."""
    if len(own) > len(given):
        return False
    padded = (1,) * (len(given) - len(own)) + own
    return all(a in (1, b) for a, b in zip(padded, given, strict=True))


def _raised(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """An error on the way, where it is not the one that torch raises of what was returned."""
    if passed.error is None or passed.returned is not None:
        return
    if trial.owner.backward is trial.owner.vjp is torch.autograd.Function.backward:
        yield Concern("no-backward", "has no backward", written.class_place(trial.owner), True)
        return
    cause = passed.error.__cause__
    told = leaving(cause) if cause else ""
    words = f"backward {told or f'raises {type(passed.error).__name__}: {first_line(passed.error)}'}"
    yield Concern("backward-raises", words, _place(trial, passed.error), True)


def _place(trial: Trial, error: Exception) -> str:
    """Where an error came from in their file; their backward where that is not known."""
    found = place_of(error, Path(trial.owner.forward.__code__.co_filename).parent)
    return f"{shown(found[0])}:{found[1]}" if found else written.backward_place(trial.owner)


# What is kept


def _saved(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """Tensors kept for backward that are neither an input nor an output."""
    if passed.returned is None or trial.unmarked:  # what was changed is no input any more
        return
    known = [each for each in (*trial.values, *passed.outputs) if isinstance(each, torch.Tensor)]
    for number, tensor in enumerate(passed.returned.saved):
        if tensor is not None and _is_stranger(tensor, known):
            name, place = written.saved(trial.owner, number)
            sentence = f"saves {_quoted(name)}, neither input nor output"
            yield Concern("saves-intermediate", sentence, place)
    for name, tensor in passed.returned.kept.items():
        if isinstance(tensor, torch.Tensor) and not tensor.is_floating_point():
            continue
        if isinstance(tensor, torch.Tensor):
            strange = _is_stranger(tensor, known)
            what = "neither input nor output" if strange else "which save_for_backward is for"
            label = "keeps-intermediate" if strange else "keeps-on-ctx"
            yield Concern(label, f"keeps a tensor as ctx.{name}, {what}", written.kept(trial.owner, name))


def _quoted(name: str) -> str:
    return f"`{name}`" if name else "a tensor"


def _is_stranger(tensor: torch.Tensor, known: Sequence[torch.Tensor]) -> bool:
    """Whether a tensor with values of its own is none of the known ones; an index is no matter."""
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return False
    return not any(
        tensor.data_ptr() == each.data_ptr()
        and tensor.shape == each.shape
        and tensor.stride() == each.stride()
        for each in known
    )


def _once(trial: Trial, passed: Passed) -> Iterator[Concern]:
    if is_once(trial.owner):
        sentence = (
            "is marked once_differentiable: it has no second order, and torch says so only where the "
            "cotangent requires grad; else its part is left out in silence"
        )
        yield Concern("once-differentiable", sentence, written.backward_place(trial.owner))


def is_once(owner: type[torch.autograd.Function]) -> bool:
    """Whether the backward of a class is marked once_differentiable."""
    function: Any = backward_of(owner)[1]
    while function is not None:  # under decorators of their own
        if getattr(function, "__code__", None) is _ONCE:
            return True
        function = getattr(function, "__wrapped__", None)
    return False


_ONCE = torch.autograd.function.once_differentiable(lambda ctx: None).__code__
"""What torch puts around every function that is marked so."""


def _mutates(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """Arguments that forward writes into and says nothing of."""
    for position in trial.unmarked:
        name = trial.names[position]
        sentence = (
            f"forward changes its argument {name} in place, and torch is not told: work on `{name}.clone()`, "
            f"or call ctx.mark_dirty({name}) and return {name}"
        )
        yield Concern("changes-input", sentence, written.place(trial.owner.forward), True)


def _writes(trial: Trial, passed: Passed) -> Iterator[Concern]:
    if passed.returned is not None and passed.returned.changed:
        sentence = (
            "backward writes into grad_output, which other nodes may still read: write `grad_output.clone()`"
        )
        yield Concern("writes-grad-output", sentence, written.backward_place(trial.owner), True)


# Other circumstances


def _needed(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """One slot alone requires grad: whether that works; and what is computed though nobody needs it here."""
    if passed.error is not None:
        return
    for position in trial.slots if len(trial.slots) > 1 else ():
        alone = trial.backward(trial.values, trial.drawn(), [position])
        if alone.error is not None:
            words = f"with {trial.names[position]} alone requiring grad it raises {first_line(alone.error)}"
            yield Concern("fails-with-constants", words, written.backward_place(trial.owner), True)
            return
    values = passed.returned.values if passed.returned else ()
    idle = [i for i, value in enumerate(trial.values) if i not in trial.slots and is_real(value)]
    wasted = [trial.names[i] for i in idle if i < len(values) and values[i] is not None]
    if wasted:
        names, verb = ", ".join(wasted), "requires" if len(wasted) == 1 else "require"
        count = sum(t.numel() for i in idle for t in values[i : i + 1] if isinstance(t, torch.Tensor))
        sentence = (
            f"computes the gradient of {names}, which {verb} none here: ctx.needs_input_grad is not asked, "
            f"and {several(count, 'number')} returned for nothing"
        )
        yield Concern("needs-ignored", sentence, written.backward_place(trial.owner))


def _laid_out(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """The same values in another layout: strided, and with a cotangent that is expanded."""
    if passed.error is not None:
        return
    for what, values, cotangents in _layouts(trial):
        try:
            plain = trial.backward(
                [_plainly(each) for each in values], [sent.contiguous() for sent in cotangents]
            )
            other = trial.backward(values, cotangents)
        except Exception as error:
            other, plain = Passed(error=error), passed
        if plain.error is not None:
            continue
        if other.error is not None:
            words, is_sent = f"fails on {what}: {first_line(other.error)}", "grad_output" in what
            yield Concern("fails-on-layout", words, _place(trial, other.error), is_sent)
        elif not _same(plain, other):
            words = f"gives another gradient on {what}"
            yield Concern("depends-on-layout", words, written.backward_place(trial.owner), True)


def _layouts(trial: Trial) -> Iterator[tuple[str, list[Any], list[torch.Tensor]]]:
    yield "inputs that are not contiguous", [_strided(v) for v in trial.values], trial.drawn()
    yield "a grad_output that is not contiguous", list(trial.values), list(map(_strided, trial.drawn()))
    ones = [torch.ones((), dtype=torch.float64).expand(shape) for shape in trial.shapes]
    yield "an expanded grad_output, as sum() sends it", list(trial.values), ones
    yield "expanded inputs", [_expanded(v) for v in trial.values], trial.drawn()


def _strided(value: Any) -> Any:
    """The same values by columns, those of a vector with gaps between them."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.ndim:
        return value
    return value.mT.contiguous().mT if value.ndim > 1 else torch.stack((value, value), -1)[..., 0]


def _expanded(value: Any) -> Any:
    """The first row of a tensor, as often as it has rows."""
    is_large = isinstance(value, torch.Tensor) and value.is_floating_point() and value.ndim and len(value) > 1
    return value[:1].expand(value.shape) if is_large else value


def _plainly(value: Any) -> Any:
    return value.contiguous() if isinstance(value, torch.Tensor) else value


def _same(one: Passed, other: Passed) -> bool:
    return all(_equal(one.gradients.get(i), other.gradients.get(i)) for i in one.gradients)


def _equal(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    zero = not bool(one.any()) and not bool(other.any())
    return zero or same(one, other) or torch.equal(one, other) or bool(one.isnan().any())


def _repeated(trial: Trial, passed: Passed) -> Iterator[Concern]:
    """Whether two runs give the same: what is drawn anew, and what differs without a draw."""
    if passed.error is not None:
        return
    state = torch.random.get_rng_state()
    trial.draws = True
    first, second = (trial.backward(trial.values, trial.drawn()) for _ in range(2))
    trial.draws = False
    drew = not torch.equal(state, torch.random.get_rng_state())
    torch.random.set_rng_state(state)
    if first.error is None and not _same(first, second):
        why = "it draws random numbers" if drew else "though no random number of torch is drawn"
        sentence = f"two runs on the same values differ, {why}"
        # What forward draws and backward keeps is no mistake: that two runs differ is told of the whole.
        meant = drew and not _alike(first.outputs, second.outputs)
        yield Concern("not-deterministic", sentence, written.class_place(trial.owner), not meant)


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two forwards gave the same tensors."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if isinstance(a, torch.Tensor)]
    return all(torch.equal(a.detach().nan_to_num(), b.detach().nan_to_num()) for a, b in pairs)


_LOOKS: tuple[Callable[[Trial, Passed], Iterator[Concern]], ...] = (
    _counted,
    _shaped,
    _cast,
    _raised,
    _mutates,
    _writes,
    _repeated,
    _saved,
    _once,
    _needed,
    _laid_out,
)
