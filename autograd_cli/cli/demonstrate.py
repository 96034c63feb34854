"""`agx explain CODE --run`: the examples of a page, each with what comes of it here and now."""

from autograd_cli.catalogue import Example, Kind, Page
from autograd_cli.cli.environment import Environment
from autograd_cli.cli.live import PROGRAM, Ran, Screen, ran, run_by
from autograd_cli.errors import ExitStatus


def demonstrated(page: Page, environment: Environment) -> ExitStatus:
    """Run what the page has to show; OK where all of it comes out as the page says, else FAILED.

    MISSING where it has nothing to run, because that takes what is not everywhere.
    """
    if not page.broken:
        environment.say(f"nothing is run: to show {page.code} {page.name} takes {page.needs}")
        return ExitStatus.MISSING
    environment.put(f"# {page.code} {page.name}: {page.title}\n")
    environment.put(f"torch {_torch()}\n")
    session = _Session(environment)
    parts = (
        ("How to see it", page.broken, {page.code}),
        ("How to fix it", page.repaired, set[str]()),
        ("When it is fine", page.alike, set[str]()),
    )
    for heading, examples, codes in parts:
        environment.put(f"\n## {heading}\n")
        for example in examples:
            session.show(example, codes)
    return ExitStatus.OK if session.is_as_said else ExitStatus.FAILED


class _Session:
    """Examples run one after the other; `is_as_said` until one gives other codes than the page says."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        width = environment.width if environment.on_terminal else None
        self.screen = Screen(width, environment.coloured(environment.stdout))
        self.seen: set[str] = set()
        self.is_as_said = True

    def show(self, example: Example, codes: set[str]) -> None:
        """Write the files that the example names, the command, and what comes of it."""
        for name, text in _files(example):
            if name not in self.seen:
                self.environment.put(f"\n$ cat {name}\n{text}")
            self.seen |= {name} - {PROGRAM}
        line = example.text if example.kind is Kind.CONSOLE else run_by(example.kind)
        self.environment.put(f"\n$ {line}\n")
        found = ran(example, screen=self.screen)
        self.environment.put(f"{_written(found)}\n→ {_verdict(found, codes)}\n")
        self.is_as_said &= found.codes == codes


def _files(example: Example) -> tuple[tuple[str, str], ...]:
    """The names and texts of the files that an example is about."""
    own = () if example.kind is Kind.CONSOLE else ((PROGRAM, example.text),)
    return tuple((name, text) for name, text in example.files if name in example.text) + own


def _written(found: Ran) -> str:
    """All that was written, stdout first."""
    return "".join(text.rstrip("\n") + "\n" for text in (found.printed, found.told) if text.strip())


def _verdict(found: Ran, codes: set[str]) -> str:
    """In a line: what was found, and what the page says of it where that is another thing."""
    came = f"{' and '.join(sorted(found.codes)) or 'no finding'}, status {found.status}"
    said = " and ".join(sorted(codes)) or "no finding"
    return came if found.codes == codes else f"{came}; the page says {said}"


def _torch() -> str:
    import torch

    return str(torch.__version__)
