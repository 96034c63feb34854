"""Of several errors the one that matters; of what is none of torch's, nothing."""

import pytest

from autograd_cli.diagnose.logs.read import read
from autograd_cli.errors import ExitStatus
from autograd_cli.report import Severity

SCALAR = "RuntimeError: grad can be implicitly created only for scalar outputs"
NO_GRAPH = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
NAN = "Function 'SqrtBackward0' returned nan values in its 0th output."


def failed(error, *, file="/home/me/fit.py", rank=""):
    lines = [
        "Traceback (most recent call last):",
        f'  File "{file}", line 8, in step',
        "    total.backward()",
        error,
    ]
    return "".join(f"{rank}{line}\n" for line in lines)


def told(log):
    return [(one.finding.name, one.finding.line, one.rank) for one in read([log.encode()]).findings]


def test_of_two_runs_the_last_one_counts():
    log = failed(NO_GRAPH) + "starting again\n" + failed(SCALAR)
    assert told(log) == [("nonscalar-loss-backward", 9, None)]


def test_what_other_ranks_say_too_is_told_of_the_first():
    log = failed(SCALAR, rank="[rank3]: ") + failed(SCALAR, rank="[rank0]: ")
    assert told(log) == [("nonscalar-loss-backward", 4, "3")]
    assert told(log + "restarting\n" + log) == [("nonscalar-loss-backward", 13, "3")]


def test_what_a_launcher_and_an_interrupt_say_after_it_does_not_count():
    log = failed(SCALAR)
    log += failed(
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", file="/env/bin/torchrun"
    )
    log += failed("KeyboardInterrupt")
    assert told(log) == [("nonscalar-loss-backward", 4, None)]


def test_what_was_raised_on_the_way_out_comes_after_its_root():
    log = failed(SCALAR) + "\nDuring handling of the above exception, another exception occurred:\n\n"
    assert told(log + failed("KeyError: 'best'")) == [("nonscalar-loss-backward", 4, None)]
    assert told(log + failed(NO_GRAPH)) == [("nonscalar-loss-backward", 4, None)]


def test_cpp_says_it_again_as_it_ends():
    log = failed(SCALAR) + "terminate called after throwing an instance of 'c10::Error'\n"
    log += "  what():  element 0 of tensors does not require grad and does not have a grad_fn\n"
    assert told(log) == [("nonscalar-loss-backward", 4, None)]


def test_a_warning_counts_where_there_is_no_error_and_once():
    warning = (
        "/home/me/fit.py:7: UserWarning: Using a target size (torch.Size([9])) that is different to the "
        "input size (torch.Size([9, 1])). This will likely lead to incorrect results due to broadcasting.\n"
        "  loss = F.mse_loss(out, y)\n"
    )
    assert told(warning * 3) == [("silent-loss-broadcast", 1, None)]
    assert read([warning.encode()]).status == 0
    assert told(warning + failed(SCALAR)) == [("nonscalar-loss-backward", 6, None)]


def test_what_another_library_raises_is_none_of_ours():
    for library in ("tensorflow/python/framework/ops.py", "jax/_src/api.py", "mxnet/base.py"):
        file = f"/env/lib/python3.11/site-packages/{library}"
        assert told(failed(SCALAR, file=file)) == []
    assert told(failed("FileNotFoundError: [Errno 2] No such file or directory: 'a'")) == []
    assert told("usage: fit.py [-h]\nfit.py: error: unrecognized arguments: --lr\n") == []


def test_the_frame_is_the_persons_own_last_one():
    log = failed(SCALAR).replace(
        "RuntimeError",
        '  File "/env/lib/python3.11/site-packages/torch/_tensor.py", line 6, in backward\nRuntimeError',
    )
    (one,) = read([log.encode()]).findings
    assert one.frame is not None
    assert (one.frame.file, one.frame.line, one.frame.text) == ("/home/me/fit.py", 8, "total.backward()")


def test_what_is_found_is_told_in_a_sentence():
    (one,) = read([failed("TypeError: can't convert cuda:0 device type tensor to numpy.").encode()]).findings
    sentence = one.finding.sentence
    assert sentence[0].isupper() or not sentence.split()[0].isalpha()
    assert sentence.endswith(".")


def test_what_the_persons_own_raise_says_is_none_of_torchs():
    said = "ValueError: Target size must be the same as input size"
    own = failed(said).replace("total.backward()", 'raise ValueError("Target size must be ...")')
    assert told(own) == []
    torch = own.replace("/home/me/fit.py", "/env/lib/python3.11/site-packages/torch/nn/functional.py")
    assert told(torch) == [("bce-target-size-mismatch", 4, None)]
    assert told(own.replace("/home/me/fit.py", "<ipython-input-3-0a1b>")) != []


