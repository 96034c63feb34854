"""Backward without a graph, from no scalar, and twice; grad asked of what has none."""

from autograd_cli.diagnose.logs.records import CutBy, Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.words import cut_by, either, inside, near, say, says, seen

_NO_PATH = (
    "of tensors does not require grad",
    "of variables does not require grad",
    "variables tuple is volatile",
    "no graph nodes that require computing gradients",
)
_KINDS_NO_PATH = (
    "loss-has-no-grad-path",
    "detached-prediction-in-loss",
    "nondifferentiable-op-in-loss",
    "checkpoint-reentrant-no-grad-input",
    "no-grad-around-trainable",
)
_NO_GRAPH = say(
    "backward starts at `{loss}`, and no tensor that requires grad leads to it",
    "backward starts at a tensor to which no tensor that requires grad leads",
)
_NO_CURE = "setting requires_grad = True on the loss silences the error and trains nothing"


_LABELS = r"(?:ids?|idx|index|indices|labels?|targets?|tgt|mask|y|tokens)"
_STAIRCASE = (
    r"argmax\(|\.round\(|torch\.round|\.sign\(|"
    rf"(?<![\w.])(?!(?:[\w.\[\]()]*[._(])?{_LABELS}\.(?:long|int)\(\))\w[\w.\[\]()]*\.(?:long|int)\(\)|"
    r"\.(?:to|type)\((?:torch\.)?u?(?:int|long|bool)|"
    r"(?:^|[ >])[A-Za-z_][\w.\[\]]* = .*[\w)] ?(?:[<>]=?|==) ?[\w(]|\([\w.() ]+ == [\w.() ]+\)\."
)
_TAKEN_OUT = (
    r"\.detach\(\)|(?<!cfg)(?<!config)(?<!args)(?<!opt)(?<!batch)(?<!hparams)\.data\b(?!\.\w*[Ll]oader)|"
    r"\.item\(\)|\.numpy\(\)|torch\.tensor\("
)
_CARRIED = (
    r"^[^(]*\b(?:h|hx|cx|hidden|hiddens|state|h_\w+|hidden_\w+|\w+_hidden)\b *[=,]|"
    r"[Ll][Ss][Tt][Mm]|GRU|RNN"
)


def _others(name: str) -> tuple[str, ...]:
    return tuple(other for other in _KINDS_NO_PATH if other != name)


_OR_CUT = "or the prediction was cut by detach, .data, item, argmax, round or a conversion to whole numbers"


def _parameters(raised: Raised) -> str:
    """Whether parameters are frozen, as far as the frames tell."""
    if raised.frozen:
        names = " and ".join(f"`{name}`" for name in raised.frozen)
        return f"every parameter of {names} has requires_grad False: nothing is left to train"
    return "" if raised.cut else "all parameters may be frozen, or the forward ran under no_grad"


def _to_the_cut(raised: Raised, facts: Facts) -> str:
    if raised.frozen:
        return f"call {raised.frozen[0]}.requires_grad_(), or that of the layers to train, before the forward"
    return (
        "print requires_grad of the parameters, then grad_fn of each result from the model to the loss: "
        "the first None is the cut"
    )


def _detached(raised: Raised, facts: Facts) -> str:
    """How to keep a state from leading back, with the script's own names where its source tells them."""
    states = "; ".join(_without_graph(raised, name) for name in raised.carried)
    if states:
        return f"detach the state between rounds: {states}"
    return "detach the state between rounds, and of an LSTM both its states"


def _without_graph(raised: Raised, name: str) -> str:
    """The statement that takes the graph from a state: from each of its tensors where it has several."""
    parts = {one.name[len(name) :] for one in raised.tensors if one.name.startswith(f"{name}[")}
    if not parts:
        return f"{name} = {name}.detach()"
    if any(part.count("[") > 1 or not part[1:-1].isdecimal() for part in parts):
        return f"each tensor of {name}"
    return f"{name} = type({name})(part.detach() for part in {name})"


