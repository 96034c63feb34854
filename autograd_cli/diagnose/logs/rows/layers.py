"""Layers that are given another shape than they were made for: Linear and convolutions."""

import re
from math import prod

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.called import seen
from autograd_cli.diagnose.logs.rows.words import Test, both, either, gaps, inside, say, says, written
from autograd_cli.report.values import shape_text

MATMUL = (
    "shapes cannot be multiplied",
    "mat1 dim 1 must match mat2 dim 0",
    "size mismatch, m1",
    "size mismatch, got",
    "size mismatch, ",
    "must have same reduction dim",
)
"""What torch says of a product whose inner sizes differ."""

_PRODUCT = written(r" @ |@ ?\w|\b(?:matmul|mm|bmm|mv|addmm|einsum|dot)\(")
_GIVEN = re.compile(r"given \(([\d,]*)\)$")
_RANK = re.compile(r"input to (conv(?:_transpose)?(\d)d)", re.IGNORECASE)
_SIZES = {1: "length", 2: "height, width", 3: "depth, height, width"}
_GREY, _COLOURS, _WITH_ALPHA = 1, 3, 4
_CALL = "…"


def _it(raised: Raised, facts: Facts) -> str:
    """The input of the layer and a dot as code, or words for it where its name is not known."""
    name = gaps(raised, facts)["input"]
    return f"{name}." if name else "the input's "


def _given(raised: Raised, facts: Facts) -> tuple[int, ...]:
    """The shape of what a layer was given, where its frame tells it."""
    if match := _GIVEN.search(raised.layer):
        return tuple(int(size) for size in match[1].split(",") if size)
    tensor = seen(raised, gaps(raised, facts)["input"])
    return tensor.shape if tensor is not None else ()


# Linear


def _made_for(raised: Raised, facts: Facts) -> tuple[int, int] | None:
    """The features in and out of the Linear that failed; None where it is not known to be one."""
    file = raised.frames[-1].file.replace("\\", "/") if raised.frames else ""
    shapes = facts.shapes
    is_linear = file.endswith("nn/modules/linear.py") and len(shapes) == 2 and len(shapes[1]) == 2
    return (shapes[1][0], shapes[1][1]) if is_linear else None


def _linear(raised: Raised, facts: Facts) -> str:
    made = _made_for(raised, facts)
    if made is not None:
        given = shape_text(_given(raised, facts) or facts.shapes[0])
        layer = gaps(raised, facts)["layer"]
        what = f"`{layer}`" if layer else "a layer"
        return f"{what} is Linear({made[0]}, {made[1]}), and it was given {given}"
    return say(
        "`{text}`: rows of {shape0} meet a weight of {shape1}, and the inner sizes differ",
        "`{text}`: the last size of the input is not in_features",
        "a linear layer is given another last size than its in_features",
    )(raised, facts)


