"""Files of torch.save: what is read of them, and what is refused before torch sees it."""

import io
import os
import pickle
import zipfile
from collections import OrderedDict

import numpy as np
import pytest
import torch

from autograd_cli.errors import AgxError, InputError, LimitError
from autograd_cli.run import files
from autograd_cli.run.settings import Settings


@pytest.fixture
def saved(tmp_path):
    """Saves a value and gives the reference to it."""

    def save(value, name="x.pt", **how):
        torch.save(value, tmp_path / name, **how)
        return str(tmp_path / name)

    return save


def read(reference, **settings):
    return files.read(reference, None, Settings(**settings))


def rewritten(path, changes):
    """The archive with some of its parts changed: a name without its folder, to bytes or a function."""
    with zipfile.ZipFile(path) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            change = changes.get(name.partition("/")[2], part)
            archive.writestr(name, change(part) if callable(change) else change)
    return path


MODEL = OrderedDict({"fc.weight": torch.arange(6.0).reshape(2, 3), "fc.bias": torch.tensor([1.0, 2.0])})


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
        torch.arange(6).reshape(2, 3).T,
        torch.tensor(1 + 2j),
        torch.tensor([True, False]),
        torch.tensor([1.5], dtype=torch.bfloat16),
        torch.tensor([1.5], dtype=torch.float64),
        torch.ones(3).expand(2, 3),
        torch.empty(0, 3),
        torch.arange(10.0)[3:5],
    ],
    ids=str,
)
def test_a_tensor_is_what_was_saved(saved, value):
    found = read(saved(value))
    assert torch.equal(found, value)
    assert found.dtype == value.dtype


def test_a_parameter_is_a_tensor_without_a_past(saved):
    found = read(saved(torch.nn.Parameter(torch.ones(2))))
    assert type(found) is torch.Tensor
    assert not found.requires_grad


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("fc.weight", MODEL["fc.weight"]),
        ("model.fc.bias", MODEL["fc.bias"]),
        ("epoch", 3),
        ("loss", 0.5),
        ("history", [1.0, 2.0]),
    ],
)
def test_an_entry_of_a_dict_is_named_after_a_colon(saved, part, value):
    reference = saved({**MODEL, "model": MODEL, "epoch": 3, "loss": 0.5, "history": [1.0, 2.0]}, "x.pth")
    found = read(f"{reference}:{part}")
    assert torch.equal(torch.as_tensor(found), torch.as_tensor(value))


@pytest.mark.parametrize(
    ("part", "why", "hint"),
    [
        ("", "it holds a dict", "with one of: epoch, model.fc.weight, model.fc.bias."),
        (":model", "`model` is a dict", "with one of: model.fc.weight, model.fc.bias."),
        (":model.fc.wieght", "no entry `model.fc.wieght`", "Did you mean @{}:model.fc.weight?"),
        (":q", "it holds no entry `q`", "with one of: epoch"),
        (":note", "it holds no entry `note`", ""),
    ],
)
def test_an_entry_that_is_not_there_is_refused_with_those_that_are(saved, part, why, hint):
    reference = saved({"model": MODEL, "epoch": 3})
    with pytest.raises(InputError, match="cannot be used as a value") as caught:
        read(reference + part)
    assert why in caught.value.sentence
    assert hint.format(reference) in caught.value.hint


def test_a_part_of_what_is_no_dict_is_refused(saved):
    with pytest.raises(InputError, match="it holds one value and no part `w`"):
        read(saved(torch.ones(2)) + ":w")


