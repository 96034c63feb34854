import pytest

from autograd_cli.diagnose.logs.facts import is_library, own, read
from autograd_cli.diagnose.logs.records import Frame, Raised


def told(message, **around):
    return read(Raised("RuntimeError", message, **around))


def test_an_in_place_message_gives_shape_node_and_versions():
    facts = told(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.cuda.DoubleTensor [7, 2]], which is output 0 of TanhBackward0, is at version 5; expected "
        "version 3 instead."
    )
    assert facts.shapes == ((7, 2),)
    assert facts.versions == (5, 3)
    assert (facts.op, facts.dtypes, facts.devices) == ("TanhBackward0", ("float64",), ("cuda",))


def test_a_product_gives_both_shapes_whatever_the_release_writes():
    assert told("mat1 and mat2 shapes cannot be multiplied (6x5 and 4x3)").shapes == ((6, 5), (4, 3))
    assert told("size mismatch, m1: [6 x 5], m2: [4 x 3] at x.cpp:41").shapes == ((6, 5), (4, 3))


def test_dtypes_are_told_in_torch_and_in_c_words():
    mixed = "expected mat1 and mat2 to have the same dtype, but got: float != c10::BFloat16"
    assert told(mixed).dtypes == ("float32", "bfloat16")
    assert told("Input type (double) and bias type (float) should be the same").dtypes == (
        "float64",
        "float32",
    )
    assert told("RNN input dtype (torch.float64) does not match weight dtype (torch.float32)").dtypes == (
        "float64",
        "float32",
    )


def test_devices_keep_their_order():
    found = "Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:3!"
    assert told(found).devices == ("cpu", "cuda:3")
    assert told("Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor)").devices == (
        "cpu",
        "cuda",
    )


def test_sizes_are_single_numbers_of_elements():
    assert told("The size of tensor a (9) must match the size of tensor b (8)").sizes == (9, 8)
    assert told("Got 9 and 8 in dimension 2").sizes == (9, 8)
    assert told("shape '[3, -1]' is invalid for input of size 10").sizes == (10,)


def test_the_release_is_read_from_the_lines_around():
    assert told("x", before=("torch 2.4.1+cu121",)).torch == "2.4.1+cu121"
    assert told("x", before=("torchvision 0.19.1",)).torch == ""


def test_a_frame_of_a_library_is_not_the_persons_own():
    mine, library = Frame("net.py", 4), Frame("/e/lib/python3.11/site-packages/torch/nn/x.py", 9)
    assert own(Raised("RuntimeError", "x", (mine, library))) == mine
    assert own(Raised("RuntimeError", "x", (library,))) is None


@pytest.mark.parametrize(
    "file",
    [
        "/opt/x/lib/python3.8/site-packages/a/b.py",
        "/home/me/pytorch/torch/nn/functional.py",
        "C:\\Users\\me\\anaconda3\\envs\\ml\\lib\\threading.py",
        "C:\\Python39\\Lib\\site-packages\\a.py",
        "<frozen runpy>",
        "<__array_function__ internals>",
        "<eval_with_key>.7",
        "/opt/conda/bin/accelerate",
    ],
)
def test_what_is_installed_is_a_library(file):
    assert is_library(file)


@pytest.mark.parametrize(
    "file", ["train.py", "/home/me/lib/net.py", "bin/train.py", "torch_utils/x.py", "In[3]"]
)
def test_what_a_person_wrote_is_not(file):
    assert not is_library(file)
