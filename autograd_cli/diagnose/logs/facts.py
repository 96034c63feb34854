"""Facts out of an error's message, its frames and the lines around it."""

import re

from autograd_cli.diagnose.logs.records import Facts, Frame, Raised

_DTYPES = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "long int": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "unsigned char": "uint8",
    "bool": "bool",
    "complexfloat": "complex64",
    "complexdouble": "complex128",
}
_WORDS = "BFloat16|ComplexFloat|ComplexDouble|Double|Float|Half|Long|Int|Short|Char|Byte|Bool"
_DTYPE = re.compile(
    rf"torch\.(?:cuda\.|mps\.)?(?P<tensor>{_WORDS})Tensor|torch\.(?P<plain>(?:float|bfloat|u?int|complex)\d+|bool)\b|"
    rf"c10::(?P<cxx>{_WORDS})\b|\b(?P<word>{_WORDS})\b(?!\()|"
    r"(?:got:?|type|!=|and|\(|input|batch[12]:) ?[('\"]?"
    r"(?P<lower>double|float|long int|long|half|int|unsigned char)\b(?! point)"
)
_DEVICE = re.compile(
    r"torch\.(?P<old>cuda\.|mps\.)?\w+Tensor|(?P<typed>MPS|CUDA)\w+Type|"
    r"(?<![\w.])(?P<name>cuda:\d+|cuda|cpu|mps(?::\d+)?|xpu:\d+|meta)\b(?![\w.])"
)
_SHAPE = re.compile(r"(?<!output)\[(?P<list>-?\d+(?:(?:, ?| x )-?\d+)*)?\]|(?<!\d)(?P<times>\d+(?:x\d+)+)")
_SIZE = re.compile(r"\((?P<bracketed>\d+)\)|(?:[Gg]ot|expected|have|size|Target|and) (?P<plain>\d+)\b")
_VERSION = re.compile(r"is at version (\d+); expected version (\d+)")
_OP = re.compile(
    r"[Oo]utput \d+ of (\w+)|[Ff]unction '?(\w+)'? returned|derivative for (?:aten::)?(\w+) is not|"
    r"\"(\w+)\" not implemented|in call to (\w+)|in method (\w+)|"
    r"formula for ([\w.]+) returned|^(\w+) does not support"
)
_INDEX = re.compile(r"(?:element|index|dimension|dim|argument #|entry|position|Output|output) ?(\d+)")
_NAME = re.compile(r"(?<!\w)'([\w.]+)'|size mismatch for ([\w.]+)")
_RELEASE = re.compile(r"\b(?:py)?torch(?: version)?[ :=-]*(\d+\.\d+(?:\.\d+)?(?:\+\w+)?)\b", re.IGNORECASE)
_LIBRARY = re.compile(
    r"site-packages|dist-packages|[\\/]lib[\\/]python\d|^torch[\\/]|"
    r"^<(?:frozen|__array_function__|decorator-gen|eval_with_key)|"
    r"[\\/]torch[\\/](?:csrc|nn|autograd|optim|utils|cuda|amp|jit|fx|func|distributed|_\w+|tensor\.py)|"
    r"(?i:[\\/](?:python\d*|\w*conda\d*|miniforge\d*)[\\/](?:envs[\\/][^\\/]+[\\/])?lib[\\/])|"
    r"[\\/]s?bin[\\/][\w-]+$"
)


def read(raised: Raised) -> Facts:
    """What `raised` and the lines around it tell."""
    message = raised.message
    version = _VERSION.search(message)
    index = _INDEX.search(message)
    return Facts(
        dtypes=_dtypes(message),
        devices=_devices(message),
        shapes=_shapes(message),
        sizes=tuple(int(found[1] or found[2]) for found in _SIZE.finditer(message)),
        versions=(int(version[1]), int(version[2])) if version else (),
        op=next((group for found in [_OP.search(message)] if found for group in found.groups() if group), ""),
        index=int(index[1]) if index else None,
        names=tuple(found[1] or found[2] for found in _NAME.finditer(message)),
        torch=_release(raised),
    )


def own(raised: Raised) -> Frame | None:
    """The person's own last frame: the last that is of no library, None where there is none."""
    mine = [frame for frame in raised.frames if not is_library(frame.file)]
    return mine[-1] if mine else None


def is_library(file: str) -> bool:
    """Whether a file is Python's, or of a package that is installed."""
    return _LIBRARY.search(file) is not None


def _dtypes(message: str) -> tuple[str, ...]:
    named = (found.lastgroup and found[found.lastgroup] for found in _DTYPE.finditer(message))
    return tuple(_DTYPES.get(name.lower(), name) for name in named if name)


def _devices(message: str) -> tuple[str, ...]:
    return tuple(
        found["name"] or (found["typed"] or "").lower() or (found["old"] or "cpu.").rstrip(".")
        for found in _DEVICE.finditer(message)
    )


def _shapes(message: str) -> tuple[tuple[int, ...], ...]:
    texts = (found["list"] or found["times"] or "" for found in _SHAPE.finditer(message))
    return tuple(tuple(int(size) for size in re.findall(r"-?\d+", text)) for text in texts)


def _release(raised: Raised) -> str:
    around = (found for line in (*raised.before, *raised.after) for found in _RELEASE.findall(line))
    return next(iter(around), "")
