"""The .grad of leaves and of what is none, and who may require grad, be copied and be stepped."""

import ast
import re

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.called import on, seen, source
from autograd_cli.diagnose.logs.rows.words import both, either, gaps, say, says, written

_NONLEAF = "of a Tensor that is not a leaf Tensor is being accessed"
_REBINDS = re.compile(
    r"(?P<name>[A-Za-z_]\w*) *= *(?P<value>.*(?<![\w.])(?P=name)\b(?!\.(?:data|detach|grad|clone)\b).*)$"
)
_IN_PLACE = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def _is_computed(raised: Raised, facts: Facts) -> bool:
    """Whether the tensor whose .grad is None was computed: its frame knows, or torch's warning before."""
    tensor = seen(raised, gaps(raised, facts).get("leaf", ""))
    if tensor is not None:
        return not tensor.leaf
    return any(_NONLEAF in line for line in raised.before)


def _rebound(raised: Raised) -> re.Match[str] | None:
    """The statement that gives the name of a leaf to a result, by its source or as it is the failing line."""
    return _REBINDS.match(raised.rebound or source(raised))


def _loses_its_name(raised: Raised, facts: Facts) -> bool:
    """Whether the name of the leaf is given to a result, and nothing tells that it is a leaf yet."""
    match = _rebound(raised)
    name = gaps(raised, facts).get("leaf")
    tensor = seen(raised, name or "")
    return match is not None and match["name"] == name and (tensor is None or not tensor.leaf)


def _renamed(raised: Raised, facts: Facts) -> str:
    match = _rebound(raised)
    if match is None:
        return "the name of a leaf is given to a result, and the .grad of a result is None"
    return f"`{match[0]}` gives the name of the leaf to a result, and the .grad of a result is None"


def _kept_name(raised: Raised, facts: Facts) -> str:
    """The update in place of what the statement makes a new tensor of."""
    match = _rebound(raised)
    if match is None:
        return "keep the leaf, and change it in place under torch.no_grad()"
    changed = _changed(match["name"], match["value"])
    return f"keep the leaf: with torch.no_grad(): {changed}, and {match['name']}.grad = None behind it"


