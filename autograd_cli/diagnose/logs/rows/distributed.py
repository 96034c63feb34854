"""Several processes, and memory that ran out with evidence of why."""

import re

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.words import inside, near, say, says, written

_MEMORY = ("out of memory",)
_OTHERS = near(r"(?i)tensorflow|\bjax\b|jaxlib|mxnet|paddle")
_ON_DEVICE = says(r"cuda|hip|mps|gpu|memory\. tried to allocate")
_PROGRESS = re.compile(r"(?i)\b(?:valid|eval)[^/\\]*?(?:\d+%|\b\d+ ?/ ?\d+\b)")
_NO_GRAD = re.compile(r"did not receive grad for rank \d+: ?([\w.]+(?:(?:, | )[\w.]+)*)")
_TWICE = re.compile(r"Parameter at index \d+ with name ([\w.]+)")
_MOST_NAMES = 6
_MORE = 6
_KEPT = written(
    r"\w*loss\w* *\+=|\+= *(?:self\.)?(?:\w*[Ll]oss\w*|criterion|crit)\b|loss\w*\.(?:append|update)\(|"
    r"(?:append|update)\(.*loss"
)
_NUMBER = written(r"\.(?:item|detach|tolist)\(|\.data\b|float\(")
"""A loss without its graph."""
_KINDS = ("RuntimeError", "OutOfMemoryError", "AcceleratorError")
_FAMILY = ("loss-accumulated-with-graph", "eval-without-no-grad", "retain-graph-memory")


def _ran_out(raised: Raised, facts: Facts) -> bool:
    return _ON_DEVICE(raised, facts) and not _OTHERS(raised, facts)


def _evaluates(raised: Raised, facts: Facts) -> bool:
    functions = " ".join(frame.function for frame in raised.frames if "site-packages" not in frame.file)
    own = inside("valid", "evaluat", "eval_", "_eval", ":eval", ":val_", ":test", "infer", "predict")
    return _ran_out(raised, facts) and (
        (own(raised, facts) and functions != "") or any(_phase(line) for line in raised.before[-12:])
    )


def _retains(raised: Raised, facts: Facts) -> bool:
    return _ran_out(raised, facts) and near(r"retain_graph ?= ?True")(raised, facts)


def _phase(line: str) -> bool:
    """Whether a line is the progress of an evaluation; a path of files to validate is none."""
    return _PROGRESS.search(line) is not None


def _keeps(raised: Raised, facts: Facts) -> bool:
    return _ran_out(raised, facts) and _KEPT(raised, facts) and not _NUMBER(raised, facts)


def _at_length(raised: Raised) -> str:
    """The message with the lines after it, where torch goes on in sentences of their own."""
    return "\n".join((raised.message, *raised.after[:_MORE]))


def _without_gradient(raised: Raised, facts: Facts) -> str:
    which = "parameters of a DistributedDataParallel module"
    if match := _NO_GRAD.search(_at_length(raised)):
        names = match[1].replace(",", " ").split()
        which = f"parameters {', '.join(names[:_MOST_NAMES])}{' …' if len(names) > _MOST_NAMES else ''}"
    return f"{which} got no gradient in the round before"


def _marked_twice(raised: Raised, facts: Facts) -> str:
    match = _TWICE.search(_at_length(raised))
    which = f"the parameter {match[1]}" if match else "a parameter of a DistributedDataParallel module"
    return f"{which} got its gradient twice in one backward"


ROWS = (
    Row(
        "AGX420",
        "loss-accumulated-with-graph",
        _MEMORY,
        say("`{text}` keeps each loss with its whole graph, and the memory ran out", "memory ran out"),
        ("the graph of every step stays as long as the sum or list that holds its loss",),
        ("add loss.item() or loss.detach()",),
        also=_FAMILY[1:],
        kinds=_KINDS,
        when=_keeps,
    ),
    Row(
        "AGX445",
        "retain-graph-memory",
        _MEMORY,
        "memory ran out where graphs are kept by retain_graph=True",
        ("a graph that is kept by backward is freed only when the last name of its results goes",),
        ("leave out retain_graph=True, and delete or detach what leads to the old graph",),
        also=_FAMILY[:2],
        kinds=_KINDS,
        when=_retains,
    ),
    Row(
        "AGX444",
        "eval-without-no-grad",
        _MEMORY,
        say("memory ran out in evaluation, at `{text}`", "memory ran out in evaluation"),
        ("outside no_grad each forward keeps what backward would need; it may also be a larger batch",),
        ("put the evaluation under torch.no_grad() or torch.inference_mode(); keep results with .cpu()",),
        also=(_FAMILY[0], _FAMILY[2]),
        kinds=_KINDS,
        when=_evaluates,
    ),
    Row(
        "AGX612",
        "ddp-unused-parameters",
        (
            "to have finished reduction in the prior iteration",
            "has parameters that were not used in producing the loss",
            "your training graph has changed in this iteration",
        ),
        _without_gradient,
        ("a branch was not taken, a layer is not used, or the loss leaves out an output",),
        (
            (
                "remove or freeze the unused layers, or pass find_unused_parameters=True; "
                "TORCH_DISTRIBUTED_DEBUG=DETAIL names them"
            ),
        ),
    ),
    Row(
        "AGX613",
        "ddp-parameter-ready-twice",
        ("mark a variable ready only once",),
        _marked_twice,
        (
            (
                "a reentrant checkpoint, a layer used outside forward, or "
                "find_unused_parameters with shared layers"
            ),
        ),
        ("use checkpoint(..., use_reentrant=False), find_unused_parameters=False, or static_graph=True",),
    ),
    Row(
        "AGX614",
        "ddp-no-trainable-parameters",
        ("any parameter that requires a gradient", "tensors.size() > 0 internal assert failed"),
        say(
            "`{text}` wraps a module of which no parameter requires grad",
            "a module of which no parameter requires grad is wrapped for DistributedDataParallel",
        ),
        ("all is frozen, or it holds no parameter",),
        ("wrap only what is trained; leave a frozen module as it is",),
        when=says(r"requires a gradient|reducer\.cpp"),
    ),
)
