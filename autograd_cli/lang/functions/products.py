"""Products of vectors, matrices and batches of them."""

from functools import partial

from autograd_cli.lang.functions.rows import Kind, row

_row = partial(row, kind=Kind.PRODUCT, domain="shapes that multiply")
_function = partial(_row, method=False)

TWO = "(input, other)"
BETA = ", *, beta: number = 1, alpha: number = 1)"
V, W = "[1.5,-0.3,0.7]", "[0.2,2.5,-1.1]"
M, N = "[[1.5,-0.3],[0.2,2.5]]", "[[0.7,1.1],[-0.4,0.9]]"
B, D = "[[[1.5,-0.3],[0.2,2.5]]]", "[[[0.7,1.1],[-0.4,0.9]]]"
U = "[0.4,-1.2]"

# fmt: off
ROWS = (
    _row("torch.matmul", "the matrix product, batched and stretched", "matmul(x, y)", signature=TWO,
         aliases=("torch.linalg.matmul",), x=M, y=N),
    _row("torch.mm", "the product of two matrices", "mm(x, y)", signature="(input, mat2)", x=M, y=N),
    _row("torch.bmm", "the products of two batches of matrices", "bmm(x, y)", signature="(input, mat2)", x=B,
         y=D),
    _row("torch.mv", "a matrix times a vector", "mv(x, y)", signature="(input, vec)", x=M, y=U),
    _row("torch.dot", "the sum of products of two vectors", "dot(x, y)", signature="(input, tensor)", x=V,
         y=W),
    _row("torch.vdot", "the sum of conj(x) * y", "vdot(x, y)", signature=TWO, x=V, y=W),
    _row("torch.inner", "sums of products along the last dim of both", "inner(x, y)", signature=TWO, x=M,
         y=N),
    _row("torch.outer", "every element of one times every of the other", "outer(x, y)",
         signature="(input, vec2)", aliases=("torch.ger",), x=V, y=U),
    _row("torch.kron", "the Kronecker product", "kron(x, y)", signature=TWO, x=M, y=N),
    _row("torch.cross", "the vector at right angles to both", "cross(x, y, dim=0)",
         signature="(input, other, dim: dim = None)", domain="three elements along dim", x=V, y=W),
    _row("torch.addmm", "x + a @ b", "addmm(x, a, b)", signature="(input, mat1, mat2" + BETA, x=M, a=N, b=M),
    _row("torch.addmv", "x + a @ v", "addmv(x, a, v)", signature="(input, mat, vec" + BETA, x=U, a=M, v=U),
    _row("torch.addr", "x + outer(v, w)", "addr(x, v, w)", signature="(input, vec1, vec2" + BETA, x=M, v=U,
         w=U),
    _row("torch.addbmm", "x + the sum of a batch of products", "addbmm(x, a, b)",
         signature="(input, batch1, batch2" + BETA, x=M, a=B, b=D),
    _row("torch.baddbmm", "x + a @ b for each of a batch", "baddbmm(x, a, b)",
         signature="(input, batch1, batch2" + BETA, x=B, a=B, b=D),
    _function("torch.tensordot", "sums of products along the dims given", "tensordot(x, y, dims=1)",
              signature="(a, b, dims: dim = 2)", x=M, y=N),
    _function("torch.einsum", "sums of products by letters for the dims", "einsum('ij,jk->ik', x, y)",
              signature="(equation: text, *operands)", x=M, y=N),
    _function("torch.chain_matmul", "the product of several matrices", "chain_matmul(x, y, x)",
              signature="(*matrices)", x=M, y=N),
)
# fmt: on
