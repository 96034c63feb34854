"""Devices that cannot be used on this machine, and why not."""

import re

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.words import say

_NO_DEVICE = (
    "not compiled with cuda enabled",
    "not linked with support for cuda",
    "found no nvidia driver",
    "no cuda gpus are available",
    "cuda driver initialization failed",
    "nvidia driver on your system is too old",
    "torch.cuda.is_available() is false",
    "invalid device ordinal",
    "not compiled with xpu enabled",
    "mps backend is supported on macos",
    "mps device not found",
)
_REASONS = (
    ("not compiled|not linked", "torch was installed without support for it: a build for the CPU"),
    ("driver on your system is too old", "the driver is older than the CUDA that torch was built with"),
    ("no nvidia driver|initialization failed", "the driver is not installed, or does not run"),
    ("no cuda gpus", "torch and the driver are there, and no GPU: CUDA_VISIBLE_DEVICES may hide it"),
    ("ordinal", "there are fewer devices than the number that was asked for"),
    (
        r"is_available\(\) is false",
        "the file was saved on a GPU, and there is none here: torch.load takes map_location",
    ),
    ("mps", "MPS exists on macOS with a GPU of Apple's alone"),
)


def _unusable(raised: Raised, facts: Facts) -> str:
    low = raised.message.lower()
    device = next((name for name in ("MPS", "XPU") if name.lower() in low), "CUDA")
    return say(f"`{{text}}` asks for {device}, which cannot be used here", f"{device} cannot be used here")(
        raised, facts
    )


def _usable(raised: Raised, facts: Facts) -> str:
    low = raised.message.lower()
    if "deserialize" in low:
        return "pass map_location='cpu' to torch.load"
    kind = "mps" if "mps" in low else "cuda"
    module = "torch.backends.mps" if kind == "mps" else "torch.cuda"
    return f"write device = '{kind}' if {module}.is_available() else 'cpu', and use it in place of '{kind}'"


def _why_unusable(raised: Raised, facts: Facts) -> str:
    low = raised.message.lower()
    return next((reason for pattern, reason in _REASONS if re.search(pattern, low)), "")


ROWS = (
    Row(
        "AGX601",
        "device-not-usable",
        _NO_DEVICE,
        _unusable,
        (_why_unusable,),
        (_usable, "ask agx devices what can be used here, and why the others cannot"),
        when=lambda raised, facts: raised.is_live,
    ),
)
