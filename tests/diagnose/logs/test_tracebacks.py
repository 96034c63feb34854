"""Errors as Python, notebooks, test runners, boxes and C++ write them."""

import time

import pytest

from autograd_cli.diagnose.logs import stream, tracebacks

PLAIN = """\
Traceback (most recent call last):
  File "fit.py", line 9, in <module>
    step(net)
    ~~~~^^^^^
  File "fit.py", line 4, in step
    net(x).sum()
  File "/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 114, in forward
    return F.linear(input, self.weight, self.bias)
RuntimeError: odd shapes
"""

NOTEBOOK = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[3], line 2
      1 net = build()
----> 2 net(x).sum()

File /env/lib/python3.11/site-packages/torch/nn/modules/linear.py:114, in Linear.forward(self, input)
    113 def forward(self, input):
--> 114     return F.linear(input, self.weight, self.bias)

RuntimeError: odd shapes
"""

OLD_NOTEBOOK = """\
RuntimeError                              Traceback (most recent call last)
<ipython-input-8-0a1b2c> in <module>
      1 net = build()
----> 2 net(x).sum()
      3 close()

RuntimeError: odd shapes
"""

TESTED = """\
______________________________ test_sum ______________________________

    def test_sum():
>       net(x).sum()

tests/test_net.py:2:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
>       return F.linear(input, self.weight, self.bias)
E       RuntimeError: odd shapes

