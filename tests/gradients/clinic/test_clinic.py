"""Wrong autograd functions, each of which gets its pattern or its cause, and right ones that pass."""

import re
from pathlib import Path

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use

HERE = Path(__file__).parent


def report(file, name, source, const=(), **bound):
    """The report of gradcheck with `f` from a file beside this one."""
    use = Use("f", str(HERE / file), f"{name}.apply")
    return explore(source, list(bound.items()), Options(use=(use,), check=True, const=const))


def line_of(file, text):
    """The number of the last line of a file that holds `text`."""
    lines = (HERE / file).read_text().splitlines()
    return max(number for number, line in enumerate(lines, 1) if text in line)


WRONG = {
    "Sign": ("f(x).sum()", {"x": "randn(4)"}, "x", "the sign: it is minus", "torch.sin(x)"),
    "Twice": ("f(x).sum()", {"x": "randn(4)"}, "x", "a constant factor: it is 1/2", "return grad_output * x"),
    "Swish": (
        "f(x, b).sum()", {"x": "randn(3,4)", "b": "1.7"}, "x",
        "the error is 0 when beta = 1 (tried -1, 0, 1, 2): a factor beta is lost", "grad_output * (s + x * s",
    ),
    "Product": (
        "f(x, w).sum()", {"x": "randn(2,3)", "w": "randn(3,3)"}, "x",
        "a transpose: the error is 0 when w is symmetric", "grad_output @ w, x.T",
    ),
    "Shifted": (
        "f(x, b).sum()", {"x": "randn(4,3)", "b": "randn(3)"}, "b",
        "a missing sum: over dim 0, where b is stretched to 4, it takes the last row alone", "output[-1]",
    ),
    "Divided": (
        "f(x, y).sum()", {"x": "randn(4)", "y": "rand(4) + 1"}, "x",
        "the gradients of x and y are swapped", "return grad_y, grad_x",
    ),
}  # fmt: skip
"""By the class: source, bindings, the input that is wrong, its pattern, a text of the line that is named."""

CAUSES = {
    "Scaled": ("f(x, 3).sum()", {"x": "randn(4)"}, "wrong-count", "returns 1 value, and forward takes 2", 1),
    "Outer": ("f(u, v).sum()", {"u": "randn(3)", "v": "randn(4)"}, "wrong-shape", "(3, 4), and u has (3", 1),
    "Saved": ("f(x).sum()", {"x": "randn(4)"}, "saves-intermediate", "`e`, neither input nor output", 0),
}  # fmt: skip
"""By the class: source, bindings, the concern, words of its sentence, the exit status."""

