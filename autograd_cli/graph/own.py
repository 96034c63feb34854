"""Where the rule of a person's own autograd.Function stands."""

from functools import cache
from inspect import getsourcelines, unwrap
from pathlib import Path
from types import CodeType

from torch.autograd import Function
from torch.autograd.graph import Node as GradFn

from autograd_cli.run.targets import shown


def own_rule(fn: GradFn) -> str:
    """The file and line of what computes the gradient at a node, "my_ops.py:12"; empty for torch's own."""
    owner = getattr(type(fn), "_forward_cls", None)
    if owner is None:
        return ""
    rule = owner.vjp if owner.vjp is not Function.vjp else owner.backward
    code = getattr(unwrap(rule), "__code__", None)
    return "" if code is None or rule is Function.backward else _place(code)


@cache
def _place(code: CodeType) -> str:
    """Where a function is defined, its decorators aside."""
    line = code.co_firstlineno
    try:
        texts = getsourcelines(code)[0]
    except (OSError, TypeError):
        texts = []
    after = next((at for at, text in enumerate(texts) if text.lstrip().startswith("def ")), 0)
    return f"{shown(Path(code.co_filename))}:{line + after}"
