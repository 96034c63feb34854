"""What every reader of data files needs: the open file, its bounds, and how one is refused."""

from dataclasses import dataclass
from typing import BinaryIO

from autograd_cli.errors import InputError, LimitError
from autograd_cli.report.values import bytes_text
from autograd_cli.run.settings import Settings


@dataclass(frozen=True)
class Data:
    """A file that is open, its name, and the part that is asked of it: an array or a column."""

    stream: BinaryIO
    name: str
    part: str
    settings: Settings

    def text(self) -> str:
        """All that is in the file; LimitError AGX604 where it has grown beyond the limit."""
        limit = self.settings.max_memory
        content = self.stream.read(limit + 1)
        within(self.name, len(content), limit)
        return content.decode("utf-8-sig")


def within(name: str, size: int, limit: int) -> None:
    """Nothing, or LimitError AGX604 where `name` holds more than `limit` bytes."""
    if size > limit:
        raise LimitError(
            "AGX604",
            f"`{name}` holds {bytes_text(size)}; the limit is {bytes_text(limit)}.",
            hint="Raise it with --max-memory.",
        )


def unreadable(name: str, why: str, hint: str = "") -> InputError:
    """AGX207: the refusal of a file that holds no value."""
    return InputError("AGX207", f"`{name}` cannot be used as a value: {why}.", hint=hint)
