import pytest

RELU = (
    "import torch, torch.nn.functional as F\nbefore = F.relu\n"
    "F.relu = lambda x, inplace=False: before(x) * 2\n"
    "try: print(torch.nn.ReLU()(torch.ones(2) + 1).tolist())\nfinally: F.relu = before\n"
)
REPR = (
    "import torch\nbefore = torch.Tensor.__repr__\ntorch.Tensor.__repr__ = lambda s: 'T' + before(s)\n"
    "try: print(repr(torch.ones(2)))\nfinally: torch.Tensor.__repr__ = before\n"
)
METHOD = (
    "import torch\nseen, own = [], vars(torch.Tensor).get('{0}')\nbefore = torch.Tensor.{0}\n"
    "def again(*args, **kwargs):\n    seen.append('{0}')\n    return before(*args, **kwargs)\n"
    "torch.Tensor.{0} = again\nx = torch.ones(4, requires_grad=True)\n"
    "try:\n    y = {1}\n    x.sum().backward()\n"
    "finally:\n    if own is None: del torch.Tensor.{0}\n    else: torch.Tensor.{0} = own\n"
    "print(seen)\n"
)
PROPERTY = (
    "import torch\nseen = []\nbefore = torch._C.TensorBase.ndim\n"
    "torch.Tensor.ndim = property(lambda s: (seen.append('ndim'), before.__get__(s))[1])\n"
    "try: n = torch.ones(2, 2).ndim\nfinally: del torch.Tensor.ndim\n"
)
CALLS = {
    "backward": "None",
    "exp": "x.exp()",
    "add": "x.add(1)",
    "__add__": "x + 1",
    "__rsub__": "1 - x",
    "split": "x.split(2)[0]",
    "norm": "x.norm()",
    "__getitem__": "x[0]",
}
MOCK = (
    "import torch\nfrom unittest import mock\n"
    "with mock.patch.object(torch.nn.functional, 'gelu', wraps=torch.nn.functional.gelu) as mocked:\n"
    "    y = torch.nn.GELU()(torch.ones(2))\nprint(mocked.call_count)\n"
)
UNHASHABLE = (
    "import torch\nbefore = torch.nn.functional.tanhshrink\n"
    "class Own:\n    __hash__ = None\n    def __call__(self, *args):\n        return before(*args) * 2\n"
    "torch.nn.functional.tanhshrink = Own()\n"
    "try: y = torch.nn.Tanhshrink()(torch.ones(2))\n"
    "finally: torch.nn.functional.tanhshrink = before\n"
)
SCRIPTS = [RELU, REPR, PROPERTY, MOCK, UNHASHABLE, *(METHOD.format(*each) for each in CALLS.items())]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_scripts_own_function_in_the_place_of_torchs_is_run_as_often_as_alone(ended, script):
    alone, watched = ended(script, watched=False), ended(script)
    assert alone.error is None
    assert (watched.error, watched.printed, watched.state) == (None, alone.printed, alone.state)


def test_a_function_of_torch_that_goes_by_another_ones_name_is_what_it_is_alone(ended):
    script = (
        "import torch, torch.nn.functional as F\nbefore = F.tanhshrink\nF.tanhshrink = F.softsign\n"
        "try: print(before(torch.ones(2)).tolist(), F.tanhshrink(torch.ones(2)).tolist())\n"
        "finally: F.tanhshrink = before\n"
    )
    assert ended(script).printed == ended(script, watched=False).printed != ""
