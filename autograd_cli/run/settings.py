"""How a program is run, and what it may cost."""

from dataclasses import dataclass, field
from typing import NamedTuple

from autograd_cli.lang.arithmetic import MAX_ITEMS
from autograd_cli.lang.parse import TextLimits


class Use(NamedTuple):
    """A person's own callable: the name that a source calls it by, its file, where it is found in that.

    `double` asks for a module's copy in double precision.
    """

    name: str
    file: str
    attribute: str
    double: bool = False

    @property
    def place(self) -> str:
        """As it was typed: "my_ops.py:Swish.apply"."""
        return f"{self.file}:{self.attribute}"


class OtherValueError(TypeError):
    """A person's own callable gave what is no value of the language; the message says all."""


@dataclass(frozen=True)
class Settings:
    """How a program is run. `dtype` is the default dtype of creation functions.

    `max_memory` is in bytes; `max_items` is the longest list, items of inner lists
    counted; `max_steps` the most expressions evaluated; `text` how large a source or
    the text of a value may be. `mode` is "", "no_grad" or "inference_mode", `autocast` ""
    or the dtype that products are made in. `uses` are the callables that were brought to the program.
    With `keeps` variables that are cut from the graph remember what they were made of.
    """

    device: str = "cpu"
    dtype: str = "float32"
    seed: int = 0
    max_memory: int = 1 << 30
    max_items: int = MAX_ITEMS
    max_steps: int = 1_000_000
    text: TextLimits = field(default_factory=TextLimits)
    mode: str = ""
    autocast: str = ""
    uses: tuple[Use, ...] = ()
    keeps: bool = False
