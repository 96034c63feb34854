"""What the fuzzers of this room share: texts to begin with, and a driver.

With atheris (`pip install atheris`, not among the project's own dependencies) the search is guided by
the lines that a text reaches, and the options are libFuzzer's: `-max_total_time=600`, a folder of
texts to start from, or a file that failed before. Without it texts are cut and joined at random, and
`-max_total_time` is the one option. With `--all` a fault does not end the search: each kind is shown once.
"""

import ast
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from random import Random

try:
    import atheris
except ImportError:
    atheris = None

ROOT = Path(__file__).parent.parent.parent
PIECES = re.compile(r"\w+|\s+|[^\w\s]")
DEFAULTS = ["-timeout=30", "-max_len=4096", "-rss_limit_mb=4096"]


def instrumented() -> AbstractContextManager[object]:
    """Imports made under it are watched line by line, where atheris is there."""
    return atheris.instrument_imports(include=["autograd_cli"]) if atheris else nullcontext()


def sources() -> list[str]:
    """Programs and expressions to begin with: the samples, and those of the differential test."""
    found = [*(ROOT / "samples").glob("*.py"), *(ROOT / "tests" / "same" / "tutorial").glob("*/*.py")]
    return [path.read_text(encoding="utf-8") for path in sorted(found)]


def expressions() -> list[str]:
    """The expressions of those programs, each alone."""
    trees = [ast.parse(text) for text in sources()]
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.expr))
    return sorted({ast.unparse(node) for node in nodes})


def fuzz(one: Callable[[str], None], seeds: list[str]) -> None:
    """Try texts until the time is up or `one` raises, which is then a fault."""
    if "--all" in sys.argv:
        sys.argv.remove("--all")
        one = going_on(one)
    if atheris is None:
        at_random(one, seeds)
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus, words = beginning(Path(folder), seeds)
        mine = [*sys.argv, *DEFAULTS, f"-dict={words}", str(corpus)]
        atheris.Setup(mine, lambda data: one(data.decode("utf-8", "replace")))
        atheris.Fuzz()


def going_on(one: Callable[[str], None]) -> Callable[[str], None]:
    """`one` that shows the first fault of each place and goes on."""
    seen = set()

    def tried(text: str) -> None:
        try:
            one(text)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            if (place := f"{last.filename}:{last.lineno} {type(error).__name__}") not in seen:
                seen.add(place)
                print(f"FAULT {place}: {error} for {text!r}", flush=True)

    return tried


def beginning(folder: Path, seeds: list[str]) -> tuple[Path, Path]:
    """A folder with a file for each seed, and a dictionary of the words in them."""
    corpus, words = folder / "corpus", folder / "words"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_text(seed, encoding="utf-8")
    pieces = sorted({piece for seed in seeds for piece in PIECES.findall(seed) if piece.isascii()})
    words.write_text("".join(f'"{escaped(piece)}"\n' for piece in pieces), encoding="ascii")
    return corpus, words


def escaped(piece: str) -> str:
    """A word as dictionaries of libFuzzer have it."""
    return "".join(char if char.isalnum() else f"\\x{ord(char):02x}" for char in piece)


def at_random(one: Callable[[str], None], seeds: list[str]) -> None:
    """Try texts that are cut and joined at random; a text that fails is shown before the error."""
    seconds = next((int(word.partition("=")[2]) for word in sys.argv if "max_total_time" in word), 60)
    seed = time.time_ns()
    print(f"no atheris here: at random for {seconds} s, seed {seed}")
    ends, count = time.monotonic() + seconds, 0
    for text in mixed(Random(seed), seeds):
        try:
            one(text)
        except BaseException:
            print(repr(text))
            raise
        count += 1
        if time.monotonic() > ends:
            break
    print(f"{count} texts")


def mixed(random: Random, seeds: list[str]) -> Iterator[str]:
    """Texts made of pieces of the seeds, without end."""
    cut = [PIECES.findall(seed) for seed in seeds]
    words = sorted({piece for pieces in cut for piece in pieces})
    while True:
        pieces, other = list(random.choice(cut)), random.choice(cut)
        for _ in range(random.randint(1, 6)):
            at = random.randint(0, len(pieces))
            start = random.randint(0, len(other))
            new = [random.choice(words)] if random.random() < 0.6 else other[start : start + 20]
            pieces[at : at + random.randint(0, 3)] = new
        yield "".join(pieces)