def _changed(name: str, value: str) -> str:
    """The statement that changes `name` in place to `value`."""
    try:
        node = ast.parse(value, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{name} -= ..."
    if isinstance(node, ast.BinOp) and type(node.op) in _IN_PLACE and ast.unparse(node.left) == name:
        return f"{name} {_IN_PLACE[type(node.op)]}= {ast.unparse(node.right)}"
    return f"{name}.copy_({ast.unparse(node)})"


def _last_touches_grad(raised: Raised, facts: Facts) -> bool:
    """Whether the line that failed, of whatever file, reads a .grad."""
    return bool(raised.frames) and ".grad." in raised.frames[-1].text


_IS_NONE = (
    "'nonetype' object has no attribute",
    "unsupported operand type(s) for",
    "must be tensor, not nonetype",
)
_USES_GRAD = both(says("nonetype"), either(written(r"\.grad\b(?!_)"), _last_touches_grad))

ROWS = (
    Row(
        "AGX416",
        "nonleaf-grad-access",
        ("is not a leaf tensor is being accessed",),
        say(
            "`{leaf}.grad` is read, and `{leaf}` was computed",
            "the .grad of a computed tensor is read, and it is None",
        ),
        ("torch keeps .grad of leaves alone; .to(), reshaping and arithmetic make a new tensor",),
        (
            say("call {leaf}.retain_grad() before backward", "call retain_grad() on it before backward"),
            "or read the .grad of the leaf that it was computed from",
        ),
    ),
    Row(
        "AGX417",
        "leaf-name-lost",
        _IS_NONE,
        _renamed,
        ("backward fills the .grad of the leaf, which has no name any more, and nothing trains it",),
        (_kept_name,),
        kinds=("AttributeError", "TypeError"),
        also=("grad-is-none", "nonleaf-grad-access"),
        when=both(_USES_GRAD, _loses_its_name),
    ),
    Row(
        "AGX416",
        "nonleaf-grad-access",
        _IS_NONE,
        say(
            "`{leaf}.grad` is None: `{leaf}` was computed, and torch keeps .grad of leaves alone",
            "the .grad of a computed tensor is None, since torch keeps .grad of leaves alone",
        ),
        (".to(), reshaping and arithmetic make a new tensor of a leaf",),
        (
            say("call {leaf}.retain_grad() before backward", "call retain_grad() on it before backward"),
            "or read the .grad of the leaf that it was computed from",
        ),
        kinds=("AttributeError", "TypeError"),
        also=("grad-is-none", "leaf-name-lost"),
        when=both(_USES_GRAD, _is_computed),
    ),
    Row(
        "AGX417",
        "grad-is-none",
        _IS_NONE,
        say("`{leaf}.grad` is None where its value is used", "a .grad is None where its value is used"),
        ("no backward ran before, or this tensor does not lead to the loss, or set_to_none=True cleared it",),
        (
            say("skip it: if {leaf}.grad is not None: ...", "skip tensors whose grad is None"),
            "or find why the loss does not use it",
        ),
        kinds=("AttributeError", "TypeError"),
        when=_USES_GRAD,
    ),
    Row(
        "AGX418",
        "requires-grad-on-nonleaf",
        ("can only change requires_grad flags of leaf",),
        say("`{text}` sets requires_grad of a computed tensor", "requires_grad is set on a computed tensor"),
        ("only leaves can be switched; a computed tensor requires grad as its operands do",),
        (
            on(
                r"requires_grad",
                "use {it}.detach() in place of {it} for a part without gradient; "
                "{it}.detach().requires_grad_() starts a new leaf",
                "use its detach() for a part without gradient; detach().requires_grad_() starts a new leaf",
            ),
        ),
    ),
    Row(
        "AGX404",
        "integer-requires-grad",
        ("can require gradients", "requires gradients must be floating point"),
        say(
            "`{text}` asks a tensor of whole numbers or booleans to require grad",
            "a tensor of whole numbers is asked to require grad",
        ),
        ("only floating and complex dtypes have gradients",),
        (
            on(
                r"requires_grad",
                "convert first: {it} = {it}.float().requires_grad_()",
                "convert first, with float() or dtype=torch.float32",
            ),
            "pass requires_grad=False to nn.Parameter for quantized weights",
        ),
        when=says("floating"),
    ),
    Row(
        "AGX437",
        "deepcopy-nonleaf",
        ("support the deepcopy protocol",),
        say(
            "`{text}` copies a tensor that was computed with a graph",
            "copy.deepcopy meets a tensor that was computed with a graph",
        ),
        ("deepcopy takes leaves alone; an attribute of the module or of the object holds a result",),
        ("keep its detach(), or detach().clone(), in the attribute, or copy state_dict()",),
    ),
    Row(
        "AGX421",
        "optimizer-nonleaf",
        ("can't optimize a non-leaf",),
        say("`{text}` is given a computed tensor", "the optimizer is given a computed tensor"),
        ("a tensor made by .to(), .cuda() or arithmetic from a leaf is no leaf",),
        ("make it a leaf, with detach().requires_grad_(), or move it before requires_grad_()",),
    ),
    Row(
        "AGX421",
        "optimizer-empty-parameters",
        ("got an empty parameter list",),
        say("`{text}` is given no parameter", "the optimizer is given no parameter"),
        ("the layers stand in a plain list or dict, all are filtered out, or the generator was used up",),
        ("hold layers in nn.ModuleList or nn.ParameterList; check list(model.parameters())",),
    ),
    Row(
        "AGX421",
        "optimizer-not-tensors",
        ("optimizer can only optimize tensors",),
        say(
            "`{text}` is given what is no tensor among the parameters",
            "the optimizer is given what is no tensor among the parameters",
        ),
        ("named_parameters() gives pairs with a name, and a dict goes through its keys",),
        ("pass model.parameters(), or a list of tensors",),
    ),
    Row(
        "AGX421",
        "optimizer-single-tensor",
        ("params argument given to the optimizer should be an iterable",),
        say("`{text}` is given one tensor", "the optimizer is given one tensor"),
        ("it goes through what it is given, and takes each element for a parameter",),
        ("put the tensor in a list, which may have this one alone",),
    ),
)
