"""Words in a log that look like a cause and are none: names of arguments, widths, another's loss."""

import pytest

from autograd_cli.diagnose.logs.read import read

NO_PATH = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
TWICE = "RuntimeError: Trying to backward through the graph a second time"
CHANGED = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [64, 10]], which is output 0 of {op}, is at version 1; expected version 0 "
    "instead."
)
SUM = "RuntimeError: The size of tensor a ({}) must match the size of tensor b ({}) at dimension 1"

LOGS = [
    ("main(cfg.data, epochs=3)", "loss.backward()", NO_PATH, "loss-has-no-grad-path"),
    ("step(model(x).data)", "loss.backward()", NO_PATH, "detached-prediction-in-loss"),
    ("train(model, ids.long(), mask)", "loss.backward()", NO_PATH, "loss-has-no-grad-path"),
    ("train(batch.labels.long())", "loss.backward()", NO_PATH, "loss-has-no-grad-path"),
    ("train(model(x).long())", "loss.backward()", NO_PATH, "nondifferentiable-op-in-loss"),
    ("run(cfg, state = ckpt)", "loss.backward()", TWICE, "backward-twice-freed-graph"),
    ("out, state = cell(x, state)", "loss.backward()", TWICE, "recurrent-state-not-detached"),
    ("train()", "h = gate * value", SUM.format(256, 512), "broadcast-shape-mismatch"),
    ("train()", "h = x + self.table", SUM.format(733, 512), "sequence-longer-than-positions"),
    ("train()", "d_loss.backward()", CHANGED.format(op="ReluBackward0"), "inplace-modified-saved-tensor"),
    ("train()", "d_loss.backward()", CHANGED.format(op="TBackward0"), "optimizer-step-before-backward"),
]


@pytest.mark.parametrize(("outer", "inner", "said", "name"), LOGS)
def test_a_cause_is_told_by_what_is_one(outer, inner, said, name):
    log = (
        "Traceback (most recent call last):\n"
        f'  File "fit.py", line 40, in <module>\n    {outer}\n'
        f'  File "fit.py", line 30, in train\n    {inner}\n{said}\n'
    )
    (finding,) = read([log.encode()]).findings
    assert finding.finding.name == name


def test_a_hint_is_quoted_as_one():
    log = (
        "Traceback (most recent call last):\n"
        '  File "fit.py", line 8, in <module>\n    fit(model(x).detach())\n'
        f'  File "fit.py", line 3, in fit\n    loss.backward()\n{NO_PATH}\n'
    )
    (finding,) = read([log.encode()]).findings
    assert finding.finding.cause[0] == (
        "`fit(model(x).detach())` takes a value out of its graph, and may be what the loss is made of"
    )
