"""What `shapes` has as views, as copies of their own; pieces by sizes; and views by strides."""

from functools import partial

from autograd_cli.lang.functions.rows import Kind, row

_row = partial(row, kind=Kind.SHAPE, domain="any")
_copy = partial(_row, method=False)

STRIDES = "(input, size: size, stride: size, storage_offset: index = None)"
SIZES = "(input, split_sizes: size, dim: dim = 0)"
M = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"
A = "[1.5,-0.3]"

# fmt: off
COPIES = (
    _copy("torch.alias_copy", "a copy", "alias_copy(x)", x=A),
    _copy("torch.diagonal_copy", "the diagonal, copied", "diagonal_copy(x)", x=M,
          signature="(input, offset: dim = 0, dim1: dim = 0, dim2: dim = 1)"),
    _copy("torch.expand_copy", "stretched over dims of size 1, copied", "expand_copy(x, (3, 2))", x=A,
          signature="(input, size: size, *, implicit: flag = False)"),
    _row("torch.narrow_copy", "length elements along dim from start on, copied", "narrow_copy(x, 1, 0, 2)",
         signature="(input, dim: dim, start: index, length: size)", x=M),
    _copy("torch.permute_copy", "the dims in the order given, copied", "permute_copy(x, (1, 0))",
          signature="(input, dims: dim)", x=M),
    _copy("torch.select_copy", "one slice along dim, copied", "select_copy(x, 1, 0)", x=M,
          signature="(input, dim: dim, index: index)"),
    _copy("torch.slice_copy", "a range of slices along dim, copied", "slice_copy(x, 1, 0, 2)", x=M,
          signature="(input, dim: dim = 0, start: index = None, end: index = None, step: count = 1)"),
    _copy("torch.squeeze_copy", "without dims of size 1, copied", "squeeze_copy(x)", x="[[1.5,0.3]]",
          signature="(input, dim: dim = None)"),
    _copy("torch.t_copy", "the transpose of a matrix, copied", "t_copy(x)", domain="at most two dims", x=M),
    _copy("torch.transpose_copy", "two dims swapped, copied", "transpose_copy(x, 0, 1)", x=M,
          signature="(input, dim0: dim, dim1: dim)"),
    _copy("torch.unsqueeze_copy", "with a dim of size 1 put in, copied", "unsqueeze_copy(x, 0)", x=A,
          signature="(input, dim: dim)"),
    _copy("torch.view_copy", "the same elements in another shape, copied", "view_copy(x, (3, 2))", x=M,
          signature="(input, size: size)"),
    _copy("torch.unfold_copy", "windows of a size along a dim, copied", "unfold_copy(x, 1, 2, 1)", x=M,
          signature="(input, dimension: dim, size: size, step: size)"),
    _copy("torch.unbind_copy", "the slices along dim, copied", "unbind_copy(x)[0]", x=M,
          signature="(input, dim: dim = 0)"),
    _copy("torch.split_with_sizes_copy", "pieces of these sizes along dim, copied",
          "split_with_sizes_copy(x, (1, 2), 1)[1]", signature=SIZES, x=M),
)

PIECES = (
    _row("torch.split_with_sizes", "pieces of these sizes along dim", "split_with_sizes(x, (1, 2), 1)[1]",
         signature=SIZES, x=M),
    _row("torch.unsafe_split", "split, without watching for pieces changed in place",
         "unsafe_split(x, 2, 1)[0]", signature="(input, split_size: size, dim: dim = 0)", x=M),
    _row("torch.unsafe_chunk", "chunk, without watching for pieces changed in place",
         "unsafe_chunk(x, 2, 1)[0]", signature="(input, chunks: count, dim: dim = 0)", x=M),
    _row("torch.Tensor.sum_to_size", "summed down to a shape that broadcasts to its own",
         "x.sum_to_size(1, 3)", signature="(input, *size: size)", domain="any real", x=M),
)

STRIDED = (
    _row("torch.as_strided", "the memory read with these strides", "as_strided(x, (2, 2), (1, 2))",
         signature=STRIDES, domain="inside the memory", x=M),
    _copy("torch.as_strided_copy", "the memory read with these strides, copied",
          "as_strided_copy(x, (2, 2), (1, 2))", signature=STRIDES, domain="inside the memory", x=M),
)
# fmt: on

ROWS = COPIES + PIECES + STRIDED
