"""What is known of torch's errors and warnings: one row a kind of mistake, the particular "
"before the general."""

from autograd_cli.diagnose.logs.records import Row
from autograd_cli.diagnose.logs.rows import (
    arguments,
    backward,
    devices,
    distributed,
    dtypes,
    functions,
    inplace,
    layers,
    leaves,
    losses,
    modules,
    operands,
    shapes,
    unusable,
)

ROWS: tuple[Row, ...] = (
    *backward.ROWS,
    *leaves.ROWS,
    *inplace.ROWS,
    *functions.ROWS,
    *devices.ROWS,
    *unusable.ROWS,
    *dtypes.ROWS,
    *losses.ROWS,
    *layers.ROWS,
    *shapes.ROWS,
    *distributed.ROWS,
    *modules.ROWS,
    *operands.ROWS,
    *arguments.ROWS,
)
"""Every row; the first that speaks of an error is the one that is told."""
