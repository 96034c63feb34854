"""The records of the second derivative: blocks of a Hessian, or its products with a direction."""

from dataclasses import dataclass

from autograd_cli.report.kinds import Shape, Values, Verdict, Witness


@dataclass(frozen=True)
class SecondBlock:
    """The second derivative by one pair of leaves, by its witnesses, judged.

    `pair` is (x, y): d/dx of the gradient by y. `shape` is that of x followed by that of y; of a
    product with a direction it is that of x, and the direction is in y. `formula` is a closed form
    of the values, or, with `applied`, of their product with that name: a tensor in the shape of y.
    `symbolic` are the values of `formula`, `no_formula` says why there is none; `numeric` are second
    differences of the function alone, in float64, with `error_bar`; `differences` are those of
    autograd's own first gradient, in float64, with `differences_bar`. `directions` is the number of
    random directions of the numeric witness where not every element was looked at. `difference`,
    `tolerance`, `worst`, `verdict`, `odd` and `sentence` are as in a Gradient; `asymmetry` is how far
    autograd's blocks of this pair in both orders are apart at most.
    """

    pair: tuple[str, ...]
    shape: Shape
    formula: str | None
    no_formula: str
    applied: str
    symbolic: Values
    autograd: Values
    numeric: Values
    error_bar: float | None
    differences: Values
    differences_bar: float | None
    directions: int | None
    asymmetry: float | None
    difference: float | None
    tolerance: float | None
    worst: tuple[int, ...] | None
    verdict: Verdict | None
    odd: Witness | None = None
    kinks: int = 0
    sentence: str = ""


@dataclass(frozen=True)
class Second:
    """The second derivative of one value.

    `kind` is "hessian" or "product" (with a seeded direction of +1 and -1 in every leaf), empty where
    there is none to be had; a Hessian by complex leaves alone, which is not done, has no blocks. `of` says
    what was differentiated where that is not the value itself; `sentence` says what the blocks are,
    or why there are none; `error` is what torch said where it has no second derivative, `at` the
    expression that it has none of.
    """

    kind: str
    of: str
    blocks: tuple[SecondBlock, ...] = ()
    sentence: str = ""
    error: str = ""
    at: str = ""
