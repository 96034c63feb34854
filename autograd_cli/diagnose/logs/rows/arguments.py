"""Arguments that a function does not take: their kind, their dtype, and places that are not there."""

import re

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.operands import refused
from autograd_cli.diagnose.logs.rows.words import raised_by, say, says

_ARGUMENT = re.compile(
    r"(?:(?P<of>[\w.]+)\(\): )?argument '(?P<name>\w+)' (?:\(position \d+\) )?must be (?P<wanted>[\w ]+), "
    r"not (?P<given>[\w.]+)"
)
_ELEMENT = re.compile(
    r"expected (?P<wanted>Tensor) as element \d+ in argument \d+, but got (?P<given>[\w.]+)"
)
_UNPACKED = re.compile(
    r"(?P<of>\w+)\(\): argument '(?P<name>\w+)' failed to unpack .*must be (?P<wanted>[\w ]+), ?"
    r"but got (?P<given>[\w.]+)"
)
_OPERANDS = re.compile(r"unsupported operand type\(s\) for \S+ '(?:Tensor|Parameter)' and '(?P<given>\w+)'")
_COMBINED = re.compile(
    r"(?P<of>\w+)\(\) received an invalid combination of arguments - got \((?P<given>[^)]*)\)"
)
_NUMBERS = {"int", "float", "complex", "bool"}
_ARRAY = "numpy.ndarray"
_WHY = {
    "NoneType": "a function that returns nothing gives None: a forward without `return`, or list.append",
    "list": "a list of numbers or tensors is no tensor",
    "tuple": "a layer or a model that gives several results gives them as a tuple, as nn.LSTM does",
    "dict": "a batch or a model's output is a dict of tensors",
    "str": "what is read from a file or the command line is a text",
    "method": "a method stands there without the brackets that call it",
    "builtin_function_or_method": "a method stands there without the brackets that call it",
    "Image": "images of PIL become tensors by torchvision.transforms.ToTensor",
    "type": "a class stands there without the brackets that make an object of it",
    "float": "a division gives a float, also where it comes out whole",
}
_HOW = {
    "Tensor": "put the tensors in a list: torch.stack([a, b])",
    "NoneType": "return the result in the function that made it, and print what comes before the line",
    "list": "make it one: torch.stack(list) of tensors, torch.tensor(list) of numbers",
    "tuple": "take the one that is meant: out, state = lstm(x)",
    "dict": "take the tensor out of it, by its key",
    "str": "convert it first, with float(text) or int(text)",
    "method": "call it",
    "builtin_function_or_method": "call it",
    "Image": "put ToTensor() into the dataset's transforms",
    "type": "make an object of it first",
    "float": "write // or int(…) where a whole number is meant",
}


def _found(raised: Raised) -> dict[str, str]:
    """What the message names: the function `of`, the argument's `name`, what is `wanted` and `given`."""
    forms = (_ARGUMENT, _ELEMENT, _UNPACKED, _OPERANDS, _COMBINED)
    match = next(filter(None, (form.search(raised.message) for form in forms)), None)
    return {name: text or "" for name, text in match.groupdict().items()} if match else {}


def _is_number(raised: Raised, facts: Facts) -> bool:
    found = _found(raised)
    return found.get("wanted") == "Tensor" and found["given"] in _NUMBERS


def _is_array(raised: Raised, facts: Facts) -> bool:
    found = _found(raised)
    return found.get("wanted") == "Tensor" and found["given"] == _ARRAY


def _sentence(raised: Raised, facts: Facts) -> str:
    found = _found(raised)
    of, given, name = found.get("of"), found.get("given"), found.get("name")
    function = f"`{of}`" if of else "a function"
    if name:
        return f"{function} takes {found['wanted']} for `{name}`, and is given {given}"
    if found.get("wanted"):
        return f"one of the tensors that the line joins is no tensor: it is {given}"
    if not of:
        return say(f"`{{text}}` computes with a tensor and {given}", f"a tensor meets {given}")(raised, facts)
    return (
        f"{function} has no form for what it is given: ({given})"
        if given
        else f"{function} takes no such argument"
    )


def _by_kind(words: dict[str, str], raised: Raised) -> str:
    """The words for the first of the kinds that are given, as a name without its module."""
    given = [kind.rpartition(".")[2] for kind in _found(raised).get("given", "").split(", ")]
    return next((words[kind] for kind in given if kind in words), "")


def _how(raised: Raised, facts: Facts) -> str:
    return _by_kind(_HOW, raised) or "print type(…) of what the line hands over, and convert it"


def _beyond(raised: Raised, facts: Facts) -> str:
    if "too many indices" in raised.message:
        return say(
            "`{text}` gives more indices than the tensor has dimensions", "more indices than dimensions"
        )(raised, facts)
    return say(
        "`{text}` asks for place {index} of a dimension of size {size0}",
        "`{text}` asks for a place beyond the end of a dimension",
        "a place beyond the end of a dimension is asked for",
    )(raised, facts)


def _no_such_dimension(raised: Raised, facts: Facts) -> str:
    what = say("`{text}` names", "a line names")(raised, facts)
    if match := _RANGE.search(raised.message):
        last, named = int(match[1]), match[2]
        there = f"the dimensions 0 to {last}" if last else "dimension 0 at most"
        return f"{what} dimension {named} of a tensor that has {there}"
    return f"{what} a dimension that the tensor does not have"


