import re
import sys

import pytest
import torch

from autograd_cli.errors import ExitStatus, InputError, MissingError
from autograd_cli.run import devices


def reason(name):
    return next(d.why_not for d in devices.survey() if d.name == name)


def only(monkeypatch, **backends):
    """No kind of accelerator but those named."""
    kinds = {kind: backends.get(kind, lambda: iter(())) for kind in ("cuda", "mps", "xpu")}
    monkeypatch.setattr(devices, "_KINDS", kinds)


def with_cuda(monkeypatch, count=0):
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)


def test_the_cpu_is_always_usable_and_named_with_its_memory():
    cpu = devices.survey()[0]
    assert (cpu.name, cpu.usable, cpu.why_not, cpu.float64, cpu.bfloat16) == ("cpu", True, "", True, True)
    assert cpu.description
    assert cpu.memory_bytes > 2**28


def test_exactly_one_device_is_what_auto_takes():
    assert sum(d.is_auto for d in devices.survey()) == 1


def test_every_kind_is_listed():
    assert {d.name.partition(":")[0] for d in devices.survey()} == {"cpu", "cuda", "mps", "xpu"}


def test_a_torch_without_cuda_says_so(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    assert reason("cuda") == "torch was built without CUDA"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            "Found no NVIDIA driver on your system.",
            "no driver: the NVIDIA driver is not installed or not loaded",
        ),
        (
            "The NVIDIA driver on your system is too old (found 11000).",
            "the NVIDIA driver is too old for this torch",
        ),
        ("No CUDA GPUs are available", "no device: No CUDA GPUs are available"),
    ],
)
def test_the_reason_is_told_apart_by_how_cuda_fails_to_start(monkeypatch, words, why):
    def fail():
        raise RuntimeError(words)

    with_cuda(monkeypatch)
    monkeypatch.setattr(torch.cuda, "init", fail)
    assert reason("cuda") == why


def test_a_driver_that_lists_no_device(monkeypatch):
    with_cuda(monkeypatch)
    monkeypatch.setattr(torch.cuda, "init", lambda: None)
    assert reason("cuda") == "no device: the driver is there and lists none"


def test_asking_may_itself_fail(monkeypatch):
    def fail():
        raise OSError("libcuda is broken")

    with_cuda(monkeypatch)
    monkeypatch.setattr(torch.cuda, "device_count", fail)
    monkeypatch.setattr(torch.cuda, "init", fail)
    assert reason("cuda") == "no driver: the NVIDIA driver is not installed or not loaded"


def test_mps_off_macos(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert reason("mps") == "only on macOS"


@pytest.mark.parametrize(
    ("built", "why"),
    [(False, "torch was built without MPS"), (True, "no device: an Apple GPU and a recent macOS are needed")],
)
def test_mps_on_macos(monkeypatch, built, why):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(torch.backends.mps, "is_built", lambda: built)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert reason("mps") == why


@pytest.mark.parametrize(
    ("built", "why"),
    [
        (False, "torch was built without XPU"),
        (True, "no device: the Intel driver is not there or lists none"),
    ],
)
def test_xpu(monkeypatch, built, why):
    monkeypatch.setattr(torch.xpu, "_is_compiled", lambda: built)
    monkeypatch.setattr(torch.xpu, "device_count", lambda: 0)
    assert reason("xpu") == why


def test_a_device_whose_backward_fails_is_not_usable(monkeypatch):
    found = devices._probed("cuda:7", "a card", 1)
    assert not found.usable
    assert found.why_not.startswith("a small backward there fails: ")
    assert "\n" not in found.why_not


def test_a_device_whose_backward_is_wrong_is_not_usable(monkeypatch):
    real = devices._gradient
    monkeypatch.setattr(
        devices, "_gradient", lambda name, dtype: real("cpu", dtype) * (1.5 if name == "odd" else 1)
    )
    assert devices._probed("odd", "", None).why_not == "a small backward there is wrong by 50.0%"


def test_auto_takes_an_accelerator_that_works_and_passes_over_one_that_does_not(monkeypatch):
    broken = devices.Device("cuda:0", "", False, "broken", None, False, False)
    works = devices.Device("meta", "", True, "", None, False, False)
    only(monkeypatch, cuda=lambda: iter([broken]), xpu=lambda: iter([works]))
    assert devices.choose("auto") == torch.device("meta")
    assert [d.name for d in devices.survey() if d.is_auto] == ["meta"]


def test_auto_takes_the_cpu_where_nothing_else_works(monkeypatch):
    only(monkeypatch)
    assert devices.choose("auto") == torch.device("cpu")


@pytest.mark.parametrize("name", ["cpu", "meta"])
def test_devices_that_are_always_there(name):
    assert devices.choose(name) == torch.device(name)


def test_a_missing_device_is_refused_with_its_reason(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    said = "The device `cuda:1` cannot be used here: torch was built without CUDA."
    with pytest.raises(MissingError, match=re.escape(said)) as caught:
        devices.choose("cuda:1")
    assert (caught.value.code, caught.value.status) == ("AGX601", ExitStatus.MISSING)


def test_a_number_past_the_last_device_is_refused(monkeypatch):
    works = devices.Device("cuda:0", "", True, "", None, False, False)
    monkeypatch.setitem(devices._KINDS, "cuda", lambda: iter([works]))
    with pytest.raises(MissingError, match="CUDA devices found: 1, numbered from 0"):
        devices.choose("cuda:1")


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:-1", "", "cpu:x"])
def test_a_word_that_is_no_device_is_refused(name):
    with pytest.raises(InputError, match="is no device") as caught:
        devices.choose(name)
    assert caught.value.code == "AGX208"


meta = torch.ones(3, device="meta")


@pytest.mark.parametrize(
    "values",
    [
        (torch.ones(3), meta),
        (torch.ones(3), 2, [meta]),
        (meta, torch.ones(3, dtype=torch.int64)),
        (torch.ones(3), torch.ones((), device="meta")),
    ],
)
def test_operands_on_two_devices_are_refused(values):
    with pytest.raises(devices.DeviceMismatch, match=r"The operands are on different devices: .*meta"):
        devices.check_operands(values)


@pytest.mark.parametrize(
    "values",
    [
        (),
        (1, 2.0, "x"),
        (torch.ones(3), torch.ones(2)),
        (meta, meta),
        (meta, torch.tensor(2.0)),
        ([meta], (meta,)),
    ],
)
def test_operands_that_torch_takes_together_pass(values):
    devices.check_operands(values)


class Elsewhere:
    """What check_operands reads of a tensor on an accelerator that this machine lacks."""

    device = torch.device("cuda:0")
    ndim = 1
    shape = (3,)

    def is_floating_point(self):
        return True


def test_cpu_indices_go_with_an_accelerator_and_cpu_numbers_do_not(monkeypatch):
    monkeypatch.setattr(devices, "_tensors", lambda values: iter(values))
    devices.check_operands([Elsewhere(), torch.tensor([0, 1])])
    with pytest.raises(devices.DeviceMismatch, match=r"cuda:0 \(3,\), cpu \(2,\)"):
        devices.check_operands([Elsewhere(), torch.ones(2)])
