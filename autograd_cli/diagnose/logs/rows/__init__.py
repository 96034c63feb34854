"""What is known of torch's errors and warnings: a row a kind, the particular before the general."""

from autograd_cli.diagnose.logs.records import Row

ROWS: tuple[Row, ...] = ()
"""Every row; the first that speaks of an error is the one that is told."""
