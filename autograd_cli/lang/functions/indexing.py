"""Functions that pick elements, write elements into a copy, and put elements in order."""

from functools import partial

from autograd_cli.lang.functions.rows import Kind, row

_row = partial(row, kind=Kind.INDEXING, domain="indices inside the bounds")
_order = partial(row, kind=Kind.INDEXING, domain="any real; between equal elements the choice has a kink")
_cut = partial(
    row, kind=Kind.INDEXING, differentiable=False, domain="any; indices, counts or truth values come out"
)

PUT = "(input, dim: dim, index: index, src)"
WRITE = "(input, dim: dim, index: index, src = None, *, value: number = None, reduce: text = None)"
CORNER = "(row: count, col: count, offset: dim = 0, *, dtype: dtype = None, device: device = None)"
SEARCH = (
    "(sorted_sequence, input, *, out_int32: flag = False, right: flag = False, side: text = None,"
    " sorter: index = None)"
)
ADD = "(input, dim: dim, index: index, source, *, alpha: number = 1)"
SORT = "(input, dim: dim = -1, descending: flag = False, *, stable: flag = False)"
M = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"
X, Y = "[1.5,-0.3,0.7]", "[0.2,2.5,-1.1]"
Z = "[0.4,-1.2]"

# fmt: off
PICKS = (
    _row("torch.gather", "along dim, the elements that index names", "gather(x, 1, tensor([[2,0],[1,1]]))",
         signature="(input, dim: dim, index: index, *, sparse_grad: flag = False)", x=M),
    _row("torch.take", "the elements that index names in the flattened tensor", "take(x, tensor([0,4]))",
         signature="(input, index: index)", x=M),
    _row("torch.take_along_dim", "along dim, the elements that indices name",
         "take_along_dim(x, argsort(x, 1), 1)", signature="(input, indices: index, dim: dim = None)", x=M),
    _row("torch.index_select", "the slices along dim that index names", "index_select(x, 1, tensor([2,0]))",
         signature="(input, dim: dim, index: index)", x=M),
    _row("torch.masked_select", "the elements where mask is true, in one line", "masked_select(x, x > 0)",
         signature="(input, mask: mask)", domain="any", x=M),
    _row("torch.where", "input where condition is true, else other", "where(x > 0, x, y)", method=False,
         domain="any", signature="(condition: mask, input = None, other = None)", x=X, y=Y),
    _row("torch.Tensor.where", "itself where condition is true, else other", "x.where(x > 0, y)",
         domain="any", signature="(input, condition: mask, other)", key="tensor_where", x=X, y=Y),
)

WRITES = (
    _row("torch.masked_fill", "with value written where mask is true", "masked_fill(x, x > 1, 0.)",
         domain="any", signature="(input, mask: mask, value)", x=X),
    _row("torch.masked_scatter", "with the elements of source written where mask is true", domain="any",
         example="masked_scatter(x, x > 0, y)", signature="(input, mask: mask, source)", x=X, y=Y),
    _row("torch.scatter", "with src written along dim where index says", "scatter(x, 0, tensor([2,0]), y)",
         signature=WRITE,
         x=X, y=Z),
    _row("torch.scatter_add", "with src added along dim where index says",
         "scatter_add(x, 0, tensor([2,2]), y)", signature=PUT, x=X, y=Z),
    _row("torch.scatter_reduce", "with src combined along dim where index says",
         "scatter_reduce(x, 0, tensor([2,2]), y, 'sum')", x=X, y=Z,
         signature="(input, dim: dim, index: index, src, reduce: text, *, include_self: flag = True)"),
    _row("torch.index_add", "with slices of source added where index says",
         "index_add(x, 0, tensor([2,2]), y)", signature=ADD, x=X, y=Z),
    _row("torch.index_copy", "with slices of source written where index says",
         "index_copy(x, 0, tensor([2,0]), y)", signature="(input, dim: dim, index: index, source)", x=X, y=Z),
    _row("torch.index_fill", "with value written to the slices that index names",
         "index_fill(x, 0, tensor([1]), 0.)", signature="(input, dim: dim, index: index, value: number)",
         x=X),
    _row("torch.index_put", "with values written where a tuple of indices says",
         "index_put(x, (tensor([2,0]),), y)", x=X, y=Z,
         signature="(input, indices: index, values, accumulate: flag = False)"),
    _row("torch.put", "with source written where index says in the flattened tensor",
         "put(x, tensor([2,0]), y)", signature="(input, index: index, source, accumulate: flag = False)",
         x=X, y=Z),
    _row("torch.fill", "value in the place of every element", "fill(x, y)", method=False, domain="any",
         signature="(input, value)", x=X, y="1.5"),
    _row("torch.index_reduce", "with slices of source combined where index says",
         "index_reduce(x, 0, tensor([2,0]), y, 'prod')", x=X, y=Z,
         signature="(input, dim: dim, index: index, source, reduce: text, *, include_self: flag = True)"),
    _row("torch.select_scatter", "with src written as one slice along dim", "select_scatter(x, y, 0, 1)",
         signature="(input, src, dim: dim, index: index)", x=M, y=Y),
    _row("torch.slice_scatter", "with src written as a range of slices", "slice_scatter(x, y, 0, 1, 3)", x=X,
         y=Z,
         signature="(input, src, dim: dim = 0, start: index = None, end: index = None, step: count = 1)"),
    _row("torch.diagonal_scatter", "with src written on the diagonal", "diagonal_scatter(x, y)", x=M, y=Z,
         signature="(input, src, offset: dim = 0, dim1: dim = 0, dim2: dim = 1)"),
)

