"""What an error is taken for rests on what the log shows, not on what its words mean most often."""

import pytest

from tests.diagnose.logs.speaking import spoken

MATMUL = "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
ON_META = "Tensor on device cpu is not on the expected device meta!"
ELSEWHERE = "Function {} returned an invalid gradient at index 1 - expected device cuda:0 but got cpu"


def cat(dimension, first, second):
    return (
        f"Sizes of tensors must match except in dimension {dimension}. "
        f"Expected size {first} but got size {second} for tensor number 1 in the list."
    )


@pytest.mark.parametrize(
    ("message", "text", "name"),
    [
        (cat(0, 3, 4), "z = torch.cat([a, b])", "joined-size-mismatch"),
        (cat(1, 3, 4), "z = torch.cat([a, b], 1)", "joined-size-mismatch"),
        (cat(0, 63, 64), "z = torch.cat([a, b])", "joined-size-mismatch"),
        (cat(1, 32, 100), "z = torch.cat([a, b], 1)", "joined-size-mismatch"),
        (cat(1, 63, 64), "z = torch.cat([a, b], 1)", "skip-connection-size-mismatch"),
        (cat(1, 3, 4), "z = torch.cat([up, skip], 1)", "skip-connection-size-mismatch"),
        (cat(1, 5, 4), "z = torch.cat([up2(x), enc2], 1)", "skip-connection-size-mismatch"),
    ],
)
def test_a_join_is_one_of_feature_maps_where_the_log_shows_them(message, text, name):
    assert spoken(message, text)[0] == name


def test_a_join_is_told_with_its_dimension_and_the_sizes():
    assert spoken(cat(0, 3, 4), "z = torch.cat([a, b])")[1].endswith(
        "joins along dimension 0, and in another one their sizes are 3 and 4"
    )


@pytest.mark.parametrize(
    ("text", "lib", "name"),
    [
        ("", "", "matmul-shape-mismatch"),
        ("y = a @ b", "", "matmul-shape-mismatch"),
        ("return out", "", "matmul-shape-mismatch"),
        ("y = self.fc(x)", "", "linear-in-features-mismatch"),
        ("", "nn/modules/linear.py", "linear-in-features-mismatch"),
    ],
)
def test_a_layer_is_told_of_where_one_may_stand(text, lib, name):
    assert spoken(MATMUL, text, lib=lib)[0] == name


@pytest.mark.parametrize(
    ("message", "text", "name"),
    [
        (ON_META, "return z + bias", "device-mismatch-input-not-moved"),
        (ON_META, "h *= scale", "device-mismatch-input-not-moved"),
        (ON_META, "out = model(x)", "meta-tensor-no-data"),
        ("Cannot copy out of meta tensor; no data!", "y = a + b.item()", "meta-tensor-no-data"),
        (ELSEWHERE.format("MmBackward0"), "loss.backward()", "device-mismatch-input-not-moved"),
        (ELSEWHERE.format("RasterBackward"), "loss.backward()", "custom-function-grad-shape"),
    ],
)
def test_two_devices_are_told_as_that(message, text, name):
    assert spoken(message, text)[0] == name


def test_the_devices_of_a_gradient_are_told_with_what_they_are_of():
    said = spoken(ELSEWHERE.format("MmBackward0"), "loss.backward()")[1]
    assert said == "the gradient that MmBackward0 gives is on cpu, and what it belongs to is on cuda:0"


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("[-2, 1], but got 2", "`y = x.sum(2)` names dimension 2 of a tensor that has the dimensions 0 to 1"),
        ("[-1, 0], but got -2", "`y = x.sum(2)` names dimension -2 of a tensor that has dimension 0 at most"),
    ],
)
def test_a_dimension_that_is_not_there_is_told_with_those_that_are(ends, said):
    message = f"Dimension out of range (expected to be in range of {ends})"
    assert spoken(message, "y = x.sum(2)", kind="IndexError") == ("dim-out-of-range", said)
