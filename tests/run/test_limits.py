"""Memory refused before it is taken: which calls are predicted, and at what cost."""

import subprocess
import sys

import pytest
import torch

from autograd_cli.errors import LimitError
from autograd_cli.lang.functions import by_path
from autograd_cli.run import limits

MIB = 1 << 20


def refuse(path, *args, limit=64 * MIB, **kwargs):
    function = by_path[path]
    limits.refuse_if_too_large(function, getattr(torch, function.name), args, kwargs, limit)


@pytest.mark.parametrize(
    ("path", "args"),
    [
        ("torch.zeros", (5000, 5000)),
        ("torch.outer", (torch.ones(5000), torch.ones(5000))),
        ("torch.add", (torch.ones(5000, 1), torch.ones(1, 5000))),
        ("torch.sin", (torch.ones(1).expand(20_000_000),)),
        ("torch.eye", (5000,)),
        ("torch.stack", ([torch.ones(100_000)] * 200,)),
    ],
)
def test_what_passes_the_limit_is_refused(path, args):
    with pytest.raises(LimitError, match="the limit is 64 MiB"):
        refuse(path, *args)
    refuse(path, *args, limit=512 * MIB)


def test_what_cannot_pass_the_limit_is_not_predicted(monkeypatch):
    def predicted(*_):
        raise AssertionError("nothing is to be predicted")

    monkeypatch.setattr(limits, "_predicted", predicted)
    refuse("torch.zeros", 4_000_000)
    refuse("torch.add", torch.ones(2000, 1), torch.ones(1, 2000))
    refuse("torch.mul", torch.ones(50_000), torch.ones(50_000))
    with pytest.raises(AssertionError, match="nothing is to be predicted"):
        refuse("torch.zeros", 5_000_000)


def test_a_prediction_does_not_load_the_compiler():
    script = (
        "import sys, torch\nfrom autograd_cli.lang.functions import by_path\n"
        "from autograd_cli.run import limits\n"
        "a = torch.ones(1).expand(10**10)\n"
        "try:\n    limits.refuse_if_too_large(by_path['torch.add'], torch.add, (a, a), {}, 1 << 30)\n"
        "except Exception as error:\n    print(error)\n"
        "print('torch._dynamo' in sys.modules)\n"
        "import torch._dynamo\nprint(torch._dynamo.__file__ is not None)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    refused, loaded, later = done.stdout.splitlines()
    assert refused.startswith("`add` would make a tensor of shape (10000000000,) float32")
    assert (loaded, later) == ("False", "True")