ORDERS = (
    _order("torch.sort", "(values, indices) in order along dim", "sort(x)[0]", x=M,
           signature=SORT),
    _order("torch.msort", "the values in order along the first dim", "msort(x)", x=M),
    _order("torch.topk", "(values, indices) of the k largest", "topk(x, 2)[0]", x=M,
           signature="(input, k: count, dim: dim = -1, largest: flag = True, sorted: flag = True)"),
    _order("torch.kthvalue", "(values, indices) of the k-th smallest", "kthvalue(x, 2)[0]", x=M,
           signature="(input, k: count, dim: dim = -1, keepdim: flag = False)"),
    _order("torch.mode", "(values, indices) of the most frequent value", "mode(x)[0]", x=M,
           signature="(input, dim: dim = -1, keepdim: flag = False)"),
)

LOOKS = (
    _cut("torch.argsort", "the indices that put dim in order", "argsort(x)", x=M, signature=SORT),
    _cut("torch.nonzero", "the indices of what is not 0", "nonzero(x)", x=M,
         signature="(input, *, as_tuple: flag = False)"),
    _cut("torch.argwhere", "the indices of what is not 0", "argwhere(x)", x=M),
    _cut("torch.searchsorted", "where values belong in an ordered line", "searchsorted(x, y)", method=False,
         x="[0.,1.,2.]", y=Z,
         signature=SEARCH),
    _cut("torch.bucketize", "the number of the bucket of each element", "bucketize(x, y)", method=False, x=X,
         y="[0.,1.]", signature="(input, boundaries, *, out_int32: flag = False, right: flag = False)"),
    _cut("torch.bincount", "how often each integer occurs", "bincount(x)", x="tensor([0,2,2])",
         signature="(input: index, weights = None, minlength: count = 0)"),
    _cut("torch.histc", "how many elements fall into each of so many bins", "histc(x.detach(), 3)", x=X,
         signature="(input, bins: count = 100, min: number = 0, max: number = 0)"),
    _cut("torch.unique", "the distinct values, in order", "torch.unique(x.detach())", x=X,
         signature="(input, sorted: flag = True, return_inverse: flag = False, return_counts: flag = False,"
                   " dim: dim = None)"),
    _cut("torch.unique_consecutive", "without what equals the one before", "unique_consecutive(x.detach())",
         x=X, signature="(input, return_inverse: flag = False, return_counts: flag = False,"
                        " dim: dim = None)"),
    _cut("torch.histogram", "(hist, bin_edges): how many elements fall into each bin, and where bins end",
         "histogram(x.detach(), 3)[0]", x=X,
         signature="(input, bins: count = 100, *, range: number = None, weight = None,"
                   " density: flag = False)"),
    _cut("torch.histogramdd", "(hist, bin_edges) of points, along each of their coordinates",
         "histogramdd(x.detach().T, (2, 2))[0]", method=False, x=M,
         signature="(input, bins: count, range: number = None, weight = None, density: flag = False)"),
    _cut("torch.nonzero_static", "the indices of what is not 0, so many of them", "nonzero_static(x, size=2)",
         x=X, signature="(input, *, size: count, fill_value: index = -1)"),
    _cut("torch.unravel_index", "the index along each dim of an index into the flattened tensor",
         "unravel_index(tensor(4), (2, 3))[0]", method=False, signature="(indices: index, shape: size)"),
    _cut("torch.hash_tensor", "a number that tells tensors apart, by xor of their bits",
         "hash_tensor(x.detach())", x=X,
         signature="(input, dim: dim = None, *, keepdim: flag = False, mode: count = 0)"),
    _cut("torch.broadcast_shapes", "the shape that these shapes broadcast to",
         "torch.broadcast_shapes((2, 1), (3,))", method=False, signature="(*shapes: size)"),
    _cut("torch.tril_indices", "the indices of the lower triangle", "tril_indices(2, 2)", method=False,
         signature=CORNER),
    _cut("torch.triu_indices", "the indices of the upper triangle", "triu_indices(2, 2)", method=False,
         signature=CORNER),
)
# fmt: on

ROWS = PICKS + WRITES + ORDERS + LOOKS
