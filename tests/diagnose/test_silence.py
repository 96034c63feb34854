"""What is right gets no warning and no error: examples of the function table, and programs put together.

Samples are asked in tests/test_samples.py. AGX_SAME=2000 puts so many programs together, other ones
each time; without it the same ones are asked at each go.
"""

import os
from itertools import islice
from random import Random

import pytest
import torch

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source
from tests.same.right import program
from tests.same.runs import in_python
from tests.same.test_examples import EXAMPLES

ASKED = os.environ.get("AGX_SAME")


@pytest.fixture(scope="module", autouse=True)
def _on_one_thread():
    """Tensors of a few elements gain nothing from threads, and wait for them on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def complaints(text, bindings=()):
    """What is said of a source beyond notes, and its status where that is not 0."""
    report = explore(Source(text, "program.py"), list(bindings))
    told = [each.sentence for each in report.findings if each.severity != "note"]
    return told if told or not report.status else [f"status {report.status}"]


def test_no_example_of_the_function_table_is_warned_of():
    said = {path: complaints(one.source, one.bindings.items()) for path, one in EXAMPLES.items()}
    assert len(said) > 1000
    assert {path: told for path, told in said.items() if told} == {}


def test_two_hundred_right_programs_are_not_warned_of():
    first, most = int.from_bytes(os.urandom(4)) if ASKED else 0, int(ASKED or 200)
    drawn = (program(Random(first + number)) for number in range(2 * most))
    texts = list(islice(dict.fromkeys(drawn), most))
    assert len(texts) == most
    said = {text: complaints(text) for text in texts}
    assert [(text, told) for text, told in said.items() if told] == []


def test_the_programs_put_together_come_to_their_end_in_python():
    assert all(in_python(program(Random(number))).error == "" for number in range(60))
