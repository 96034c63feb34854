"""Changes in place: of what backward needs, of leaves, views, inference and expanded tensors."""

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.words import both, either, gaps, inside, near, say, says, written

_SAVED = ("modified by an inplace operation",)
_FAMILY = ("inplace-modified-saved-tensor", "optimizer-step-before-backward", "ddp-buffer-broadcast-inplace")
_CHANGED = say(
    "a tensor of shape {shape0}, output of {op}, was changed in place after backward came to need it "
    "(version {version0}, {version1} expected)",
    "a tensor of shape {shape0} was changed in place after backward came to need it "
    "(version {version0}, {version1} expected)",
    "a tensor that backward needs was changed in place",
)


def _buffer(raised: Raised, facts: Facts) -> bool:
    distributed = raised.rank is not None or near(r"(?i)distributeddataparallel|\bddp\b|distributed|nccl")(
        raised, facts
    )
    small = bool(facts.shapes) and len(facts.shapes[0]) <= 1
    whole_numbers = bool(facts.dtypes) and facts.dtypes[0].startswith("int")
    return distributed and not facts.op and (small or whole_numbers)


def _no_op(raised: Raised, facts: Facts) -> bool:
    """Whether torch names no operation that made the tensor, as of parameters and buffers."""
    return not facts.op


def _weight(raised: Raised, facts: Facts) -> bool:
    """Whether the tensor is a weight as a layer sees it, or a leaf that was changed before, as by init."""
    if not facts.op and facts.shapes and facts.versions[1:] >= (1,):
        return facts.dtypes[:1] in {("float64",), ("float32",), ("float16",), ("bfloat16",)}
    is_matrix = not facts.shapes or len(facts.shapes[0]) <= 2
    return is_matrix and facts.op in {
        "TBackward",
        "TBackward0",
        "T",
        "AsStridedBackward0",
        "AsStrided",
        "TransposeBackward0",
    }


def _stepped(raised: Raised, facts: Facts) -> str:
    if raised.is_stepped:
        return "an optimizer steps between the forward and this backward, and changes the weights"
    return say(
        "{op} hands on a weight as a layer saw it: optimizer.step() changed it before this backward",
        "if it is a weight, optimizer.step() changed it before this backward",
    )(raised, facts)


def _where_to_look(raised: Raised, facts: Facts) -> str:
    """What shows the line that made the node, where that is not told yet."""
    if gaps(raised, facts)["made"]:
        return ""
    return "set_detect_anomaly(True) of torch.autograd shows the line of the forward that needs it"


def _batched(raised: Raised, facts: Facts) -> bool:
    """Whether what is written has a dimension more than its place, the one that vmap hides."""
    sizes = [len(shape) for shape in facts.shapes]
    return inside("functorch/")(raised, facts) and len(sizes) == 2 and sizes[0] + 1 == sizes[1]


def _views(raised: Raised, facts: Facts) -> str:
    if "its base or another view" in raised.message:
        return say(
            "`{text}` meets a view, made by {op}, of what was changed in place",
            "a view that {op} made is used after what it views was changed in place",
            "a view is used after what it views was changed in place",
        )(raised, facts)
    return say(
        "`{text}` changes one of several views that one call of {op} made",
        "one of several views that {op} made is changed in place",
        "one of several views of one tensor is changed in place",
    )(raised, facts)


