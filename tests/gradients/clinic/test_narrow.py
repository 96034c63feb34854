"""The clinic measures by steps that fit each element, and tells what a person's code refuses."""

import shutil
from pathlib import Path

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use

HERE = Path(__file__).parent


@pytest.fixture
def examined(tmp_path):
    """The examination of a class of narrow.py, which stands in a folder with torch in its name."""
    folder = tmp_path / "torchlab"
    folder.mkdir()
    shutil.copy(HERE / "narrow.py", folder)

    def made(name, x):
        use = Use("f", str(folder / "narrow.py"), f"{name}.apply")
        (found,) = explore("f(x).sum()", [("x", x)], Options(use=(use,), check=True)).examined
        return found

    return made


@pytest.mark.parametrize(("name", "x"), [("Log", "[1e-4, 100.]"), ("Guarded", "[1e-4, 5.]")])
def test_a_right_one_is_right_beside_the_end_of_its_domain(examined, name, x):
    found = examined(name, x)
    assert ([slot.verdict for slot in found.slots], found.second) == ([Verdict.OK], Verdict.OK)


@pytest.mark.parametrize(("name", "x"), [("Minus", "[1e-4, 100.]"), ("GuardedMinus", "[1e-4, 5.]")])
def test_a_sign_is_seen_beside_the_end_of_the_domain(examined, name, x):
    found = examined(name, x)
    assert found.slots[0].patterns == ("the sign: it is minus what it should be (x)",)
    assert found.second is Verdict.OK


def test_a_small_second_order_that_is_lost_is_wrong(examined):
    found = examined("Small", "[1., 2.]")
    assert (found.slots[0].verdict, found.second) == (Verdict.OK, Verdict.WRONG)
    assert found.second_sentence.startswith("autograd gives 0 along a drawn direction")


@pytest.mark.parametrize(
    ("name", "said"), [("Recorded", "ValueError: recorded"), ("Twice", "KeyError: 'second'")]
)
def test_any_error_of_a_backward_that_is_recorded_is_told(examined, name, said):
    found = examined(name, "[1., 2.]")
    assert (found.slots[0].verdict, found.second) == (Verdict.OK, None)
    assert found.second_sentence.startswith(f"backward raises when it is recorded itself: {said}   ")


def test_a_backward_that_raises_nearby_leaves_no_second_order_to_be_judged(examined):
    found = examined("OnGrid", "[1., 2.]")
    assert found.second is None
    assert {each.name for each in found.concerns} == {"not-examined"}


@pytest.mark.parametrize(("name", "marked"), [("Wrapped", False), ("Mixed", False), ("Once", True)])
def test_once_differentiable_is_said_of_what_is_marked_so_alone(examined, name, marked):
    found = examined(name, "[1., 2.]")
    assert [each.name for each in found.concerns] == (["once-differentiable"] if marked else [])
    assert found.second is (None if marked else Verdict.OK)


def test_whatever_a_backward_raises_is_told_of_it(tmp_path):
    text = (HERE / "narrow.py").read_text() + RAISING
    (tmp_path / "raising.py").write_text(text)
    use = Use("f", str(tmp_path / "raising.py"), "Raising.apply")
    made = explore("f(x).sum()", [("x", "[1., 2.]")], Options(use=(use,), check=True))
    assert (made.status, made.findings[0].code) == (1, "AGX325")
    assert "raises KeyError at" in made.findings[0].sentence


RAISING = """

class Raising(Square):
    @staticmethod
    def backward(ctx, g):
        return {}["none"]
"""
