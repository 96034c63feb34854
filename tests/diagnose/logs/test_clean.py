"""Lines without what loggers, launchers and terminals put around them."""

import pytest

from autograd_cli.diagnose.logs import clean


@pytest.mark.parametrize(
    ("raw", "text", "rank"),
    [
        ("\x1b[1m\x1b[31mRuntimeError\x1b[0m: odd", "RuntimeError: odd", None),
        ("[rank7]:     y = f(x)", "    y = f(x)", "7"),
        ("[default3]:ValueError: odd", "ValueError: odd", "3"),
        ('[1,5]<stderr>:  File "a.py", line 3', '  File "a.py", line 3', "5"),
        ("12: Traceback (most recent call last):", "Traceback (most recent call last):", "12"),
        ('12:   File "a.py", line 3', '  File "a.py", line 3', "12"),
        ('(Worker pid=811, ip=10.0.0.7)   File "a.py", line 3', '  File "a.py", line 3', "811"),
        ("trainer_2  | ValueError: odd", "ValueError: odd", "2"),
        ('2031-05-04 10:11:12,345 - net.fit - ERROR -   File "a.py", line 3', '  File "a.py", line 3', None),
        ("2031-05-04T10:11:12.123456789Z stderr F ValueError: odd", "ValueError: odd", None),
        ("[2031-05-04 10:11:12] [ERROR] ValueError: odd", "ValueError: odd", None),
        ("10:11:12 ValueError: odd", "ValueError: odd", None),
        ("ERROR:fit.loop:ValueError: odd", "ValueError: odd", None),
        ("E       ValueError: odd", "ValueError: odd", None),
        ("│ net/fit.py:83 in fit                 │", "net/fit.py:83 in fit", None),
        ("    plain = [1, 2]", "    plain = [1, 2]", None),
    ],
)
def test_a_prefix_goes_and_the_indentation_stays(raw, text, rank):
    found = clean.line(raw, 1)
    assert (found.text, found.rank) == (text, rank)


def test_what_a_progress_bar_overwrites_are_lines_with_one_number():
    found = clean.lines(b"10%|#\r20%|##\rValueError: odd\r\nnext", 5)
    assert [(one.text, one.number) for one in found] == [
        ("10%|#", 5), ("20%|##", 5), ("ValueError: odd", 5), ("next", 6),
    ]  # fmt: skip


def test_bytes_that_are_no_text_are_no_obstacle():
    assert clean.lines(b"\xff\xfe ValueError: odd", 1)[0].text.endswith("ValueError: odd")


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        (b'{"log":"  File \\"a.py\\", line 3\\n","stream":"stderr"}', ['  File "a.py", line 3']),
        (b'{"severity":"ERROR","message":"ValueError: odd","logger":"root"}', ["ValueError: odd"]),
        (
            b'{"event":"failed","exc_info":"one:\\n  two \\u00e9\\nE: x"}',
            ["failed", "one:", "  two \xe9", "E: x"],
        ),
        (
            b"failed: 'one\\n  File \"a.py\", line 3\\nE: x'",
            ["failed: 'one", '  File "a.py", line 3', "E: x'"],
        ),
        (b'    "\\u001b[0;31mValueError\\u001b[0m: odd",', ["ValueError: odd"]),
        (
            b'{"log":"C:\\\\lib\\\\torch\\\\nn\\\\a.py:3: UserWarning: odd\\n"}',
            ["C:\\lib\\torch\\nn\\a.py:3: UserWarning: odd"],
        ),
        (b"pattern = 'a\\nb'", ["pattern = 'a\\nb'"]),
        (b'{"loss": 0.25}', ['{"loss": 0.25}']),
    ],
)
def test_what_a_logger_packed_into_a_line_are_lines(raw, texts):
    found = clean.lines(raw, 7)
    assert [(one.text, one.number) for one in found] == [(text, 7) for text in texts]


@pytest.mark.parametrize(
    "prefix", ["{}.5s\t12\t", "Mar 01 10:00:{:02d} host fit[9]: ", "pod-0 main ", "| ", "9{}: "]
)
def test_a_prefix_that_is_nowhere_listed_is_learned(prefix):
    said = ["Traceback (most recent call last):", '  File "a.py", line 3', "    y = f(x)", "ValueError: odd"]
    log = "\n".join(prefix.format(at) + line for at, line in enumerate(said))
    found = clean.lines(log.encode(), 1)
    assert [one.text for one in clean.unprefixed(found, 3)] == said


def test_a_line_before_the_traceback_is_no_prefix():
    found = clean.lines(b"30% done Traceback (most recent call last):\n  File\nValueError: odd", 1)
    assert clean.unprefixed(found, 2) == found


IPYTHON = ["Cell In[2], line 3", "      2 y = a", "----> 3 f(y)", "", "ValueError: odd"]
PYTEST = ["    def test_f():", ">       f(y)", "E       ValueError: odd", "", "tests/t.py:3: ValueError"]


@pytest.mark.parametrize("prefix", ["Mar 01 10:00:{:02d} host fit[9]: ", "\t", "      ", "(main) {:04d} | "])
@pytest.mark.parametrize(
    "said", [["ValueError    Traceback (most recent call last)", *IPYTHON], IPYTHON, PYTEST]
)
def test_a_prefix_is_learned_without_a_traceback_below_it_too(prefix, said):
    log = "\n".join(["", *(prefix.format(at) + line for at, line in enumerate(["one", "two", *said]))])
    found = clean.lines(log.encode(), 1)[1:]
    head = next(at for at, one in enumerate(found) if "ValueError: " in one.text)
    texts = [one.text for one in clean.unprefixed(found, head)][2:]
    assert texts == [clean.line(text, 0).text for text in said]


def test_what_stands_before_errors_alone_or_before_one_line_is_no_prefix():
    found = clean.lines(b"retry: ValueError: a\n" * 5 + b"a\nb\nc\n  d: ValueError: odd", 1)
    assert clean.unprefixed(found, 4) == found
    assert clean.unprefixed(found, 8) == found
