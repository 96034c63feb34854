"""`agx gradcheck`: are the gradients right?"""

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.errors import ExitStatus

EXAMPLES = """\
agx gradcheck "sin(x**2)" --x 2
agx gradcheck "softmax(x, 0)[0]" --x "[1., 2., 3.]" --strict
agx gradcheck
agx gradcheck --device cuda --dtype float64"""

WORDS = Words("SOURCE", "As for trace; without it every function of the language is checked", True)


def gradcheck(given: Given) -> ExitStatus:
    """Check gradients against finite differences in float64.

    Ends with 1 where one of SOURCE is wrong. Without SOURCE it checks every differentiable
    function of the language on its example and lists those that fail.
    """
    from autograd_cli.cli.running import explored
    from autograd_cli.cli.suite import checked

    return explored(given) if given.line.sources or "lines" in given.options else checked(given)


COMMAND = Command("gradcheck", gradcheck, EXAMPLES, WORDS)
