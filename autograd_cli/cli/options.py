"""The one table of all options: how each is spelled, what it takes, where it belongs."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from unicodedata import normalize

from autograd_cli.errors import InputError
from autograd_cli.lang.parse import TextLimits
from autograd_cli.report.kinds import Verdict
from autograd_cli.report.values import bytes_text
from autograd_cli.run.settings import Settings, Use

RUNS = ("trace", "gradcheck")
_CHECK = ("gradcheck",)
_EVERY = ("trace", "gradcheck", "diagnose", "devices", "explain", "show", "ops")

PANELS = ("Options", "Output", "Limits")
"""The parts of a command's help, in order."""

_RUN, _OUT, _LIMITS = PANELS

DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128")
FORMATS = ("rich", "plain", "json", "tsv", "dot", "python")
TEXTS = ("rich", "plain", "json")
"""The formats of a diagnosis."""
NARROW = ("float16", "bfloat16")
WITNESSES = ("autograd", "symbolic", "numeric")
DEVICES = ("cpu", "auto", "cuda", "cuda:1", "mps", "xpu", "meta")


def _text(given: str) -> str:
    return given


@dataclass(frozen=True)
class Option:
    """One option. `metavar` is empty for a flag; `read` makes its value of the text.

    `repeated` options may be given more than once and their values are a tuple.
    `read` raises ValueError with the rest of the sentence "`VALUE` is …".
    """

    name: str
    help: str
    metavar: str = ""
    short: str = ""
    commands: tuple[str, ...] = RUNS
    panel: str = _RUN
    repeated: bool = False
    read: Callable[[str], Any] = _text

    @property
    def key(self) -> str:
        """The name as a parameter: "max_memory"."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and the short form, if there is one."""
        return (self.name, self.short) if self.short else (self.name,)

    @property
    def label(self) -> str:
        """How --help shows it: "-d, --device DEVICE"."""
        return f"{', '.join(reversed(self.spellings))} {self.metavar}".rstrip()

    def value(self, given: Any) -> Any:
        """What the text stands for; InputError AGX208 where it stands for nothing."""
        if given is None or isinstance(given, bool):
            return given
        if self.repeated:
            return tuple(item for text in given for item in self._read(text)) or None
        return self._read(given)

    def _read(self, text: str) -> Any:
        try:
            return self.read(text)
        except ValueError as error:
            raise InputError("AGX208", f"`{self.name} {text}` is {error}.", hint=f"{self.help}.") from None


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text in choices:
            return text
        near = get_close_matches(text, choices, 1)
        meant = f"; did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"none of {', '.join(choices)}{meant}".rstrip("?"))

    return read


def _device(text: str) -> str:
    if re.fullmatch(r"(cpu|auto|meta|mps|((cuda|xpu)(:\d+)?))", text):
        return text
    if "gpu" in text.lower() or "nvidia" in text.lower():
        raise ValueError(f"none of {', '.join(DEVICES)}; did you mean `cuda`")
    return _one_of(*DEVICES)(text)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(name.isidentifier() for name in names):
        raise ValueError("no list of names such as w,b")
    return names


def _use(text: str) -> tuple[Use, ...]:
    name, equals, place = text.partition("=")
    file, colon, attribute = place.rpartition(":")
    if not equals and ":" in text:
        raise ValueError(f"a place without a name; write NAME={text}")
    if not colon or not file or not all(part.isidentifier() for part in attribute.split(".")):
        raise ValueError("no NAME=file.py:attribute")
    return (Use(normalize("NFKC", name.strip()), file, attribute),)


def _witnesses(text: str) -> frozenset[str]:
    return frozenset(_one_of(*WITNESSES)(word.strip()) for word in text.split(","))


def _verdicts(text: str) -> tuple[str, ...]:
    """Verdicts as a person may write them: "jump,domain edge", "DOMAIN_EDGE"."""
    known = {verdict.value: verdict for verdict in Verdict}
    words = [re.sub(r"[-_\s]+", " ", word).strip().upper() for word in text.split(",")]
    words = words[:-1] if len(words) > 1 and not words[-1] else words  # a comma at the end
    return tuple(known[_one_of(*known)(word)] for word in words)


