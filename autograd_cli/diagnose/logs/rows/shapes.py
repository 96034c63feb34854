"""Shapes that do not go together, in layers, sums, joins, views, checkpoints and batches."""

import re
from collections.abc import Sequence

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows import given
from autograd_cli.diagnose.logs.rows.called import on
from autograd_cli.diagnose.logs.rows.layers import MATMUL
from autograd_cli.diagnose.logs.rows.words import either, inside, near, say, says, written

_SUM = ("the size of tensor a", "the expanded size of the tensor", "inconsistent tensor size")
_POSITIONS = (
    r"(?i)position|\bpos_|_pos\b|\.pos\b|\bwpe\b|buffered|token_type|max_length|"
    r"maximum (?:sequence )?length|longer than the"
)
_SHAPES = re.compile(r"hidden\S* size [(\[]([\d, ]+)[)\]], got [(\[]([\d, ]+)[)\]]")
_SIZES = re.compile(r"(xpected|got) (\d+)")
_DIMENSION = re.compile(r"dimension (\d+)")
_SMALLEST_MAP = 12
_AS_SKIP = either(
    written(r"(?i)skip|shortcut|residual|identity|encoder|\benc\d|\bup\d*\b|\bdown\d*\b|upsampl|\bfeat"),
    inside("unet", "UNet", "hourglass"),
)
"""What code calls the feature maps of a layer above, which are joined to those that come back up."""
_TABLES = {77, 128, 256, 512, 514, 1024, 2048, 4096}
_IN_LOADER = either(
    inside("collate", "dataloader", "DataLoader"),
    near(r"collate_fn|Caught \w+ in DataLoader worker"),
)


def _of_vectors(raised: Raised, facts: Facts) -> bool:
    """Whether a product of two vectors raised it, and no batch that is put together."""
    return [len(shape) for shape in facts.shapes] == [1, 1] and not _IN_LOADER(raised, facts)


def _too_long(raised: Raised, facts: Facts) -> bool:
    """Whether a length that nobody would give a layer meets one that tables of positions have."""
    sizes = [size for size in facts.sizes if size >= 32][:2]
    return len(set(sizes)) == 2 and min(sizes) in _TABLES and max(sizes) % 8 > 0 and (facts.index or 0) <= 1


def _sequence(raised: Raised, facts: Facts) -> str:
    if len(facts.sizes) > 1 and facts.sizes[0] < facts.sizes[1]:
        return f"a sequence and a table of positions have {facts.sizes[0]} and {facts.sizes[1]} places"
    return say(
        "a sequence of {size0} tokens meets a table of {size1} positions",
        "a sequence is longer than the table of positions",
    )(raised, facts)


def _turned(raised: Raised, facts: Facts) -> str:
    return given.turned(raised, facts) or "transpose one of them with .mT, or change the layer's size"


def _stretched(raised: Raised, facts: Facts) -> str:
    """The dimension that lets two operands broadcast, where one is a row of what the other has a row for."""
    shapes = given.shapes(raised, facts)
    if len(shapes) == 2 and sorted(map(len, shapes)) == [1, 2]:
        (vector, name), (matrix, _) = sorted(
            zip(shapes, raised.operands, strict=True), key=lambda one: len(one[0])
        )
        if vector[0] == matrix[0] and name.isidentifier():
            return f"of one number a row make a column: {name}[:, None]"
    look = "" if shapes else "print both shapes; "
    return f"{look}add a dimension with [:, None], or reshape"


def _along(raised: Raised, facts: Facts) -> str:
    """How to join what differs in one dimension alone, where the shapes are at hand."""
    shapes = given.shapes(raised, facts)
    if len(set(map(len, shapes))) == 1 and "must match except" in raised.message:
        differing = [at for at, sizes in enumerate(zip(*shapes, strict=True)) if len(set(sizes)) > 1]
        if len(differing) == 1:
            return f"join them along the dimension that differs: dim={differing[0]}"
    return "pad or cut them to one size"


def _maps_differ(raised: Raised, facts: Facts) -> bool:
    """Whether heights or widths of images differ by what halving an odd one leaves, or by one halving.

    They are dimensions from the third on, or where a message leaves out which, sizes that images have.
    """
    if len(facts.sizes) < 2:
        return False
    low, high = sorted(facts.sizes[:2])
    dimensions = [int(number) for number in _DIMENSION.findall(raised.message)]
    is_left_out = dimensions == [1] and "except in dimension" in raised.message and low >= _SMALLEST_MAP
    is_deep = max(dimensions, default=0) > 1 and (high - low <= 2 or high == 2 * low)
    return low > 1 and (is_deep or (is_left_out and high - low <= 2))


