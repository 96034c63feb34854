"""Dtypes that do not go together, in operands, targets, indices and what a device computes."""

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.words import Test, both, either, inside, near, say, says, written

_MIXED = (
    "expected scalar type",
    "expected object of scalar type",
    "expected object of type torch.",
    "have the same dtype",
    "does not match weight dtype",
    "should be the same",
    "expected double tensor (got",
    "expected float tensor (got",
    "expected half tensor (got",
    "found dtype",
    "must have the same dtype",
    "query, key, and value to have the same",
    "dtypes to match",
    "but got dtype",
    "have same dtype",
    "attempting to assign a gradient with dtype",
    "dtypes must be the same",
    "tensors are not the same dtype",
    "mixed dtype (cpu)",
)
_SENTENCE = say(
    "`{text}` computes with {typed}",
    "`{text}` mixes {dtype0} and {dtype1}",
    "one operation is given {dtype0} and {dtype1}",
    "one operation is given two dtypes",
)
_TARGETS = (
    "expected scalar type",
    "expected object of scalar type",
    "expected object of type torch.",
    '"nll_loss',
    "target",
)
_HALF = {"float16", "bfloat16"}
_FLOATS = {"float64", "float32", *_HALF}


def _halves(raised: Raised, facts: Facts) -> bool:
    return bool(_HALF & set(facts.dtypes)) and set(facts.dtypes) <= _FLOATS


def _doubles(raised: Raised, facts: Facts) -> bool:
    return {"float64", "float32"} <= set(facts.dtypes)


def _whole(raised: Raised, facts: Facts) -> bool:
    return bool({"int64", "int32", "uint8", "int16"} & set(facts.dtypes))


def _differ(raised: Raised, facts: Facts) -> bool:
    return len(set(facts.dtypes)) > 1


def _kinds(raised: Raised, facts: Facts) -> str:
    """What of two dtypes that are not both floating the first is made by."""
    found = set(facts.dtypes)
    if "bool" in found:
        return "comparisons and masks are bool; a product computes with operands of one dtype"
    if _whole(raised, facts):
        return "lists of whole numbers, torch.arange and torch.randint give int64, and layers take floats"
    return "a product and a layer compute with operands of one dtype"


def _of_one_kind(raised: Raised, facts: Facts) -> str:
    """The call that converts what is no floating number, or one to the other."""
    floating = [dtype for dtype in facts.dtypes if dtype in _FLOATS]
    if not floating or (not _whole(raised, facts) and "bool" not in facts.dtypes):
        return "convert one to the dtype of the other, with .to(….dtype)"
    call = "float()" if floating[0] == "float32" else f"to(torch.{floating[0]})"
    return say(f"write {{input}}.{call}", f"convert the whole numbers with .{call}")(raised, facts)


_CLASSES = either(
    says(
        r"'target'|scalar type long but (?:found|got)|target dtype to be long|"
        r"target with class probabilities|nll_loss"
    ),
    inside("cross_entropy", "nll_loss"),
    written(r"(?i)cross_?entropy|nll_loss|\bce\w*\("),
)

_TARGET_FLOATS = says(
    r"expected object of (?:scalar )?type (?:torch\.)?(?:cuda\.)?(?:Float|Double|Half)\w* .*'target'"
)


def _target(raised: Raised, facts: Facts) -> str:
    if "class probabilities" in raised.message:
        return say(
            "the target of `{text}` has the scores' shape, so it holds probabilities, and it is {whole}",
            "the target has the scores' shape, so it holds probabilities, and it is {whole}",
            "the target has the scores' shape, so it holds probabilities, which are floating",
        )(raised, facts)
    return say(
        "the target of `{text}` is {found}, where class numbers are int64",
        "the target is {found}, where class numbers are int64",
        "the target has another dtype than the loss takes",
    )(raised, facts)


def _index(raised: Raised, facts: Facts) -> str:
    if "valid indices" in raised.message:
        return say("`{text}` indexes a tensor by a float", "a tensor is indexed by a float")(raised, facts)
    return say("`{text}` has an index of {found}", "an index is not made of whole numbers")(raised, facts)


def _not(test: Test) -> Test:
    return lambda raised, facts: not test(raised, facts)


