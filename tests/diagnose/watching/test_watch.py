import dataclasses
import gc
import re
import subprocess
import sys
import traceback
import warnings
import weakref

import pytest
import torch

from autograd_cli.diagnose.watching import mutated, records
from autograd_cli.diagnose.watching.mode import Mode, storage_of
from autograd_cli.diagnose.watching.watch import Watch

CHANGED = "import torch\nx = torch.rand(3, requires_grad=True)\nh = x.exp()\nh += 1\nh.sum().backward()\n"


def train(rounds, seen=None):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    opt = torch.optim.Adam(net.parameters())
    for _ in range(rounds):
        loss = (net(torch.randn(5, 4)) ** 2 / 3).mean().sqrt()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if seen is not None:
            seen.append(weakref.ref(loss))
    return [parameter.detach().clone() for parameter in net.parameters()]


@pytest.mark.parametrize("fault", ["_note", "_special"])
def test_a_fault_of_its_own_ends_the_watch_and_not_the_script(monkeypatch, fault):
    plain = train(3)

    def broken(*given):
        raise KeyError("a fault")

    monkeypatch.setattr(Mode, fault, broken)
    with Watch() as watch:
        watched = train(3)
    assert watch.trouble == "the watch ended early: KeyError: 'a fault'"
    assert all(map(torch.equal, plain, watched))
    assert watch.findings() == ()


def test_a_fault_while_a_finding_is_made_leaves_torchs_error_as_it_is(monkeypatch):
    monkeypatch.setattr(mutated, "failed", lambda *given: 1 / 0)
    with Watch() as watch, pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(CHANGED, {})
    assert "ZeroDivisionError" in watch.trouble


def test_graphs_are_kept_no_longer_than_they_are_alone():
    gc.disable()
    try:
        seen = []
        with Watch() as watch:
            train(5, seen)
            assert [each() for each in seen] == [None] * 5
        assert watch.trouble == ""
    finally:
        gc.enable()


def test_what_is_noted_is_bounded(monkeypatch):
    monkeypatch.setattr(records, "MOST_CALLS", 50)
    monkeypatch.setattr(records, "MOST_WRITES", 20)
    with Watch() as watch:
        buffer = torch.zeros(2)
        for _ in range(200):
            buffer.add_(1)
            (torch.ones(2, requires_grad=True) * buffer).sum().backward()
        (mode,) = torch.overrides._get_current_function_mode_stack()
        assert len(mode.log._calls) == 50 * 7
        assert len(mode.log.writes.into(storage_of(buffer))) == 20
    assert watch.trouble == ""


def test_random_numbers_and_results_are_the_same_to_the_bit():
    plain, state = train(4), torch.get_rng_state()
    with Watch():
        watched = train(4)
    assert all(map(torch.equal, plain, watched))
    assert torch.equal(state, torch.get_rng_state())


def test_a_fast_way_that_is_taken_only_where_no_call_is_looked_at_is_taken():
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    x = torch.randn(3, 5, 16)
    with torch.no_grad():
        plain = layer(x)
        with Watch():
            assert torch.equal(layer(x), plain)


def test_a_warning_stands_at_the_line_where_it_stands_alone():
    def warn():
        x = torch.rand(3, 1, requires_grad=True) * 2
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("default")
            _ = x.grad
            torch.nn.functional.mse_loss(x, torch.ones(3))
            torch.nn.Softmax()(torch.ones(2, 2))
        return [(str(one.message), one.filename, one.lineno) for one in shown]

    torch.set_warn_always(True)
    try:
        plain = warn()
        with Watch():
            watched = warn()
    finally:
        torch.set_warn_always(False)
    assert len(plain) == 3
    assert watched == plain


def test_what_torch_compiles_is_compiled_without_the_watch():
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
    x = torch.ones(2, 3)
    with Watch() as watch:
        compiled = torch.compile(net, backend="eager", fullgraph=True)
        assert torch.equal(compiled(x), net(x))
        assert torch.overrides._get_current_function_mode_stack()
    assert watch.trouble == ""


def test_calls_are_watched_again_after_an_error_in_what_torch_compiles():
    def broken(x):
        raise KeyError("none")

    with Watch() as watch:
        compiled = torch.compile(torch.compiler.disable(broken), backend="eager")
        for _ in range(3):
            with pytest.raises(KeyError):
                compiled(torch.ones(2))
            assert torch.overrides._get_current_function_mode_stack()
    assert watch.trouble == ""


@dataclasses.dataclass(frozen=True)
class Frozen(Exception):
    why: str


