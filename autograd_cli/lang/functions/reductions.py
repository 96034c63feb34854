"""Functions that make fewer elements of many: sums, means, extremes, norms, and running sums."""

from functools import partial

from autograd_cli.lang.functions.rows import Kind, row

_row = partial(row, kind=Kind.REDUCTION)
_count = partial(_row, differentiable=False, domain="any real; whole numbers or truth values come out")

DIM = "(input, dim: dim = None, keepdim: flag = False)"
DIM_DTYPE = "(input, dim: dim = None, keepdim: flag = False, *, dtype: dtype = None)"
SPREAD = "(input, dim: dim = None, unbiased: flag = True, keepdim: flag = False, *, correction: count = 1)"
RUNNING = "(input, dim: dim, *, dtype: dtype = None)"
EXTREME = "(input, dim: index = None, keepdim: flag = False, *, other = None)"
NORM = "(input, p: number = 'fro', dim: dim = None, keepdim: flag = False, *, dtype: dtype = None)"
SHARE = "(input, q: number, dim: dim = None, keepdim: flag = False, *, interpolation: text = 'linear')"
AREA = "(y, x = None, *, dx: number = None, dim: dim = -1)"
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
         signature=NORM,
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

STATISTICS = (
    _row("torch.var_mean", "(variance, mean)", "var_mean(x)[0]", signature=SPREAD, method=False,
         domain="at least two elements", x=M),
    _row("torch.std_mean", "(standard deviation, mean)", "std_mean(x)[0]", signature=SPREAD, method=False,
         domain="at least two elements, not all equal", x=M),
    _row("torch.aminmax", "(smallest, largest)", "aminmax(x)[1]", domain=TIES, x=M,
         signature="(input, *, dim: dim = None, keepdim: flag = False)"),
    _row("torch.nanmedian", "the middle element of what is not NaN; with dim (values, indices)",
         "nanmedian(x)", signature=DIM, domain=DISTINCT, x=M),
    _row("torch.quantile", "the element, or between elements, below which a share q lies", "quantile(x, 0.3)",
         signature=SHARE, domain=DISTINCT, x=M),
    _row("torch.nanquantile", "the quantile of what is not NaN", "nanquantile(x, 0.3)", signature=SHARE,
         domain=DISTINCT, x=M),
    _row("torch.cov", "the covariance matrix of the rows", "cov(x)",
         signature="(input, *, correction: count = 1, fweights: index = None, aweights = None)", x=M),
    _row("torch.corrcoef", "the correlation matrix of the rows", "corrcoef(x)", domain="rows not constant",
         x=M),
    _row("torch.diff", "the differences of neighbours along dim", "diff(x)",
         signature="(input, n: count = 1, dim: dim = -1, prepend = None, append = None)", x=M),
    _row("torch.trapezoid", "the area under the points, by trapezoids", "trapezoid(x)", signature=AREA,
         method=False, aliases=("torch.trapz",), x=M),
    _row("torch.cumulative_trapezoid", "the running area under the points", "cumulative_trapezoid(x)",
         signature=AREA, method=False, x=M),
    _row("torch.gradient", "the slopes along each dim, from neighbours", "gradient(x)[0]", method=False, x=M,
         signature="(input, *, spacing = 1, dim: dim = None, edge_order: count = 1)"),
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

ROWS = (*SUMS, *EXTREMES, *RUNNING_ONES, *STATISTICS, *COUNTS)
