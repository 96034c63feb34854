"""Functions with a backward by hand, hooks, second derivatives, gradcheck, checkpoint, compilers."""

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.words import both, either, near, of_two_devices, say, says

_ROOT = says(r"'(?:Sqrt|Pow|Norm|LinalgVectorNorm|Cdist|Std|Div|Rsqrt|Hypot|Pair)\w*'")
_PASSES_ON = says(r"'(?:Mul|Sum|Mean|Expand|Add|Sub|Neg|Mm|Addmm|Bmm|Sigmoid|Tanh|Softmax)\w*'")
"""NaN in a node that makes none: it is given the infinite slope of what is written around it, times 0."""

_MASKED = near(r"\bwhere\(|masked_\w+\(|\[~?\w*mask\w*\]")


def _unmasked(raised: Raised, facts: Facts) -> bool:
    return not _MASKED(raised, facts)


def _hook(raised: Raised, facts: Facts) -> str:
    if "but hook returned" in raised.message:
        return say("a hook returns {name0}, which is no tensor", "a hook returns what is no tensor")(
            raised, facts
        )
    return say(
        "the hook {name0} returns another gradient than it was given",
        "a hook returns another gradient than it was given",
    )(raised, facts)


_NAN = say(
    "{op}, which `{made}` made, gives NaN in a gradient",
    "{op} gives NaN in a gradient",
    "a backward gives NaN in a gradient",
)

