"""One sample of each entry of torch's database of operators: what torch's gradcheck passes is good here."""

import pytest
import torch

pytest.importorskip("expecttest", reason="torch's database of operators needs it")

from tests.gradients.database import MOST, called, entries, fault, first, samples, torch_passes

ALL_SAMPLES = (
    "bernoulli",
    "linalg.lstsq",
    "div",
    "nansum",
    "native_layer_norm",
    "nn.functional.layer_norm",
    "nn.functional.rms_norm",
)
"""Entries of which not the first sample alone is hard to judge."""

# Their samples have more elements than are looked at, or hold what no source of the language can say.
WITHOUT = {
    "kron",
    "nn.functional.linear_cross_entropy.chunked",
    "nn.functional.linear_cross_entropy.chunked_none",
    "nn.functional.triplet_margin_with_distance_loss",
    "slice_scatter",
    "to",
}


@pytest.mark.filterwarnings("ignore")  # torch says of its own entries that they are old
def test_what_torchs_gradcheck_passes_is_good():
    found, without, looked_at = {}, set(), 0
    for entry in entries():
        sample = first(entry)
        if sample is None:
            without.add(f"{entry.name}.{entry.variant_test_name}".rstrip("."))
            continue
        looked_at += 1
        wrong = fault(sample)
        if wrong and torch_passes(sample):
            found[sample.name] = wrong
    assert found == {}
    assert without == WITHOUT
    assert looked_at > 480


@pytest.mark.parametrize("name", ALL_SAMPLES)
def test_every_sample_of_what_is_hard_to_judge_is_good(name):
    chosen = [one for entry in entries() if entry.name == name for one in samples(entry)]
    assert len(chosen) >= 3
    assert [one.text for one in chosen if fault(one)] == []


def test_the_samples_of_an_entry_are_the_same_whatever_was_drawn_before():
    (entry,) = (entry for entry in entries() if entry.name == "ceil")
    one, _, other = first(entry), torch.randn(3), first(entry)
    assert torch.equal(*(sample.tensors["x0"] for sample in (one, other)))


def test_the_samples_are_small_and_called_as_the_language_has_them():
    one = next(first(entry) for entry in entries() if entry.name == "addmv")
    assert one.source == "torch.addmv(x0, x1, x2, beta=1, alpha=1)"
    assert sum(value.numel() for value in one.tensors.values()) <= MOST
    assert called(one.entry, "x0", []) == "torch.addmv(x0)"


def test_a_fault_of_a_formula_is_found(monkeypatch):
    one = next(first(entry) for entry in entries() if entry.name == "sin")
    assert fault(one) == ""
    monkeypatch.setattr("tests.gradients.database.backward", lied_to)
    assert fault(one) == "WRONG"


def lied_to(run, cotangent):
    from dataclasses import replace

    from autograd_cli.gradients.backward import backward

    made = backward(run, cotangent)
    return replace(made, leaves={name: value * 1.0005 for name, value in made.leaves.items()})
