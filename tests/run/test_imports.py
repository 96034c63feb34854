"""Imports of what torch, math and numpy have, and have not."""

import sys

import pytest

from autograd_cli.errors import LanguageError
from autograd_cli.lang.nodes import Import
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.imports import check_imports


def check(text: str) -> None:
    for statement in parse(Source(text)).statements:
        assert isinstance(statement, Import)
        check_imports(statement, text)


@pytest.mark.parametrize(
    ("text", "sentence", "hint"),
    [
        ("from torch import sine", "`torch` has no name called `sine`.", "Did you mean `sin`?"),
        (
            "from torch.nn import Linnear",
            "`torch.nn` has no name called `Linnear`.",
            "Did you mean `Linear`?",
        ),
        ("import torch.os", "`torch` has no module called `os`.", "Write `from torch import os`."),
        ("import torch.nnn as nn", "`torch` has no module called `nnn`.", "Did you mean `nn`?"),
        (
            "import torch.utils.dataa.foo",
            "`torch.utils` has no module called `dataa`.",
            "Did you mean `data`?",
        ),
        ("import math.pi", "`math` has no module called `pi`.", "Write `from math import pi`."),
        ("from math import floot", "`math` has no name called `floot`.", "Did you mean `floor`?"),
        ("from numpy import qqqq", "`numpy` has no name called `qqqq`.", "Leave the import out"),
    ],
)
def test_what_is_not_there_is_refused_by_its_name(text, sentence, hint):
    with pytest.raises(LanguageError) as caught:
        check(text)
    assert (caught.value.code, caught.value.sentence) == ("AGX104", sentence)
    assert caught.value.hint.startswith(hint)


def test_what_is_there_passes_and_nothing_is_loaded():
    before = set(sys.modules)
    check(
        """
from torch import *
from torch import nn, optim as o, no_grad, Tensor, onnx, os
from torch.autograd import grad, Function, Variable
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
import torch.nn.functional as F, torch.optim.lr_scheduler
import numpy as np, math
import pandas as pd
from nowhere.at_all import something
"""
    )
    assert set(sys.modules) == before