@pytest.mark.parametrize("wrap", [lambda error: error, lambda error: ExceptionGroup("all", [error])])
def test_an_error_is_cleaned_whatever_its_class_and_whatever_holds_it(wrap):
    def call(*given):
        raise Frozen("no")

    with Watch() as watch:
        try:
            torch.ones(2).apply_(call)
        except Frozen as error:
            watch.cleaned(wrap(error))
            frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    assert watch.trouble == ""
    assert set(frames) == {__file__}


def test_a_script_that_goes_on_after_the_error_is_told_of_it(ended):
    caught = CHANGED.replace(
        "h.sum().backward()", "try:\n    h.sum().backward()\nexcept RuntimeError:\n    print('on')"
    )
    done = ended(caught)
    assert (done.error, done.printed) == (None, "on\n")
    assert [one.finding.code for one in done.findings] == ["AGX409"]


def test_torch_is_not_imported_by_the_watch_and_watched_as_soon_as_the_script_imports_it():
    script = (
        "import sys\n"
        "from autograd_cli.diagnose.watching.watch import Watch\n"
        "with Watch() as watch:\n"
        "    assert 'torch' not in sys.modules\n"
        f"    try: exec({CHANGED!r})\n"
        "    except RuntimeError as error: print('modified' in str(error))\n"
        "print(watch.trouble, [one.finding.code for one in watch.findings()])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n ['AGX409']\n"


def test_a_state_that_is_carried_over_a_step_is_to_be_detached(found):
    (one,) = found(
        "import torch\nw = torch.nn.Parameter(torch.rand(3, 3))\n"
        "opt = torch.optim.SGD([w], lr=0.1)\nh = torch.ones(2, 3)\n"
        "for t in range(3):\n    h = (h @ w).tanh()\n    opt.zero_grad()\n"
        "    h.sum().backward(retain_graph=True)\n    opt.step()\n"
    )
    assert (one.code, one.line, one.also) == ("AGX451", 9, ("recurrent-state-not-detached",))
    assert "h.detach()" in one.fix[0].text


def test_a_module_that_works_in_place_is_named(found):
    (one,) = found(
        "import torch\nfrom torch import nn\n"
        "net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU(inplace=True))\n"
        "out = net(torch.randn(2, 3))\nout.sum().backward()\n"
    )
    assert re.fullmatch(r"give the module (net\.)?2 inplace=False", one.fix[0].text)
    assert [each["module"].removeprefix("net.") for each in one.evidence["needed"]] == ["1"]
    assert "`out`" not in one.sentence


@pytest.mark.parametrize("step", ["y * 1.0", "y + 1e-9", "y * one", "torch.clone(y)"])
def test_a_long_chain_that_was_looked_at_is_freed(ended, step):
    chain = f"one = torch.from_numpy(torch.ones(()).numpy())\nfor _ in range(60_000):\n    y = {step}\n"
    done = ended(
        f"import torch\nx = torch.tensor(0.5, requires_grad=True)\ny = x\n{chain}"
        "y = y.exp()\ny.data.mul_(2)\ny.backward()\ndel y\n"
    )
    assert [one.finding.code for one in done.findings] == ["AGX415"]


def test_each_module_that_works_in_place_is_named_where_one_line_stands_for_several(found):
    (one,) = found(
        "import torch\nfrom torch import nn\n"
        "class Block(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.a, self.act = nn.Linear(4, 4), nn.ReLU(inplace=True)\n"
        "    def forward(self, x):\n        h = torch.tanh(self.a(x))\n        r = self.act(h)\n"
        "        return r + h\n"
        "net = nn.Sequential(Block(), Block())\nnet(torch.randn(2, 4)).sum().backward()\n"
    )
    assert re.fullmatch(r"give the modules (net\.)?0.act and (net\.)?1.act inplace=False", one.fix[0].text)
    assert [line.rpartition(".")[0][-1] for line in one.cause if line.startswith("changed")] == ["0", "1"]
    assert len(one.evidence["changed"]) == 2


def test_what_is_written_to_by_its_own_name_is_named_once(found):
    (one,) = found(
        "import torch\nx = torch.rand(3, requires_grad=True)\nh = x.exp()\nh += 1\nh.sum().backward()\n"
    )
    assert one.sentence.startswith("`h` (3,), the result of script.py:3, was changed in place, and a call")


def test_the_name_of_a_file_stays_on_its_line(found):
    (one,) = found(
        "import torch\ndef f():\n    h = torch.rand(2, requires_grad=True).exp()\n    h += 1\n"
        "    h.sum().backward()\nf.__code__ = f.__code__.replace(co_filename='x\\ny.py')\nf()\n"
    )
    told = (one.sentence, *one.cause, *(each.text for each in one.fix))
    assert not any("\n" in line for line in told)
    assert r"x\x0ay.py:4" in one.fix[0].text
