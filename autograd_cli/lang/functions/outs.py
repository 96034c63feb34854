"""The functions that write what they make into a tensor, or an array, that is there: `out=`."""

from autograd_cli.lang.vocabulary import words

_TORCH = words(
    """
    abs neg square sqrt rsqrt reciprocal sign floor ceil trunc frac round exp exp2 expm1 log log2 log10 log1p
    sigmoid sin cos tan asin acos atan sinh cosh tanh erf add sub mul div true_divide floor_divide remainder
    fmod pow addcmul addcdiv lerp maximum minimum clamp atan2 hypot logaddexp eq ne lt le gt ge logical_and
    logical_or logical_not mean sum prod std var logsumexp norm amax amin cumsum cumprod argmax argmin any all
    cat stack hstack vstack tril triu gather index_select masked_select where matmul mm bmm mv dot inner outer
    cross addmm addmv baddbmm softmax log_softmax zeros ones full eye arange linspace
    subtract multiply divide
    """
)
_NUMPY = words(
    "add subtract multiply divide power sqrt exp log sin cos abs maximum mean sum max min dot matmul"
)

OUT = frozenset({*(f"torch.{name}" for name in _TORCH), *(f"numpy.{name}" for name in _NUMPY)})
"""Their paths; other functions have it in torch too, and tutorials do without."""