def _are_maps(raised: Raised, facts: Facts) -> bool:
    """Whether what is joined shows to be feature maps: by its dimensions, or else in words."""
    here = [one for one in raised.tensors if one.frame == own(raised)]
    operands = [one for one in here if one.name in raised.operands]
    no_weights = [one for one in here if not (one.leaf and one.requires_grad)]
    deepest = max((len(one.shape) for one in operands or no_weights), default=None)
    if deepest is None:
        return _AS_SKIP(raised, facts) or _maps_differ(raised, facts)
    is_joined = "must match except" in raised.message
    return deepest > 2 and (
        _AS_SKIP(raised, facts) or (deepest > 3 and is_joined) or _maps_differ(raised, facts)
    )


def _joined(raised: Raised, facts: Facts) -> str:
    """What is joined, by the dimension that may differ."""
    if facts.index is None or len(facts.sizes) < 2 or "must match except" not in raised.message:
        return say("`{text}` joins shapes {shape0} and {shape1}", "tensors that are joined have other sizes")(
            raised, facts
        )
    if told := say("`{text}` joins {shaped} along dimension {index}")(raised, facts):
        return told
    what = say("`{text}` joins", "tensors are joined")(raised, facts)
    return f"{what} along dimension {facts.index}, and in another one their sizes are {_both(facts.sizes)}"


def _both(sizes: Sequence[int]) -> str:
    return f"{sizes[0]} and {sizes[1]}"


def _in_optimizer(raised: Raised, facts: Facts) -> bool:
    """Whether the optimizer itself computes, and no forward that it calls."""
    return bool(raised.frames) and "torch/optim/" in raised.frames[-1].file.replace("\\", "/")


def _features(raised: Raised, facts: Facts) -> str:
    """What last size a recurrent layer is given, and which it was made for."""
    sizes = dict(_SIZES.findall(raised.message))
    if len(sizes) == 2:
        return f"the input has a last size of {sizes['got']}, the layer's input_size is {sizes['xpected']}"
    return "the input of a recurrent layer has another last size than its input_size"


def _state(raised: Raised, facts: Facts) -> str:
    """What shape the state of a recurrent layer has, and which it wants."""
    if match := _SHAPES.search(raised.message):
        return f"the state of a recurrent layer has shape [{match[2]}], where [{match[1]}] belongs"
    return "the state of a recurrent layer is of another batch than its input"