ROWS = (
    Row(
        "AGX426",
        "custom-function-grad-count",
        ("returned an incorrect number of gradients", "returned a gradient different than none at position"),
        say(
            "{op} returns a gradient at position {index}, where its forward takes no tensor",
            "{op} returns {size1} gradients, and its forward takes {size0} inputs",
            "a backward returns another number of gradients than its forward takes inputs",
        ),
        ("backward owes one value for each argument of forward after ctx, None for those without gradient",),
        (
            say(
                "return {size0} values, None where nothing is to be derived",
                "return one value an argument, None where nothing is to be derived",
            ),
        ),
    ),
    Row(
        "AGX427",
        "custom-function-grad-shape",
        ("returned an invalid gradient at index", "expected variable or none (got"),
        say(
            "{op} returns a gradient of shape {given} at index {index}, where the input has shape {wanted}",
            "a backward returns a gradient that does not fit its input",
        ),
        ("a gradient has its input's shape and device; what was broadcast is summed back",),
        (
            say(
                "return a gradient of shape {wanted} for input {index}; check the order of "
                "the returned values",
                "sum or reshape the gradient to the input's shape",
            ),
        ),
        when=lambda raised, facts: not of_two_devices(raised, facts),
    ),
    Row(
        "AGX428",
        "custom-function-not-static",
        ("legacy autograd function with non-static forward",),
        say(
            "`{text}` uses a Function whose forward is no static method",
            "a Function has a forward that is no static method",
        ),
        ("torch 1.5 and later take static methods with ctx alone",),
        ("put @staticmethod and ctx on forward and backward, and call MyFunction.apply(x)",),
    ),
    Row(
        "AGX455",
        "custom-function-no-backward",
        (
            "implement either the backward or vjp",
            "must implement the backward",
            "must implement either the backward",
        ),
        say(
            "`{loss}.backward()` comes to a Function that has no backward",
            "backward comes to a Function that has no backward",
        ),
        ("autograd does not look into a Function's forward: its gradient is what its backward gives",),
        ("write @staticmethod def backward(ctx, grad), with a gradient for each argument of forward",),
        kinds=("NotImplementedError",),
    ),
    Row(
        "AGX455",
        "custom-function-saves-other",
        ("save_for_backward can only save variables", "save_for_backward can only save tensors"),
        say(
            "`{text}` hands save_for_backward what is no tensor",
            "save_for_backward is given what is no tensor",
        ),
        ("it keeps tensors, to see that none is changed before backward",),
        ("keep numbers and other things as attributes: ctx.factor = factor",),
        kinds=("TypeError",),
    ),
    Row(
        "AGX430",
        "once-differentiable-double-backward",
        ("differentiate twice a function that was marked",),
        "a second derivative goes through a backward that is marked once_differentiable",
        ("a gradient of a gradient is asked, as in a gradient penalty or an Eikonal loss",),
        (
            (
                "write its backward from torch functions without @once_differentiable, or "
                "compute the penalty without it"
            ),
        ),
    ),
    Row(
        "AGX429",
        "double-backward-not-implemented",
        ("is not implemented", "support double backward", "double backwards is not supported"),
        say(
            "a second derivative goes through {op}, whose derivative torch does not have",
            "a second derivative goes through a backward without derivative",
        ),
        ("its backward is one kernel without a derivative of its own",),
        ("write the function from others that have one, or leave out create_graph=True there",),
        when=either(
            says(r"^(?:the )?derivative for [\w:']+ is not implemented|^double backwards is not supported"),
            says("does not (?:currently )?support double backward"),
        ),
    ),
    Row(
        "AGX431",
        "complex-autograd-unsupported-op",
        ("does not support automatic differentiation for outputs with complex",),
        say("{op} has no gradient for complex numbers", "a function has no gradient for complex numbers"),
        ("torch has the rule of its backward for real numbers only",),
        ("compute the real and the imaginary part apart with torch.view_as_real, or use a newer torch",),
    ),
    Row(
        "AGX435",
        "backward-hook-bad-return",
        (
            "has changed the size of value",
            "has returned an incorrect number of values",
            "has changed the type of value",
            "hook returned an invalid number of grad",
            "but hook returned",
            "hook for modules where no input requires gradient should return",
        ),
        _hook,
        (
            say(
                "it gave {size0} values where {size1} belong",
                "a hook returns None, or a gradient of the same shape for each",
            ),
        ),
        (
            (
                "let the hook return None, or a tuple with a gradient for each that it was given, of "
                "the same shapes"
            ),
        ),
        when=says(r"^(?:backward )?hook|^expected \w+, but hook returned"),
    ),
    Row(
        "AGX440",
        "gradcheck-nondeterministic",
        ("backward is not reentrant",),
        "gradcheck ran one backward twice and got two answers",
        ("the backward is not deterministic: atomics on a GPU, dropout, or memory that is not initialised",),
        ("pass nondet_tol, make the op deterministic, or look for torch.empty and state in its backward",),
    ),
    Row(
        "AGX501",
        "witnesses-disagree",
        ("jacobian mismatch for output",),
        say(
            "gradcheck finds numeric and analytic gradients apart for output {index}, in double precision",
            "gradcheck finds numeric and analytic gradients apart, in double precision",
        ),
        ("in float64 that is no rounding: the backward is not that of the forward",),
        (
            "compare the two matrices: a factor, a sign, a transpose or a missing sum shows in them",
            "run `agx gradcheck` on the function: it names the element, the input and the pattern",
        ),
        when=says(r"dtype=torch\.(?:float64|complex128)"),
    ),
    Row(
        "AGX441",
        "gradcheck-single-precision",
        ("jacobian mismatch for output", "is not a double precision floating point"),
        say(
            "gradcheck finds numeric and analytic gradients apart for output {index}",
            "gradcheck is given inputs of single precision",
        ),
        (
            (
                "in float32 the difference quotient is lost in rounding; in float64 a mismatch "
                "means a wrong backward"
            ),
        ),
        ("give gradcheck float64 inputs, with .double().requires_grad_(), then look at the backward",),
    ),
    Row(
        "AGX438",
        "checkpoint-recompute-mismatch",
        (
            "recomputed values for the following tensors have different",
            "different number of tensors was saved during",
            "trying to save more tensors during recomputation",
        ),
        say(
            "the checkpoint computed {dtype0} first and {dtype1} when it ran again",
            "the checkpoint's second run saved other tensors than its first",
        ),
        ("autocast, random numbers, a global or the data differed between forward and recomputation",),
        ("make the block depend on its inputs alone; run backward under the same autocast",),
    ),
    Row(
        "AGX448",
        "compiled-backward-retained",
        ("compiled with non-empty donated buffers",),
        say(
            "`{text}` keeps or differentiates a compiled backward that gave its buffers away",
            "a compiled backward is kept or differentiated",
        ),
        ("torch.compile reuses saved memory, which retain_graph and create_graph do not allow",),
        ("leave out retain_graph=True, or set torch._functorch.config.donated_buffer = False",),
    ),
    Row(
        "AGX450",
        "cudnn-rnn-eval-backward",
        ("can only be called in training mode",),
        say(
            "`{loss}.backward()` goes through a cuDNN RNN in eval mode",
            "backward goes through a cuDNN RNN in eval mode",
        ),
        ("cuDNN keeps what backward needs in training mode alone",),
        (
            (
                "call rnn.train() and set its dropout to 0, or run it under "
                "torch.backends.cudnn.flags(enabled=False)"
            ),
        ),
    ),
    Row(
        "AGX502",
        "nan-gradient",
        ("for gradients from `parameters` is non-finite",),
        say(
            "`{text}` meets NaN or infinity in the gradients",
            "gradients that are to be clipped hold NaN or infinity",
        ),
        ("a loss that overflowed, a slope that is infinite, or a scaled gradient that was not unscaled",),
        (
            "call scaler.unscale_(optimizer) before the clipping, where a GradScaler is used",
            "run the script under agx diagnose --watch, which names the first of them and its product",
        ),
    ),
    Row(
        "AGX502",
        "nan-grad-sqrt-at-zero",
        ("returned nan values in its",),
        _NAN,
        ("the slope of sqrt, of a power below 1 and of a norm is infinite at 0, and 0 times that is NaN",),
        ("add a small number inside, as sqrt(… + 1e-12), or clamp(min=1e-12) before",),
        also=("nan-grad-log-at-zero", "nan-grad-masked-branch"),
        when=both(_unmasked, either(_ROOT, both(_PASSES_ON, near(r"sqrt\(|\bnorm\(|\*\* *0?\.5\b|\bstd\(")))),
    ),
    Row(
        "AGX502",
        "nan-grad-log-at-zero",
        ("returned nan values in its",),
        _NAN,
        ("the logarithm's slope at 0 is infinite; a softmax or product before it gave 0",),
        ("use log_softmax, logsumexp or xlogy, or clamp(min=1e-12) before the log",),
        also=("nan-grad-sqrt-at-zero", "nan-grad-masked-branch"),
        when=both(
            _unmasked, either(says(r"'Log\w*'"), both(_PASSES_ON, near(r"\.log(?:2|10)?\(\)|torch\.log")))
        ),
    ),
    Row(
        "AGX502",
        "nan-grad-masked-branch",
        ("returned nan values in its",),
        _NAN,
        ("a branch that torch.where or a mask leaves out still gives 0 times infinity or NaN",),
        ("make the argument safe before the function: f(torch.where(mask, x, 1))",),
        also=("nan-grad-sqrt-at-zero", "nan-grad-log-at-zero"),
    ),
)
