"""What torch can run on here, found by running something there.

A backend that says it is available may still lack a driver, a device or a kernel, so a
device counts as usable only when a small backward on it gives what the CPU gives.
"""

import os
import platform
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import torch

from autograd_cli.errors import InputError, MissingError, first_line
from autograd_cli.report.values import shape_text

_T = TypeVar("_T")

_TOLERANCE = 0.05
"""Largest relative distance from the CPU's gradient: bfloat16 keeps 8 bits, TF32 keeps 11."""

_NAME = re.compile(r"(cpu|cuda|mps|xpu|meta|auto)(?::(\d+))?")


@dataclass(frozen=True)
class Device:
    """One device, or a kind of device of which there is none.

    `why_not` is empty when `usable`. `float64` and `bfloat16` say whether a backward in
    that dtype works there. `is_auto` marks the one that `--device auto` takes.
    """

    name: str
    description: str
    usable: bool
    why_not: str
    memory_bytes: int | None
    float64: bool
    bfloat16: bool
    is_auto: bool = False


class DeviceMismatch(RuntimeError):
    """Operands of one call are on different devices."""


def survey() -> list[Device]:
    """Every device of this machine and each kind that is missing: CPU, CUDA, MPS, XPU."""
    found = [_cpu(), *_accelerators()]
    auto = next((d.name for d in found[1:] if d.usable), "cpu")
    return [replace(device, is_auto=device.name == auto) for device in found]


