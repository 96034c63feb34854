"""Functions that make fewer elements of many: sums, means, extremes, norms, and running sums."""

from functools import partial

from autograd_cli.lang.functions.rows import Kind, row

_row = partial(row, kind=Kind.REDUCTION)
_count = partial(_row, differentiable=False, domain="any real; whole numbers or truth values come out")

DIM = "(input, dim: dim = None, keepdim: flag = False)"
DIM_DTYPE = "(input, dim: dim = None, keepdim: flag = False, *, dtype: dtype = None)"
ONE_DIM = "(input, dim: dim = -1, keepdim: flag = False)"
SPREAD = "(input, dim: dim = None, unbiased: flag = True, keepdim: flag = False, *, correction: count = 1)"
RUNNING = "(input, dim: dim, *, dtype: dtype = None)"
EXTREME = "(input, dim: dim = None, keepdim: flag = False, *, other = None)"
TIES = "any real; equal elements share the gradient"
DISTINCT = "any real; between equal elements the choice has a kink"
M = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"

# fmt: off
SUMS = (
    _row("torch.sum", "the sum", "sum(x)", signature=DIM_DTYPE, x=M),
    _row("torch.mean", "the mean", "mean(x)", signature=DIM_DTYPE, x=M),
    _row("torch.prod", "the product", "prod(x)", signature=DIM_DTYPE, x=M),
    _row("torch.nansum", "the sum of what is not NaN", "nansum(x, 1)", signature=DIM_DTYPE, x=M),
    _row("torch.nanmean", "the mean of what is not NaN", "nanmean(x, 1)", signature=DIM_DTYPE, x=M),
    _row("torch.std", "the standard deviation, by n - 1 unless told", "std(x)", signature=SPREAD,
         domain="at least two elements, not all equal", x=M),
    _row("torch.var", "the variance, by n - 1 unless told", "var(x)", signature=SPREAD,
         domain="at least two elements", x=M),
    _row("torch.logsumexp", "log(sum(exp(x))), safe from overflow", "logsumexp(x, 1)",
         signature="(input, dim: dim, keepdim: flag = False)", aliases=("torch.special.logsumexp",), x=M),
    _row("torch.norm", "the norm, by default the root of the sum of squares", "norm(x)",
         signature="(input, p: number = 2, dim: dim = None, keepdim: flag = False, dtype: dtype = None)",
         domain="not all elements 0", x=M),
)

EXTREMES = (
    _row("torch.max", "the largest; with dim (values, indices); with a tensor the larger of two", "max(x)",
         signature=EXTREME, domain=TIES, x=M),
    _row("torch.min", "the smallest; with dim (values, indices); with a tensor the smaller of two", "min(x)",
         signature=EXTREME, domain=TIES, x=M),
    _row("torch.amax", "the largest along dims", "amax(x, 1)", signature=DIM, domain=TIES, x=M),
    _row("torch.amin", "the smallest along dims", "amin(x, 1)", signature=DIM, domain=TIES, x=M),
    _row("torch.median", "the middle element, the lower of two; with dim (values, indices)", "median(x)",
         signature=DIM, domain=DISTINCT, x=M),
)

RUNNING_ONES = (
    _row("torch.cumsum", "the running sum along dim", "cumsum(x, 1)", signature=RUNNING, x=M),
    _row("torch.cumprod", "the running product along dim", "cumprod(x, 1)", signature=RUNNING, x=M),
    _row("torch.cummax", "(values, indices) of the running largest along dim", "cummax(x, 1)[0]",
         signature="(input, dim: dim)", domain=DISTINCT, x=M),
    _row("torch.cummin", "(values, indices) of the running smallest along dim", "cummin(x, 1)[0]",
         signature="(input, dim: dim)", domain=DISTINCT, x=M),
    _row("torch.logcumsumexp", "the logarithm of the running sum of exp(x) along dim", "logcumsumexp(x, 1)",
         signature="(input, dim: dim)", x=M),
)

COUNTS = (
    _count("torch.argmax", "the index of the largest", "argmax(x)", signature=DIM, x=M),
    _count("torch.argmin", "the index of the smallest", "argmin(x)", signature=DIM, x=M),
    _count("torch.any", "whether any element is not 0", "any(x > 0)", signature=DIM, x=M),
    _count("torch.all", "whether every element is not 0", "all(x > 0)", signature=DIM, x=M),
    _count("torch.count_nonzero", "how many elements are not 0", "count_nonzero(x)",
           signature="(input, dim: dim = None)", x=M),
)
# fmt: on

ROWS = SUMS + EXTREMES + RUNNING_ONES + COUNTS
