"""`agx gradcheck`: are the gradients right?"""

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.errors import ExitStatus, InputError

EXAMPLES = """\
agx gradcheck "sin(x**2)" --x 2
agx gradcheck "softmax(x, 0)[0]" --x "[1., 2., 3.]" --strict
agx gradcheck "x.detach()*x" --x 2 --through-detach
agx gradcheck
agx gradcheck --only "cum*"
agx gradcheck --device cuda --dtype float64"""

WORDS = Words("SOURCE", "As for trace; without it every function of the language is checked", True)


def gradcheck(given: Given) -> ExitStatus:
    """Check gradients against finite differences in float64.

    Ends with 1 where one of SOURCE is wrong. Without SOURCE it checks every differentiable
    function of the language on its example and lists those that fail.
    """
    from autograd_cli.cli.running import explored
    from autograd_cli.cli.suite import checked

    is_suite = not given.line.sources and "lines" not in given.options
    if "only" in given.options and not is_suite:
        raise InputError(
            "AGX208",
            "`--only` chooses functions of the suite, and there is a SOURCE.",
            hint="Without SOURCE `agx gradcheck --only 'cum*'` checks the functions that match.",
        )
    if not is_suite:
        _refuse_one_witness(given)
    return checked(given) if is_suite else explored(given)


def _refuse_one_witness(given: Given) -> None:
    """AGX208 where one witness alone is asked for: nothing is left to hold it against."""
    chosen = sorted(given.options.get("witness", ()))
    if len(chosen) == 1:
        other = "numeric" if chosen[0] == "autograd" else "autograd"
        raise InputError(
            "AGX208",
            f"With `--witness {chosen[0]}` alone there is nothing to compare with.",
            hint=f"A check needs two: `--witness {other},{chosen[0]}`; `agx trace` shows one alone.",
        )


COMMAND = Command("gradcheck", gradcheck, EXAMPLES, WORDS)