def _is_unflattened(raised: Raised, facts: Facts) -> bool:
    """Whether what the layer was given has its features a sample, in more dimensions than two."""
    made, given = _made_for(raised, facts), _given(raised, facts)
    if made is None:
        return True
    if given:
        return len(given) > 2 and prod(given[1:]) == made[0]
    rows, features = facts.shapes[0]
    return made[0] % features == 0 and rows % (made[0] // features) == 0


def _why_other_features(raised: Raised, facts: Facts) -> str:
    if _made_for(raised, facts) is not None and _is_unflattened(raised, facts):
        return "the dimensions of a sample are not flattened into one before it"
    return "the images have another size than the layer was counted for, or what stands before it changed"


def _flattened(raised: Raised, facts: Facts) -> str:
    """The call that brings the input into the layer's shape, where there is one."""
    made = _made_for(raised, facts)
    if _is_unflattened(raised, facts):
        return f"flatten it first: {_it(raised, facts)}flatten(1)"
    if made is not None and facts.shapes[0][0] == made[0]:
        return f"transpose it first, where its rows are columns: {_it(raised, facts)}T"
    return ""


def _other_linear(raised: Raised, facts: Facts) -> str:
    """The layer that takes what was given."""
    made = _made_for(raised, facts)
    if made is None:
        return "nn.Linear's first number is the last size of its input; nn.LazyLinear counts it"
    either_or = "or " if _flattened(raised, facts) else ""
    return f"{either_or}make the layer nn.Linear({facts.shapes[0][1]}, {made[1]})"


# Convolutions


def _channels(raised: Raised, facts: Facts) -> tuple[int, int] | None:
    """The channels that a convolution takes, and those that it was given; None where neither is told."""
    is_told = len(facts.sizes) > 1 and len(facts.shapes) > 1 and len(facts.shapes[0]) == len(facts.shapes[1])
    return (facts.sizes[0], facts.sizes[1]) if is_told and len(facts.shapes[1]) > 2 else None


def _is_last(raised: Raised, facts: Facts) -> bool:
    """Whether the last dimension of the input has as many as there should be channels."""
    sizes = _channels(raised, facts)
    return sizes is not None and facts.shapes[1][-1] == sizes[0]


def _is_grey_batch(raised: Raised, facts: Facts) -> bool:
    """Whether images of one channel, without a dimension for it, may stand where one image should."""
    sizes, rank = _channels(raised, facts), len(_given(raised, facts))
    return (
        sizes is not None
        and sizes[0] == _GREY
        and facts.shapes[1][0] == 1
        and rank in (0, len(facts.shapes[1]) - 1)
    )


def _why_other_channels(raised: Raised, facts: Facts) -> str:
    sizes = _channels(raised, facts)
    if sizes is None:
        return "grey images or an alpha channel, channels last, or a missing batch dimension"
    if _is_last(raised, facts):
        return "the channels stand last, where they belong before height and width"
    if sizes == (_COLOURS, _GREY):
        return "the images are grey, and the layer takes colours"
    if sizes == (_COLOURS, _WITH_ALPHA):
        return "the images have an alpha channel beside their colours"
    if _is_grey_batch(raised, facts):
        return "a batch of images of one channel has no dimension for it, and the batch stands there"
    return "the layer before has another number of channels, or the images have"


def _moved(raised: Raised, facts: Facts) -> str:
    """The call that gives the input the channels that the layer takes, where there is one."""
    sizes, it = _channels(raised, facts), _it(raised, facts)
    if sizes is None:
        return ""
    if _is_last(raised, facts):
        return _permuted(raised, facts)
    if sizes == (_COLOURS, _GREY):
        return f"repeat the channel: {it}expand(-1, 3{', -1' * (len(facts.shapes[1]) - 2)})"
    if sizes == (_COLOURS, _WITH_ALPHA):
        return f"leave the alpha channel out: {it}narrow(1, 0, 3), or img.convert('RGB') of PIL"
    if _is_grey_batch(raised, facts):
        return f"give each image its channel: {it}unsqueeze(1)"
    return ""


def _permuted(raised: Raised, facts: Facts) -> str:
    """The call that brings the channels forward, of a batch or of one image, or of either."""
    it, rank = _it(raised, facts), len(facts.shapes[1])
    batch = f"permute(0, {rank - 1}, {', '.join(map(str, range(1, rank - 1)))})"
    single = f"permute({rank - 2}, {', '.join(map(str, range(rank - 2)))})"
    given = len(_given(raised, facts))
    if given == rank or facts.shapes[1][0] > 1:
        return f"bring the channels forward: {it}{batch}"
    if given:
        return f"bring the channels forward: {it}{single}"
    return f"bring the channels forward: {it}{batch}, of one image without a batch {it}{single}"


def _other_convolution(raised: Raised, facts: Facts) -> str:
    """The layer that takes what was given, where nothing tells that its channels are another dimension."""
    sizes = _channels(raised, facts)
    if sizes is None:
        return "give the layer the input's channels, and the input its channels before height and width"
    if _is_last(raised, facts) or "transposed" in raised.message or _is_grey_batch(raised, facts):
        return ""
    either_or = "or " if _moved(raised, facts) else ""
    made = f"nn.Conv{len(facts.shapes[0]) - 2}d({sizes[1]}, {facts.shapes[0][0]}, {_CALL})"
    return f"{either_or}make the layer {made}"


def _ranks(raised: Raised, facts: Facts) -> tuple[int, tuple[int, ...]] | None:
    """How many sizes a convolution slides over, and the shape that it was given."""
    match = _RANK.search(raised.message)
    return (int(match[2]), facts.shapes[-1]) if match and facts.shapes else None


def _other_rank(raised: Raised, facts: Facts) -> str:
    found = _ranks(raised, facts)
    if found is None:
        return "a convolution is given another number of dimensions than it takes"
    layer = gaps(raised, facts)["layer"]
    sizes = _SIZES.get(found[0], "sizes")
    return (
        f"{f'`{layer}`' if layer else 'a convolution'} takes (channels, {sizes}), or a batch of them, "
        f"and was given {shape_text(found[1])}"
    )


def _of_rank(raised: Raised, facts: Facts) -> str:
    """The call that gives the input as many dimensions as it should have."""
    found, it = _ranks(raised, facts), _it(raised, facts)
    missing = found[0] + 1 - len(found[1]) if found else 0
    if missing == 1:
        return f"give it its channel: {it}unsqueeze(0), of a batch {it}unsqueeze(1)"
    if missing < 0:
        return f"join the dimensions before the channels: {it}flatten(0, {-missing - 1})"
    return "print the shape of its input, and give that the dimensions that the layer takes"


def _calls_a_layer(raised: Raised, facts: Facts) -> bool:
    """Whether a layer may stand where it failed: torch's own frames say so, or the line calls something.

    Of a script that ran here all of torch's frames are there, and only the function itself leaves none.
    """
    if inside("torch/nn/")(raised, facts):
        return True
    return _FUNCTION(raised, facts) if raised.is_live else _CALL_OF_ANY(raised, facts)


_FUNCTION = written(r"\blinear\(")
_CALL_OF_ANY = written(r"\w\(")
_AS_LINEAR: Test = either(
    inside("linear", "Linear"),
    both(says("m1|mat1|reduction dim"), lambda raised, facts: not _PRODUCT(raised, facts), _calls_a_layer),
)

ROWS = (
    Row(
        "AGX326",
        "linear-in-features-mismatch",
        MATMUL,
        _linear,
        (_why_other_features,),
        (_flattened, _other_linear),
        also=("matmul-shape-mismatch",),
        when=_AS_LINEAR,
    ),
    Row(
        "AGX327",
        "conv-channel-mismatch",
        ("given groups=", "given transposed=", "channels, but got", "need input.size[1] =="),
        say(
            "`{text}`: the input {shape1} has {size1} channels, the weight {shape0} takes {size0}",
            "the input {shape1} has {size1} channels, the weight {shape0} takes {size0}",
            "a convolution is given another number of channels than its weight takes",
        ),
        (_why_other_channels,),
        (_moved, _other_convolution),
        when=says(r"channels|input\.size\[1\]"),
    ),
    Row(
        "AGX346",
        "operand-shape",
        ("d (unbatched) or ",),
        _other_rank,
        ("the batch may be missing, or the channels, or a batch holds batches",),
        (_of_rank,),
        when=says("input to conv"),
    ),
)
