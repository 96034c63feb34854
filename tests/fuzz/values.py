"""Any text of a binding is a value, or refused with an AgxError: anything else is a fault.

A text that begins with `@-` is read as data from standard input, the rest of it being the data. Run
by hand: `python tests/fuzz/values.py -max_total_time=600`; see `harness` beside this file.
"""

import warnings
from contextlib import suppress

import harness

with harness.instrumented():
    from autograd_cli.errors import AgxError
    from autograd_cli.run.inputs import Roles, bind
    from autograd_cli.run.record import torch_state
    from autograd_cli.run.settings import Settings

SETTINGS = Settings(max_memory=1 << 20, max_items=1000, max_steps=1000)
DATA = [
    "1 2 3\n4 5 6\n",
    "1,2\n3,4\n",
    "[[1, 2], [3, 4]]",
    "x,y\n1,2\n",
    "nan inf -1e5\n",
    '{"x": [1]}',
    "\n\n",
]


def one(text: str) -> None:
    """Read a value; one name stands before it for it to use."""
    is_data = text.startswith("@-")
    if text.startswith("@") and not is_data:
        return  # a file of that name
    pairs = [("a", "[1.,2.]"), ("x", "@-" if is_data else text)]
    with torch_state(SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(AgxError):
            bind(pairs, Roles({}), SETTINGS, stdin=text[2:] if is_data else None)


if __name__ == "__main__":
    harness.fuzz(one, harness.expressions() + [f"@-{data}" for data in DATA])
