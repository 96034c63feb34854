"""`agx trace`: the graph, the gradients and what is wrong."""

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.errors import ExitStatus

EXAMPLES = """\
agx trace "sin(x**2)" --x 2
agx trace "-x**2" --x=-1e-3
agx trace "x@w" --x "randn(2,3)" --w @weights.npy -o graph.svg
agx trace "x*2" --x "[1,2,3]" --grad-output "[1,1,1]"
agx trace "y = x**2; z = y*3; z.backward()" --x 2 --root y
echo "x*y+sin(x)" | agx trace - --x 2 --y 3 --json
agx trace --lines expressions.txt --x 2 --json > reports.jsonl"""

WORDS = Words("SOURCE", "An expression, a program, a .py file that holds one, or - for standard input")


def trace(given: Given) -> ExitStatus:
    """Show the graph, the gradients by three witnesses, and what is wrong.

    Each --NAME VALUE binds a name of SOURCE, anywhere on the line; VALUE is an
    expression too, @FILE (.npy, .npz, .csv, .json, .pt) or @- for standard input.
    """
    from autograd_cli.cli.running import explored

    return explored(given)


COMMAND = Command("trace", trace, EXAMPLES, WORDS)
