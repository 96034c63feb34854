"""A person's Functions and the verdicts on the whole are of one mind."""

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.gradients.grounds import gather
from autograd_cli.report import Verdict
from autograd_cli.run.settings import Use
from autograd_cli.views.pieces import Line, plain_text
from autograd_cli.views.verdicts import verdicts


def written(name, forward, backward, given="x", kept=None):
    """The source of a Function as a person writes it, that keeps what it is given or else `kept`."""
    saved = given if kept is None else kept
    save = f"        ctx.save_for_backward({saved})\n" if saved else ""
    return f"""
class {name}(Function):
    @staticmethod
    def forward(ctx, {given}):
{save}        return {forward}

    @staticmethod
    def backward(ctx, g):
        {backward}

"""


OWN = "".join(
    [
        "import torch\nfrom torch.autograd import Function\n\n",
        written("Sign", "x.cos()", "return g * ctx.saved_tensors[0].sin()"),
        written("Half", "x**2", "return g * ctx.saved_tensors[0]"),
        written("Ignores", "x**2", "return 2 * ctx.saved_tensors[0]"),
        written(
            "Turned", "x @ w", "return g @ ctx.saved_tensors[1].T, (ctx.saved_tensors[0].T @ g).T", "x, w"
        ),
        written("Straight", "x.round()", "return g", kept=""),
        written("Few", "x * y", "return g * ctx.saved_tensors[1]", "x, y"),
        written("Writes", "x * x", "return g.mul_(2 * ctx.saved_tensors[0])"),
        written("Outside", "x**2", "return torch.from_numpy(g.numpy() * 2 * ctx.saved_tensors[0].numpy())"),
        written("Nothing", "x * y", "return g * ctx.saved_tensors[0], None", "x, y", kept="y"),
        written(
            "Leaky",
            "torch.where(x > 0, x, 0.5 * x)",
            "return torch.where(ctx.saved_tensors[0] > 0, g, 0.25 * g)",
        ),
        """
class Keeps(Function):
    @staticmethod
    def forward(ctx, x):
        e = (-x).exp()
        ctx.save_for_backward(e)
        return 1 / (1 + e)

    @staticmethod
    def backward(ctx, g):
        (e,) = ctx.saved_tensors
        return g * e / (1 + e) ** 2


class Once(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


def both(x):
    return Sign.apply(x) + Half.apply(x)
""",
    ]
)


def line(text):
    """The number of a line of the file, with the file's name."""
    return f"own.py:{OWN[: OWN.index(text)].count(chr(10)) + 1}"


