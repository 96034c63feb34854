import pytest

from autograd_cli import catalogue
from autograd_cli.diagnose.logs.records import Facts, Raised
from autograd_cli.diagnose.logs.rows import ROWS
from tests.diagnose.logs.speaking import spoken

CHANGED = "one of the variables needed for gradient computation has been modified by an inplace operation"
DEVICES = "Expected all tensors to be on the same device, but found at least two devices, "
NO_PATH = "element 0 of tensors does not require grad and does not have a grad_fn"
TWICE = "Trying to backward through the graph a second time, but the saved intermediate results are gone"
OOM = "CUDA out of memory. Tried to allocate 2.00 GiB"
NAN = "Function 'MulBackward0' returned nan values in its 0th output."
JACOBIANS = "Jacobian mismatch for output 0 with respect to input 0,\n"
IS_VIEW = "Output 1 of SplitBackward0 is a view and is being modified inplace."
ASSERT = "CUDA error: device-side assert triggered"
FLOAT_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
)
FLOAT_INDEX += "(got float)"
NO_INPUT = "autograd-grad-input-no-requires-grad"
VALUE = {"kind": "ValueError"}
EINSUM = "einsum(): subscript b has size 2 for operand 1 which does not broadcast with previously seen size 3"
SUM = "The size of tensor a (6) must match the size of tensor b (9) at non-singleton dimension 0"
BEYOND = "index 9 is out of bounds for dimension 1 with size 5"
MASKED = {"before": ("    loss = parts[~nan_mask].mean()",)}
BCE = "loss = F.binary_cross_entropy_with_logits(out, y)"

