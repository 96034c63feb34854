"""Waves of a signal: the windows of torch.signal, short-time Fourier transforms, and more of torch.fft."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.LINALG)

STFT = (
    "(input, n_fft: count, hop_length: count = None, win_length: count = None, window = None,"
    " center: flag = True, pad_mode: text = 'reflect', normalized: flag = False, onesided: flag = None,"
    " return_complex: flag = None, align_to_window: flag = None)"
)
ISTFT = (
    "(input, n_fft: count, hop_length: count = None, win_length: count = None, window = None,"
    " center: flag = True, normalized: flag = False, onesided: flag = None, length: count = None,"
    " return_complex: flag = False)"
)
TAIL = ", sym: flag = True, dtype: dtype = None, device: device = None, requires_grad: flag = False)"
TWO_AXES = "(input, s: size = None, dim: dim = (-2, -1), norm: text = None)"
ALL_AXES = "(input, s: size = None, dim: dim = None, norm: text = None)"
W = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"


def _window(name: str, meaning: str, options: str = "", arguments: str = "") -> Function:
    """A row for a window: its name and meaning, its own arguments and those of the example."""
    return row(
        f"torch.signal.windows.{name}",
        meaning,
        f"torch.signal.windows.{name}(5{arguments})",
        kind=Kind.CREATION,
        signature=f"(M: count, *{options}{TAIL}",
        key=f"window_{name}",
        domain="a new constant",
        method=False,
        differentiable=False,
    )


def _fourier(name: str, meaning: str, example: str, signature: str) -> Function:
    """A row of torch.fft: its name, meaning, example and signature."""
    return _row(f"torch.fft.{name}", meaning, f"fft.{example}", signature=signature, method=False, x=W)


# fmt: off
WINDOWS = (
    _window("bartlett", "a triangle from 0 to 0"),
    _window("blackman", "a bell of two cosines"),
    _window("cosine", "half a wave of the sine"),
    _window("exponential", "falling off from the middle by a factor",
            ", center: number = None, tau: number = 1.0"),
    _window("gaussian", "the bell of the normal distribution", ", std: number = 1.0"),
    _window("general_cosine", "a sum of cosines with the weights a", ", a: number", ", a=[0.5, 0.5]"),
    _window("general_hamming", "a cosine bell that reaches down to 2*alpha - 1", ", alpha: number = 0.54"),
    _window("hamming", "a cosine bell that does not reach 0"),
    _window("hann", "a cosine bell from 0 to 0"),
    _window("kaiser", "a bell of a Bessel function", ", beta: number = 12.0"),
    _window("nuttall", "a bell of three cosines"),
)

TRANSFORMS = (
    _row("torch.stft", "the waves of a signal, window after window",
         "stft(x, 4, window=ones(4), return_complex=True).abs()",
         signature=STFT, x="[1.5,-0.3,0.7,0.2,2.5,-1.1]"),
    _row("torch.istft", "a signal from the waves of its windows", "istft(x + 0j, 4, window=ones(4))",
         signature=ISTFT, x="[[1.5,-0.3,0.7],[0.2,2.5,-1.1],[0.4,0.9,1.3]]"),
    _fourier("hfft2", "the real waves of half a mirrored plane", "hfft2(x)", TWO_AXES),
    _fourier("ihfft2", "half a mirrored plane from its real waves", "ihfft2(x).real", TWO_AXES),
    _fourier("hfftn", "the real waves of half of what is mirrored, along all dims", "hfftn(x)", ALL_AXES),
    _fourier("ihfftn", "half of what is mirrored from its real waves, along all dims", "ihfftn(x).real",
             ALL_AXES),
    _fourier("rfftn", "the real waves along all dims, without the mirrored half", "rfftn(x).real", ALL_AXES),
    _fourier("irfftn", "real elements from half their waves, along all dims", "irfftn(x)", ALL_AXES),
)
# fmt: on

ROWS = WINDOWS + TRANSFORMS
