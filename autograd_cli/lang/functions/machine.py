"""What a program asks of dtypes and of the machine: limits of numbers, devices, their memory."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_ask = partial(
    row, kind=Kind.PYTHON, method=False, differentiable=False, domain="any; a Python value comes out"
)
_effect = partial(row, kind=Kind.EFFECT, method=False, differentiable=False)

DEVICE = "(device: device = None)"
HAS = {
    "cuda": "torch.cuda.is_available()",
    "xpu": "torch.xpu.is_available()",
    "mps": "torch.backends.mps.is_available()",
    "accelerator": "torch.accelerator.is_available()",
}


def _of(path: str, meaning: str, signature: str = "()", needs: bool = False) -> Function:
    """A row for a question about a device; `needs` says that the device has to be there."""
    kind = path.split(".")[1]
    where = f" if {HAS[kind]} else None" if needs else ""
    domain = f"where {kind} is usable" if needs else "any machine"
    return _ask(path, meaning, f"{path}(){where}", signature=signature, domain=domain, key=path[6:])


def _does(path: str, meaning: str, signature: str = "()") -> Function:
    """A row for what is done to a device that is there."""
    kind = path.split(".")[1]
    example = f"{path}() if {HAS[kind]} else None"
    return _effect(
        path, meaning, example, signature=signature, domain=f"where {kind} is usable", key=path[6:]
    )


# fmt: off
DTYPES = (
    _ask("torch.finfo", "the limits of a floating dtype: eps, max, min, tiny, resolution, bits",
         "torch.finfo(torch.float16).max", signature="(type: dtype = None)", domain="floating dtypes"),
    _ask("torch.iinfo", "the limits of a dtype of integers: max, min, bits", "torch.iinfo(torch.int8).min",
         signature="(type: dtype)", domain="dtypes of integers"),
    _ask("torch.can_cast", "whether the one dtype may become the other", domain="dtypes",
         example="torch.can_cast(torch.float32, torch.int64)", signature="(from_: dtype, to: dtype)"),
)

DEVICES = (
    _of("torch.cuda.memory_allocated", "bytes of the tensors on a CUDA device", DEVICE),
    _of("torch.cuda.max_memory_allocated", "the most bytes that they had so far", DEVICE),
    _of("torch.cuda.memory_reserved", "bytes that torch holds on a CUDA device", DEVICE),
    _of("torch.cuda.max_memory_reserved", "the most bytes that it held so far", DEVICE),
    _of("torch.cuda.get_device_properties", "name, total_memory, major, minor, multi_processor_count",
        DEVICE, needs=True),
    _of("torch.cuda.get_device_capability", "the two numbers of a CUDA device's capability", DEVICE,
        needs=True),
    _does("torch.cuda.synchronize", "waits until a CUDA device is done", DEVICE),
    _does("torch.cuda.reset_peak_memory_stats", "the most bytes counted from here on", DEVICE),
    _of("torch.cuda.empty_cache", "gives unused memory of CUDA devices back"),
    _of("torch.backends.cudnn.is_available", "whether cuDNN is usable"),
    _of("torch.backends.cudnn.version", "the release of cuDNN, None without it"),
    _of("torch.accelerator.is_available", "whether an accelerator is usable"),
    _of("torch.accelerator.device_count", "how many accelerators there are"),
    _of("torch.accelerator.current_accelerator", "the kind of accelerator, None without one",
        "(check_available: flag = False)"),
    _does("torch.accelerator.synchronize", "waits until the accelerator is done"),
    _of("torch.xpu.memory_allocated", "bytes of the tensors on an XPU device", DEVICE, needs=True),
    _of("torch.xpu.current_device", "the number of the XPU device that is chosen", needs=True),
    _of("torch.xpu.get_device_name", "the name of an XPU device", DEVICE, needs=True),
    _does("torch.xpu.synchronize", "waits until an XPU device is done", DEVICE),
    _does("torch.xpu.empty_cache", "gives unused memory of XPU devices back"),
    _of("torch.mps.device_count", "how many MPS devices there are"),
    _of("torch.mps.current_allocated_memory", "bytes of the tensors on the MPS device", needs=True),
    _of("torch.mps.driver_allocated_memory", "bytes that Metal holds for this process", needs=True),
    _does("torch.mps.synchronize", "waits until the MPS device is done"),
    _does("torch.mps.empty_cache", "gives unused memory of the MPS device back"),
)
# fmt: on

ROWS = DTYPES + DEVICES
