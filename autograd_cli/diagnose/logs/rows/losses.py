"""Losses and their targets, indices out of range, device asserts, autocast and truth values."""

import re

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.called import on, seen
from autograd_cli.diagnose.logs.rows.ranges import mend_index, mend_label, why_index, why_label
from autograd_cli.diagnose.logs.rows.words import both, either, gaps, inside, near, say, says, written
from autograd_cli.report.values import shape_text

_ASSERT = ("device-side assert", "runtime error (59)", "runtime error (710)", "assertion `", "assertion '")
_LABEL = r"cur_target|n_classes|\bt >= 0|ClassNLL|nll_loss|NLLCriterion"
_PROBABILITY = r"input(?:_val)? >= (?:0|zero).*input(?:_val)? <= (?:1|one)|BCECriterion"
_EMBEDDING = r"srcIndex <|srcSelectDimSize|index out of bounds|-sizes\[i\] <= index|idx_dim"
_SCATTERS = written(r"\bscatter\w*\(|\bone_?hot\w*\(|\bgather\(")
_SELECTS = written(r"\b(?:index_select|take|take_along_dim)\(")
_FAMILY = ("label-out-of-range", "bce-input-out-of-range", "embedding-index-out-of-range")


def _target(raised: Raised, facts: Facts) -> str:
    """The shape of a target that has no class number a place, by how the message words it."""
    low = raised.message.lower()
    name = gaps(raised, facts)["target"]
    what = f"the target `{name}`" if name else "the target"
    if wanted := _class_numbers(raised, facts):
        shape = _target_shape(raised, facts)
        return f"{what} has shape {shape_text(shape)}, where one class number a place is {shape_text(wanted)}"
    if len(facts.shapes) == 2 and "expected target size" in low:
        return f"{what} has shape {list(facts.shapes[1])}, where {list(facts.shapes[0])} belongs"
    if len(facts.shapes) == 2:
        scores, target = facts.shapes if "got input" in low else facts.shapes[::-1]
        return f"scores of shape {list(scores)} meet a target of shape {list(target)}"
    return say(
        "the target of `{text}` has shape {shape0}, not one class number a place",
        "the target of `{text}` is not one class number a place",
        "the target is not one class number a place",
    )(raised, facts)


def _target_shape(raised: Raised, facts: Facts) -> tuple[int, ...]:
    """The shape of the target of a loss: as the message has it, or as the frame has it."""
    if len(facts.shapes) == 2 and "expected target size" in raised.message.lower():
        return facts.shapes[1]
    tensor = seen(raised, gaps(raised, facts)["target"])
    return tensor.shape if tensor is not None else ()


def _class_numbers(raised: Raised, facts: Facts) -> tuple[int, ...]:
    """The target's shape without a size of 1 where the scores have classes; empty where it has none there."""
    shape = _target_shape(raised, facts)
    return (shape[0], *shape[2:]) if shape[1:2] == (1,) else ()


def _class_rows(raised: Raised, facts: Facts) -> str:
    """How to come to one class number a place, as the target's shape tells or, of two, whichever it is."""
    name = gaps(raised, facts)["target"]
    target = f"{name}." if name else "the target's "
    if _class_numbers(raised, facts):
        return f"drop the dimension of one: {target}squeeze(1)"
    if shape := _target_shape(raised, facts):
        one_hot = f", or of one-hot rows {target}argmax(1)" if len(shape) > 1 else ""
        return f"give the loss one class number a place{one_hot}"
    return f"drop a dimension of one with {target}squeeze(1); of one-hot rows take {target}argmax(1)"


def _in_one_shape(raised: Raised, facts: Facts) -> str:
    """The call that gives target and input of a loss one shape, by their names and by what differs."""
    known = gaps(raised, facts)
    scores, target = known["scores"], known["target"]
    if not (scores and target):
        return "give both one shape: squeeze(-1) of what has a 1 too many, or view_as the other"
    if len(facts.shapes) == 2 and len(facts.shapes[0]) > len(facts.shapes[1]):
        return f"give both one shape: {target}.view_as({scores})"
    return f"give both one shape: {scores}.squeeze(-1), or {target}.view_as({scores})"


def _class_number(raised: Raised, facts: Facts) -> str:
    match = re.match(r"Target (-\d+) is", raised.message)
    if match:
        return f"the class number {match[1]} is below 0"
    return say(
        "the class number {size0} is not below the number of scores",
        "a class number is not below the number of scores",
    )(raised, facts)


def _scaled(raised: Raised, facts: Facts) -> str:
    if "_scale is None" in raised.message:
        return say(
            "`{text}` comes before any scaler.scale(loss)", "a GradScaler is used before it scaled a loss"
        )(raised, facts)
    if "prior to update" in raised.message:
        return say(
            "`{text}` has no step before it that saw a gradient",
            "a GradScaler is updated, and saw no gradient",
        )(raised, facts)
    return say(
        "`{text}` steps an optimizer whose parameters have no gradient",
        "a GradScaler steps an optimizer whose parameters have no gradient",
    )(raised, facts)