ROWS = (
    Row(
        "AGX313",
        "index-dtype",
        (
            "'index'",
            "used as indices must be",
            "expected dtype int64 for index",
            "for argument #1 'indices'",
            "expected tensor for argument #1 'indices'",
            "expected dtype int64",
            "expected dtype int32",
            "only applicable to index tensor",
            "byte variables are valid indices",
        ),
        _index,
        ("gather, scatter_, embedding and indexing take int64",),
        ("convert the index with .long()",),
        also=("cross-entropy-target-dtype",),
        when=says(r"expected|must be|only applicable|valid indices \(got \w*float"),
    ),
    Row(
        "AGX313",
        "cross-entropy-target-dtype",
        _TARGETS,
        _target,
        ("class numbers are int64 of shape (n,); probabilities are floating, of the shape of the scores",),
        (
            say(
                "write {target}.long() for class numbers, {target}.float() for probabilities",
                "convert the target, with .long() for class numbers, .float() for probabilities",
            ),
        ),
        also=("dtype-mismatch-double-float", "index-dtype", "bce-target-dtype"),
        when=both(
            _CLASSES,
            either(both(_whole, says("expected"), _not(_TARGET_FLOATS)), says("not implemented for")),
        ),
    ),
    Row(
        "AGX334",
        "bce-target-dtype",
        (
            "found dtype",
            "result type float can't be cast to the desired output type long",
            "expected scalar type",
            "expected object of scalar type",
            "expected object of type torch.",
            "but got dtype",
        ),
        say(
            "`{text}` compares floating scores with a target of {whole}",
            "the loss has a target of whole numbers",
        ),
        ("binary cross-entropy and regression losses take a floating target",),
        (say("write {target}.float()", "convert the target with .float()"),),
        also=("cross-entropy-target-dtype", "dtype-mismatch-double-float", "inplace-result-dtype-cast"),
        when=both(
            _whole,
            either(
                says("found dtype (?:long|int|byte|short|bool) but expected (?:float|double|half)"),
                says("expected dtype (?:float|double|half) but got dtype (?:long|int|byte|short|bool)"),
                _TARGET_FLOATS,
                inside("binary_cross_entropy", "mse_loss", "l1_loss"),
                near(r"\bF\.(?:binary_cross_entropy|mse_loss|l1_loss|smooth_l1_loss)"),
            ),
        ),
    ),
    Row(
        "AGX336",
        "inplace-result-dtype-cast",
        ("can't be cast to the desired output type", "can't be cast to"),
        say(
            "`{text}` would put {dtype0} into a tensor of {dtype1}",
            "a result would be put into a tensor of another dtype",
        ),
        ("a method ending in _, += and out= keep the tensor's dtype",),
        ("write it out of place, as .clamp(...) for .clamp_(...), or convert first with .float()",),
        also=("bce-target-dtype",),
        when=says("result type"),
    ),
    Row(
        "AGX314",
        "half-op-on-cpu",
        ("not implemented for 'half'", "not implemented for 'bfloat16'", "not supported on cputype for half"),
        say(
            "`{text}` runs {op} in half precision on the CPU, which has no version of it",
            "{op} has no version for half precision on the CPU",
            "a function has no version for half precision on the CPU",
        ),
        ("the model was loaded in half precision and the GPU is not used",),
        ("use model.float() on the CPU, or move model and input to a GPU",),
        when=says(r"cpu|_out|kernel|not implemented for '(?:Half|BFloat16)'"),
    ),
    Row(
        "AGX304",
        "dtype-mismatch-half-float",
        _MIXED,
        _SENTENCE,
        ("part of the model or the input was made half, or autocast ended before this line",),
        (
            say(
                "give {input}.to({layer}.weight.dtype), or run the line under torch.autocast",
                "convert one to the other's dtype, or run the line under torch.autocast",
            ),
        ),
        also=("dtype-mismatch-double-float",),
        when=either(_halves, says(r"^mixed dtype \(cpu\)")),
    ),
    Row(
        "AGX304",
        "dtype-mismatch-double-float",
        _MIXED,
        _SENTENCE,
        ("NumPy arrays give float64, layers and torch.randn float32",),
        (
            say(
                "convert where the data comes in, with dtype=torch.float32, or {input}.float()",
                "convert where the data comes in, with dtype=torch.float32 or .float()",
            ),
        ),
        also=("dtype-mismatch-half-float", "cross-entropy-target-dtype", "bce-target-dtype"),
        when=_doubles,
    ),
    Row(
        "AGX304",
        "dtype-mismatch",
        _MIXED,
        _SENTENCE,
        (_kinds,),
        (_of_one_kind,),
        also=("dtype-mismatch-double-float", "dtype-mismatch-half-float"),
        when=both(_differ, _not(says("target|index|indices"))),
    ),
)
