"""What is remembered by text: which texts, and identity as a part of a key."""

from dataclasses import dataclass
from typing import Any

SHORT = 200
"""Characters of a text that is remembered once it is read: a batch has it again under other values."""


@dataclass(frozen=True, eq=False, slots=True)
class Same:
    """`it` as part of a key: equal to the very same thing and to nothing that is merely like it.

    Two nodes are equal wherever they stand, and `2` is equal to `2.0`. A key that holds the thing
    keeps it alive, so that no other can come to have its id.
    """

    it: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.it is other.it

    def __hash__(self) -> int:
        return id(self.it)