KNOWN = [
    ("loss-has-no-grad-path", NO_PATH, {"text": "total.backward()"}),
    ("detached-prediction-in-loss", NO_PATH, {"text": "mse(p.detach(), t).backward()"}),
    ("nondifferentiable-op-in-loss", NO_PATH, {"text": "p.argmax(1).float().sum().backward()"}),
    ("no-grad-around-trainable", NO_PATH, {"before": ("    with torch.no_grad():",)}),
    ("nondifferentiable-op-in-loss", NO_PATH, {"before": ("     12     hits = (p > 0.5).float()",)}),
    ("loss-has-no-grad-path", NO_PATH, {"before": ("step=4 loss=0.5 best==0.4 rate>1",)}),
    (
        "nonscalar-loss-backward",
        "grad can be implicitly created only for scalar outputs",
        {"before": ("wrapping the model in DistributedDataParallel",)},
    ),
    ("checkpoint-reentrant-no-grad-input", NO_PATH, {"lib": "utils/checkpoint.py"}),
    ("nonscalar-loss-backward", "grad can be implicitly created only for scalar outputs", {}),
    (
        "nonscalar-loss-dataparallel",
        "grad can be implicitly created only for scalar outputs",
        {"before": ("UserWarning: Was asked to gather along dimension 0, but",)},
    ),
    (
        "complex-loss-backward",
        "grad can be implicitly created only for real scalar outputs but got torch.complex64",
        {},
    ),
    ("backward-twice-freed-graph", TWICE, {"text": "total.backward()"}),
    ("recurrent-state-not-detached", TWICE, {"before": ("    out, hidden = net(x, hidden)",)}),
    ("inplace-modified-saved-tensor", CHANGED + ": [torch.FloatTensor [3]], which is output 0 of Exp", {}),
    (
        "optimizer-step-before-backward",
        CHANGED + ": [torch.FloatTensor [8, 2]], which is output 0 of AsStridedBackward0",
        {},
    ),
    ("ddp-buffer-broadcast-inplace", CHANGED + ": [torch.cuda.FloatTensor [64]]", {"rank": "2"}),
    ("multi-view-inplace", IS_VIEW, {}),
    (
        "backward-hook-inplace-module",
        "Output 0 of BackwardHookFunctionBackward is a view and is being modified inplace.",
        {},
    ),
    ("device-mismatch-replica", DEVICES + "cuda:3 and cuda:1!", {}),
    ("device-mismatch-unregistered-tensor", DEVICES + "cpu and cuda:0!", {"text": "return x * self.scale"}),
    ("device-mismatch-input-not-moved", DEVICES + "cpu and cuda:0!", {"text": "out = self.lin(x)"}),
    (
        "model-not-on-input-device",
        "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same",
        {},
    ),
    ("dtype-mismatch-double-float", "Input type (double) and bias type (float) should be the same", {}),
    ("dtype-mismatch-half-float", "mat1 and mat2 must have the same dtype, but got Float and Half", {}),
    ("cross-entropy-target-dtype", "expected target dtype to be Long or Byte, but got Float", {}),
    ("bce-target-dtype", "Found dtype Int but expected Float", {}),
    (
        "dtype-mismatch-double-float",
        "Input and hidden tensors are not the same dtype, found input tensor with Double and hidden Float",
        {},
    ),
    (
        "device-mismatch-input-not-moved",
        "Expected b and A to be on the same device, but found b on cpu and A on cuda:0 instead.",
        {},
    ),
    (
        "device-mismatch-input-not-moved",
        "Expected query, key and value to have the same device type, but got query.device: cuda:0 key: cpu",
        {},
    ),
    ("dtype-mismatch-double-float", "Found dtype Double but expected Float", {}),
    (
        "index-dtype",
        "tensors used as indices must be long, int, byte or bool tensors",
        {"kind": "IndexError"},
    ),
    (
        "linear-in-features-mismatch",
        "mat1 and mat2 shapes cannot be multiplied (6x5 and 4x3)",
        {"lib": "nn/modules/linear.py"},
    ),
    ("matmul-shape-mismatch", "mat1 and mat2 shapes cannot be multiplied (6x5 and 4x3)", {"text": "a @ b"}),
    ("broadcast-shape-mismatch", "The size of tensor a (3) must match the size of tensor b (4)", {}),
    (
        "collate-unequal-sizes",
        "stack expects each tensor to be equal size, but got [4] at entry 0 and [5] at entry 1",
        {"lib": "utils/data/_utils/collate.py"},
    ),
    (
        "joined-size-mismatch",
        "stack expects each tensor to be equal size, but got [4] at entry 0 and [5] at entry 1",
        {"text": "torch.stack(parts)"},
    ),
    ("numpy-on-requires-grad", "Can't call numpy() on Tensor that requires grad.", {}),
    (
        "numpy-on-cuda",
        "can't convert cuda:1 device type tensor to numpy.",
        {"kind": "TypeError", "text": "x.numpy()"},
    ),
    (
        "numpy-reduction-on-graph-tensors",
        "can't convert cuda:1 device type tensor to numpy.",
        {"kind": "TypeError", "text": "loss = np.mean(parts)"},
    ),
    (
        "grad-is-none",
        "'NoneType' object has no attribute 'norm'",
        {"kind": "AttributeError", "text": "w.grad.norm()"},
    ),
    ("label-out-of-range", "Target 9 is out of bounds.", {"kind": "IndexError"}),
    ("label-out-of-range", ASSERT, {}),
    ("bce-input-out-of-range", ASSERT, {"before": ("Assertion `input >= 0. && input <= 1.` failed.",)}),
    ("embedding-index-out-of-range", ASSERT, {"before": ("Assertion `srcIndex < srcSelectDimSize` failed",)}),
    ("cross-entropy-target-dtype", "expected scalar type Long but found Float", {}),
    ("cross-entropy-target-dtype", "\"nll_loss_forward_index\" not implemented for 'Int'", {}),
    (
        "model-not-on-input-device",
        "Input type (MPSFloatType) and weight type (torch.FloatTensor) should be the same",
        {},
    ),
    ("mps-float64", "Trying to convert Double to the MPS backend but it does not", {"kind": "TypeError"}),
    ("loss-accumulated-with-graph", OOM, {"text": "total_loss += loss"}),
    ("retain-graph-memory", OOM, {"text": "loss.backward(retain_graph=True)"}),
    ("eval-without-no-grad", OOM, {"function": "validate"}),
    ("eval-without-no-grad", OOM, {"function": "val_one_epoch"}),
    ("eval-without-no-grad", OOM, {"before": ("Validation:  12%|# | 3/25",)}),
    ("double-backward-not-implemented", "the derivative for '_cdist_backward' is not implemented.", {}),
    ("double-backward-not-implemented", "derivative for aten::_ctc_loss_backward is not implemented", {}),
    (
        "backward-hook-bad-return",
        "Backward hook returned an invalid number of grad_input, got 2, but expected 1",
        {},
    ),
    (
        "vmap-inplace-on-unbatched",
        "output with shape [3] doesn't match the broadcast shape [4, 3]",
        {"lib": "_functorch/vmap.py"},
    ),
    ("custom-function-grad-shape", "expected Variable or None (got float)", {}),
    ("nan-grad-sqrt-at-zero", NAN, {"before": ("    loss = torch.sqrt((x * x).sum())",)}),
    ("nan-grad-log-at-zero", NAN, {"before": ("    entropy = -(p * p.log()).sum()",)}),
    ("nan-grad-masked-branch", NAN, {"before": ("    y = torch.where(x > 0, torch.sqrt(x), 0 * x)",)}),
    ("nan-grad-masked-branch", NAN, {"before": ("    self.log('loss', loss)",)}),
    (
        "witnesses-disagree",
        JACOBIANS + "numerical:tensor([[2.0]], dtype=torch.float64)\nanalytical:tensor([[1.0]])",
        {"kind": "GradcheckError"},
    ),
    (
        "gradcheck-single-precision",
        JACOBIANS + "numerical:tensor([[2.0]])\nanalytical:tensor([[1.0]])",
        {"kind": "GradcheckError"},
    ),
    ("broadcast-shape-mismatch", "output with shape [3] doesn't match the broadcast shape [4, 3]", {}),
    ("index-dtype", FLOAT_INDEX, {"kind": "IndexError"}),
    (NO_INPUT, "cannot register a hook on a tensor that doesn't require gradient", {}),
    ("broadcast-shape-mismatch", EINSUM, {}),
    (NO_INPUT, "can't retain_grad on Tensor that has requires_grad=False", {}),
    (NO_INPUT, "gradcheck expects at least one input tensor to require gradient, but none", VALUE),
    ("operand-shape", "input.size(-1) must be equal to input_size. Expected 8, got 6", {}),
    ("operand-shape", "input has inconsistent input_size: got 6 expected 8", {}),
    ("operand-shape", "Expected hidden[0] size (1, 9, 4), got [1, 7, 4]", {}),
    ("operand-shape", "Input batch size 2 doesn't match hidden[0] batch size 3", {}),
    ("checkpoint-shape-mismatch", SUM, {"lib": "optim/adam.py"}),
    ("broadcast-shape-mismatch", SUM, {}),
    ("label-out-of-range", BEYOND, {"text": "hot.scatter_(1, y, 1)"}),
    ("label-out-of-range", "Invalid index in scatter at x.cpp:151", {"text": "z = hot(y)"}),
    (
        "label-out-of-range",
        ASSERT,
        {
            "before": ("Assertion `idx_dim >= 0 && idx_dim < index_size` failed.",),
            "text": "hot.scatter_(1, y, 1)",
        },
    ),
    ("loss-accumulated-with-graph", OOM, {"text": "running += loss"}),
    ("loss-accumulated-with-graph", OOM, {"text": "total += criterion(net(x), y)"}),
    ("nan-grad-masked-branch", "Function 'DivBackward0' returned nan values in its 0th output.", MASKED),
    (
        "inplace-modified-saved-tensor",
        CHANGED + ": [torch.FloatTensor [4, 8, 2]], which is output 0 of AsStridedBackward0",
        {},
    ),
    ("bce-target-dtype", "result type Float can't be cast to the desired output type Long", {"text": BCE}),
]


