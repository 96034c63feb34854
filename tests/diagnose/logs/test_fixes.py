"""Fixes name what the failing line names, and the shape or dtype that is known decides which one is told."""

import pytest

from autograd_cli.diagnose.logs.read import read

TORCH = "/e/lib/python3.11/site-packages/torch/"
LINEAR = ("nn/modules/module.py in _wrapped_call_impl", "nn/modules/linear.py in forward")
CONV = ("nn/modules/module.py in _wrapped_call_impl", "nn/modules/conv.py in forward")
CHANNELS = (
    "RuntimeError: Given groups=1, weight of size {}, expected input{} to have {} channels, but got "
    "{} channels instead"
)
RANK = "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [8, 8]"
FORWARD = "bring the channels forward: img.permute(0, 3, 1, 2)"
KEEP = "keep the leaf: with torch.no_grad(): "
NUMPY = "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
MULTI = "RuntimeError: 0D or 1D target tensor expected, multi-target not supported"
DTYPES = "RuntimeError: mat1 and mat2 must have the same dtype, but got {} and {}"
SHAPES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied ({} and {})"
NONE_TIMES = "TypeError: unsupported operand type(s) for *: 'float' and 'NoneType'"
NONLEAF = "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."


def told(line, said, lib=(), before=""):
    below = ""
    for one in lib:
        file, function = one.split(" in ")
        below += f'  File "{TORCH}{file}", line 3, in {function}\n    return go()\n'
    head = f'{before}Traceback (most recent call last):\n  File "fit.py", line 8, in <module>\n    {line}\n'
    (found,) = read([f"{head}{below}{said}\n".encode()]).findings
    return found.finding


def fixes(*log, **more):
    return [fix.text for fix in told(*log, **more).fix]


@pytest.mark.parametrize(
    ("line", "said", "lib", "fix"),
    [
        (
            "plt.plot(pred[0].numpy())",
            NUMPY,
            (),
            "write pred[0].detach().cpu().numpy() where the values are only looked at",
        ),
        (
            "loss = criterion(out, labels)",
            MULTI,
            (),
            "drop a dimension of one with labels.squeeze(1); of one-hot rows take labels.argmax(1)",
        ),
        (
            "loss = criterion(out, labels)",
            "RuntimeError: Expected target size [8, 5], got [8, 1, 5]",
            (),
            "drop the dimension of one: labels.squeeze(1)",
        ),
        ("out = model(ids)", DTYPES.format("Long", "Float"), LINEAR, "write ids.float()"),
        ("out = model(mask)", DTYPES.format("Bool", "Float"), LINEAR, "write mask.float()"),
        ("out = model(ids)", DTYPES.format("Int", "BFloat16"), LINEAR, "write ids.to(torch.bfloat16)"),
        ("out = a @ b", DTYPES.format("Long", "Float"), (), "convert the whole numbers with .float()"),
        ("z = self.fc(h)", SHAPES.format("2x1568", "6272x10"), LINEAR, "make the layer nn.Linear(1568, 10)"),
        ("z = self.fc(h)", SHAPES.format("224x14", "1568x10"), LINEAR, "flatten it first: h.flatten(1)"),
        (
            "out = conv(img)",
            CHANNELS.format("[8, 3, 3, 3]", "[4, 32, 32, 3]", 3, 32),
            CONV,
            "bring the channels forward: img.permute(0, 3, 1, 2)",
        ),
        (
            "out = conv(img)",
            CHANNELS.format("[8, 3, 3, 3]", "[1, 32, 32, 3]", 3, 32),
            CONV,
            f"{FORWARD}, of one image without a batch img.permute(2, 0, 1)",
        ),
        (
            "out = conv(seq)",
            CHANNELS.format("[8, 3, 3]", "[4, 50, 3]", 3, 50),
            CONV,
            "bring the channels forward: seq.permute(0, 2, 1)",
        ),
        (
            "out = conv(img)",
            CHANNELS.format("[8, 1, 3, 3]", "[1, 16, 28, 28]", 1, 16),
            CONV,
            "give each image its channel: img.unsqueeze(1)",
        ),
        (
            "out = conv(img)",
            RANK,
            CONV,
            "give it its channel: img.unsqueeze(0), of a batch img.unsqueeze(1)",
        ),
        (
            "w = w - 0.1 * w.grad",
            NONE_TIMES,
            (),
            f"{KEEP}w -= 0.1 * w.grad, and w.grad = None behind it",
        ),
        (
            "w = w - 0.1 * w.grad - 0.2 * w",
            NONE_TIMES,
            (),
            f"{KEEP}w.copy_(w - 0.1 * w.grad - 0.2 * w), and w.grad = None behind it",
        ),
    ],
)
def test_the_first_fix_is_of_what_the_line_names(line, said, lib, fix):
    assert fixes(line, said, lib)[0] == fix


@pytest.mark.parametrize(
    ("line", "said", "lib", "fix"),
    [
        ("show(net(images).numpy(), 3)", NUMPY, (), "write net(images).detach().cpu().numpy() where"),
        ("show((a + b).numpy())", NUMPY, (), "write .detach().cpu().numpy() where"),
        ("out = model(load(path))", DTYPES.format("Long", "Float"), LINEAR, "convert the whole numbers with"),
    ],
)
def test_what_has_no_short_name_is_given_none(line, said, lib, fix):
    assert fixes(line, said, lib)[0].startswith(fix)


@pytest.mark.parametrize(
    ("line", "before", "name"),
    [
        ("w = w - 0.1 * w.grad", "", "leaf-name-lost"),
        ("step = 0.1 * w.grad", f"fit.py:8: {NONLEAF}\n  step = 0.1 * w.grad\n", "nonleaf-grad-access"),
        ("step = 0.1 * w.grad", "", "grad-is-none"),
        ("w = w.detach() - 0.1 * w.grad", "", "grad-is-none"),
        ("grads = 0.1 * w.grad", "", "grad-is-none"),
    ],
)
def test_why_a_grad_is_none_is_told_by_what_is_known(line, before, name):
    assert told(line, NONE_TIMES, before=before).name == name


def test_a_linear_is_named_with_its_sizes_and_what_it_was_given():
    finding = told("return self.fc(h)", SHAPES.format("2x1568", "6272x10"), LINEAR)
    assert finding.sentence == "`self.fc` is Linear(6272, 10), and it was given (2,1568)."
    assert not any("flatten" in fix.text for fix in finding.fix)


@pytest.mark.parametrize("said", ["element 0 of tensors does not require grad and does not have a grad_fn"])
def test_what_cures_nothing_is_no_fix(said):
    finding = told("loss.backward()", f"RuntimeError: {said}")
    assert any("trains nothing" in line for line in finding.cause)
    assert not any("trains nothing" in fix.text for fix in finding.fix)


def test_anomaly_detection_is_no_fix():
    said = (
        "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
        "operation: [torch.FloatTensor [3]], which is output 0 of ExpBackward0, is at version 1; expected "
        "version 0 instead."
    )
    finding = told("loss.backward()", said)
    assert any("set_detect_anomaly" in line for line in finding.cause)
    assert not any("anomaly" in fix.text for fix in finding.fix)
