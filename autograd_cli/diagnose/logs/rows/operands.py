"""Shapes that a layer or a function does not take, where no other row knows more of why."""

import re

from autograd_cli.diagnose.logs.records import Facts, Raised, Row
from autograd_cli.diagnose.logs.rows.words import gaps, raised_by, say

_LONGEST_RULE = 160
_NAMED = re.compile(r"^[\w.]+(?:\(\))? ?: ")
_KNOWN = (
    (
        r"expected [\w ]+D input \(got \d+D input\)",
        "a norm is named by its dimensions: BatchNorm1d stands after a Linear, BatchNorm2d after a Conv2d",
        "take the norm for the input's dimensions, or give the input those that are missing",
    ),
    (
        r"should contain (?P<given>\d+) elements not (?P<made>\d+)",
        "the norm was made for {made} channels, and the layer before gives {given}",
        "make the norm with {given}, as nn.BatchNorm2d({given})",
    ),
    (
        r"normalized_shape=\[(?P<made>[\d, ]+)\].*got input of size ?\[(?P<given>[\d, ]+)\]",
        "the last sizes of the input [{given}] are not [{made}]",
        "make the norm for the input's last sizes, or bring that dimension to the end",
    ),
    (
        r"kernel size can't be greater than|output size is too small|calculated output size",
        "the image became smaller than the kernel: small images, or a stride or a pooling too many",
        "give larger images or padding, take a pooling out, or end with nn.AdaptiveAvgPool2d",
    ),
    (
        r"embedding dimension of (?P<made>\d+), but got (?P<given>\d+)|equal to d_model",
        "attention takes vectors as long as embed_dim: the last size of query, key and value",
        "project to that size with a Linear first, or make the layer for the size at hand",
    ),
    (
        r"batch number of src and tgt",
        "without batch_first=True the first dimension is the sequence and the second the batch",
        "pass batch_first=True, or put the sequence first",
    ),
    (
        r"attn_mask|key_padding_mask",
        "attn_mask is (target length, source length), key_padding_mask (batch, source length)",
        "make the mask from the shapes of query and key at hand",
    ),
    (
        r"mask \[[\d, ]*\] at index",
        "a mask has the sizes of the dimensions that it chooses from",
        "make the mask from the tensor itself, or index the dimension it is for: x[:, mask]",
    ),
    (
        r"0-d tensor|zero-dimensional tensor",
        "a single number has no dimension to go along: a loss that was reduced, or one element of a vector",
        "join such numbers with torch.stack, or give each a dimension: x.unsqueeze(0), x.reshape(1)",
    ),
    (
        r"size mismatch between tensors",
        "a TensorDataset takes a row of each tensor together, and they have other numbers of rows",
        "print the shape of each: the first sizes must be equal",
    ),
    (
        r"defined either for all",
        "a loss that weights classes needs a weight for each of them",
        "make the weight as long as there are scores a sample",
    ),
)
_UNIQUE = (
    "running_mean should contain",
    "running_var should contain",
    "weight should contain",
    "bias should contain",
    "given normalized_shape=",
    "kernel size can't be greater than",
    "output size is too small",
    "the shape of the mask",
    "iteration over a 0-d tensor",
    "len() of a 0-d tensor",
    "zero-dimensional tensor (at position",
    "must be batches of square matrices",
    "weight tensor should be defined either for all",
    "don't multiply up to the size of dim",
)
"""What torch alone says, also where the log has no frame of torch's: its C++ raises it."""
_IN_PYTHON = (
    "d input (got ",
    ": expected input to be ",
    "mode needs ",
    "input tensors supported (got ",
    "was expecting embedding dimension of",
    "of src and tgt must be equal",
    "attn_mask is",
    "`attn_mask` shape",
    "`key_padding_mask` to be",
    "size mismatch between tensors",
    "tensor, but got [",
)


def _known(message: str) -> tuple[str, str]:
    """Why, and what to do, where the rule that torch names is known; empty where it is not."""
    for pattern, cause, fix in _KNOWN:
        if match := re.search(pattern, message, re.IGNORECASE | re.DOTALL):
            found = {name: text or "" for name, text in match.groupdict().items()}
            return cause.format(**found), fix.format(**found)
    return "", ""


def refused(raised: Raised, facts: Facts, what: str = "a shape") -> str:
    """What the line gives that is not taken, and the rule by torch's own words."""
    rule = _NAMED.sub("", " ".join(raised.message.split())).rstrip(". ")
    rule = f"{rule[:_LONGEST_RULE]}…" if len(rule) > _LONGEST_RULE else rule
    text = gaps(raised, facts)["text"]
    return f"`{text}` gives {what} that is not taken: {rule}" if text else f"{what} is not taken: {rule}"


def _shown(raised: Raised, facts: Facts) -> str:
    if _known(raised.message)[1]:
        return ""
    return say(
        "print {input}.shape before the line, and give it the dimensions that the function takes",
        "print the shapes before the line, and give them the dimensions that the function takes",
    )(raised, facts)


def _row(fragments: tuple[str, ...], is_python: bool) -> Row:
    return Row(
        "AGX346",
        "operand-shape",
        fragments,
        refused,
        (lambda raised, facts: _known(raised.message)[0],),
        (lambda raised, facts: _known(raised.message)[1], _shown),
        when=raised_by("torch/nn/", "torch/utils/data/") if is_python else lambda raised, facts: True,
    )


ROWS = (_row(_UNIQUE, is_python=False), _row(_IN_PYTHON, is_python=True))