def choose(name: str) -> torch.device:
    """The torch device for cpu, auto, cuda, cuda:1, mps, xpu or meta.

    Raises InputError AGX208 for any other name and MissingError AGX601, with the
    reason, for a device that is not usable here.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(
            "AGX208",
            f"`{name}` is no device.",
            hint="A device is one of cpu, auto, cuda, cuda:1, mps, xpu, meta.",
        )
    kind, index = match.groups()
    if kind == "auto":
        return torch.device(next((d.name for d in _accelerators() if d.usable), "cpu"))
    if kind in ("cpu", "meta"):
        return torch.device(kind)
    return _usable(name, kind, int(index or 0))


def _usable(name: str, kind: str, index: int) -> torch.device:
    known = list(_KINDS[kind]())
    device = known[min(index, len(known) - 1)]
    if index >= len(known):
        why = f"{kind.upper()} devices found: {len(known)}, numbered from 0" if device.usable else ""
        device = replace(device, usable=False, why_not=why or device.why_not)
    if not device.usable:
        raise MissingError(
            "AGX601",
            f"The device `{name}` cannot be used here: {device.why_not}.",
            hint="`agx devices` lists what can be used.",
            fix="--device auto",
        )
    return torch.device(device.name)


def check_operands(values: Iterable[Any]) -> None:
    """Nothing, or DeviceMismatch when the tensors among `values` are on different devices.

    torch itself stays silent for several calls on cpu and meta tensors and returns
    memory that nothing wrote. As in torch, a CPU tensor without dimensions goes with
    any device, and CPU indices with an accelerator.
    """
    tensors = list(_tensors(values))
    if len(tensors) < 2 or len({t.device for t in tensors}) == 1:
        return
    accelerated = any(t.device.type not in ("cpu", "meta") for t in tensors)
    strict = [t for t in tensors if not _goes_anywhere(t, accelerated)]
    if len({t.device for t in strict}) > 1:
        places = ", ".join(f"{t.device} {shape_text(t.shape)}" for t in tensors)
        raise DeviceMismatch(f"The operands are on different devices: {places}.")


def _goes_anywhere(tensor: torch.Tensor, accelerated: bool) -> bool:
    if tensor.device.type != "cpu":
        return False
    is_index = not (tensor.is_floating_point() or tensor.is_complex())
    return tensor.ndim == 0 or (is_index and accelerated)


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, tuple | list):
            yield from _tensors(value)


# Kinds of device


def _cpu() -> Device:
    return Device(
        "cpu", _processor(), True, "", _system_memory(), _runs("cpu", "float64"), _runs("cpu", "bfloat16")
    )


def _accelerators() -> Iterator[Device]:
    """Devices of every kind but the CPU, in the order in which auto tries them."""
    for kind in _KINDS.values():
        yield from kind()


def _cuda() -> Iterator[Device]:
    if torch.version.cuda is None and torch.version.hip is None:
        return iter([_missing("cuda", "torch was built without CUDA")])
    count = _guarded(torch.cuda.device_count, 0)
    if not count:
        return iter([_missing("cuda", _why_no_cuda())])
    return (_probed(f"cuda:{i}", *_properties(torch.cuda, i)) for i in range(count))


def _why_no_cuda() -> str:
    """The reason that CUDA gives when it is asked to start."""
    start: Callable[[], None] = torch.cuda.init
    try:
        start()
    except (RuntimeError, AssertionError, OSError) as error:
        words = str(error)
        if "no NVIDIA driver" in words or "libcuda" in words:
            return "no driver: the NVIDIA driver is not installed or not loaded"
        if "too old" in words:
            return "the NVIDIA driver is too old for this torch"
        return f"no device: {first_line(error).rstrip('.')}"
    return "no device: the driver is there and lists none"


def _mps() -> Iterator[Device]:
    if sys.platform != "darwin":
        return iter([_missing("mps", "only on macOS")])
    if not _guarded(torch.backends.mps.is_built, False):
        return iter([_missing("mps", "torch was built without MPS")])
    if not _guarded(torch.backends.mps.is_available, False):
        return iter([_missing("mps", "no device: an Apple GPU and a recent macOS are needed")])
    return iter([_probed("mps", platform.machine(), _guarded(torch.mps.recommended_max_memory, None))])


def _xpu() -> Iterator[Device]:
    if not _guarded(torch.xpu._is_compiled, False):
        return iter([_missing("xpu", "torch was built without XPU")])
    count = _guarded(torch.xpu.device_count, 0)
    if not count:
        return iter([_missing("xpu", "no device: the Intel driver is not there or lists none")])
    return (_probed(f"xpu:{i}", *_properties(torch.xpu, i)) for i in range(count))


_KINDS: dict[str, Callable[[], Iterator[Device]]] = {
    "cuda": _cuda,
    "mps": _mps,
    "xpu": _xpu,
}


def _missing(name: str, why: str) -> Device:
    return Device(name, "", False, why, None, False, False)


def _probed(name: str, description: str, memory: int | None) -> Device:
    """A device that is there, usable when a backward on it gives what the CPU gives."""
    why = _shortfall(name, "float32")
    if why:
        return Device(name, description, False, why, memory, False, False)
    return Device(name, description, True, "", memory, _runs(name, "float64"), _runs(name, "bfloat16"))


def _properties(backend: Any, index: int) -> tuple[str, int | None]:
    """The name and memory of an accelerator, as far as its backend tells."""
    properties = _guarded(lambda: backend.get_device_properties(index), None)
    return getattr(properties, "name", ""), getattr(properties, "total_memory", None)


# The probe


def _runs(name: str, dtype: str) -> bool:
    return not _shortfall(name, dtype)


def _shortfall(name: str, dtype: str) -> str:
    """Why a backward in `dtype` on `name` does not count; empty when it agrees with the CPU."""
    try:
        there, here = _gradient(name, dtype), _gradient("cpu", dtype)
    except Exception as error:  # whatever a broken backend raises is the reason
        return f"a small backward there fails: {first_line(error).rstrip('.')}"
    off = float((there - here).abs().max() / here.abs().max())
    return "" if off <= _TOLERANCE else f"a small backward there is wrong by {off:.1%}"


def _gradient(name: str, dtype: str) -> torch.Tensor:
    """d sum(sin(x @ w)) / dx for fixed x and w, computed on `name`, as float64 on the CPU."""
    values = torch.linspace(-1, 1, 12, dtype=torch.float64).to(getattr(torch, dtype))
    x = values.reshape(3, 4).to(name).requires_grad_()
    w = values.reshape(4, 3).to(name)
    (gradient,) = torch.autograd.grad((x @ w).sin().sum(), x)
    return gradient.cpu().double()


def _guarded(ask: Callable[[], _T], otherwise: _T) -> _T:
    """What `ask` says, or `otherwise` where the backend cannot even be asked; warnings are dropped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ask()
        except Exception:
            return otherwise


# The machine


def _processor() -> str:
    """The name of the processor as the system tells it."""
    text = _guarded(lambda: Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace"), "")
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1].strip() if match else platform.processor() or platform.machine()


def _system_memory() -> int | None:
    """Bytes of memory in this machine, None where the system does not tell."""
    return _guarded(lambda: os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), None)