ROWS = (
    Row(
        "AGX615",
        "ddp-buffer-broadcast-inplace",
        _SAVED,
        _CHANGED,
        (
            (
                "DistributedDataParallel copies buffers, such as BatchNorm's means, from rank "
                "0 before each forward"
            ),
            "so a second forward before backward changes what the first one saved",
        ),
        ("pass broadcast_buffers=False, use SyncBatchNorm, or run both batches in one forward",),
        also=_FAMILY[:2],
        when=_buffer,
    ),
    Row(
        "AGX451",
        "optimizer-step-before-backward",
        _SAVED,
        _CHANGED,
        (_stepped,),
        (
            "call every backward before the first step()",
            say("or run the forward again before {loss}.backward(), with detach where networks share it"),
        ),
        also=(_FAMILY[0], _FAMILY[2]),
        when=either(
            lambda raised, facts: raised.is_stepped,
            _weight,
            both(
                _no_op, near(r"(?i)(?<!`)\b(?:opt\w*|\w*optim\w*)\.step\(|\bd_\w*loss|\bloss_d\w*\b|netd\b")
            ),
        ),
    ),
    Row(
        "AGX409",
        "inplace-modified-saved-tensor",
        _SAVED,
        _CHANGED,
        (
            say("`{made}` needs it for its gradient"),
            say(
                "a line after {op} writes into its result: +=, an index assignment, a "
                "method ending in _, inplace=True",
                "a line of the forward writes into it: +=, an index assignment, a method "
                "ending in _, inplace=True",
            ),
            "if the shape is that of a weight, optimizer.step() ran before this backward",
            _where_to_look,
        ),
        ("write = and + in place of +=, clone() before an assignment, inplace=False in the activation",),
        also=_FAMILY[1:],
    ),
    Row(
        "AGX412",
        "leaf-view-inplace",
        ("view of a leaf variable", "view of leaf variable", "moved into the graph interior"),
        say(
            "`{text}` changes a view of a leaf that requires grad",
            "a view of a leaf that requires grad is changed in place",
        ),
        ("a slice, an index or .view of a parameter shares its memory",),
        (
            say(
                "put it under torch.no_grad(): with torch.no_grad(): {text}",
                "put the change under torch.no_grad()",
            ),
            "for a part of the model, clone the parameter first",
        ),
        also=("leaf-inplace",),
        when=either(says("view of"), written(r"\] *[-+*/]?=[^=]|\]\.\w+_\(|\.view\(")),
    ),
    Row(
        "AGX412",
        "leaf-inplace",
        ("leaf variable that requires grad", "leaf variable has been moved into the graph interior"),
        say("`{text}` changes a leaf that requires grad", "a leaf that requires grad is changed in place"),
        ("the value from before is lost to the graph, so torch refuses outside no_grad",),
        (
            say(
                "put it under torch.no_grad(): with torch.no_grad(): {text}",
                "put the change under torch.no_grad()",
            ),
        ),
        also=("leaf-view-inplace",),
    ),
    Row(
        "AGX436",
        "backward-hook-inplace-module",
        ("output 0 of backwardhookfunction", "of backwardhookfunctionbackward"),
        "a module with a full backward hook has its input or output changed in place",
        ("the hook wraps both in a view of a custom Function, which may not be written to",),
        (
            (
                "set inplace=False in the activation after it: nn.ReLU(inplace=False), or "
                "write = and + in place of +="
            ),
        ),
    ),
    Row(
        "AGX433",
        "no-grad-view-inplace",
        ("created in no_grad mode", "created in inference mode and is being modified"),
        say(
            "`{text}` changes a view that was made under no_grad",
            "a view that was made under no_grad is changed with gradients on",
        ),
        ("it is not clear whether the change belongs to the graph",),
        ("make the view and the change both inside no_grad, or both outside; or clone the view",),
    ),
    Row(
        "AGX432",
        "multi-view-inplace",
        ("is a view and is being modified inplace", "is a view and its base or another view"),
        _views,
        ("unbind, split, chunk and iteration over a tensor give views that share memory",),
        ("use the form out of place (squeeze for squeeze_, = and - for sub_), or clone() the view first",),
    ),
    Row(
        "AGX434",
        "inplace-on-expanded",
        ("refers to a single memory location", "single memory location"),
        say("`{text}` writes into an expanded tensor", "an expanded tensor is written to"),
        ("elements of expand() share one place in memory",),
        ("call .clone() or .contiguous() after expand, or use repeat",),
    ),
    Row(
        "AGX414",
        "inference-tensor-inplace",
        (
            "inplace update to inference tensor",
            "in-place update to inference tensor",
        ),
        say(
            "`{text}` changes a tensor made in inference_mode",
            "a tensor made in inference_mode is changed outside of it",
        ),
        ("inference tensors have no version counter",),
        ("clone() it outside, or use torch.no_grad() in place of inference_mode",),
        also=("inference-tensor-in-autograd",),
    ),
    Row(
        "AGX414",
        "inference-tensor-in-autograd",
        (
            "inference tensors cannot be saved",
            "inference tensors do not track",
            "version_counter for inference tensor",
            "requires_grad=true on inference tensor",
        ),
        say(
            "`{text}` uses a tensor made in inference_mode where a graph is recorded",
            "a tensor made in inference_mode takes part in a graph",
        ),
        ("a cache or buffer was filled under torch.inference_mode()",),
        ("clone() it, or fill it under torch.no_grad() instead",),
        also=("inference-tensor-inplace",),
    ),
    Row(
        "AGX447",
        "vmap-inplace-on-unbatched",
        ("vmap: inplace arithmetic", "vmap: aten::", "doesn't match the broadcast shape"),
        say(
            "`{text}` writes a batched value into an unbatched tensor",
            "under vmap a batched value is written into an unbatched tensor",
        ),
        ("inside vmap the value has one more dimension than it shows",),
        (
            (
                "build the result out of place with torch.stack or torch.where, or make it "
                "with torch.zeros_like of a batched one"
            ),
        ),
        when=either(both(says("not possible|inplace|in-place"), says("vmap")), _batched),
    ),
    Row(
        "AGX322",
        "torch-tensor-copy-detaches",
        ("to copy construct from a tensor",),
        say(
            "`{text}` copies a tensor and drops its graph",
            "torch.tensor of a tensor copies it and drops its graph",
        ),
        fix=(
            say(
                "write {input}.detach().clone() for a copy, or {input} itself where the gradient must flow",
                "write .detach().clone() for a copy, or use it itself where the gradient must flow",
            ),
        ),
        kinds=("UserWarning", ""),
    ),
    Row(
        "AGX449",
        "cudagraph-output-overwritten",
        ("output of cudagraphs that has been overwritten",),
        say(
            "`{text}` reads a result that a later run of the compiled model overwrote",
            "a result of a compiled model is read after a later run overwrote it",
        ),
        ("CUDA graphs give the same memory in each run",),
        (
            (
                "clone the result outside torch.compile, or call "
                "torch.compiler.cudagraph_mark_step_begin() before each run"
            ),
        ),
    ),
)
