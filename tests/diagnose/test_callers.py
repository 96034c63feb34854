"""Failures inside functions of a program: what the callers handed over, and the repair where they call."""

LAYERS = """import torch
def layer(inputs, weight):
    return torch.tanh(inputs @ weight)
def network(x, first, second):
    hidden = layer(x, first)
    return layer(hidden, second)
x = torch.arange(6.).reshape(3, 2)
first = torch.linspace(0, 1, 8).reshape(2, 4)
"""


def test_what_each_caller_handed_over_is_told(why_it_failed):
    source = f"{LAYERS}second = torch.linspace(0, 1, 15).reshape(3, 5)\nnetwork(x, first, second)\n"
    (finding,) = why_it_failed(source)
    assert (finding.code, finding.line) == ("AGX301", 3)
    assert finding.cause[-2:] == (
        "line 6 calls it as `layer(hidden, second)`: `inputs` is `hidden`, `weight` is `second`",
        "line 10 calls that as `network(x, first, second)`",
    )


def test_a_repair_is_tried_at_the_call_where_another_call_is_right(why_it_failed):
    source = f"{LAYERS}second = torch.linspace(0, 1, 20).reshape(5, 4)\nnetwork(x, first, second)\n"
    (finding,) = why_it_failed(source)
    assert [(fix.text, fix.passed) for fix in finding.fix] == [
        ("line 6:  return layer(hidden, second.T), the right operand transposed", True)
    ]


def test_a_repair_is_tried_at_the_call_of_the_caller_too(why_it_failed):
    source = (
        "import torch\n"
        "def distance(a, b):\n    return (a - b).norm()\n"
        "def nearest(point, others):\n    return distance(point, others)\n"
        "p = torch.tensor([1., 2., 3.])\n"
        "nearest(p, torch.ones(3))\n"
        "nearest(p, torch.ones(2))\n"
    )
    (finding,) = why_it_failed(source)
    assert finding.cause[-2:] == (
        "line 5 calls it as `distance(point, others)`: `a` is `point`, `b` is `others`",
        "line 8 calls that as `nearest(p, torch.ones(2))`: `point` is `p`, `others` is `torch.ones(2)`",
    )
    assert "line 8:  nearest(p, torch.ones(3)), `b` made with 3 for 2" in [fix.text for fix in finding.fix]


def test_what_a_function_gave_its_parameter_itself_is_not_the_callers(why_it_failed):
    source = (
        "import torch\n"
        "def scaled(values, by):\n    values = values.double()\n    return values @ by\n"
        "eye, ones = torch.eye(2), torch.ones(2)\nscaled(eye, by=ones)\n"
    )
    (finding,) = why_it_failed(source)
    assert finding.cause[-1] == ("line 6 calls it as `scaled(eye, by=ones)`: `by` is `ones`")


def test_a_failure_outside_of_functions_has_no_caller(why_it_failed):
    (finding,) = why_it_failed("import torch\ntorch.ones(2, 3) @ torch.ones(2)\n")
    assert not any("calls it" in row for row in finding.cause)


def test_the_size_of_a_weight_behind_its_transpose_is_tried_before_the_data_is_turned(why_it_failed):
    source = (
        "import torch\nrows = torch.arange(12.).reshape(6, 2) * 0.5\n"
        "theta = torch.zeros(3, 6, requires_grad=True)\nout = rows @ theta.t()\n"
    )
    (finding,) = why_it_failed(source)
    assert [fix.text for fix in finding.fix if fix.passed] == [
        "line 3:  theta = torch.zeros(3, 2, requires_grad=True), `theta` made with 2 for 6",
        "line 4:  out = rows.T @ theta.t(), the left operand transposed",
    ]