@pytest.mark.parametrize(
    ("name", "message", "around"), KNOWN, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(KNOWN)]
)
def test_what_is_raised_is_told_by_its_kind(name, message, around):
    found, sentence = spoken(message, **around)
    assert found == name
    assert sentence
    assert "{" not in sentence


LEFT_ALONE = [
    (OOM, {}),
    (OOM, {"before": ("reading /data/valid/12/30.png",)}),
    ("RESOURCE_EXHAUSTED: Out of memory on CUDA", {"kind": "XlaRuntimeError", "function": "evaluate"}),
    (OOM, {"text": "running += loss.item()"}),
    (FLOAT_INDEX.replace("float", "set"), {"kind": "IndexError"}),
    (FLOAT_INDEX.replace("None and long or byte Variables", "tf.newaxis (`None`)"), {"kind": "TypeError"}),
    (BEYOND.replace("dimension", "axis"), {"text": "row = table[9]", "kind": "IndexError"}),
    ("Detected call of `lr_scheduler.step()` before `optimizer.step()`.", {"kind": "UserWarning"}),
    (OOM, {"function": "evaluate", "before": ("tensorflow/core/common_runtime/bfc.cc: none",)}),
    ("'NoneType' object has no attribute 'data'", {"kind": "AttributeError", "text": "node.data.next"}),
    ("unsupported operand type(s) for +: 'int' and 'NoneType'", {"kind": "TypeError"}),
    ("The truth value of an array with more than one element is ambiguous", {"kind": "ValueError"}),
    ("index 9 is out of bounds for axis 0 with size 3", {"kind": "IndexError"}),
    ("derivative of order 3 is not implemented", {"kind": "NotImplementedError"}),
    ("No module named 'torch'", {"kind": "ModuleNotFoundError"}),
    ("assertion `left == right` failed", {"kind": ""}),
    ("shapes (3,2) and (4,) not aligned: 2 (dim 1) != 4 (dim 0)", {"kind": "ValueError"}),
]


