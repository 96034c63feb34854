"""Functions that make a tensor of nothing but numbers and sizes: given, regular or random ones."""

from functools import partial

from autograd_cli.lang.functions.rows import Kind, row

_row = partial(row, kind=Kind.CREATION, method=False, differentiable=False, domain="a new constant")
_method = partial(_row, method=True)
_random = partial(_row, kind=Kind.RANDOM, domain="a new constant, drawn at random")

TAIL = "*, dtype: dtype = None, device: device = None, requires_grad: flag = False)"
SIZE = "(*size: size, dtype: dtype = None, device: device = None, requires_grad: flag = False)"
LIKE = "(input, " + TAIL
NEW = "(input, *size: size, dtype: dtype = None, device: device = None, requires_grad: flag = False)"
WINDOW = "(window_length: count, periodic: flag = True, " + TAIL
HAMMING = "(window_length: count, periodic: flag = True, alpha: number = 0.54, beta: number = 0.46, " + TAIL
A = "[1.5,-0.3]"

# fmt: off
GIVEN = (
    _row("torch.tensor", "a tensor of these numbers", "tensor([[1., 2.], [3., 4.]])",
         signature="(data: number, " + TAIL),
    _row("torch.as_tensor", "a tensor of these numbers; a tensor is given back as it is",
         "as_tensor([1., 2.])", signature="(data: number, dtype: dtype = None, device: device = None)"),
    _row("torch.scalar_tensor", "a tensor without dims", "scalar_tensor(2.)",
         signature="(s: number, " + TAIL),
    _row("torch.zeros", "all 0", "zeros(2, 3)", signature=SIZE),
    _row("torch.ones", "all 1", "ones(2, 3)", signature=SIZE),
    _row("torch.full", "all fill_value", "full((2, 3), 7.)",
         signature="(size: size, fill_value: number, " + TAIL),
    _row("torch.eye", "1 on the diagonal, 0 elsewhere", "eye(3)",
         signature="(n: count, m: count = None, " + TAIL),
    _row("torch.zeros_like", "all 0, in the shape of input", "zeros_like(x)", signature=LIKE, x=A),
    _row("torch.ones_like", "all 1, in the shape of input", "ones_like(x)", signature=LIKE, x=A),
    _row("torch.full_like", "all fill_value, in the shape of input", "full_like(x, 7.)",
         signature="(input, fill_value: number, " + TAIL, x=A),
    _method("torch.Tensor.new_tensor", "these numbers, in the dtype of input", "x.new_tensor([1., 2.])",
            signature="(input, data: number, " + TAIL, x=A),
    _method("torch.Tensor.new_zeros", "all 0, in the dtype of input", "x.new_zeros(2, 3)", signature=NEW,
            x=A),
    _method("torch.Tensor.new_ones", "all 1, in the dtype of input", "x.new_ones(2, 3)", signature=NEW, x=A),
    _method("torch.Tensor.new_full", "all fill_value, in the dtype of input", "x.new_full((2, 3), 7.)",
            signature="(input, size: size, fill_value: number, " + TAIL, x=A),
)

REGULAR = (
    _row("torch.arange", "start, start + step, … below end", "arange(0, 10, 2)",
         signature="(start: count = 0, end: count = None, step: count = 1, " + TAIL),
    _row("torch.linspace", "so many numbers from start to end, evenly", "linspace(0, 1, 5)",
         signature="(start: number, end: number, steps: count, " + TAIL),
    _row("torch.logspace", "base to the power of so many numbers from start to end", "logspace(0, 2, 3)",
         signature="(start: number, end: number, steps: count, base: number = 10.0, " + TAIL),
    _row("torch.hann_window", "a cosine bell from 0 to 0", "hann_window(5)", signature=WINDOW),
    _row("torch.hamming_window", "a cosine bell that does not reach 0", "hamming_window(5)",
         signature=HAMMING),
    _row("torch.bartlett_window", "a triangle from 0 to 0", "bartlett_window(5)", signature=WINDOW),
    _row("torch.blackman_window", "a bell of two cosines", "blackman_window(5)", signature=WINDOW),
    _row("torch.kaiser_window", "a bell of a Bessel function", "kaiser_window(5)",
         signature="(window_length: count, periodic: flag = True, beta: number = 12.0, " + TAIL),
    _row("torch.fft.fftfreq", "the frequencies of fft's result", "fft.fftfreq(5)",
         signature="(n: count, d: number = 1.0, " + TAIL),
    _row("torch.fft.rfftfreq", "the frequencies of rfft's result", "fft.rfftfreq(5)",
         signature="(n: count, d: number = 1.0, " + TAIL),
)

RANDOM = (
    _random("torch.rand", "evenly from 0 up to 1", "rand(2, 3)", signature=SIZE),
    _random("torch.randn", "from the normal distribution", "randn(2, 3)", signature=SIZE),
    _random("torch.randint", "integers from low up to, not including, high", "randint(0, 10, (2, 3))",
            signature="(low: count = 0, high: count = None, size: size = None, " + TAIL),
    _random("torch.randperm", "the integers below n in random order", "randperm(5)",
            signature="(n: count, " + TAIL),
    _random("torch.rand_like", "evenly from 0 up to 1, in the shape of input", "rand_like(x)",
            signature=LIKE, x=A),
    _random("torch.randn_like", "normal, in the shape of input", "randn_like(x)", signature=LIKE, x=A),
    _random("torch.randint_like", "integers below high, in the shape of input", "randint_like(x, 10)",
            signature="(input, low: count = 0, high: count = None, " + TAIL, x=A),
    _random("torch.normal", "normal with this mean and spread", "normal(0., 1., (2, 3))",
            signature="(mean: number, std: number = 1.0, size: size = None, " + TAIL),
    _random("torch.bernoulli", "1 with the chance that each element says, else 0",
            "bernoulli(tensor([0.2, 0.7]))", method=True, signature="(input, p: number = None)"),
    _random("torch.poisson", "counts with the mean that each element says", "poisson(tensor([0.2, 7.]))"),
    _random("torch.multinomial", "indices with the weights that the elements say",
            "multinomial(tensor([0.2, 0.7]), 2)", method=True,
            signature="(input, num_samples: count, replacement: flag = False)"),
)

UNSET = (
    _row("torch.empty", "memory as it is: any values", "empty(2, 3)", signature=SIZE),
    _row("torch.empty_like", "memory as it is, in the shape of input", "empty_like(x)", signature=LIKE, x=A),
    _method("torch.Tensor.new_empty", "memory as it is, in the dtype of input", "x.new_empty(2, 3)",
            signature=NEW, x=A),
)
# fmt: on

ROWS = GIVEN + REGULAR + RANDOM + UNSET