/env/lib/python3.11/site-packages/torch/nn/modules/linear.py:114: RuntimeError
"""

BOXED = """\
╭──────────────── Traceback (most recent call last) ─────────────────╮
│ /home/me/fit.py:2 in <module>                                      │
│                                                                    │
│    1 net = build()                                                 │
│ ❱  2 net(x).sum()                                                  │
│                                                                    │
╰────────────────────────────────────────────────────────────────────╯
RuntimeError: odd shapes
"""


def all_raised(log):
    windows = stream.read([log.encode()]).windows
    return [one for one in map(tracebacks.raised, windows) if one is not None]


@pytest.mark.parametrize(
    ("log", "place"),
    [
        (PLAIN, ("fit.py", 4)),
        (NOTEBOOK, ("In[3]", 2)),
        (OLD_NOTEBOOK, ("<ipython-input-8-0a1b2c>", 2)),
        (NOTEBOOK.replace("Cell In[3], line 2", "Input In [3], in <cell line: 2>()"), ("In [3]", 2)),
        (NOTEBOOK.replace("Cell In[3], line 2", "File <timed exec>:2"), ("<timed exec>", 2)),
        (OLD_NOTEBOOK.replace("<module>", "<cell line: 0>()"), ("<ipython-input-8-0a1b2c>", 2)),
        (TESTED, ("tests/test_net.py", 2)),
        (BOXED, ("/home/me/fit.py", 2)),
    ],
)
def test_every_form_of_a_traceback_is_read(log, place):
    (one,) = all_raised(log)
    assert (one.kind, one.message) == ("RuntimeError", "odd shapes")
    own = [frame for frame in one.frames if "site-packages" not in frame.file][-1]
    assert ((own.file, own.line), own.text) == (place, "net(x).sum()")


@pytest.mark.parametrize("prefix", ["[rank2]: ", "2: ", "[1,2]<stderr>:", "node2: "])
def test_a_rank_is_told_and_the_frames_are_its_own(prefix):
    other = PLAIN.replace("odd shapes", "other").replace("fit.py", "else.py")
    mixed = [
        line
        for pair in zip(PLAIN.splitlines(), other.splitlines(), strict=True)
        for line in (prefix + pair[0], prefix.replace("2", "5") + pair[1])
    ]
    first, second = all_raised("\n".join(mixed))
    assert (first.rank, first.message, first.frames[1].file) == ("2", "odd shapes", "fit.py")
    assert (second.rank, second.message, second.frames[1].file) == ("5", "other", "else.py")


def test_what_was_raised_while_another_was_handled_has_its_cause():
    log = PLAIN + "\nDuring handling of the above exception, another exception occurred:\n\n"
    log += PLAIN.replace("RuntimeError: odd shapes", "KeyError: 'w'")
    last = all_raised(log)[-1]
    assert (last.kind, last.line) == ("KeyError", 21)
    assert last.cause is not None
    assert (last.cause.message, last.cause.line) == ("odd shapes", 9)
    assert last.cause.cause is None


def test_two_runs_one_after_the_other_are_no_chain():
    assert [one.cause for one in all_raised(PLAIN + "again\n" + PLAIN)] == [None, None]


def test_a_message_goes_on_where_it_is_not_ended():
    log = "RuntimeError: Error(s) in reading Net:\n\tsize of a: 3.\n\tsize of b: 4.\nEpoch 2\n"
    assert all_raised(log)[0].message == "Error(s) in reading Net:\nsize of a: 3.\nsize of b: 4."
    long = "it is as long as a line of a terminal is wide and broken between"
    log = f"RuntimeError: {long}\nwords, as terminals do.\nnext line\n"
    assert all_raised(log)[0].message == f"{long}\nwords, as terminals do."
    assert all_raised("RuntimeError: it is whole\nstarting again\n")[0].message == "it is whole"


def test_what_a_logger_says_next_is_no_part_of_a_message():
    log = "ValueError: odd\nERROR:launcher.api:failed with 1\n"
    assert all_raised(log)[0].message == "odd"


def test_cpp_says_what_without_a_class():
    log = "terminate called after throwing an instance of 'c10::Error'\n  what():  odd thing\n"
    (one,) = all_raised(log + "Exception raised from f at /a.cpp:80 (most recent call first):\n")
    assert (one.kind, one.message, one.is_warning) == ("", "odd thing", False)


def test_a_failed_assertion_of_a_kernel_is_told_whole():
    (one,) = all_raised("/a/Loss.cu:106: f: block: [0,0,0] Assertion `i >= 0 && i < n` failed.\n")
    assert "Assertion `i >= 0 && i < n` failed" in one.message


def test_a_warning_has_its_place():
    (one,) = all_raised("/home/me/fit.py:7: UserWarning: odd sizes.\n  loss = f(a, b)\n")
    assert (one.kind, one.is_warning, one.message) == ("UserWarning", True, "odd sizes.")
    assert one.frames[-1].line == 7
    assert one.frames[-1].text == "loss = f(a, b)"


def test_a_head_far_along_an_endless_line_is_read():
    (one,) = all_raised("x" * 50_000 + " RuntimeError: odd shapes" + "\n")
    assert (one.kind, one.message) == ("RuntimeError", "odd shapes")


@pytest.mark.parametrize("cut", range(0, len(PLAIN), 7))
def test_a_log_may_end_or_begin_anywhere(cut):
    all_raised(PLAIN[:cut])
    (one,) = all_raised(PLAIN[min(cut, PLAIN.index("RuntimeError")) :])
    assert one.message == "odd shapes"


def test_cpp_says_where_it_was_raised_in_any_language():
    raised_from = "Exception raised from f at /a.cpp:80 (most recent call first):\nframe #0: main"
    for before in ("Error in (function (x)  : \n  odd thing", 'panicked at `Err` value: Torch("odd thing'):
        (one,) = all_raised(f"{before}\n{raised_from}\n")
        assert (one.kind, one.message, one.is_warning) == ("", "odd thing", False)
    (one,) = all_raised(f"RuntimeError: odd thing\n{raised_from}\n")
    assert one.kind == "RuntimeError"


def test_a_debugger_has_the_innermost_frame_first():
    frames = '  File "net.py", line 3, in forward\n    f(x)\n  File "fit.py", line 9, in step\n    net(x)\n'
    for last in ("", "RuntimeError: odd shapes\n"):
        one = all_raised(f"Exception has occurred: RuntimeError\nodd shapes\n{frames}{last}")[-1]
        assert (one.kind, one.message) == ("RuntimeError", "odd shapes")
        assert [frame.text for frame in one.frames] == ["net(x)", "f(x)"]


def test_a_compiler_has_the_persons_frames_below():
    log = 'Traceback (most recent call last):\n  File "fit.py", line 9, in step\n    net(x)\n'
    log += "a.exc.TorchRuntimeError: Failed running f(x):\nodd shapes\n\nfrom user code:\n"
    log += '   File "net.py", line 3, in forward\n    f(x)\n\nSet A=1 for more\n'
    (one,) = all_raised(log)
    assert (one.message, one.frames[-1].text) == ("Failed running f(x):\nodd shapes", "f(x)")


def test_a_worker_sends_its_traceback_along():
    log = PLAIN.replace("odd shapes", "Caught RuntimeError in worker process 0.")
    log += "Original Traceback (most recent call last):\n"
    log += '  File "/e/site-packages/torch/a.py", line 1, in f\n    go()\nRuntimeError: odd shapes\n'
    last = all_raised(log)[-1]
    assert [frame.file for frame in last.frames][:2] == ["fit.py", "fit.py"]
    assert last.frames[-1].text == "go()"


@pytest.mark.parametrize(
    ("before", "is_said"),
    [
        ("", True),
        ("[host] ", True),
        ("step 4 failed: ", True),
        ("FAILED tests/test_a.py::test_b - ", True),
        ("if you see a ", False),
        ("- fix: ", False),
        ("# ", False),
        ("got the expected error: ", False),
        ("XFAIL tests/test_a.py - ", False),
    ],
)
def test_an_error_in_passing_is_none(before, is_said):
    assert bool(all_raised(f"{before}RuntimeError: odd shapes\n")) is is_said
    assert all_raised(PLAIN.replace("RuntimeError", f"{before}RuntimeError"))


def test_a_message_of_a_record_goes_on_without_its_stamp():
    (one,) = all_raised("2031-05-04 10:00:00 ERROR failed: ValueError: in reading Net:\n\tsize of a\n")
    assert one.message == "in reading Net:\nsize of a"


def test_a_warning_inside_a_library_has_the_persons_frame_where_their_handler_prints_it():
    stack = '  File "fit.py", line 9, in step\n    loss = f(a, b)\n'
    stack += '  File "/e/lib/python3.11/warnings.py", line 109, in _showwarnmsg\n    sw(msg.message)\n'
    stack += '  File "fit.py", line 2, in show\n    traceback.print_stack()\n'
    place = "/e/lib/python3.11/site-packages/torch/nn/a.py:7: UserWarning: odd sizes.\n  return g(a, b)\n"
    (one,) = all_raised("step 4\n" + stack + place)
    assert [(frame.file, frame.text) for frame in one.frames[:1]] == [("fit.py", "loss = f(a, b)")]
    assert len(one.frames) == 2


@pytest.mark.parametrize(
    "junk", [" ", "\t", "a'", "=", "1", "\\", '{"log":"', "_", "a-", "Traceback (", "s/it] "]
)
def test_lines_of_junk_take_no_longer_than_others(junk):
    line = junk * (3_600 // len(junk))
    log = f"{line}\n  File 'a.py', line 3\n    {line}\n{line[:1_700]} RuntimeError: odd {line}\n" * 20
    start = time.process_time()
    all_raised(log)
    assert time.process_time() - start < 2


def test_a_line_that_was_typed_is_the_frame_of_standard_input():
    said = 'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\nValueError: odd\n'
    (one,) = all_raised(">>> x = 1\n>>> y = f(x)\n" + said)
    assert [frame.text for frame in one.frames] == ["y = f(x)"]
    (one,) = all_raised("done\n" + said)
    assert [frame.text for frame in one.frames] == [""]


def test_links_of_a_notebooks_page_are_read_as_what_they_show():
    log = "RuntimeError                              Traceback (most recent call last)\n"
    log += "[<ipython-input-8-0a1b>](https://localhost:8080/#) in <cell line: 2>()\n"
    log += "---> [2](vscode-notebook-cell:/c%3A/a.ipynb#X1?line=1) net(x).sum()\n\n"
    log += "[/env/lib/python3.11/site-packages/torch/a.py](file:///env/a.py) in forward(self, input)\n"
    log += "--> [114](file:///env/a.py?line=113)     return F.linear(input)\n\nRuntimeError: odd shapes\n"
    (one,) = all_raised(log)
    assert [(frame.file, frame.line, frame.text) for frame in one.frames] == [
        ("<ipython-input-8-0a1b>", 2, "net(x).sum()"),
        ("/env/lib/python3.11/site-packages/torch/a.py", 114, "return F.linear(input)"),
    ]


@pytest.mark.parametrize(
    ("head", "file", "function"),
    [
        (
            "c:\\Users\\me too\\a.ipynb Cell 14 in <cell line: 8>()",
            "c:\\Users\\me too\\a.ipynb",
            "<cell line: 8>",
        ),
        ("/home/me/a.ipynb Cell 3 line 8", "/home/me/a.ipynb", ""),
        ("セル14 を c:\\me\\a.ipynb in <cell line: 8>()", "c:\\me\\a.ipynb", "<cell line: 8>"),
    ],
)
def test_a_cell_is_named_by_the_file_of_its_notebook(head, file, function):
    log = f"RuntimeError   Traceback (most recent call last)\n{head}\n----> 8 net(x)\n\nRuntimeError: odd\n"
    (frame,) = all_raised(log)[0].frames
    assert (frame.file, frame.line, frame.function, frame.text) == (file, 8, function, "net(x)")


def test_what_two_processes_wrote_at_once_is_read_once():
    said = "'NoneType' object has no attribute 'norm'"
    (one,) = all_raised(f"AttributeErrorAttributeError: : {said}{said}\n")
    assert one.kind == "AttributeError"
    assert one.message.startswith(said)


def test_a_short_message_is_broken_where_the_line_of_its_class_is_full():
    log = "RuntimeError: Input type (torch.FloatTensor) and weight type \n(torch.cuda.FloatTensor) differ\n"
    assert all_raised(log)[0].message.endswith("weight type\n(torch.cuda.FloatTensor) differ")
    assert (
        all_raised("RuntimeError: Input type\n(torch.cuda.FloatTensor) differ\n")[0].message == "Input type"
    )


def test_a_warning_has_its_place_behind_a_progress_bar():
    bar = "epoch 1/20 (loss: 2.5):  61%|██▏   | 62/101 [01:40<02:25,  3.72s/it]"
    (one,) = all_raised(f"{bar}/home/me/fit.py:7: UserWarning: odd sizes.\n  loss = f(a, b)\n")
    assert [(frame.file, frame.line, frame.text) for frame in one.frames] == [
        ("/home/me/fit.py", 7, "loss = f(a, b)")
    ]


@pytest.mark.parametrize(
    "message",
    [
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
        "The size of tensor a (4) must match the size of tensor b (7) at non-singleton dimension 1",
        "mean(): could not infer output dtype. Input dtype must be either a floating point. Got: Long",
    ],
)
@pytest.mark.parametrize("after", ["child gave 1", "retrying with smaller batch", '"""'])
def test_what_the_log_says_next_is_no_part_of_a_message(message, after):
    narrow = PLAIN.replace("/env/lib/python3.11/site-packages", "…")
    (one,) = all_raised(narrow.replace("odd shapes", message) + after + "\n")
    assert one.message == message


def test_no_terminal_broke_a_message_that_is_shorter_than_a_line_above():
    message = "a message of no known end that leaves no room for many words in it"
    narrow = PLAIN.replace("/env/lib/python3.11/site-packages", "…")
    (one,) = all_raised(narrow.replace("odd shapes", message) + "afterwards it went on\n")
    assert one.message == f"{message}\nafterwards it went on"
    wide = narrow.replace("net(x).sum()", f"net(x).sum()  # {'-' * 90}")
    (one,) = all_raised(wide.replace("odd shapes", message) + "afterwards it went on\n")
    assert one.message == message