@pytest.mark.parametrize(("message", "around"), LEFT_ALONE)
def test_what_looks_alike_is_left_alone(message, around):
    assert spoken(message, **around)[0] is None


def test_every_row_has_a_page_with_its_name():
    names = {page.code: page.names for page in catalogue.pages()}
    assert [row for row in ROWS if row.name not in names[row.code]] == []


def test_the_sentence_tells_shapes_versions_and_own_names():
    message = (
        CHANGED
        + ": [torch.FloatTensor [9, 4]], which is output 0 of Exp, is at version 2; expected version 0"
    )
    assert "[9, 4], output of Exp" in spoken(message)[1]
    assert "(version 2, 0 expected)" in spoken(message)[1]
    assert spoken("Target 9 is out of bounds.", kind="IndexError")[1].startswith("the class number 9 ")
    assert spoken(DEVICES + "cpu and cuda:0!", "z = self.lin(v)")[1] == (
        "`z = self.lin(v)` takes tensors on cpu and on cuda:0"
    )


def test_a_gradient_and_its_tensor_are_told_apart_in_every_wording():
    said = "the gradient given has shape [2], the tensor [3]"
    new = "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and "
    new += "output[0] has a shape of torch.Size([3])."
    assert spoken(new)[1] == said
    assert spoken("invalid gradient at index 0 - expected shape [3] but got [2]")[1] == said
    assert spoken("invalid gradient at index 0 - got [2] but expected shape compatible with [3]")[1] == said