ROWS = (
    Row(
        "AGX439",
        "checkpoint-reentrant-no-grad-input",
        (*_NO_PATH, "none of the inputs have requires_grad=true", "none of output has requires_grad=true"),
        "a reentrant checkpoint was given inputs of which none requires grad, so its outputs have no graph",
        ("the reentrant checkpoint records a graph only where an input of the checkpoint requires grad",),
        (
            "write torch.utils.checkpoint.checkpoint(..., use_reentrant=False)",
            "or make the first input require grad, as model.enable_input_require_grads() does",
        ),
        also=_others("checkpoint-reentrant-no-grad-input"),
        when=either(
            says("none of the inputs have|none of output has"),
            inside("utils/checkpoint"),
            near("None of the inputs have requires_grad"),
        ),
    ),
    Row(
        "AGX403",
        "nondifferentiable-op-in-loss",
        _NO_PATH,
        _NO_GRAPH,
        (
            seen(
                _STAIRCASE,
                "`{line}` has an operation without a gradient, which cuts the path if the loss is made of it",
            ),
            _NO_CURE,
        ),
        ("compute the loss from the scores themselves, before that operation",),
        also=_others("nondifferentiable-op-in-loss"),
        when=cut_by(CutBy.STAIRCASE, near(_STAIRCASE)),
    ),
    Row(
        "AGX453",
        "detached-prediction-in-loss",
        _NO_PATH,
        _NO_GRAPH,
        (
            seen(
                _TAKEN_OUT,
                "`{line}` takes a value out of its graph, and may be what the loss is made of",
            ),
            _NO_CURE,
        ),
        ("hand the loss the model's own output; detach only what is logged",),
        also=_others("detached-prediction-in-loss"),
        when=cut_by(CutBy.TAKEN_OUT, near(_TAKEN_OUT)),
    ),
    Row(
        "AGX402",
        "no-grad-around-trainable",
        _NO_PATH,
        _NO_GRAPH,
        ("the forward ran under no_grad, so nothing was recorded", _NO_CURE),
        ("take the trained part out of torch.no_grad()",),
        also=_others("no-grad-around-trainable"),
        when=cut_by(CutBy.UNRECORDED, near(r"no_grad\(|set_grad_enabled\(False|inference_mode\(")),
    ),
    Row(
        "AGX402",
        "loss-has-no-grad-path",
        _NO_PATH,
        _NO_GRAPH,
        (
            lambda raised, facts: _parameters(raised),
            lambda raised, facts: "" if raised.frozen or raised.cut else _OR_CUT,
            _NO_CURE,
        ),
        (_to_the_cut,),
        also=_others("loss-has-no-grad-path"),
    ),
    Row(
        "AGX402",
        "autograd-grad-input-no-requires-grad",
        (
            "differentiated tensors does not require grad",
            "differentiated variables does not require grad",
            "of the input tensors does not require grad",
            "at least one input tensor to require grad",
            "register a hook on a tensor that doesn't require grad",
            "can't retain_grad on tensor that has requires_grad=false",
        ),
        say(
            "`{text}` asks for the gradient of the tensor at index {index}, which does not require grad",
            "`{text}` asks for the gradient of a tensor that does not require grad",
            "a gradient is asked of a tensor that does not require grad",
        ),
        ("it is data, or it was computed under no_grad or from parameters that are frozen",),
        fix=("call requires_grad_() on it before the forward that uses it",),
    ),
    Row(
        "AGX443",
        "nonscalar-loss-dataparallel",
        ("implicitly created only for scalar outputs",),
        say(
            "`{loss}` has one loss for each GPU, and backward needs a single number",
            "there is one loss for each GPU, and backward needs a single number",
        ),
        ("DataParallel gathers the loss of each replica into a vector",),
        (say("write {loss}.mean().backward()", "write loss.mean().backward()"),),
        also=("nonscalar-loss-backward",),
        when=near(
            r"asked to gather along|(?<!Distributed)DataParallel|n_gpus?\W+[2-9]|[Mm]ultiple GPUs|device_ids"
        ),
    ),
    Row(
        "AGX405",
        "complex-loss-backward",
        ("only for real scalar outputs", "for real scalar outputs but got"),
        say("backward starts at `{loss}`, which is {dtype0}", "backward starts at a complex number"),
        ("a gradient descends a real number",),
        (say("take a real loss first, as {loss}.abs()", "take a real loss first, as loss.abs()"),),
    ),
    Row(
        "AGX401",
        "nonscalar-loss-backward",
        (
            "implicitly created only for scalar outputs",
            "should be called only on a scalar",
            "expected f(*args) to return a scalar tensor",
            "should contain a single element",
        ),
        say(
            "backward starts at `{loss}`, which has more than one number",
            "backward starts at a tensor of more than one number",
        ),
        ("the loss was not reduced, or reduction='none' keeps one number a sample",),
        (
            say(
                "write {loss}.mean().backward(), or sum()",
                "reduce the loss with mean() or sum() before backward",
            ),
        ),
        also=("nonscalar-loss-dataparallel",),
    ),
    Row(
        "AGX423",
        "backward-gradient-shape-mismatch",
        (
            "mismatch in shape: grad_output",
            "attempting to assign a gradient of size",
            "assigned grad has data of a different size",
            "invalid gradient at index",
        ),
        say(
            "the gradient given has shape {given}, the tensor {wanted}",
            "the gradient given has another shape than its tensor",
        ),
        ("a gradient has one number for each element of its tensor",),
        (
            say(
                "give the gradient the shape of its tensor, as torch.ones_like({loss}) has, or reduce "
                "that to one number",
                "give the gradient the shape of its tensor, as torch.ones_like makes one",
            ),
        ),
        when=says(r"^(?!function)"),
    ),
    Row(
        "AGX452",
        "recurrent-state-not-detached",
        ("backward through the graph a second time", "backward through the graph second time"),
        say(
            "`{loss}.backward()` goes back into a round whose graph is freed",
            "backward goes back into a round whose graph is freed",
        ),
        (
            say(
                "`{carried}` is carried from round to round and leads into the round before",
                "a hidden state that is carried from round to round leads into the round before",
            ),
            "or one graph is walked twice; it is the state where the second round fails and the first passes",
        ),
        (_detached,),
        also=("backward-twice-freed-graph",),
        when=either(
            lambda raised, facts: bool(raised.carried),
            near(_CARRIED),
            inside("rnn", "lstm", "gru"),
        ),
    ),
    Row(
        "AGX411",
        "backward-twice-freed-graph",
        (
            "backward through the graph a second time",
            "backward through the graph second time",
            "saved intermediate results have already been freed",
            "directly access saved tensors after they have already been freed",
        ),
        say(
            "`{loss}.backward()` comes to nodes that an earlier backward freed",
            "a second backward comes to nodes that an earlier one freed",
        ),
        (
            "two losses share a part of the forward, or one loss is walked twice",
            "or a state is carried from round to round without detach; then the second round fails",
        ),
        (
            "add the losses and call backward once, or compute the forward again",
            (
                "detach what is carried between rounds; write retain_graph=True in the first "
                "backward where both are meant"
            ),
        ),
        also=("recurrent-state-not-detached",),
    ),
    Row(
        "AGX406",
        "autograd-grad-unused-input",
        ("appears to not have been used in the graph",),
        say(
            "the tensor at index {index} in `{text}` does not lead to the output",
            "an input of `{text}` does not lead to the output",
            "an input of torch.autograd.grad does not lead to the output",
        ),
        ("it is not used, or a copy of it is: a view, a .to() or an older parameter",),
        ("differentiate by the tensor that the forward uses, or pass allow_unused=True and expect None",),
    ),
    Row(
        "AGX446",
        "sparse-grad-optimizer",
        (
            "does not support dense gradients",
            "does not support sparse gradients",
            "not compatible with sparse gradients",
            "add(sparse, dense) is not supported",
            "arguments from the 'sparse",
        ),
        say(
            "`{text}` meets a gradient whose layout it cannot step",
            "an optimizer meets a gradient whose layout it cannot step",
        ),
        ("SparseAdam steps sparse gradients alone, most other optimizers dense ones alone",),
        ("give embeddings with sparse=True to SparseAdam and all else to Adam, or set sparse=False",),
        when=either(says("sparse gradients|dense gradients"), inside("torch/optim/", "clip_grad")),
    ),
)
