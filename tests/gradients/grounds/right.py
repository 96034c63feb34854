"""Right expressions at random, of which none may be called wrong.

    python tests/gradients/grounds/right.py 1000 float64

draws that many, checks each as `agx gradcheck` does, and lists the false alarms.
"""

import sys
from collections import Counter
from random import Random

from autograd_cli import explore
from autograd_cli.errors import AgxError
from autograd_cli.report import Verdict

ANYWHERE = (
    "sin",
    "cos",
    "tanh",
    "exp",
    "sigmoid",
    "atan",
    "abs",
    "F.softplus",
    "F.gelu",
    "F.silu",
    "relu",
    "erf",
)
WHOLE = (
    "{}.sum()",
    "{}.mean()",
    "{}.norm()",
    "logsumexp({}, 0)",
    "{}.var()",
    "softmax({}, 0)[0]",
    "{}.prod()",
)


def inner(random, depth):
    """An expression with a value for every x and y, elementwise."""
    if depth == 0:
        return random.choice(["x", "y", "x", "y", f"{random.uniform(0.3, 2):.2f}"])
    kind = random.randrange(6)
    one = inner(random, depth - 1)
    if kind < 2:
        return f"{random.choice(ANYWHERE)}({one})"
    other = inner(random, depth - 1)
    if kind == 2:
        return f"({one} {random.choice('+-')} {other})"
    if kind == 3:
        return f"{one}*{other}"
    if kind == 4:
        return f"{one}/(1 + ({other})**2)"
    return f"log(1 + ({one})**2)"


def drawn(seed):
    """A source and its bindings: x and y of three elements."""
    random = Random(seed)
    body = f"({inner(random, random.randint(1, 3))} + 0*x*y + x)"
    source = random.choice(WHOLE).format(body)
    numbers = ["[" + ",".join(f"{random.uniform(-2, 2):.3f}" for _ in range(3)) + "]" for _ in range(2)]
    return source, [("x", numbers[0]), ("y", numbers[1])]


def alarms(count, start=0, dtype="float64"):
    """The verdicts of that many expressions, and what was called anything but right or a kink."""
    verdicts, found = Counter(), []
    for seed in range(start, start + count):
        source, bindings = drawn(seed)
        try:
            report = explore.explore(source, bindings, explore.Options(check=True, dtype=dtype))
        except AgxError as error:
            found.append((source, bindings, error.sentence))
            continue
        for gradient in report.gradients:
            verdicts[gradient.verdict] += 1
            if gradient.verdict not in (Verdict.OK, Verdict.KINK, Verdict.PRECISION):
                found.append((source, bindings, gradient.verdict, gradient.sentence))
    return verdicts, found


if __name__ == "__main__":
    verdicts, found = alarms(int(sys.argv[1]), dtype=sys.argv[2] if len(sys.argv) > 2 else "float64")
    print(dict(verdicts))
    for one in found:
        print(*one)
    print(f"{len(found)} false alarms")