ROWS = (
    Row(
        "AGX301",
        "matmul-shape-mismatch",
        (*MATMUL, "expected size for first two dimensions of batch2", "must match mat2"),
        say(
            "`{text}` multiplies {shaped}, and the inner sizes differ",
            "`{text}` multiplies {shape0} by {shape1}, and the inner sizes differ",
            "the inner sizes of a product differ",
        ),
        ("the last size of the left must be the first of the right",),
        (_turned,),
        also=("linear-in-features-mismatch",),
        when=says(r"m1|mat1|mat2|batch2|reduction dim|mat \("),
    ),
    Row(
        "AGX301",
        "matmul-shape-mismatch",
        (
            "batch1 must be a 3d tensor",
            "batch2 must be a 3d tensor",
            "self must be a matrix",
            "1d tensors expected,",
        ),
        say("`{text}` multiplies tensors of another number of dimensions", "a product has other dimensions"),
        ("mm takes two matrices, bmm two batches of them, dot two vectors",),
        ("write @ or torch.matmul, which take batches and vectors alike, or print both shapes",),
        kinds=("RuntimeError",),
    ),
    Row(
        "AGX301",
        "matmul-shape-mismatch",
        ("to have the same number of elements, but got",),
        say(
            "`{text}` multiplies vectors of {size0} and {size1} elements",
            "vectors of {size0} and {size1} elements are multiplied",
            "two vectors of other lengths are multiplied",
        ),
        ("a dot product goes through both vectors at once, element by element",),
        ("give both the same length; torch.outer multiplies each element of one by each of the other",),
        when=_of_vectors,
    ),
    Row(
        "AGX330",
        "collate-unequal-sizes",
        (
            "stack expects each tensor to be equal size",
            "sizes of tensors must match except",
            "inconsistent tensor size",
            "trying to resize storage that is not resizable",
            "each element in list of batch should be of equal size",
        ),
        say(
            "samples of one batch have shapes {shape0} and {shape1}",
            "the samples of one batch have several shapes",
        ),
        ("the DataLoader stacks samples, which must be of one size",),
        ("resize or crop in the dataset, or pass a collate_fn that pads or keeps a list",),
        also=("joined-size-mismatch",),
        when=_IN_LOADER,
    ),
    Row(
        "AGX331",
        "checkpoint-shape-mismatch",
        _SUM,
        say(
            "a state of the optimizer and a gradient have sizes {size0} and {size1}",
            "a state of the optimizer has another shape than its gradient",
        ),
        (
            "the optimizer's state was loaded from the file of another model, which is seen in step() alone",
            "or a parameter got another shape after the optimizer was made",
        ),
        ("load the optimizer's state with the model that it was saved with, or begin with a new optimizer",),
        also=("broadcast-shape-mismatch",),
        when=_in_optimizer,
    ),
    Row(
        "AGX346",
        "operand-shape",
        ("must be equal to input_size", "inconsistent input_size"),
        _features,
        ("an RNN, GRU or LSTM takes as many features a step as it was made for; vectors or columns changed",),
        (
            say(
                "print {input}.shape before the layer, whose first number is the last size of {input}",
                "print the input's shape before the layer, whose first number is the last of it",
            ),
        ),
    ),
    Row(
        "AGX346",
        "operand-shape",
        ("expected hidden", "doesn't match hidden"),
        _state,
        (
            "the state was made for a batch of another size: the last of an epoch, or one part of several",
            "or layers, directions or batch_first are others than it was made for",
        ),
        (
            say(
                "make the state of the batch: torch.zeros(layers, batch, hidden), with the batch of {input}",
                "make the state of the batch: torch.zeros(layers, batch, hidden)",
            ),
            "or pass drop_last=True to the DataLoader",
        ),
        when=says(r"hidden\S* (?:batch )?size"),
    ),
    Row(
        "AGX329",
        "sequence-longer-than-positions",
        _SUM,
        _sequence,
        ("the tokenizer did not cut the text to what the model was made for",),
        ("pass truncation=True and max_length to the tokenizer, or resize the table of positions",),
        also=("broadcast-shape-mismatch",),
        when=either(near(_POSITIONS), _too_long),
    ),
    Row(
        "AGX328",
        "skip-connection-size-mismatch",
        ("sizes of tensors must match except in dimension", *_SUM),
        say("`{text}` joins sizes {size0} and {size1}", "two tensors that are joined have other sizes"),
        (
            (
                "halving an odd size and doubling it again gives one less or more; the sizes "
                "do not divide by 2 to the depth"
            ),
        ),
        (
            (
                "pad or resize inputs to a multiple of 2**depth, or F.interpolate to the other's "
                "height and width before the join"
            ),
        ),
        also=("joined-size-mismatch", "broadcast-shape-mismatch"),
        when=_are_maps,
    ),
    Row(
        "AGX302",
        "broadcast-shape-mismatch",
        (
            *_SUM,
            "shape mismatch: value tensor",
            "must match the broadcast shape",
            "doesn't match the broadcast shape",
            "do not broadcast with remapped shapes",
            "does not broadcast with previously seen size",
        ),
        say(
            "`{text}` joins {shaped}, which do not broadcast",
            "`{text}` joins sizes {size0} and {size1}",
            "sizes {size0} and {size1} do not broadcast",
            "two shapes do not broadcast",
        ),
        ("from the right, sizes must be equal or 1",),
        (_stretched,),
        also=("skip-connection-size-mismatch", "sequence-longer-than-positions"),
    ),
    Row(
        "AGX306",
        "view-on-noncontiguous",
        ("view size is not compatible with input tensor's size", "input is not contiguous"),
        say("`{text}` views memory that is not in order", "a view of memory that is not in order"),
        ("transpose, permute, expand or a slice came before",),
        ("write .reshape in place of .view, or .contiguous() before it",),
    ),
    Row(
        "AGX308",
        "view-invalid-shape",
        ("is invalid for input of size", "is invalid for input with"),
        say("`{text}` asks {shape0} of {size0} elements", "a view asks for another number of elements"),
        ("the sizes must multiply to the number of elements; images of another size change what is left",),
        (
            on(
                r"(?:view|reshape)\(",
                "use {it}.flatten(1), or take sizes from {it}.shape",
                "use flatten(1), or take sizes from its shape",
            ),
        ),
        when=says("shape|size '"),
    ),
    Row(
        "AGX317",
        "joined-size-mismatch",
        ("stack expects each tensor to be equal size", "tensors must match except in dimension"),
        _joined,
        ("stack takes equal shapes, cat equal sizes but along the joined dimension",),
        (_along,),
        also=("collate-unequal-sizes", "skip-connection-size-mismatch"),
    ),
    Row(
        "AGX331",
        "checkpoint-shape-mismatch",
        ("in loading state_dict", "copying a param with shape", "whose dimensions in the checkpoint"),
        say(
            "{name0} has shape {shape0} in the checkpoint and {shape1} in the model",
            "a checkpoint has other shapes than the model",
        ),
        ("the model was made with another number of classes, tokens or channels",),
        (
            say(
                "make the model as it was saved, or drop {name0} from the state_dict and "
                "load with strict=False",
                "make the model as it was saved",
            ),
        ),
        when=says("size mismatch|copying (?:a|the) param"),
    ),
    Row(
        "AGX332",
        "batchnorm-single-sample",
        ("more than 1 value per channel when training", "more than 1 spatial element when training"),
        say("`{text}`: a channel of the input {shape0} has one value", "a channel has one value in training"),
        ("the variance of one value is nothing; the last batch of an epoch may hold one sample",),
        ("pass drop_last=True to the DataLoader, call model.eval() to infer, or use GroupNorm",),
    ),
)