_FAILING = ", ".join(verdict.value.replace(" ", "-") for verdict in Verdict if not verdict.passes)
"""The verdicts that end with status 1, as they are typed."""


def _elements(text: str) -> int | str:
    return "all" if text.lower() == "all" else _integer(1)(text)


def _integer(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        is_whole = re.fullmatch(r"\d[\d_]*", text, re.ASCII)
        if is_whole and len(text) > 18:
            raise ValueError("too large a number: 18 digits are the most")
        if not is_whole or int(text) < least:
            raise ValueError(f"no whole number of {least} or more")
        return int(text)

    return read


def _order(text: str) -> int:
    if text not in ("1", "2"):
        raise ValueError("no order that there is: 1, or 2 at most")
    return int(text)


def _number(zero: bool) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not (0 < number < float("inf") or (zero and number == 0)):
            raise ValueError(f"no number {'of 0 or more' if zero else 'above 0'}")
        return number

    return read


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def size(text: str) -> int:
    """Bytes of "512MB", "1GiB", "1.5 GiB", "65536"; ValueError for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", text.strip(), re.IGNORECASE | re.ASCII)
    unit = {**_UNITS, **_BINARY}.get(match[2].lower()) if match else None
    if match is None or unit is None or float(match[1]) * unit >= 2**62:
        raise ValueError("no size such as 512MB, 1GiB or 65536")
    return int(float(match[1]) * unit)


SECONDS = 30.0
"""How long a run may take unless --timeout says otherwise."""

_REPORTS = ("trace", "gradcheck", "show")
_LOGS = ("diagnose",)

VAR = Option("--var", "Bind a name that is also an option", "NAME=VALUE", repeated=True)
HELP = Option("--help", "Show this message and exit", short="-h", commands=_EVERY)

OPTIONS: tuple[Option, ...] = (
    Option("--device", "Where to run: cpu (unless said), auto, cuda, cuda:1, mps, xpu, meta", "DEVICE", "-d",
           read=_device),
    Option("--dtype", f"What floating bindings become: {', '.join(DTYPES)}", "DTYPE", read=_one_of(*DTYPES)),
    Option("--seed", "Seed of the random numbers, 0 unless said", "N", read=_integer(0)),
    Option("--wrt", "Names to differentiate by; all others are constants", "A,B", repeated=True, read=_names),
    Option("--const", "Names that keep Python's value, without gradient", "NAME", repeated=True, read=_names),
    VAR,
    Option("--use", "Call a function, MyFunction.apply or a module of a file of your own, which is run",
           "NAME=FILE:ATTR", repeated=True, read=_use),
    Option("--grad-output", "The cotangent of an output that is no scalar", "VALUE", "-g"),
    Option("--root", "The name whose graph is shown", "NAME"),
    Option("--lines", "A batch: one source, or a JSON object of source and bindings, a line of FILE or of -",
           "FILE"),
    Option("--no-grad", "Run under torch.no_grad()"),
    Option("--inference-mode", "Run under torch.inference_mode()"),
    Option("--autocast", f"Run under torch.autocast with this dtype: {', '.join(NARROW)}", "DTYPE",
           read=_one_of(*NARROW)),
    Option("--witness", f"Which to compute, all unless said: {','.join(WITNESSES)}", "A,B", read=_witnesses),
    Option("--eps", "Step of the numeric witness", "H", read=_number(zero=False)),
    Option("--order", "2 for the second derivative too, 1 unless said", "N", read=_order),
    Option("--rtol", "Relative tolerance of the verdict", "R", read=_number(zero=True)),
    Option("--atol", "Absolute tolerance of the verdict", "A", read=_number(zero=True)),
    Option("--elements", "How many elements of each binding the numeric witness looks at", "N|all",
           commands=_CHECK, read=_elements),
    Option("--forward", "Check forward mode (jvp) too", commands=_CHECK),
    Option("--torch", "Ask torch.autograd.gradcheck too, and say where it differs", commands=_CHECK),
    Option("--through-detach", "Differentiate through detach, no_grad, item and casts to int as well",
           commands=_CHECK),
    Option("--allow", f"Verdicts that count as right too, of {_FAILING}", "VERDICT,…", commands=_CHECK,
           repeated=True, read=_verdicts),
    Option("--only", "Without SOURCE: the functions whose name matches, such as cum* or torch.linalg.*",
           "PATTERN", commands=_CHECK),
    Option("--strict", "Let warnings, and every verdict but OK, end with status 1"),
    Option("--tee", "Pass the log on to stdout as it comes; findings go to stderr", commands=_LOGS),
    Option("--reproduce", "Show the error again by a smallest program on this torch, then the repaired one",
           commands=_LOGS),
    Option("--watch", "Look at each step of a script as it runs: what changes, what broadcasts, what is NaN",
           commands=_LOGS),
    Option("--run", "Run the programs of the page: broken, repaired, and one that looks alike",
           commands=("explain",)),
    Option("--depth", "Rows of the tree down to this depth", "N", commands=_REPORTS, panel=_OUT,
           read=_integer(0)),
    Option("--inspect", "Show all facts of one value", "NAME", panel=_OUT),
    Option("--saved", "Show what each node keeps for backward, and how many bytes", panel=_OUT),
    Option("--steps", "Show the chain rule way by way, numbers put in", panel=_OUT),
    Option("--full", "Write out large graphs and tensors whole", commands=_REPORTS, panel=_OUT),
    Option("--full", "List every page that speaks of the word, not the likeliest alone",
           commands=("explain",), panel=_OUT),
    Option("--json", "Print JSON", commands=(*_REPORTS, *_LOGS, "devices", "ops"), panel=_OUT),
    Option("--format", f"How to print: {', '.join(FORMATS)}", "FORMAT", "-f", commands=_REPORTS, panel=_OUT,
           read=_one_of(*FORMATS)),
    Option("--format", f"How to print: {', '.join(TEXTS)}", "FORMAT", "-f", commands=_LOGS, panel=_OUT,
           read=_one_of(*TEXTS)),
    Option("--output", "Write a file, by its ending: .svg .png .pdf .dot .json", "FILE", "-o",
           commands=_REPORTS, panel=_OUT),
    Option("--quiet", "Say nothing on stderr but errors", short="-q",
           commands=(*_REPORTS, *_LOGS, "devices", "ops"), panel=_OUT),
    Option("--verbose", "Say on stderr what was read and how long it took", short="-v", panel=_OUT),
    Option("--color", "Colours: auto (on a terminal), always, never", "WHEN", commands=_EVERY, panel=_OUT,
           read=_one_of("auto", "always", "never")),
    Option("--timeout", f"Stop after this many seconds, {SECONDS:g} unless said", "S", panel=_LIMITS,
           read=_number(zero=False)),
    Option("--max-memory", f"Memory beyond start, {bytes_text(Settings.max_memory)} unless said", "SIZE",
           panel=_LIMITS, read=size),
    Option("--max-text", f"Length of a source, {bytes_text(TextLimits.max_text)} unless said", "BYTES",
           panel=_LIMITS, read=size),
    Option("--max-nodes", f"Nodes of an expression, {TextLimits.max_nodes:,} unless said", "N",
           panel=_LIMITS, read=_integer(1)),
    Option("--max-steps", f"Steps of a run, {Settings.max_steps:,} unless said", "N",
           panel=_LIMITS, read=_integer(1)),
    Option("--max-items", f"Items of a list, {Settings.max_items:,} unless said", "N",
           panel=_LIMITS, read=_integer(1)),
    HELP,
)  # fmt: skip
"""Every option of every command, in the order in which --help lists them."""


def of(command: str) -> tuple[Option, ...]:
    """The options of one command."""
    return tuple(option for option in OPTIONS if command in option.commands)


def values(command: str, given: dict[str, Any]) -> dict[str, Any]:
    """The value of each option of `command` that was given, by key; flags are always there."""
    read = {o.key: o.value(given.get(o.key)) for o in of(command) if o not in (HELP, VAR)}
    return {key: value for key, value in read.items() if value is not None}