class Command:
    """What runs a command when it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch AGX_CANARY",)


@pytest.mark.parametrize("old", [False, True], ids=["archive", "before-1.6"])
def test_a_file_that_would_run_something_runs_nothing(saved, tmp_path, monkeypatch, old):
    monkeypatch.chdir(tmp_path)
    reference = saved({"w": torch.ones(1), "c": Command()}, _use_new_zipfile_serialization=not old)
    with pytest.raises(InputError, match="cannot be used as a value") as caught:
        read(f"{reference}:w")
    assert caught.value.code == "AGX207"
    assert not (tmp_path / "AGX_CANARY").exists()


def test_a_pickle_alone_is_refused(tmp_path):
    (tmp_path / "x.pt").write_bytes(pickle.dumps(Command()))
    with pytest.raises(InputError, match=r"it is no archive as torch\.save writes"):
        read(str(tmp_path / "x.pt"))


def test_a_whole_model_is_refused_with_what_to_save(saved):
    with pytest.raises(InputError, match=r"an object of `torch\.nn\.modules\.linear\.Linear`") as caught:
        read(saved(torch.nn.Linear(2, 2)))
    assert "torch.save(model.state_dict(), ...)" in caught.value.hint


def claiming(count):
    """A change of the pickle of four numbers: they are said to be `count`."""
    return lambda pickled: pickled.replace(b"K\x04tq", b"M" + count.to_bytes(2, "little") + b"tq", 1)


LIES = {
    "more-elements": {"data.pkl": claiming(60_000)},
    "fewer-elements": {"data.pkl": claiming(1)},
    "a-shorter-storage": {"data/0": b"1234"},
    "an-empty-storage": {"data/0": b""},
    "another-storage": {
        "data.pkl": lambda pickled: pickled.replace(b"\x01\x00\x00\x000q", b"\x01\x00\x00\x009q", 1)
    },
    "the-other-byte-order": {"byteorder": b"big"},
    "no-pickle": {"data.pkl": b"cos\nsystem\n(S'touch AGX_CANARY'\ntR."},
    "an-empty-pickle": {"data.pkl": b""},
    "a-pickle-that-ends-early": {"data.pkl": lambda pickled: pickled[:-8]},
    "another-instruction": {"data.pkl": b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00."},
    "a-long-number": {"data.pkl": b"\x8b\xff\xff\xff\x7f."},
    "no-mark": {"data.pkl": b"\x80\x02t."},
    "nothing-remembered": {"data.pkl": b"\x80\x02h\x05."},
}


@pytest.mark.parametrize("changes", LIES.values(), ids=LIES)
def test_a_claim_that_the_file_does_not_keep_is_refused(saved, changes):
    reference = rewritten(saved(torch.ones(4)), changes)
    with pytest.raises(AgxError, match="cannot be used as a value") as caught:
        read(reference)
    assert caught.value.code == "AGX207"


@pytest.mark.parametrize(
    ("shape", "strides"),
    [(b"K\x05\x85", b"K\x01\x85"), (b"K\x04\x85", b"K\x09\x85")],
    ids=["shape", "strides"],
)
def test_a_tensor_that_is_larger_than_its_storage_is_refused(saved, shape, strides):
    def enlarge(pickled):
        before, size, after = pickled.partition(b"K\x04\x85")
        assert size
        return before + shape + after.replace(b"K\x01\x85", strides, 1)

    with pytest.raises(InputError, match="cannot be used as a value"):
        read(rewritten(saved(torch.ones(4)), {"data.pkl": enlarge}))


def test_a_small_storage_stretched_beyond_the_limit_is_refused(saved):
    with pytest.raises(LimitError, match="GiB; the limit is 1 GiB"):
        read(saved(torch.ones(1).expand(10**9)))


def test_an_archive_that_unfolds_beyond_the_limit_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.pt", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/data.pkl", b"\x80\x02}.")
        archive.writestr("x/data/0", bytes(10_000_000))
    assert (tmp_path / "x.pt").stat().st_size < 20_000
    with pytest.raises(LimitError, match="the limit is 1 MiB"):
        read(str(tmp_path / "x.pt"), max_memory=1 << 20)


def test_an_archive_of_very_many_parts_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        for number in range(10_001):
            archive.writestr(f"x/{number}", b"")
    with pytest.raises(InputError, match="it holds 10,001 parts"):
        read(str(tmp_path / "x.pt"))


def test_two_parts_of_one_name_are_refused(tmp_path):
    content = io.BytesIO()
    torch.save(torch.ones(4), content)
    (tmp_path / "x.pt").write_bytes(content.getvalue())
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(tmp_path / "x.pt", "a") as archive,
    ):
        archive.writestr("archive/data.pkl", b"\x80\x02}.")
    with pytest.raises(InputError, match="an archive of another kind"):
        read(str(tmp_path / "x.pt"))


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize(
    "value",
    [torch.eye(2).to_sparse(), torch.ones(2, device="meta"), "words", {1: 2}, np.ones(2), None],
    ids=["sparse", "meta", "text", "dict", "array", "nothing"],
)
def test_what_is_no_dense_tensor_is_refused(saved, value):
    with pytest.raises(InputError, match="cannot be used as a value"):
        read(saved(value))


def test_dicts_in_dicts_are_looked_at_to_a_bound(saved):
    shared = {"w": torch.ones(1)}
    for _ in range(60):
        shared = {"a": shared, "b": shared}
    with pytest.raises(InputError, match="it holds a dict"):
        read(saved(shared))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda pickle: pickle[:-10], "its data.pkl is cut off or damaged"),
        (lambda pickle: b"\x80\x02R.", "torch does not read it"),
        (lambda pickle: b"\x80\x02h\x07.", "its data.pkl is cut off or damaged"),
        (lambda pickle: pickle.replace(b"K\x03\x85", b"K\xff\x85"), "torch does not read it"),
        (lambda pickle: b"\x80\x02" + b"(" * 5000, "what it holds nests more than 1,000 deep"),
        (lambda pickle: pickle + b"(" * (17 << 20), "its data.pkl takes 17 MiB, and 16 MiB are the most"),
    ],
    ids=["cut", "empty-stack", "no-memo", "size", "marks", "long"],
)
def test_a_damaged_pickle_is_refused_in_words_of_ours(saved, tmp_path, change, why):
    reference = saved(torch.ones(3))
    with zipfile.ZipFile(reference) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(reference, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, change(part) if name.endswith("data.pkl") else part)
    with pytest.raises(InputError, match=why):
        read(reference)
