"""Functions that arrange the same elements anew: views, joins, splits, repeats, triangles."""

from functools import partial

from autograd_cli.lang.functions.rows import Kind, row

_row = partial(row, kind=Kind.SHAPE, domain="any")
_method = partial(_row, method=True)
_function = partial(_row, method=False)
_attribute = partial(_row, method=False, attribute=True)

DIMS = "(input, dims: dim)"
SOME_DIMS = "(input, *dims: dim)"
ONE = "(input, dim: dim)"
SECTIONS = "(input, sections: size = None, *, indices: size = None)"
CUTS = "(input, sections: size = None, dim: dim = 0, *, indices: size = None)"
JOIN = "(tensors: tensors)"
CORNER = "(input, diagonal: dim = 0)"
DIAGONAL = "(input, offset: dim = 0, dim1: dim = 0, dim2: dim = 1)"
M = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"
A, B = "[1.5,-0.3]", "[0.7,2.]"

# fmt: off
RESHAPES = (
    _row("torch.reshape", "the same elements in another shape", "reshape(x, (3, 2))",
         signature="(input, shape: size)", method_signature="(input, *shape: size)", x=M),
    _method("torch.Tensor.view", "the same memory in another shape", "x.view(3, 2)",
            signature="(input, *size: size)", x=M),
    _method("torch.Tensor.view_as", "the same memory in the shape of other", "x.view_as(zeros(3, 2))",
            signature="(input, other)", x=M),
    _method("torch.Tensor.reshape_as", "the same elements in the shape of other", "x.reshape_as(zeros(3, 2))",
            signature="(input, other)", x=M),
    _row("torch.flatten", "dims start_dim to end_dim made one", "flatten(x)",
         signature="(input, start_dim: dim = 0, end_dim: dim = -1)", x=M),
    _row("torch.ravel", "all dims made one", "ravel(x)", x=M),
    _row("torch.unflatten", "one dim made several", "unflatten(x, 1, (3, 1))",
         signature="(input, dim: dim, sizes: size)", x=M),
    _row("torch.squeeze", "without dims of size 1", "squeeze(x)", signature="(input, dim: dim = None)",
         x="[[1.5,0.3]]"),
    _row("torch.unsqueeze", "with a dim of size 1 put in", "unsqueeze(x, 0)", signature=ONE, x=A),
    _row("torch.atleast_1d", "with at least one dim", "atleast_1d(x)", signature="(*tensors)", method=False,
         x="1.5"),
    _row("torch.atleast_2d", "with at least two dims", "atleast_2d(x)", signature="(*tensors)", method=False,
         x=A),
    _row("torch.atleast_3d", "with at least three dims", "atleast_3d(x)", signature="(*tensors)",
         method=False, x=A),
)

TURNS = (
    _attribute("torch.Tensor.T", "the dims in reverse order; of a matrix its transpose", "x.T", x=M),
    _attribute("torch.Tensor.mT", "the last two dims swapped", "x.mT", x=M),
    _attribute("torch.Tensor.H", "the transposed matrix, conjugated", "x.H", x=M),
    _attribute("torch.Tensor.mH", "the last two dims swapped, conjugated", "x.mH", x=M),
    _row("torch.t", "the transpose of a matrix", "t(x)", domain="at most two dims", x=M),
    _row("torch.adjoint", "the last two dims swapped, conjugated", "adjoint(x)", x=M),
    _row("torch.transpose", "two dims swapped", "transpose(x, 0, 1)",
         signature="(input, dim0: dim, dim1: dim)", aliases=("torch.swapdims",), x=M),
    _row("torch.swapaxes", "two dims swapped, in NumPy's words", "swapaxes(x, 0, 1)", key="transpose",
         signature="(input, axis0: dim, axis1: dim)", x=M),
    _row("torch.permute", "the dims in the order given", "permute(x, (1, 0))", signature=DIMS,
         method_signature=SOME_DIMS, x=M),
    _row("torch.movedim", "dims moved to other places", "movedim(x, 0, 1)",
         signature="(input, source: dim, destination: dim)", aliases=("torch.moveaxis",), x=M),
    _row("torch.flip", "the order reversed along dims", "flip(x, (0,))", signature=DIMS,
         method_signature=SOME_DIMS, x=M),
    _row("torch.fliplr", "the order of columns reversed", "fliplr(x)", x=M),
    _row("torch.flipud", "the order of rows reversed", "flipud(x)", x=M),
    _row("torch.roll", "the elements moved round along dims", "roll(x, 1, 0)",
         signature="(input, shifts: size, dims: dim = None)", x=M),
    _row("torch.rot90", "a quarter turn, k times", "rot90(x)",
         signature="(input, k: count = 1, dims: dim = (0, 1))", x=M),
)

