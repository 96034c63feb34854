"""What torch, NumPy and Python have and tutorials call, and the language has not: why, and what to write."""

from typing import NamedTuple

from autograd_cli.lang.vocabulary import words


class Missing(NamedTuple):
    """What a function does, to follow its name in a sentence, and what to write instead."""

    does: str
    hint: str


_SETS = "changes a setting of the whole process, which no source does."
_FASTER = Missing(_SETS, "Leave it out: it changes how long a run takes, and not what comes out.")
_DTYPE = Missing(_SETS, "Give tensors their dtype: `torch.zeros(2, dtype=torch.float64)`.")
_REPEATS = Missing(_SETS, "Leave it out: `torch.manual_seed(0)` makes a run repeat.")
_ANOMALY = Missing(_SETS, "Leave it out: agx says by itself which step made a NaN.")
_CLOCK = Missing("tells the time, which is another in each run.", "Leave the lines of the clock out.")
_DERIVES = Missing(
    "differentiates a function that it is given.",
    "Compute `y` from `x`, and take `torch.autograd.grad(y[i], x)` for each of its elements.",
)
_RANDOM = Missing(
    "draws by Python's own generator.", "Write `torch.manual_seed(0)`, and `torch.rand(1).item()`."
)
_SYSTEM = Missing("reaches the machine, which no source does.", "Leave it out.")

MISSING: dict[str, Missing] = {
    "torch.set_default_dtype": _DTYPE,
    "torch.set_default_tensor_type": _DTYPE,
    "torch.set_default_device": Missing(_SETS, "Run it with `--device cuda`, or give tensors their device."),
    "torch.set_printoptions": Missing(_SETS, 'Write what is to be shown: `print(f"{x.item():.3f}")`.'),
    "numpy.set_printoptions": Missing(_SETS, "Write what is to be shown: `print(x.round(3))`."),
    "torch.autograd.set_detect_anomaly": _ANOMALY,
    "torch.autograd.detect_anomaly": _ANOMALY,
    "torch.use_deterministic_algorithms": _REPEATS,
    "torch.set_num_threads": _FASTER,
    "torch.set_num_interop_threads": _FASTER,
    "torch.set_float32_matmul_precision": _FASTER,
    "torch.set_flush_denormal": Missing(_SETS, "Leave it out."),
    "torch.autograd.Variable": Missing(
        "makes what every tensor is by now.", "Write `x = torch.ones(2, requires_grad=True)`."
    ),
    "torch.Generator": Missing(
        "makes a generator of random numbers of its own.", "Write `torch.manual_seed(0)` above the draw."
    ),
    "numpy.random.default_rng": Missing(
        "makes a generator of random numbers of its own.",
        "Write `np.random.seed(0)`, and `np.random.rand(2)`.",
    ),
    "torch.compile": Missing("compiles a function, which computes the same.", "Leave it out."),
    "torch.autograd.gradcheck": Missing(
        "compares gradients with numeric ones.", "Leave it out: agx does so by itself at each backward."
    ),
    "torch.utils.data.DataLoader": Missing(
        "gives out a data set by parts.",
        "Take the parts by slices: `for i in range(0, len(X), 10):`, and `X[i:i + 10]` in it.",
    ),
    **{f"torch.autograd.functional.{name}": _DERIVES for name in words("jacobian hessian vjp jvp hvp vhp")},
    **{f"torch.func.{name}": _DERIVES for name in words("grad vjp jvp jacrev jacfwd hessian")},
}
"""By path."""

MODULES: dict[str, Missing] = {
    "time": _CLOCK,
    "timeit": _CLOCK,
    "datetime": _CLOCK,
    "random": _RANDOM,
    **dict.fromkeys(words("os sys subprocess pathlib shutil glob io pickle json csv"), _SYSTEM),
}
"""By the first name of a module of Python's."""


def missing(path: str | None) -> Missing | None:
    """Why `path` is not in the language, where that is known."""
    return None if path is None else MISSING.get(path) or MODULES.get(path.partition(".")[0])