def test_a_message_that_is_cut_in_a_list_of_failures_is_told_whole():
    whole = "The size of tensor a (57) must match the size of tensor b (56) at non-singleton dimension 3"
    log = failed(f"RuntimeError: {whole}") + f"FAILED tests/a.py::b - RuntimeError: {whole[:-10]}...\n"
    assert told(log) == [("skip-connection-size-mismatch", 4, None)]


def test_a_name_of_code_is_left_as_it_is_written():
    (one,) = read(
        [b"RuntimeError: lerp does not support automatic differentiation for outputs with complex dtype.\n"]
    ).findings
    assert one.finding.sentence == "lerp has no gradient for complex numbers."


@pytest.mark.parametrize("depth", [1, 25])
def test_anomaly_detection_says_which_line_made_the_node_that_fails(depth):
    call = '  File "net.py", line 3, in forward\n    y = x.sqrt()\n'
    library = '  File "/e/lib/python3.11/site-packages/torch/nn/a.py", line 7, in f\n    return g(x)\n'
    blamed = "/e/lib/python3.11/site-packages/torch/autograd/graph.py:9: UserWarning: Error detected in "
    blamed += "SqrtBackward0. Traceback of forward call that caused the error:\n" + call + library * depth
    blamed += " (Triggered internally at /a.cpp:1.)\n  return run(x)\n"
    (one,) = read([(blamed + failed(f"RuntimeError: {NAN}")).encode()]).findings
    assert one.finding.sentence == "SqrtBackward0, which `y = x.sqrt()` made, gives NaN in a gradient."
    changed = failed(
        "RuntimeError: one of the variables has been modified by an inplace operation: [torch.X [3]]"
    )
    (one,) = read([(blamed + changed).encode()]).findings
    assert one.finding.cause[0] == "`y = x.sqrt()` needs it for its gradient"
    (one,) = read([failed(f"RuntimeError: {NAN}").encode()]).findings
    assert one.finding.sentence == "SqrtBackward0 gives NaN in a gradient."


ENDED = """\
Traceback (most recent call last):
  File "load.py", line 3, in first
    connect()
TimeoutError: no answer
trying again
"""
MINE = """\
Traceback (most recent call last):
  File "fit.py", line 9, in step
    total.backward()
RuntimeError: grad can be implicitly created only for scalar outputs
"""


def told_of(log):
    return [(one.finding.name, one.frame and one.frame.text) for one in read([log.encode()]).findings]


def test_frames_of_a_traceback_that_ended_above_are_of_no_later_line():
    scalar = "RuntimeError: grad can be implicitly created only for scalar outputs\n"
    assert told_of(f"{ENDED}{scalar}") == [("nonscalar-loss-backward", None)]
    assert told_of(f"{ENDED}- see the page on {scalar}") == []


def test_what_repeats_an_error_without_its_frames_is_told_by_those():
    again = "fit.py stopped: RuntimeError: grad can be implicitly created only for scalar outputs\n"
    assert told_of(f"{MINE}cleaning up\nERROR {again}") == [("nonscalar-loss-backward", "total.backward()")]


def test_a_message_that_a_terminal_broke_within_a_word_is_read():
    said = "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    said += "inplace operation: [torch.FloatTensor [3]], which is output 0 of SigmoidBackward0"
    broken = failed("\n".join(said[at : at + 80] for at in range(0, len(said), 80)))
    assert told_of(broken) == [("inplace-modified-saved-tensor", "total.backward()")]


RETRIED = """\
Traceback (most recent call last):
  File "a.py", line 3, in f
    y = a @ b
RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)
retrying with smaller batch
Traceback (most recent call last):
  File "a.py", line 30, in g
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 23 GiB
"""


def test_an_error_before_the_memory_ran_out_is_told_as_one_that_was_got_over():
    log = read([RETRIED.encode()])
    (one,) = log.findings
    assert (one.finding.name, one.finding.severity, log.status) == (
        "matmul-shape-mismatch",
        Severity.WARNING,
        ExitStatus.OK,
    )
    assert one.finding.cause[0] == "the program went on, and OutOfMemoryError ended it on log line 9"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("loss.backward()", "loss.backward(retain_graph=True)"),
        ("retrying with smaller batch", "\nDuring handling of the above exception, another one occurred:\n"),
        ("torch.OutOfMemoryError: CUDA out of memory.", "ValueError:"),
    ],
)
def test_an_error_that_is_known_or_came_of_it_or_is_no_end_takes_nothing_from_it(old, new):
    (one,) = read([RETRIED.replace(old, new).encode()]).findings
    assert one.finding.severity is Severity.ERROR