def _taken_for_true(raised: Raised, facts: Facts) -> str:
    what = "of no elements" if "no values" in raised.message else "of several elements"
    return say(
        f"`{{text}}` takes a tensor {what} for true or false", f"a tensor {what} is taken for true or false"
    )(raised, facts)


_LOOKED_AT = say(
    "check {input}.max() and {input}.min(), which belong below num_embeddings and not below 0",
    "check the largest and the smallest index, which belong below num_embeddings and not below 0",
)


def _looked_at(raised: Raised, facts: Facts) -> str:
    return "" if mend_index(raised, facts) else _LOOKED_AT(raised, facts)


def _resized(raised: Raised, facts: Facts) -> str:
    """What models of libraries have for it; a script that has none of them is not told of it."""
    is_own = raised.is_live and not inside("transformers")(raised, facts)
    return "" if is_own else "resize_token_embeddings after adding tokens; truncate long texts"


def _is_label(raised: Raised, facts: Facts) -> bool:
    """Whether an index that is too large is a class number, by the assertion or by what is done with it."""
    return near(_LABEL)(raised, facts) or _SCATTERS(raised, facts)


def _rows_differ(raised: Raised, facts: Facts) -> bool:
    """Whether one class number a row is there, and another number of rows."""
    return (
        "size mismatch (got input" in raised.message and len(facts.shapes) == 2 and len(facts.shapes[1]) == 1
    )


