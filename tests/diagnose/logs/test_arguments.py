"""Arguments, shapes and modules that are not taken: told by torch's own words, and by who raised them."""

import pytest

from tests.diagnose.logs.speaking import spoken

BEYOND = "index 9 is out of bounds for dimension 1 with size 5"
VALUE = {"kind": "ValueError"}
UNPACKED = "empty(): argument 'size' failed to unpack the object at pos 2 with error "
UNPACKED += '"type must be tuple of ints,but got float"'
NORM = {"lib": "nn/modules/batchnorm.py", "kind": "ValueError"}
TYPE = {"kind": "TypeError"}

KNOWN = [
    ("index-out-of-range", BEYOND, {"text": "row = table[9]", "kind": "IndexError"}),
    (
        "index-out-of-range",
        "index out of range in self",
        {"text": "x.index_select(0, at)", "kind": "IndexError"},
    ),
    ("index-out-of-range", "too many indices for tensor of dimension 2", {"kind": "IndexError"}),
    ("argument-type", BEYOND, {"lib": "nn/modules/rnn.py", "kind": "IndexError"}),
    (
        "dim-out-of-range",
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
        {"kind": "IndexError"},
    ),
    ("number-not-tensor", "exp(): argument 'input' (position 1) must be Tensor, not float", TYPE),
    ("array-not-tensor", "linear(): argument 'input' (position 1) must be Tensor, not numpy.ndarray", TYPE),
    ("argument-type", "relu(): argument 'input' (position 1) must be Tensor, not NoneType", TYPE),
    ("argument-type", "zeros(): argument 'size' (position 1) must be tuple of ints, not float", TYPE),
    (
        "argument-type",
        "conv2d() received an invalid combination of arguments - got (list, int), but ...",
        TYPE,
    ),
    ("argument-type", "expected Tensor as element 1 in argument 0, but got list", TYPE),
    (
        "argument-type",
        UNPACKED,
        TYPE,
    ),
    ("argument-type", "unsupported operand type(s) for *: 'Parameter' and 'NoneType'", TYPE),
    ("argument-type", "list is not a Module subclass", TYPE),
    ("argument-type", "only integer tensors of a single element can be converted to an index", TYPE),
    ("argument-value", "num_channels (4) must be divisible by num_groups (3)", NORM),
    ("argument-value", "Invalid learning rate: -1", {"lib": "optim/adam.py", "kind": "ValueError"}),
    ("operand-shape", "expected 4D input (got 2D input)", NORM),
    ("operand-shape", "running_mean should contain 5 elements not 3", {}),
    ("operand-shape", "Kernel size: (9 x 9). Kernel size can't be greater than actual input size", {}),
    ("operand-shape", "iteration over a 0-d tensor", TYPE),
    ("matmul-shape-mismatch", "batch1 must be a 3D tensor", {}),
    (
        "dtype-not-supported",
        "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'",
        {"kind": "NotImplementedError"},
    ),
    ("dtype-not-supported", "mean(): could not infer output dtype. Got: Long", {}),
    ("dtype-mismatch", "Input type (unsigned char) and bias type (float) should be the same", {}),
    (
        "dtype-mismatch-double-float",
        "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'",
        {},
    ),
    (
        "module-not-initialized",
        "cannot assign module before Module.__init__() call",
        {"kind": "AttributeError", "text": "self.fc = nn.Linear(2, 2)"},
    ),
    (
        "module-not-initialized",
        "'Net' object has no attribute '_parameters'",
        {"kind": "AttributeError", "lib": "nn/modules/module.py"},
    ),
    (
        "module-without-forward",
        'Module [Net] is missing the required "forward" function',
        {"kind": "NotImplementedError"},
    ),
    (
        "parameter-set-to-tensor",
        "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
        TYPE,
    ),
    ("optimizer-not-tensors", "optimizer can only optimize Tensors, but one of the params is str", TYPE),
    ("amp-step-without-grads", "Attempted step but _scale is None.", {"kind": "AssertionError"}),
    ("nan-gradient", "The total norm of order 2.0 for gradients from `parameters` is non-finite, so", {}),
    ("nonscalar-loss-backward", "Expected f(*args) to return a scalar Tensor, got tensor with 1 dims.", {}),
    (
        "custom-function-no-backward",
        "You must implement either the backward or vjp method for your custom autograd.Function",
        {"kind": "NotImplementedError"},
    ),
    (
        "custom-function-saves-other",
        "save_for_backward can only save variables, but argument 0 is of type float",
        TYPE,
    ),
]


@pytest.mark.parametrize(
    ("name", "message", "around"), KNOWN, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(KNOWN)]
)
def test_what_is_not_taken_is_told_by_its_kind(name, message, around):
    assert spoken(message, **around)[0] == name


LEFT_ALONE = [
    ("the config should contain 3 elements not 4", VALUE),
    ("expected 4D input (got 2D input)", VALUE),
    ("batch must be divisible by the number of GPUs", VALUE),
    ("argument 'size' must be str, not None", {"kind": "TypeError"}),
    ("unsupported operand type(s) for +: 'Frame' and 'NoneType'", {"kind": "TypeError"}),
    ("'Net' object has no attribute '_modules'", {"kind": "AttributeError"}),
    ("'Net' object has no attribute 'layer'", {"kind": "AttributeError", "lib": "nn/modules/module.py"}),
    ("grid is not implemented for 'hexagons'", {"kind": "NotImplementedError"}),
]


@pytest.mark.parametrize(("message", "around"), LEFT_ALONE)
def test_what_others_do_not_take_is_left_alone(message, around):
    assert spoken(message, **around)[0] is None


@pytest.mark.parametrize(
    ("message", "around", "said"),
    [
        (
            UNPACKED,
            {**TYPE, "text": "zeros(n / 2)"},
            "`empty` takes tuple of ints for `size`, and is given float",
        ),
        (BEYOND, {"text": "row = t[9]"}, "`row = t[9]` asks for place 9 of a dimension of size 5"),
        (
            "running_mean should contain 5 elements not 3",
            {"text": "x = norm(x)"},
            "`x = norm(x)` gives a shape that is not taken: running_mean should contain 5 elements not 3",
        ),
        ("LSTM: Expected input to be 2D or 3D, got 1D instead", {"text": ""}, ""),
    ],
)
def test_the_sentence_names_what_is_given(message, around, said):
    assert spoken(message, **around)[1] == said