def test_every_row_has_words_where_a_log_tells_nothing():
    nothing = Raised("", ""), Facts()
    for row in ROWS:
        assert row.sentence if isinstance(row.sentence, str) else row.sentence(*nothing), row.name
        assert any(fix if isinstance(fix, str) else fix(*nothing) for fix in row.fix), row.name


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("loss.backward()", "`loss`"),
        ("self.accelerator.backward(loss)", "`loss`"),
        ("scaler.scale(loss).backward()", "`scaler.scale(loss)`"),
        ("criterion(out, y).backward()", "`criterion(out, y)`"),
        ('losses["a"].backward(retain_graph=True)', '`losses["a"]`'),
        ("y.backward(g)", "`y`"),
        ("(a * b).sum().backward()", "a tensor"),
        ("torch.autograd.backward([a, b])", "a tensor"),
    ],
)
def test_what_backward_starts_at_is_told_as_it_is_written(text, start):
    message = "grad can be implicitly created only for scalar outputs"
    assert spoken(message, text)[1].startswith(f"backward starts at {start}")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Expected target size [8, 5], got [8, 7]", "the target has shape [8, 7], where [8, 5] belongs"),
        ("size mismatch (got input: [2, 3, 4, 4] , target: [2, 5, 5]", "scores of shape [2, 3, 4, 4] meet"),
        ("Target -1 is out of bounds.", "the class number -1 is below 0"),
        ("expected dtype Float but got dtype Long", "with a target of int64"),
        (
            "Expected tensor for argument #1 'indices' to have type: Long, Int; but got torch.FloatTensor",
            "has an index of float32",
        ),
        (
            "Function Mul returned an invalid gradient at index 0 - expected shape [3, 4] but got [4, 3]",
            "a gradient of shape [4, 3] at index 0, where the input has shape [3, 4]",
        ),
        ("Expected floating point type for target with class probabilities, got Long", "and it is int64"),
        (
            "expected target dtype to be Long or Byte, but got Float",
            "is float32, where class numbers are int64",
        ),
        (
            "Output 0 of ViewBackward0 is a view and its base or another view of its base has been modified",
            "meets a view, made by ViewBackward0, of what was changed in place",
        ),
        (
            "function S returned an incorrect number of gradients (expected 2, got 1)",
            "returns 1 gradient, and",
        ),
        (
            "Expected to have finished reduction in the prior iteration did not receive grad for rank 0: 7 8",
            "parameters 7, 8 got no gradient",
        ),
        (
            "to have finished reduction in the prior iteration did not receive grad for rank 1: a.w, a.b\nIn",
            "parameters a.w, a.b got no gradient",
        ),
        (
            "Expected to mark a variable ready only once. Parameter at index 4 with name fc.bias has been",
            "the parameter fc.bias got its gradient twice",
        ),
        (FLOAT_INDEX, "`y = f(x)` indexes a tensor by a float"),
        (
            "input.size(-1) must be equal to input_size. Expected 8, got 6",
            "a last size of 6, the layer's input_size is 8",
        ),
        (
            "input has inconsistent input_size: got 6 expected 8",
            "a last size of 6, the layer's input_size is 8",
        ),
        ("Expected hidden size (1, 9, 4), got [1, 7, 4]", "has shape [1, 7, 4], where [1, 9, 4] belongs"),
        ("element 1 of the input tensors does not require grad", "the tensor at index 1"),
        (
            "parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cpu",
            "on cpu, where all of it belongs on cuda:0",
        ),
    ],
)
def test_which_of_two_is_what_is_told_by_the_wording(message, said):
    kind = "IndexError" if message.startswith(("Target", "only")) else "RuntimeError"
    assert said in spoken(message, kind=kind)[1]


def test_a_long_line_is_cut_and_an_open_one_is_closed():
    message = "Boolean value of Tensor with more than one value is ambiguous"
    assert spoken(message, "if a == b:")[1].startswith("`if a == b` takes")
    assert "…`" in spoken(message, "if " + "a and " * 40 + "b:")[1]