ROWS = (
    Row(
        "AGX407",
        "silent-loss-broadcast",
        ("that is different to the input size",),
        say(
            "the loss takes a target of {shape0} and an input of {shape1}, and pairs each with each",
            "the loss broadcasts target and input over all pairs",
        ),
        ("a size of 1 is repeated; the loss then compares values that do not belong together",),
        (_in_one_shape,),
        kinds=("UserWarning", "", "FutureWarning"),
        also=("bce-target-size-mismatch",),
        when=says("broadcasting|incorrect results|likely lead|mse_loss|l1_loss"),
    ),
    Row(
        "AGX316",
        "bce-target-size-mismatch",
        (
            "that is different to the input size",
            "must be the same as input size",
            "must have the same size as",
            "target and input must have the same number of elements",
        ),
        say(
            "the target of `{text}` has shape {shape0}, the input {shape1}",
            "target {shape0} and input {shape1} differ",
            "target and input of the loss differ in shape",
        ),
        ("binary cross-entropy compares element with element",),
        (_in_one_shape, "of class numbers make one-hot targets, or use cross_entropy"),
        when=says("size|elements"),
    ),
    Row(
        "AGX333",
        "cross-entropy-target-shape",
        (
            "multi-target not supported",
            "batches of spatial targets supported",
            "target tensor expected",
            "expected target size",
            "input and target batch or spatial sizes don't match",
            "size mismatch (got input",
        ),
        _target,
        ("scores have shape (n, classes, ...), and their class numbers (n, ...), without the classes",),
        (_class_rows,),
        when=lambda raised, facts: not _rows_differ(raised, facts),
    ),
    Row(
        "AGX316",
        "batch-size-mismatch",
        ("to match target batch_size", "size mismatch (got input"),
        say(
            "`{text}` has {size0} rows of scores for {size1} targets",
            "there are {size0} rows of scores for {size1} targets",
            "`{text}` has scores of shape {shape0} for targets of shape {shape1}",
            "scores and targets differ in number",
        ),
        ("a view or a flatten moved the batch into another dimension",),
        ("print both shapes; reshape scores to (n, classes) with the batch first",),
        also=("cross-entropy-target-shape",),
    ),
    Row(
        "AGX343",
        "bce-input-out-of-range",
        _ASSERT,
        "binary_cross_entropy is given an input outside 0 to 1",
        ("the assertion on the GPU says so; NaN from an earlier step also fails it",),
        ("use binary_cross_entropy_with_logits on the scores, and check isfinite",),
        also=(_FAMILY[0], _FAMILY[2]),
        when=either(
            says(_PROBABILITY),
            near(_PROBABILITY),
            inside("binary_cross_entropy"),
            written("(?i)binary_cross_entropy"),
        ),
    ),
    Row(
        "AGX343",
        "bce-input-out-of-range",
        (
            "input should be between 0 and 1",
            "elements of input should be between",
            "elements of target should be between",
        ),
        say(
            "`{text}` is given an input outside 0 to 1",
            "binary_cross_entropy is given an input outside 0 to 1",
        ),
        ("scores without sigmoid, or NaN",),
        ("use binary_cross_entropy_with_logits on the scores, or sigmoid before; check isfinite",),
    ),
    Row(
        "AGX309",
        "embedding-index-out-of-range",
        _ASSERT,
        "an index is outside the table that it looks into",
        ("a token number is not below num_embeddings, or a position is past the table",),
        (
            (
                "check on the CPU that each index is below num_embeddings; "
                "resize_token_embeddings after adding tokens"
            ),
        ),
        also=_FAMILY[:2],
        when=both(
            either(says(_EMBEDDING), near(_EMBEDDING)), lambda raised, facts: not _is_label(raised, facts)
        ),
    ),
    Row(
        "AGX309",
        "label-out-of-range",
        _ASSERT,
        "an index or label is out of range; rerun with CUDA_LAUNCH_BLOCKING=1 for the line",
        (
            (
                "a class number is below 0 or not below the number of scores; or an "
                "embedding's index, or a probability"
            ),
        ),
        (
            (
                "check that no class number is below 0, and each below the scores' classes; mark what is "
                "left out with ignore_index"
            ),
        ),
        also=_FAMILY[1:],
        when=either(says("device-side assert|error \\(59\\)|error \\(710\\)"), says(_LABEL)),
    ),
    Row(
        "AGX309",
        "label-out-of-range",
        ("is out of bounds.", "`cur_target", "class values must be smaller than num_classes"),
        _class_number,
        (why_label,),
        (mend_label,),
        kinds=("IndexError", "RuntimeError"),
        when=says(r"^target -?\d+ is out of bounds|cur_target|^class values"),
    ),
    Row(
        "AGX309",
        "label-out-of-range",
        ("is out of bounds for dimension", "invalid index in scatter", "invalid index in gather"),
        say(
            "`{text}` asks for place {index} of a dimension of size {size0}",
            "`{text}` asks for a place beyond the end of a dimension",
            "a class number is beyond the end of the dimension that it chooses from",
        ),
        ("a class number is not below the number of classes: labels start at 1, or one marks what is void",),
        (
            "check that no label is below 0, and each below the number of classes",
            "map labels to 0, 1, ... without gaps, and leave out what an ignored number marks",
        ),
        also=_FAMILY[2:],
        kinds=("RuntimeError",),
        when=either(_SCATTERS, says("^invalid index in")),
    ),
    Row(
        "AGX329",
        "sequence-longer-than-positions",
        ("index out of range in self",),
        say(
            "`{text}` looks up more positions than the model's table has",
            "a sequence is longer than the table of positions",
        ),
        ("the tokenizer did not cut the text to what the model was made for",),
        ("pass truncation=True and max_length to the tokenizer",),
        also=("embedding-index-out-of-range",),
        when=near(r"(?i)position_?(?:embed|ids)|sequence length is longer than"),
    ),
    Row(
        "AGX309",
        "embedding-index-out-of-range",
        ("index out of range in self", "index out of range: tried to access", "index out of range at "),
        say(
            "`{text}` looks an index up that the embedding's table does not have",
            "an index is outside the embedding's table",
        ),
        (why_index,),
        (mend_index, _looked_at, _resized),
        when=lambda raised, facts: not _SELECTS(raised, facts),
    ),
    Row(
        "AGX315",
        "tensor-as-bool",
        (
            "with more than one value is ambiguous",
            "value of tensor with no values is ambiguous",
            "bool value of variable objects",
        ),
        _taken_for_true,
        (
            (
                "if, and, or, in and == between lists ask for one truth value; so does a loss "
                "class that is given tensors"
            ),
        ),
        ("write .all() or .any() of it; make a loss before it is called: nn.BCEWithLogitsLoss()(...)",),
        when=says("of (?:Tensor|Variable)|bool value|torch"),
    ),
    Row(
        "AGX315",
        "tensor-as-number",
        ("cannot be converted to scalar", "element tensors can be converted to python scalars"),
        say(
            "`{text}` asks one number of a tensor that has not one element",
            "one number is asked of a tensor that has not one element",
        ),
        ("item(), float() and the functions of math take a tensor of one element",),
        (
            on(
                r"item\(",
                "reduce it first, as in {it}.mean().item(), or take {it}.tolist() for all of them",
                "reduce it first, as with mean(), or take tolist() for all of them",
            ),
        ),
    ),
    Row(
        "AGX616",
        "amp-bce-unsafe",
        ("are unsafe to autocast",),
        say(
            "`{text}` takes probabilities in half precision under autocast",
            "binary_cross_entropy is called under autocast",
        ),
        ("the logarithm of a probability near 0 does not fit half precision",),
        ("use binary_cross_entropy_with_logits on the scores, without sigmoid",),
    ),
    Row(
        "AGX617",
        "amp-fp16-params-with-scaler",
        ("attempting to unscale fp16 gradients",),
        say(
            "`{text}` unscales gradients of parameters that are float16 themselves",
            "a GradScaler meets parameters that are float16 themselves",
        ),
        (
            (
                "model.half() or torch_dtype=float16 made them; the scaler is for float32 "
                "parameters under autocast"
            ),
        ),
        ("load the trained part in float32 and leave half precision to torch.autocast",),
    ),
    Row(
        "AGX618",
        "amp-step-without-grads",
        ("no inf checks were recorded", "but _scale is none"),
        _scaled,
        ("no backward reached them, or they are not the model's parameters any more",),
        ("call scaler.scale(loss).backward() before; skip the step where the optimizer had no loss",),
    ),
)