RIGHT = {
    "Swish": ("f(x, b).sum()", {"x": "randn(3,4)", "b": "1.7"}),
    "Exp": ("f(x).sum()", {"x": "randn(4)"}),
    "Linear": ("f(x, w, b, 2).tanh().sum()", {"x": "randn(2,3)", "w": "randn(4,3)", "b": "randn(4)"}),
    "Largest": ("f(x)[0].sum()", {"x": "randn(2,3)"}),
    "Doubled": ("f(x*1).sum()", {"x": "randn(2,3)"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gradient_has_its_pattern_and_its_line(name):
    source, bound, wrong, pattern, line = WRONG[name]
    made = report("wrong.py", name, source, **bound)
    (found,) = made.examined
    slot = next(slot for slot in found.slots if slot.name == wrong)
    assert (made.status, slot.verdict) == (1, Verdict.WRONG)
    assert slot.wrong > 0
    assert any(each.startswith(pattern) for each in slot.patterns), slot.patterns
    assert slot.place.split(",")[0].endswith(f"wrong.py:{line_of('wrong.py', line)}")
    assert slot.backward != pytest.approx(slot.numeric, abs=1e-6)


@pytest.mark.parametrize("name", CAUSES)
def test_what_is_no_wrong_number_is_named_as_the_cause(name):
    source, bound, concern, words, status = CAUSES[name]
    made = report("wrong.py", name, source, **bound)
    (found,) = made.examined
    said = {each.name: each for each in found.concerns}
    assert words in said[concern].sentence
    assert "wrong.py:" in said[concern].place
    assert (made.status, said[concern].wrong) == (status, bool(status))


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_passes(name):
    source, bound = RIGHT[name]
    made = report("right.py", name, source, **bound)
    (found,) = made.examined
    assert made.status == 0
    assert {slot.verdict for slot in found.slots} == {Verdict.OK}
    assert {each.name for each in found.concerns} <= {"once-differentiable"}
    assert found.second in (Verdict.OK, None)


def test_a_gradient_that_nobody_needs_here_is_told_of_and_none_that_is_needed():
    bound = {"x": "randn(2,3)", "w": "randn(3,3)"}
    assert concerns(report("wrong.py", "Unasked", "f(x, w).sum()", **bound)) == {}
    made = report("wrong.py", "Unasked", "f(x, w).sum()", ("w",), **bound)
    said = concerns(made)["needs-ignored"]
    assert said.sentence.startswith("computes the gradient of w, which requires none here: ")
    assert said.sentence.endswith("and 9 numbers returned for nothing")
    assert (made.status, said.wrong) == (0, False)


def test_the_second_order_of_a_saved_intermediate_is_wrong_and_that_of_inputs_right():
    wrong = report("wrong.py", "Saved", "f(x).sum()", x="randn(4)").examined[0]
    right = report("right.py", "Swish", "f(x, b).sum()", x="randn(3,4)", b="1.7").examined[0]
    assert (wrong.second, right.second) == (Verdict.WRONG, Verdict.OK)


@pytest.mark.parametrize(("more", "status"), [({}, 0), ({"strict": True}, 1), ({"order": 2}, 1)])
def test_a_wrong_second_order_counts_where_it_is_asked_for(more, status):
    use = Use("f", str(HERE / "wrong.py"), "Saved.apply")
    made = explore("f(x).sum()", [("x", "randn(4)")], Options(use=(use,), check=True, **more))
    assert (made.status, made.examined[0].second) == (status, Verdict.WRONG)
    given = re.match(
        r"autograd gives (\S+) along a drawn direction, differences of backward (\S+)",
        made.examined[0].second_sentence,
    )
    assert given is not None
    assert float(given[1]) != pytest.approx(float(given[2]), rel=1e-3)


def test_a_tenth_of_a_percent_is_seen(tmp_path):
    text = (HERE / "right.py").read_text().replace("grad_output * y", "grad_output * y * 1.0005")
    (tmp_path / "off.py").write_text(text)
    use = Use("f", str(tmp_path / "off.py"), "Exp.apply")
    made = explore("f(x).sum()", [("x", "randn(4)")], Options(use=(use,), check=True))
    assert made.examined[0].slots[0].patterns == ("a constant factor: it is 1.0005 times what it should be",)


MORE = (HERE / "varied.py").read_text()


@pytest.fixture
def more(tmp_path):
    """Examines a callable of the file above: `more("Nothing.apply", "f(x).sum()", x="2.")`."""
    (tmp_path / "more.py").write_text(MORE)

    def made(attribute, source, **bound):
        use = Use("f", str(tmp_path / "more.py"), attribute)
        return explore(source, list(bound.items()), Options(use=(use,), check=True))

    return made


def concerns(made):
    return {each.name: each for found in made.examined for each in found.concerns}


def test_no_gradient_where_there_is_a_slope_is_wrong(more):
    made = more("Nothing.apply", "f(x, y).sum()", x="randn(3)", y="randn(3)")
    slot = made.examined[0].slots[1]
    assert (made.status, slot.verdict) == (1, Verdict.WRONG)
    assert slot.patterns == ("backward gives nothing for y, whose slope is not 0",)
    assert slot.is_none


def test_an_error_in_backward_is_told_at_its_line(more):
    made = more("Raising.apply", "f(x).sum()", x="randn(3)")
    said = concerns(made)["backward-raises"]
    assert said.wrong
    assert said.sentence == "backward raises RuntimeError"
    assert "shape '[7, 7]' is invalid" in made.findings[0].sentence
    assert said.place.endswith(f"more.py:{MORE[: MORE.index('g.reshape')].count(chr(10)) + 1}")
    assert made.findings[0].code == "AGX325"


def test_a_class_without_a_backward_is_told_at_its_own_line(more):
    made = more("Backless.apply", "f(x).sum()", x="randn(3)")
    line = MORE[: MORE.index("class Backless")].count("\n") + 1
    assert concerns(made)["no-backward"].place.endswith(f"more.py:{line}")
    assert f"more.py:{line} and run this again" in made.examined[0].next


def test_a_write_into_grad_output_is_told(more):
    made = more("Overwriting.apply", "f(x*1).tanh().sum()", x="randn(3)")
    assert concerns(made)["writes-grad-output"].wrong
    assert made.status == 1


def test_what_draws_anew_is_not_deterministic(more):
    made = more("Drawing.apply", "f(x).sum()", x="randn(30)")
    assert "it draws random numbers" in concerns(made)["not-deterministic"].sentence
    assert made.status == 1


@pytest.mark.parametrize(
    ("name", "words"), [("Overwriting", "an expanded grad_output"), ("Viewing", "that is not contiguous")]
)
def test_any_layout_of_grad_output_must_do(more, name, words):
    made = more(f"{name}.apply", "f(x*1).tanh().sum()", x="randn(3,2)")
    said = [each for each in made.examined[0].concerns if each.name == "fails-on-layout"]
    assert any(words in each.sentence and each.wrong for each in said)


def test_a_backward_that_does_not_look_at_its_cotangent_is_right_under_ones_alone(more):
    made = more("Ignoring.apply", "f(x).sum()", x="randn(3)")
    slot = made.examined[0].slots[0]
    assert (made.gradients[0].verdict, slot.only) == (Verdict.OK, "cotangent")
    assert slot.patterns == ("it does not change with grad_output: that has to be a factor of it",)
    assert made.status == 1


def test_a_function_called_inside_a_plain_function_is_examined(more):
    made = more("twice", "f(x).sum()", x="randn(3)")
    assert [(found.function, found.text) for found in made.examined] == [("Ignoring", "f(x)")]


def test_a_function_by_another_name_is_examined(more):
    made = more("swapped", "f(x, b).sum()", x="randn(4,3)", b="randn(3)")
    said = concerns(made)["summed-by-torch"]
    assert not said.wrong
    assert "has shape (4, 3), and b has (3,)" in said.sentence
    assert made.status == 0


def test_what_refuses_float64_is_told(more):
    made = more("Single.apply", "f(x).sum()", x="randn(3)")
    assert "float32 alone" in concerns(made)["refuses-float64"].sentence
    assert made.gradients[0].sentence == "f cannot be called again in float64: float32 alone"


def test_a_tensor_kept_on_ctx_is_told(more):
    made = more("Keeping.apply", "f(x).sum()", x="randn(3)")
    said = concerns(made)["keeps-intermediate"]
    assert said.sentence == "keeps a tensor as ctx.e, neither input nor output: second order will be wrong"


def test_a_straight_through_estimate_is_told_for_what_it_is(more):
    slot = more("Rounding.apply", "f(x).sum()", x="randn(3)").examined[0].slots[0]
    assert slot.patterns[0].startswith("forward does not change with x here")


@pytest.mark.parametrize(
    ("name", "source", "bound", "pattern"),
    [
        ("Leaky", "f(x).sum()", {"x": "randn(5)"}, "it is wrong where x < 0 alone: there it is 1/2 times"),
        ("Both", "f(x)[1].sum()", {"x": "randn(3)"}, "through its 2nd output: the sign: it is minus"),
        (
            "Loss",
            "f(p, y)",
            {"p": "randn(4)", "y": "randn(4)"},
            "the sign: it is minus what it should be (y)",
        ),
        ("Root", "f(x).sum()", {"x": "[0.,-1,2]"}, "no finite number at 1 of 3 elements: backward gives inf"),
    ],
)
def test_patterns_of_a_part_of_an_error(more, name, source, bound, pattern):
    (found,) = more(f"{name}.apply", source, **bound).examined
    (slot,) = found.wrong
    assert len(slot.patterns) == 1
    assert slot.patterns[0].startswith(pattern), slot.patterns


def test_the_worst_element_is_one_that_has_a_slope(more):
    slot = more("Root.apply", "f(x).sum()", x="[0.,-1,2]").examined[0].slots[0]
    assert (slot.worst, slot.wrong, slot.numeric) == ((1,), 1, pytest.approx(0, abs=1e-9))


@pytest.mark.parametrize(
    ("name", "source", "bound", "wrong"),
    [
        ("Cosine", "f(x).sum()", {"x": "0."}, ["x"]),
        ("Times", "f(x, w).sum()", {"x": "eye(3)", "w": "eye(3)"}, ["x"]),
        ("Angle", "f(x).sum()", {"x": "[0.9, 0.]"}, []),
        ("Angle", "f(x).sum()", {"x": "[-0.99, 0.9]"}, []),
    ],
)
def test_what_special_values_hide_shows_at_drawn_ones(more, name, source, bound, wrong):
    made = more(f"{name}.apply", source, **bound)
    slots = made.examined[0].wrong
    assert [(slot.name, slot.only) for slot in slots] == [(each, "values") for each in wrong]
    assert made.status == bool(wrong)


def test_at_a_kink_no_second_order_is_judged(more):
    made = more("Clamped.apply", "f(x).sum()", x="[0., 1., -1.]")
    assert (made.status, made.examined[0].slots[0].verdict, made.examined[0].second) == (
        0,
        Verdict.KINK,
        None,
    )
    assert concerns(made)["other-dtype"].sentence == "its 1st return value is float32 where x is float64"


def test_the_values_of_large_inputs_are_left_to_the_whole_check(more):
    made = more("Overwriting.apply", "f(x*1).tanh().sum()", x="ones(201,1000)")
    assert made.examined[0].slots == ()
    assert {"not-examined", "writes-grad-output"} <= set(concerns(made))


def test_trace_examines_nothing(tmp_path):
    use = Use("f", str(HERE / "wrong.py"), "Sign.apply")
    assert explore("f(x).sum()", [("x", "randn(4)")], Options(use=(use,))).examined == ()


def test_nothing_is_called_right_of_which_there_are_no_differences(more):
    made = more("Strict.apply", "f(x).sum()", x="[0., 0.5]")
    assert made.examined[0].slots == ()
    assert concerns(made)["not-examined"].sentence.endswith("the gradient of x against")
