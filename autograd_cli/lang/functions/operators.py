"""The operators of an expression, by symbol: each with the row of the function it means.

They stand apart from FUNCTIONS: `2 * 3` is Python's, `x * 3` torch's, and both are `*`.
"""

from functools import partial

from autograd_cli.lang.functions.rows import Example, Function, Kind, row

_row = partial(row, kind=Kind.ELEMENTWISE, method=False, signature="(input, other)")
_one = partial(row, kind=Kind.ELEMENTWISE, method=False)
_cut = partial(_row, differentiable=False, domain="any; a truth value or an integer comes out")

A, B = "[1.5,-0.3]", "[0.7,2.]"

# fmt: off
ARITHMETIC = (
    _row("torch.add", "the sum", "x + y", operator="+", x=A, y=B),
    _row("torch.sub", "the difference", "x - y", operator="-", x=A, y=B),
    _row("torch.mul", "the product, element by element", "x * y", operator="*", x=A, y=B),
    _row("torch.div", "the quotient", "x / y", operator="/", domain="y != 0", x=A, y=B),
    _row("torch.floor_divide", "the quotient rounded down", "x // y", operator="//", differentiable=False,
         domain="y != 0; torch lets no gradient through", x="tensor([7,9])", y="tensor([2,4])"),
    _row("torch.remainder", "what a whole number of y leaves of x, with the sign of y", "x % y", operator="%",
         domain="y != 0, x / y not an integer", x=A, y=B),
    _row("torch.pow", "x to the power y", "x ** y", operator="**",
         domain="x > 0, or any x where y is a whole number", x="[1.5,0.3]", y=B),
    row("torch.matmul", "the matrix product", "x @ y", kind=Kind.PRODUCT, method=False,
        signature="(input, other)", operator="@", x="[[1.5,-0.3],[0.2,2.]]", y=B),
)

UNARY = (
    _one("torch.neg", "minus x", "-x", operator="unary -", x=A),
    _one("torch.positive", "x itself", "+x", operator="unary +", x=A),
    _one("torch.bitwise_not", "every bit turned over; of truth values the opposite", "~x", operator="~",
         differentiable=False, domain="integers and truth values", x="tensor([True,False])"),
    _one("builtins.not", "the opposite truth value, of one element", "not x", operator="not", key="not",
         differentiable=False, domain="one element", x="1.5"),
)

BITS = (
    _cut("torch.bitwise_and", "the bits set in both; of truth values: and", "x & y", operator="&",
         x="tensor([6,3])", y="tensor([3,3])"),
    _cut("torch.bitwise_or", "the bits set in either; of truth values: or", "x | y", operator="|",
         x="tensor([6,3])", y="tensor([3,3])"),
    _cut("torch.bitwise_xor", "the bits set in one of the two", "x ^ y", operator="^",
         x="tensor([6,3])", y="tensor([3,3])"),
    _cut("torch.bitwise_left_shift", "the bits moved up by y", "x << y", operator="<<",
         x="tensor([6,3])", y="tensor([1,2])"),
    _cut("torch.bitwise_right_shift", "the bits moved down by y", "x >> y", operator=">>",
         x="tensor([6,3])", y="tensor([1,2])"),
)

COMPARISONS = (
    _cut("torch.lt", "whether x is less than y", "x < y", operator="<", x=A, y=B),
    _cut("torch.le", "whether x is at most y", "x <= y", operator="<=", x=A, y=B),
    _cut("torch.gt", "whether x is greater than y", "x > y", operator=">", x=A, y=B),
    _cut("torch.ge", "whether x is at least y", "x >= y", operator=">=", x=A, y=B),
    _cut("torch.eq", "whether the two are equal", "x == y", operator="==", x=A, y=B),
    _cut("torch.ne", "whether the two differ", "x != y", operator="!=", x=A, y=B),
    _cut("builtins.is", "whether the two are one object", "x is y", operator="is", x=A, y=B),
    _cut("builtins.is not", "whether the two are two objects", "x is not y", operator="is not", x=A, y=B),
    _cut("builtins.in", "whether x is among the elements of y", "x in y", operator="in", x="1.5", y=A),
    _cut("builtins.not in", "whether x is not among the elements of y", "x not in y", operator="not in",
         x="1.5", y=A),
)

SUBSCRIPT = row("torch.Tensor.__getitem__", "the elements that an index, a slice or a mask picks", "x[1]",
                kind=Kind.INDEXING, method=False, signature="(input, index: index)", key="getitem",
                operator="[]", domain="inside the bounds", x=A)
# fmt: on

_NAMES = {
    "+": "iadd", "-": "isub", "*": "imul", "/": "itruediv", "//": "ifloordiv", "%": "imod",
    "**": "ipow", "&": "iand", "|": "ior", "^": "ixor", "<<": "ilshift", ">>": "irshift",
}  # fmt: skip


def _augmented(base: Function) -> Function:
    """The row of `x += y`, made of that of `x + y`; a tensor is changed in place."""
    symbol, (source, bindings) = base.operator, base.example or ("", {})
    changed = source.replace("x", "z").replace(symbol, f"{symbol}=")
    return base._replace(
        path=f"torch.Tensor.__{_NAMES[symbol]}__",
        key=f"{base.key}_",
        meaning=f"{base.meaning}: put in the place of x",
        operator=f"{symbol}=",
        example=Example(f"z = x.clone(); {changed}; z", bindings),
        writes=True,
    )


WRITES = (
    *(_augmented(each) for each in (*ARITHMETIC, *BITS) if each.operator in _NAMES),
    row("torch.Tensor.__setitem__", "value written where an index, a slice or a mask says",
        "z = x.clone(); z[1] = y[0]; z", kind=Kind.INDEXING, method=False, key="setitem_", operator="[]=",
        signature="(input, index: index, value)", domain="inside the bounds", writes=True, x=A, y=B),
)  # fmt: skip

OPERATORS = {each.operator: each for each in (*ARITHMETIC, *UNARY, *BITS, *COMPARISONS, SUBSCRIPT, *WRITES)}