STRETCHES = (
    _method("torch.Tensor.expand", "stretched over dims of size 1, without a copy", "x.expand(3, 2)",
            signature="(input, *size: size)", x=A),
    _method("torch.Tensor.expand_as", "stretched to the shape of other", "x.expand_as(zeros(3, 2))",
            signature="(input, other)", x=A),
    _row("torch.broadcast_to", "stretched over dims of size 1", "broadcast_to(x, (3, 2))",
         signature="(input, size: size)", x=A),
    _function("torch.broadcast_tensors", "all stretched to their common shape", "broadcast_tensors(x, y)[0]",
              signature="(*tensors)", x="[[1.5],[0.3]]", y=B),
    _method("torch.Tensor.repeat", "the whole repeated along each dim", "x.repeat(2, 2)",
            signature="(input, *repeats: size)", x=A),
    _row("torch.repeat_interleave", "each element repeated", "repeat_interleave(x, 2)",
         signature="(input, repeats: index, dim: dim = None)", x=A),
    _row("torch.tile", "the whole repeated, as NumPy does", "tile(x, (2, 2))",
         signature="(input, dims: size)", method_signature="(input, *dims: size)", x=A),
    _function("torch.meshgrid", "grids of coordinates from lists of them", "meshgrid(x, y, indexing='ij')[0]",
              signature="(*tensors, indexing: text = None)", x=A, y=B),
    _function("torch.cartesian_prod", "all pairs, or tuples, of elements", "cartesian_prod(x, y)",
              signature="(*tensors)", x=A, y=B),
    _function("torch.combinations", "all choices of r elements", "combinations(x)",
              signature="(input, r: count = 2, with_replacement: flag = False)", x="[1.5,-0.3,0.7]"),
)

JOINS = (
    _function("torch.cat", "the tensors one after the other along dim", "cat([x, y])",
              signature="(tensors: tensors, dim: dim = 0)", aliases=("torch.concat", "torch.concatenate"),
              x=A, y=B),
    _function("torch.stack", "the tensors side by side along a new dim", "stack([x, y])",
              signature="(tensors: tensors, dim: dim = 0)", x=A, y=B),
    _function("torch.hstack", "the tensors joined column after column", "hstack([x, y])", signature=JOIN,
              x=A, y=B),
    _function("torch.vstack", "the tensors joined row under row", "vstack([x, y])", signature=JOIN,
              aliases=("torch.row_stack",), x=A, y=B),
    _function("torch.dstack", "the tensors joined along the third dim", "dstack([x, y])", signature=JOIN,
              x=A, y=B),
    _function("torch.column_stack", "the tensors as columns of a matrix", "column_stack([x, y])",
              signature=JOIN, x=A, y=B),
    _function("torch.block_diag", "the matrices along the diagonal of a larger one", "block_diag(x, y)",
              signature="(*tensors)", x=M, y=A),
)

SPLITS = (
    _row("torch.split", "pieces of split_size elements along dim", "split(x, 2, 1)[0]",
         signature="(tensor, split_size_or_sections: size, dim: dim = 0)",
         method_signature="(input, split_size: size, dim: dim = 0)", x=M),
    _row("torch.chunk", "so many pieces along dim", "chunk(x, 2, 1)[0]",
         signature="(input, chunks: count, dim: dim = 0)", x=M),
    _row("torch.tensor_split", "so many pieces, or pieces cut at indices", "tensor_split(x, 2, 1)[0]",
         signature=CUTS, x=M),
    _row("torch.hsplit", "pieces cut between columns", "hsplit(x, 3)[0]", signature=SECTIONS, x=M),
    _row("torch.vsplit", "pieces cut between rows", "vsplit(x, 2)[0]", signature=SECTIONS, x=M),
    _row("torch.dsplit", "pieces cut along the third dim", "dsplit(x.view(1, 2, 3), 3)[0]",
         signature=SECTIONS, x=M),
    _row("torch.unbind", "the slices along dim, as a tuple", "unbind(x)[0]",
         signature="(input, dim: dim = 0)", x=M),
    _method("torch.Tensor.unfold", "windows of a size along a dim", "x.unfold(1, 2, 1)",
            signature="(input, dimension: dim, size: size, step: size)", x=M),
)

DIAGONALS = (
    _row("torch.diagonal", "the diagonal, as a view", "diagonal(x)", signature=DIAGONAL, x=M),
    _row("torch.diag", "the diagonal of a matrix, or a matrix with that diagonal", "diag(x)",
         signature=CORNER, x=M),
    _row("torch.diag_embed", "matrices with these diagonals", "diag_embed(x)",
         signature="(input, offset: dim = 0, dim1: dim = -2, dim2: dim = -1)", x=M),
    _row("torch.diagflat", "a matrix with all elements on its diagonal", "diagflat(x)",
         signature="(input, offset: dim = 0)", x=A),
    _row("torch.tril", "the lower triangle, 0 elsewhere", "tril(x)", signature=CORNER, x=M),
    _row("torch.triu", "the upper triangle, 0 elsewhere", "triu(x)", signature=CORNER, x=M),
)

COPIES = (
    _row("torch.clone", "a copy through which gradients pass", "clone(x)", x=A),
    _method("torch.Tensor.contiguous", "the same in row-by-row memory", "x.T.contiguous()", x=M),
    _row("torch.narrow", "length elements along dim from start on", "narrow(x, 1, 0, 2)",
         signature="(input, dim: dim, start: index, length: size)", x=M),
    _row("torch.select", "one slice along dim", "select(x, 1, 0)",
         signature="(input, dim: dim, index: index)", x=M),
)
# fmt: on

ROWS = (*RESHAPES, *TURNS, *STRETCHES, *JOINS, *SPLITS, *DIAGONALS, *COPIES)