SIGN, HALF = line("return g * ctx.saved_tensors[0].sin()"), line("return g * ctx.saved_tensors[0]\n")


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Gradcheck of a source with `f` from the file: `check("Sign.apply", "f(x).sum()", x="2.")`."""
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)

    def made(attribute, source, allow=(), order=1, torch=False, **bound):
        use = (Use("f", "own.py", attribute),)
        options = Options(use=use, check=True, allow=allow, order=order, torch=torch)
        return explore(source, list(bound.items()), options)

    return made


@pytest.mark.parametrize("source", ["f(x).sum()", "y = f(x); y.sum().backward()"])
def test_the_node_that_is_blamed_is_the_function_not_what_torch_adds(check, source):
    made = check("both", source, x="randn(3)")
    (gradient,) = made.gradients or made.backwards[0].gradients
    assert SIGN in gradient.sentence
    assert HALF in gradient.sentence
    assert (gradient.grounds.guilty, gradient.grounds.alone, gradient.grounds.next) == ((), None, "")
    (finding,) = made.findings
    assert [cause.partition(",")[0] for cause in finding.cause] == [SIGN, HALF]
    assert [found.next for found in made.examined] == [f"mend {at} and run this again" for at in (SIGN, HALF)]


def test_a_right_gradient_is_not_blamed_on_the_other_argument(check):
    made = check("Turned.apply", "f(x, w).sum()", x="randn(4,3)", w="randn(3,3)")
    x, w = made.gradients
    assert (x.verdict, x.sentence) == (Verdict.OK, "")
    assert w.sentence == f"{line('return g @ ')}, Turned.backward, its 2nd return value is wrong"
    assert made.examined[0].wrong[0].leaves == ("w",)


def test_a_leaf_of_another_call_of_the_same_function_is_blamed_on_it_too(check):
    made = check("Sign.apply", "(f(x) + f(y)).sum()", x="randn(3)", y="randn(3)")
    assert all(SIGN in gradient.sentence for gradient in made.gradients)


def test_a_function_that_is_wrong_though_no_gradient_shows_it_has_a_finding_that_says_why(check):
    made = check("Ignores.apply", "f(x).sum()", x="randn(3)")
    (finding,) = made.findings
    assert (made.status, made.gradients[0].verdict) == (1, Verdict.OK)
    assert finding.code == "AGX501"
    assert finding.sentence == "The backward of Ignores is wrong, though the gradient of `x` is right here."
    assert "a drawn one does" in finding.cause[0]


def test_one_that_only_drawn_values_show_says_so(check):
    made = check("Sign.apply", "f(x).sum()", x="0.")
    assert (made.status, made.gradients[0].verdict) == (1, Verdict.OK)
    assert "values drawn nearby do" in made.findings[0].cause[0]


def test_a_straight_through_estimate_may_be_allowed(check):
    before = check("Straight.apply", "f(x).sum()", x="randn(3)")
    assert before.status == 1
    assert before.examined[0].next.startswith(
        "agx gradcheck … --allow WRONG   if that is meant; else mend own"
    )
    allowed = check("Straight.apply", "f(x).sum()", (Verdict.WRONG,), x="randn(3)")
    assert (allowed.status, allowed.gradients[0].verdict) == (0, Verdict.WRONG)
    assert allowed.examined[0].next == "nothing: --allow WRONG counts it as right"


def test_a_backward_that_raises_has_a_graph(check):
    made = check("Few.apply", "f(x, y).sum()", x="randn(3)", y="randn(3)")
    place = line("return g * ctx.saved_tensors[1]")
    for gradient in made.gradients:
        assert gradient.verdict is Verdict.NO_GRAPH
        assert gradient.sentence.startswith(f"there is a graph, and its backward fails at {place}")
        assert gradient.grounds.next == ""
    assert [finding.code for finding in made.findings] == ["AGX325"]
    assert made.status == 1


def test_nothing_is_called_right_of_a_backward_that_fails_here(check):
    made = check("Writes.apply", "f(x).sum()", x="randn(3)")
    assert made.examined[0].slots == ()
    assert made.gradients[0].verdict is Verdict.NO_GRAPH


def test_what_a_second_order_needs_is_said_and_not_what_was_just_run(check):
    made = check("Keeps.apply", "f(x).sum()", order=2, x="randn(3)")
    (found,) = made.examined
    assert "--order 2" not in found.next
    assert f"({line('ctx.save_for_backward(e)')})" in found.next


@pytest.mark.parametrize("source", ["f(x).sum()", "(f(x)**2).sum()", "(f(x) + x**3).sum()"])
def test_what_is_marked_once_differentiable_has_no_second_order_whatever_is_sent_to_it(check, source):
    made = check("Once.apply", source, order=2, x="randn(3)")
    assert [block.verdict for block in made.second.blocks] == [Verdict.NO_GRAPH]
    assert [(each.code, each.evidence["expression"]) for each in made.findings] == [("AGX425", "f(x)")]
    (found,) = made.examined
    assert (found.second, found.second_sentence, found.next, made.status) == (None, "", "", 1)


def test_a_backward_that_cannot_be_recorded_is_told_at_its_line(check):
    made = check("Outside.apply", "f(x).sum()", order=2, x="randn(3)")
    (finding,) = made.findings
    start = line("class Outside").partition(":")[2]
    assert finding.cause[0].startswith(f"own.py:{int(start) + 7}: this backward raises when it is recorded")
    assert finding.fix[0].text.startswith("write own.py:")
    assert made.examined[0].second_sentence.endswith(line("return torch.from_numpy"))


def test_a_none_is_said_to_be_one(check):
    made = check("Nothing.apply", "f(x, y).sum()", x="randn(3)", y="randn(3)")
    x, y = made.gradients
    assert (x.notes, y.notes) == ((), ("given-none",))
    lines = [plain_text(line.words) for line in verdicts(made) if isinstance(line, Line)]
    assert any("autograd None (counts as 0)   numeric" in line for line in lines)


def test_an_element_that_is_right_is_none_of_the_worst(check):
    (gradient,) = check("Leaky.apply", "f(x).sum()", x="[1., -1., 2., -2.]").gradients
    assert sorted(element.index for element in gradient.grounds.elements) == [(1,), (3,)]


def test_torch_is_not_to_be_asked_where_it_was(monkeypatch, check):
    monkeypatch.setattr(gather, "next_thing", lambda *_: "agx gradcheck … --torch   asks torch's own check")
    before = check("torch.relu", "f(x).sum()", x="[-1., 1.]")
    after = check("torch.relu", "f(x).sum()", torch=True, x="[-1., 1.]")
    assert [made.gradients[0].grounds.next[:22] for made in (before, after)] == ["agx gradcheck … --torc", ""]
