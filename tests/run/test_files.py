"""Data files as bindings: what is read, and what is refused before it is read."""

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from autograd_cli.errors import ExitStatus, InputError, LimitError, MissingError
from autograd_cli.run import files
from autograd_cli.run.settings import Settings

LIMIT = 1 << 20


def read(reference: object, stdin: str | None = None, max_items: int = 1_000_000) -> object:
    return files.read(str(reference), stdin, Settings(max_memory=LIMIT, max_items=max_items))


@pytest.mark.parametrize("dtype", ["float64", "float32", ">f4", "int64", "bool"])
def test_npy_keeps_values_shape_and_dtype(tmp_path: Path, dtype: str) -> None:
    array = np.array([[1, 0], [3, 4]]).astype(dtype)
    np.save(tmp_path / "a.npy", array)
    made = read(tmp_path / "a.npy")
    assert isinstance(made, torch.Tensor)
    assert made.tolist() == array.tolist()
    assert str(made.dtype) == "torch." + array.dtype.newbyteorder("=").name


def test_npz_names_its_array(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", w=np.ones(2), b=np.zeros(3))
    assert read(f"{tmp_path / 'a.npz'}:b").shape == (3,)
    with pytest.raises(InputError, match="it holds 2 arrays") as caught:
        read(tmp_path / "a.npz")
    assert caught.value.hint == f"Write @{tmp_path / 'a.npz'}:NAME with one of: w, b."


def test_npz_of_one_array_needs_no_name(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", w=np.arange(4.0))
    assert read(tmp_path / "a.npz").tolist() == [0, 1, 2, 3]


def test_csv_by_name_by_number_and_whole(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x, y\n1,2\n3,4\n")
    assert read(f"{tmp_path / 'a.csv'}:y") == [2, 4]
    assert read(f"{tmp_path / 'a.csv'}:0") == [1, 3]
    assert read(tmp_path / "a.csv") == [[1, 2], [3, 4]]


def test_csv_of_one_column_is_a_list(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n2\n3\n")
    assert read(tmp_path / "a.csv") == [1, 2, 3]


def test_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[[1, 2.5], [3, 4]]")
    assert read(tmp_path / "a.json") == [[1, 2.5], [3, 4]]


@pytest.mark.parametrize(
    ("text", "value"), [("2", 2), ("[1, 2]", [1, 2]), ("1 2\n3", [1, 2, 3]), ("1.5,2", [1.5, 2])]
)
def test_standard_input_is_json_or_numbers(text: str, value: object) -> None:
    assert read("-", stdin=text) == value


def headed(shape: str) -> bytes:
    """A .npy file whose header holds `shape`."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.npy", b"\x93NUMPY\x01\x00garbage", ""),
        ("a.npy", b"", ""),
        ("a.npz", b"not a zip", "not a zip file"),
        ("a.json", b"{", ""),
        ("a.json", b'{"a": 1}', "it holds dict where numbers and lists of them are due"),
        ("a.json", b"\xff\xfe", ""),
        ("a.csv", b"x\n", "it holds no rows of numbers"),
        ("a.csv", b"1,2\n3\n", "row 2 has 1 column, row 1 has 2 columns"),
        ("a.csv", b"x,y\n\n1,2\n3,4,5\n", "row 4 has 3 columns, row 1 has 2 columns"),
        ("a.csv", b"1,2\n3,k\n", "row 2, column 1 holds `k` where a number is due"),
        ("a.csv", b"1,2\n3,\n", "row 2, column 1 holds nothing where a number is due"),
        ("a.csv", b"1,2\n3,4\0\n", "row 2 holds a null byte, which no text has"),
        ("a.json", b"[" * 65 + b"]" * 65, "its lists nest more than 64 deep"),
        ("a.json", b"[" * 100_000 + b"]" * 100_000, "what it holds nests too deep"),
        ("a.json", b"1" * 5000, "it holds a whole number of more digits than are read"),
        ("a.csv", b'1,"2\n', "it is no table as CSV has it"),
        ("a.csv", b"\xff\xfe1", "it is no UTF-8 text: byte 0xff at offset 0"),
        ("a.npy", headed("-" * 5000 + "1"), "it does not begin with a header as numpy.save writes it"),
        ("a.npy", headed("(" * 3000 + ")" * 3000), "it does not begin with a header as numpy.save writes it"),
        ("a.txt", b"1", "a file of kind `.txt` cannot be read"),
        ("a.pt", b"1", "it is no archive as torch.save writes"),
    ],
)
def test_an_unreadable_file_says_why(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="cannot be used as a value") as caught:
        read(tmp_path / name)
    assert caught.value.code == "AGX207"
    assert why in caught.value.sentence


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="Python objects, which only unpickling could read"):
        read(tmp_path / "a.npy")


def test_strings_have_no_dtype_in_torch(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array(["a", "b"]))
    with pytest.raises(InputError, match="torch has no dtype for"):
        read(tmp_path / "a.npy")


def test_a_header_that_claims_more_than_follows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones(100))
    path.write_bytes(path.read_bytes()[:-80])
    with pytest.raises(InputError, match="its header claims 800 bytes and 720 follow"):
        read(path)


def test_a_huge_claim_is_a_limit_before_anything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**6)}
        )
    with pytest.raises(LimitError, match=r"the limit is 1 MiB") as caught:
        read(path)
    assert caught.value.status is ExitStatus.LIMIT


def test_a_zip_bomb_is_a_limit(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w.npy", bytes(4 * LIMIT))
    assert (tmp_path / "a.npz").stat().st_size < LIMIT
    with pytest.raises(LimitError, match=r"a.npz:w` holds 4 MiB"):
        read(tmp_path / "a.npz")


def test_a_missing_file_has_status_3(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"none.npy` cannot be read: No such file") as caught:
        read(tmp_path / "none.npy")
    assert caught.value.status is ExitStatus.MISSING


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "d.json").mkdir()
    with pytest.raises(MissingError, match="is a directory, not a file"):
        read(tmp_path / "d.json")


def test_deep_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="cannot be used as a value"):
        read(tmp_path / "a.json")


def test_json_of_not_finite_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([float("inf"), 1.0]))
    assert read(tmp_path / "a.json") == [float("inf"), 1.0]


@pytest.mark.parametrize("name", ["a.npy", "a.json"])
def test_a_part_of_a_file_that_has_none_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"1")
    with pytest.raises(InputError, match=f"a .{name[2:]} file holds one value and no part `w`") as caught:
        read(f"{tmp_path / name}:w")
    assert caught.value.hint == f"Write @{tmp_path / name}."


@pytest.mark.parametrize("name", ["pipe.json", "pipe.csv", "pipe.npy", "pipe.npz"])
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="it is a device or a pipe, of which nobody knows"):
        read(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device")
def test_a_device_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="it is a device or a pipe"):
        read(tmp_path / "zero.csv")


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_a_file_that_grows_while_it_is_read_is_a_limit(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(b"1" * (LIMIT + 1))
    monkeypatch.setattr(files.os, "fstat", lambda _: os.stat_result([0] * 10))
    with pytest.raises(LimitError, match="the limit is 1 MiB"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", "[1,2,3]"), ("a.json", "[[1],[2]]"), ("a.csv", "1\n2\n3\n"), ("a.csv", "1,2\n3,4\n")],
)
def test_a_list_in_a_file_has_at_most_max_items(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(LimitError, match=r"; the limit is 2\.") as caught:
        read(tmp_path / name, max_items=2)
    assert caught.value.code == "AGX606"
    assert "--max-items" in caught.value.hint


@pytest.mark.parametrize("text", ["[1,2,3]", "1 2 3", "1,2,3", "[[1],[2]]"])
def test_a_list_on_standard_input_has_at_most_max_items(text: str) -> None:
    with pytest.raises(LimitError, match="the limit is 2") as caught:
        read("-", stdin=text, max_items=2)
    assert caught.value.code == "AGX606"


def test_an_array_in_a_file_is_no_list(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(5))
    assert read(tmp_path / "a.npy", max_items=2).shape == (5,)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.npy", b"\x93NUMPY\x01\x00\x76\x00((((" + b" " * 113 + b"\n"),
        ("a.csv", b"1" * 200_000 + b"\n"),
        ("a.npz", b"PK\x03\x04" + bytes(60)),
    ],
)
def test_whatever_a_reader_stumbles_over_is_told_as_an_unreadable_file(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="cannot be used as a value"):
        read(tmp_path / name)


def test_a_header_with_a_size_beyond_any_machine(tmp_path: Path) -> None:
    with (tmp_path / "a.npy").open("wb") as stream:
        header = {"descr": "<f8", "fortran_order": False, "shape": (0, 10**30)}
        np.lib.format.write_array_header_1_0(stream, header)
    with pytest.raises(InputError, match="cannot be used as a value"):
        read(tmp_path / "a.npy")
