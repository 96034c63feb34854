"""Other dtypes, devices and complex parts; what cuts a gradient; and questions a tensor answers."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_cast = partial(row, kind=Kind.ELEMENTWISE)
_cut = partial(row, kind=Kind.CUT, differentiable=False)
_ask = partial(row, kind=Kind.PYTHON, differentiable=False, domain="any; a Python value comes out")

A, C = "[1.5,-0.25]", "[1.5+0.3j,-0.4+2j]"
ROUNDED = "any real; the gradient is that of x unrounded"
HERE = "(input, device: device = None, non_blocking: flag = False)"


def _float(name: str, meaning: str, example: str = "") -> Function:
    """A row for a method that gives another floating dtype: its name, its meaning."""
    return _cast(f"torch.Tensor.{name}", meaning, example or f"x.{name}()", domain=ROUNDED, x=A)


def _whole(name: str, meaning: str) -> Function:
    """A row for a method that gives an integer dtype: its name, its meaning."""
    return _cut(
        f"torch.Tensor.{name}", meaning, f"x.{name}()", domain="an integer comes out: gradients end here", x=A
    )


# fmt: off
FLOATS = (
    _float("float", "in float32"),
    _float("double", "in float64"),
    _float("half", "in float16: 11 bits, up to 65504"),
    _float("bfloat16", "in bfloat16: 8 bits, the range of float32"),
    _float("chalf", "in complex32", "x.chalf().real.double()"),
    _float("cfloat", "in complex64", "x.cfloat().real"),
    _float("cdouble", "in complex128", "x.cdouble().real"),
    _cast("torch.Tensor.to", "in another dtype, on another device, or like another tensor", "x.to(float64)",
          x=A, moves=True,
          signature="(input, device: device = None, dtype: dtype = None, non_blocking: flag = False,"
                    " copy: flag = False, *, tensor = None)",
          domain="any; gradients end where an integer comes out"),
    _cast("torch.Tensor.type_as", "in the dtype of other", "x.type_as(ones(1))", signature="(input, other)",
          moves=True, x=A),
    _cast("torch.Tensor.type", "in another dtype; without one, its name", "x.type(float64)", x=A,
          signature="(input, dtype: dtype = None, non_blocking: flag = False)"),
    _cast("torch.Tensor.cpu", "on the CPU", "x.cpu()", x=A),
    _cast("torch.Tensor.cuda", "on a CUDA device", "x.cuda() if torch.cuda.is_available() else x", x=A,
          domain="where CUDA is usable", signature=HERE),
)

COMPLEX = (
    _cast("torch.real", "the real part", "real(x)", method=False, domain="any", x=C),
    _cast("torch.imag", "the imaginary part", "imag(x)", method=False, domain="complex", x=C),
    _cast("torch.Tensor.real", "the real part", "x.real", method=False, attribute=True, domain="any", x=C),
    _cast("torch.Tensor.imag", "the imaginary part", "x.imag", method=False, attribute=True,
          domain="complex", x=C),
    _cast("torch.conj", "the imaginary part turned over", "conj(x).imag", domain="any", x=C),
    _cast("torch.conj_physical", "conj, written out at once", "conj_physical(x).imag", domain="any", x=C),
    _cast("torch.resolve_conj", "conj written out, where it is only marked", "resolve_conj(conj(x)).imag",
          domain="any", x=C),
    _cast("torch.resolve_neg", "a minus written out, where it is only marked", "resolve_neg(x).imag",
          domain="any", x=C),
    _cast("torch.angle", "the angle in the complex plane", "angle(x)", domain="not 0", x=C),
    _cast("torch.complex", "real + imag*1j", "torch.complex(x, y).abs()", signature="(real, imag)",
          method=False, x=A, y="[0.7,2.]"),
    _cast("torch.polar", "abs * (cos(angle) + sin(angle)*1j)", "polar(x, y).imag", signature="(abs, angle)",
          method=False, x="[1.5,0.3]", y="[0.7,2.]"),
    _cast("torch.view_as_real", "real and imaginary parts along a last dim of 2", "view_as_real(x)",
          method=False, domain="complex", x=C),
    _cast("torch.view_as_complex", "complex numbers of a last dim of 2", "view_as_complex(x).abs()",
          method=False, x="[[1.5,0.3],[-0.4,2.]]"),
)

CUTS = (
    _cut("torch.detach", "the same memory, outside the graph", "detach(x)", domain="any; gradients end here",
         x=A),
    _cut("torch.Tensor.data", "the same memory, outside the graph and unwatched", "x.data", method=False,
         attribute=True, domain="any; gradients end here", x=A),
    _cut("torch.Tensor.item", "the one element as a Python number", "x.item()",
         domain="one element; gradients end here", x="1.5"),
    _cut("torch.Tensor.tolist", "the elements as Python numbers", "x.tolist()",
         domain="any; gradients end here", x=A),
    _cut("torch.Tensor.requires_grad_", "itself, made a leaf that requires grad, or not",
         "zeros(2).requires_grad_()", signature="(input, requires_grad: flag = True)", domain="leaves"),
    _whole("int", "in int32, the fraction dropped"),
    _whole("long", "in int64, the fraction dropped"),
    _whole("short", "in int16, the fraction dropped"),
    _whole("char", "in int8, the fraction dropped"),
    _whole("byte", "in uint8, the fraction dropped"),
    _whole("bool", "whether each element is not 0"),
)

QUESTIONS = (
    _ask("torch.numel", "how many elements", "numel(x)", x=A),
    _ask("torch.Tensor.nelement", "how many elements", "x.nelement()", x=A),
    _ask("torch.Tensor.size", "the shape, or the size of one dim", "x.size(0)",
         signature="(input, dim: dim = None)", x=A),
    _ask("torch.Tensor.dim", "how many dims", "x.dim()", x=A),
    _ask("torch.Tensor.ndimension", "how many dims", "x.ndimension()", x=A),
    _ask("torch.Tensor.stride", "how many elements apart neighbours along each dim lie", "x.stride()",
         signature="(input, dim: dim = None)", x=A),
    _ask("torch.Tensor.storage_offset", "how many elements of the memory come before the first",
         "x.storage_offset()", x=A),
    _ask("torch.Tensor.element_size", "how many bytes an element takes", "x.element_size()", x=A),
    _ask("torch.Tensor.is_contiguous", "whether the memory is in row-by-row order", "x.is_contiguous()", x=A),
    _ask("torch.is_floating_point", "whether the dtype is a floating one", "is_floating_point(x)", x=A),
    _ask("torch.is_complex", "whether the dtype is a complex one", "is_complex(x)", x=A),
    _ask("torch.is_nonzero", "whether the one element is not 0", "is_nonzero(x)", x="1.5"),
    _ask("torch.is_same_size", "whether the shapes are equal", "is_same_size(x, x)",
         signature="(input, other)", x=A),
    _ask("torch.is_tensor", "whether it is a tensor", "is_tensor(x)", signature="(obj)", method=False, x=A),
    _ask("torch.result_type", "the dtype that the two promote to", "result_type(x, 2)",
         signature="(tensor, other)", method=False, x=A),
    _ask("torch.promote_types", "the dtype that two dtypes promote to", "promote_types(float32, int64)",
         signature="(type1: dtype, type2: dtype)", method=False),
)
# fmt: on

ROWS = FLOATS + COMPLEX + CUTS + QUESTIONS
