"""What stands between the layers of a network: relu and its like, softmax and its like."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.ACTIVATION)
_function = partial(_row, method=False)

DIM_DTYPE = "(input, dim: dim, dtype: dtype = None)"
LOOSE_DIM = "(input, dim: dim = None, *, dtype: dtype = None)"
IN_PLACE = "(input, *, inplace: flag = False)"
ALPHA = "(input, alpha: number = 1.0, *, inplace: flag = False)"
KINK = "x != 0"
A = "[-1.5,0.3,2.2]"
M = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"


def _one(name: str, meaning: str, signature: str = "(input)", domain: str = "any real") -> Function:
    """A row for a function of F that takes a tensor: name, meaning, signature, domain."""
    return _function(
        f"torch.nn.functional.{name}", meaning, f"F.{name}(x)", signature=signature, domain=domain, x=A
    )


# fmt: off
BENDS = (
    _one("relu", "x where positive, else 0", IN_PLACE, KINK),
    _one("relu6", "x kept within 0 and 6", IN_PLACE, domain="x != 0 and x != 6"),
    _one("leaky_relu", "x where positive, else a small share of it",
         "(input, negative_slope: number = 0.01, *, inplace: flag = False)", KINK),
    _one("elu", "x where positive, else alpha * (exp(x) - 1)", ALPHA),
    _one("celu", "x where positive, else alpha * (exp(x/alpha) - 1)", ALPHA),
    _one("selu", "elu, scaled so that layers keep their spread", IN_PLACE, domain=KINK),
    _one("gelu", "x times the chance of a standard normal below x", "(input, *, approximate: text = 'none')"),
    _one("silu", "x * sigmoid(x), also called swish", IN_PLACE),
    _one("mish", "x * tanh(softplus(x))", IN_PLACE),
    _one("softplus", "log(1 + exp(beta*x)) / beta", "(input, beta: number = 1, threshold: number = 20)"),
    _one("softsign", "x / (1 + |x|)"),
    _one("logsigmoid", "log(sigmoid(x))"),
    _one("tanhshrink", "x - tanh(x)"),
    _one("hardtanh", "x kept within min_val and max_val",
         "(input, min_val: number = -1.0, max_val: number = 1.0, *, inplace: flag = False)",
         "x != min_val and x != max_val"),
    _one("hardsigmoid", "a straight-lined sigmoid", IN_PLACE, domain="x != -3 and x != 3"),
    _one("hardswish", "x * hardsigmoid(x)", IN_PLACE, domain="x != -3 and x != 3"),
    _row("torch.hardshrink", "x, but 0 within lambd of 0", "hardshrink(x)",
         signature="(input, lambd: number = 0.5)", domain="|x| != lambd",
         aliases=("torch.nn.functional.hardshrink",), x=A),
    _one("softshrink", "x moved towards 0 by lambd", "(input, lambd: number = 0.5)", "|x| != lambd"),
    _function("torch.nn.functional.threshold", "x where above a threshold, else a value",
              "F.threshold(x, 0.1, -2)",
              signature="(input, threshold: number, value: number, *, inplace: flag = False)",
              domain="x != threshold", x=A),
    _row("torch.prelu", "x where positive, else weight * x", "prelu(x, w)", signature="(input, weight)",
         domain=KINK, aliases=("torch.nn.functional.prelu",), x=A, w="[0.25]"),
    _function("torch.nn.functional.rrelu", "leaky_relu with a random slope while training", "F.rrelu(x)",
              signature="(input, lower: number = 0.125, upper: number = 0.3333, training: flag = False,"
                        " *, inplace: flag = False)",
              domain=KINK, draws=True, x=A),
    _function("torch.nn.functional.glu", "one half times the sigmoid of the other", "F.glu(x)",
              signature="(input, dim: dim = -1)", x="[-1.5,0.3,2.2,0.4]"),
    _row("torch.logit", "log(x / (1 - x)), the inverse of sigmoid", "logit(x)",
         signature="(input, eps: number = None)", domain="0 < x < 1", aliases=("torch.special.logit",),
         x="[0.2,0.7]"),
)

SOFTMAX = (
    _row("torch.softmax", "exp(x) / sum(exp(x)) along dim", "softmax(x, 1)", signature=DIM_DTYPE, x=M),
    _function("torch.special.softmax", "exp(x) / sum(exp(x)) along dim", "special.softmax(x, 1)",
              signature=DIM_DTYPE, x=M),
    _function("torch.nn.functional.softmax", "exp(x) / sum(exp(x)) along dim", "F.softmax(x, 1)",
              signature=LOOSE_DIM, x=M),
    _row("torch.log_softmax", "the logarithm of softmax along dim", "log_softmax(x, 1)", signature=DIM_DTYPE,
         x=M),
    _function("torch.special.log_softmax", "the logarithm of softmax along dim", "special.log_softmax(x, 1)",
              signature="(input, dim: dim, *, dtype: dtype = None)", x=M),
    _function("torch.nn.functional.log_softmax", "the logarithm of softmax along dim", "F.log_softmax(x, 1)",
              signature=LOOSE_DIM, x=M),
    _function("torch.nn.functional.softmin", "softmax(-x) along dim", "F.softmin(x, 1)", signature=LOOSE_DIM,
              x=M),
    _function("torch.nn.functional.gumbel_softmax", "softmax after random noise", "F.gumbel_softmax(x)",
              signature="(logits, tau: number = 1, hard: flag = False, eps: number = 1e-10, dim: dim = -1)",
              draws=True, x=M),
)
# fmt: on

ROWS = BENDS + SOFTMAX
