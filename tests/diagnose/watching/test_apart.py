"""What the watch computes itself is seen by nothing of the script's."""

import re

TRAIN = (
    "net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.1), torch.nn.Linear(2, 1))\n"
    "opt = torch.optim.SGD(net.parameters(), 0.1)\n"
    "def step():\n    loss = (net(torch.ones(3, 2)) ** 2).mean().sqrt()\n"
    "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
)
DISPATCH = (
    "import torch\nfrom torch.utils._python_dispatch import TorchDispatchMode\nseen = []\n"
    "class Seeing(TorchDispatchMode):\n"
    "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n"
    "        seen.append(str(func))\n        return func(*args, **(kwargs or {}))\n"
    f"{TRAIN}with Seeing():\n    step()\n    step()\n"
)
PROFILE = (
    "import torch\nfrom torch.autograd import profiler\n"
    f"{TRAIN}with profiler.profile() as profile:\n    step()\n    step()\n"
    "seen = sorted((each.key, each.count) for each in profile.key_averages())\n"
)
LATER = "step()\nh = torch.rand(2, requires_grad=True).exp()\nh += 1\nh.sum().backward()\n"


def test_a_dispatch_mode_of_the_script_sees_what_it_sees_alone(ended):
    alone, watched = ended(DISPATCH, watched=False), ended(DISPATCH)
    assert "aten.sqrt.default" in alone.state["seen"]
    assert watched.state == alone.state


def test_a_profiler_counts_what_it_counts_alone(ended):
    alone, watched = ended(PROFILE, watched=False), ended(PROFILE)
    assert "aten::sqrt" in alone.state["seen"]
    assert watched.state["seen"] == alone.state["seen"]


def test_what_follows_a_profiler_is_looked_at(found):
    (one,) = found(PROFILE + LATER)
    assert one.code == "AGX409"


def test_a_traceback_that_the_script_prints_has_the_lines_that_it_has_alone(ended):
    script = (
        "import io, torch, traceback\nout = io.StringIO()\n"
        "try: torch.nn.Softmax(1)(torch.ones(2))\nexcept IndexError: traceback.print_exc(file=out)\n"
        "try: torch.nn.functional.cosine_embedding_loss(*[torch.ones(3)] * 3)\n"
        "except RuntimeError as error:\n    out.write(''.join(traceback.format_tb(error.__traceback__)))\n"
        "printed = out.getvalue()\n"
    )
    alone, watched = ended(script, watched=False), ended(script)
    assert "in softmax" in alone.state["printed"]
    assert watched.state["printed"] == alone.state["printed"]


def test_an_error_in_inference_mode_has_no_other_behind_it(ended):
    script = (
        "import torch\nx = torch.ones(2)\nwith torch.inference_mode():\n    x = torch.ones(2)\n"
        "    try: x @ torch.ones(3)\n    except RuntimeError as error: behind = repr(error.__context__)\n"
    )
    assert ended(script).state["behind"] == "'None'"


def test_the_frames_that_the_script_asks_for_are_those_that_it_has_alone(ended):
    script = (
        "import io, threading, torch, traceback\nout = io.StringIO()\n"
        "def show(*given): traceback.print_stack(file=out)\n"
        "class Own(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x): show(); return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g): show(); return g * 2\n"
        "x = torch.ones(2, requires_grad=True)\nx.register_hook(show)\nOwn.apply(x).sum().backward()\n"
        "thread = threading.Thread(target=show)\nthread.start()\nthread.join()\nprinted = out.getvalue()\n"
    )
    alone, watched = ended(script, watched=False), ended(script)
    assert "_engine_run_backward" in alone.state["printed"]
    assert "autograd_cli" not in watched.state["printed"]
    assert watched.state["printed"] == OWN_FRAME.sub("", alone.state["printed"])


OWN_FRAME = re.compile(r' *File "[^"]*/autograd_cli/(?:(?!\\n).)*\\n(?:(?!\\n).)*\\n')
"""A frame that other tests of the process left in torch's own `apply`, in a text as `repr` writes it."""


def test_a_function_of_torch_that_is_watched_is_pickled_as_it_is_alone(ended):
    script = (
        "import copy, numpy, pickle, torch\nkept = pickle.dumps(torch.from_numpy)\n"
        "x = pickle.loads(kept)(numpy.ones(2))\ny = copy.deepcopy(torch.from_numpy)(numpy.ones(2))\n"
        "seen = [kept, repr(torch.from_numpy), torch.from_numpy.__name__, torch.from_numpy.__doc__]\n"
    )
    alone, watched = ended(script, watched=False), ended(script)
    assert alone.error is None
    assert (watched.error, watched.state) == (None, alone.state)