_RANGE = re.compile(r"in range of \[-?\d+, (\d+)\], but got (-?\d+)")
_UNSUPPORTED = (
    r"\"\w+\" not implemented for '(?:Bool|Byte|Char|Short|U?Int\d*|Long|Half|B?Float\w*|Double|Complex\w+)'|"
    r"could not infer output dtype|bool tensors?[, ].*not supported|"
    r"expected a floating point or complex|only supports? floating"
)

ROWS = (
    Row(
        "AGX344",
        "argument-type",
        ("is out of bounds for dimension",),
        say("`{text}` gives an LSTM one tensor for its state", "an LSTM is given one tensor for its state"),
        ("an LSTM has two states, of which a tensor is taken apart; a GRU has one",),
        ("hand it the pair: lstm(x, (h, c)), each of shape (layers, batch, hidden)",),
        when=raised_by("modules/rnn.py"),
    ),
    Row(
        "AGX309",
        "index-out-of-range",
        (
            "is out of bounds for dimension",
            "too many indices for tensor of dimension",
            "out of range in self",
        ),
        _beyond,
        ("a dimension of size n has the places 0 to n-1, and -n to -1 from its end",),
        ("print the shape of what is indexed, and the largest and the smallest index",),
        kinds=("IndexError", "RuntimeError"),
    ),
    Row(
        "AGX311",
        "dim-out-of-range",
        (
            "dimension out of range (expected to be in range of",
            "does not match the length of the desired ordering of dimensions",
        ),
        _no_such_dimension,
        ("the batch may be missing, or a reduction before took a dimension away",),
        ("print its shape; keep a reduced dimension with keepdim=True; -1 is the last one of any tensor",),
    ),
    Row(
        "AGX318",
        "number-not-tensor",
        ("must be tensor, not",),
        _sentence,
        ("torch's functions take tensors; operators and the functions of math take numbers",),
        ("use the one of math for a number, or make a tensor of it: torch.tensor(…)",),
        kinds=("TypeError",),
        when=_is_number,
    ),
    Row(
        "AGX318",
        "array-not-tensor",
        ("must be tensor, not",),
        _sentence,
        ("a layer and torch's functions take tensors, and NumPy's arrays are none",),
        (
            "write torch.from_numpy(a), which shares its memory, with .float() where float32 is computed",
            "or let the dataset give tensors",
        ),
        kinds=("TypeError",),
        when=_is_array,
    ),
    Row(
        "AGX344",
        "argument-type",
        (
            "must be tensor, not",
            "received an invalid combination of arguments - got",
            "must be tuple of ",
            "expected tensor as element",
            "unsupported operand type(s) for",
        ),
        _sentence,
        (lambda raised, facts: _by_kind(_WHY, raised),),
        (_how,),
        kinds=("TypeError",),
        when=lambda raised, facts: bool(_found(raised)),
    ),
    Row(
        "AGX344",
        "argument-type",
        ("is not a module subclass", "torch.nn.module or none expected"),
        say(
            "`{text}` gives what is no module where one is expected",
            "what is no module stands in the place of one",
        ),
        ("nn.Sequential takes the layers one by one, and nn.ModuleList a list of nothing but modules",),
        ("write nn.Sequential(*layers) for a list; make an object of a class with nn.ReLU()",),
        kinds=("TypeError",),
    ),
    Row(
        "AGX344",
        "argument-type",
        ("only integer tensors of a single element can be converted to an index",),
        say("`{text}` takes a tensor for a whole number", "a tensor is taken for a whole number"),
        ("range, indices of lists and sizes take whole numbers; it is floating, or has several elements",),
        ("write int(tensor) or tensor.item() of one element, and .long() of an index",),
        kinds=("TypeError",),
    ),
    Row(
        "AGX345",
        "argument-value",
        (
            "has to be between 0 and 1",
            "must be divisible by",
            "invalid learning rate",
            "invalid momentum value",
            "invalid weight_decay value",
            "invalid beta parameter",
            "invalid epsilon value",
            "is not a valid value for",
            "padding size should be less than",
        ),
        lambda raised, facts: refused(raised, facts, "a value"),
        ("the number or the word is of the right kind, but not among those that are taken",),
        ("take one from the range that the message names",),
        when=raised_by("torch/nn/", "torch/optim/"),
    ),
    Row(
        "AGX314",
        "dtype-not-supported",
        (
            "not implemented for '",
            "could not infer output dtype",
            "bool tensor",
            "expected a floating point or complex",
            "only support floating",
        ),
        say(
            "`{text}` computes what torch has no version of for {dtype0}",
            "a function has no version for {dtype0}",
            "`{text}` computes what torch has no version of for this dtype",
            "a function has no version for this dtype",
        ),
        ("means, softmax and most layers are of floating numbers; lists of whole numbers give int64",),
        (
            say(
                "convert first: {input}.float()",
                "convert first, with .float(); of truth values take ~, ^ or sum()",
            ),
        ),
        when=says(_UNSUPPORTED),
    ),
)
