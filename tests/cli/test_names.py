import pytest

from autograd_cli.cli import bindings, names, options
from autograd_cli.cli.command import Given
from autograd_cli.errors import AgxError, InputError
from autograd_cli.lang.source import Source


def checked(source, *words, **given):
    line = bindings.read("trace", [source, *words], options.of("trace"), True)
    return names.checked(Source(source), Given(None, line, given))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("sin(x)", ["--x", "2"]),
        ("x*y", ["--x", "2", "--y", "2*x+1"]),
        ("y", ["--x", "2", "--y", "x"]),
        ("x", ["--x", "2", "--unrelated", "3"]),
        ("x", ["--x", "@nofile.npy"]),
        ("-d*2", ["--d", "2"]),
        ("pi*x", ["--x", "2"]),
        ("seed*x", ["--var", "seed=3", "--x", "2"]),
    ],
)
def test_lines_that_fit_their_source(source, words):
    checked(source, *words)


@pytest.mark.parametrize(
    ("source", "words", "fix"),
    [
        ("x*y", ["--x", "2"], 'agx trace "x*y" --x 2 --y 2'),
        ("x*y", [], 'agx trace "x*y" --x 2 --y 2'),
        ("x*yy*z", ["--x", "[1, 2]"], 'agx trace "x*yy*z" --x "[1, 2]" --yy 2 --z 2'),
    ],
)
def test_a_name_without_a_value_is_refused_with_the_whole_command(source, words, fix):
    with pytest.raises(InputError, match="used and not bound to a value") as caught:
        checked(source, *words)
    assert (caught.value.code, caught.value.fix) == ("AGX201", fix)


def test_a_binding_to_add_stands_before_two_dashes():
    line = bindings.read("trace", ["--", "-q"], options.of("trace"), True)
    with pytest.raises(InputError, match="`q` is used and not bound") as caught:
        names.checked(Source("-q"), Given(None, line, {}))
    assert caught.value.fix == "agx trace --q 2 -- -q"


def test_all_missing_names_are_told_at_once():
    with pytest.raises(InputError, match="`y` and `z` are used and not bound to a value") as caught:
        checked("x*y*z", "--x", "2")
    assert caught.value.span == (2, 3)


@pytest.mark.parametrize(
    ("source", "words", "meant", "fix"),
    [
        ("x", ["--x", "2", "--devise", "cuda"], "--device", "agx trace x --x 2 --device cuda"),
        ("x", ["--devise=cuda", "--x", "2"], "--device", "agx trace x --device=cuda --x 2"),
        ("x", ["--x", "2", "--seeds", "3"], "--seed", "agx trace x --x 2 --seed 3"),
        ("x*Weight", ["--x", "2", "--weight", "3"], "--Weight", 'agx trace "x*Weight" --x 2 --Weight 3'),
        ("x*weight", ["--x", "2", "--wieght", "3"], "--weight", 'agx trace "x*weight" --x 2 --weight 3'),
        ("x*y", ["--x", "2", "--Y", "3"], "--y", 'agx trace "x*y" --x 2 --y 3'),
    ],
)
def test_a_slip_of_the_hand_is_refused_with_what_was_meant(source, words, meant, fix):
    with pytest.raises(InputError, match="is no option, and the source has no name") as caught:
        checked(source, *words)
    assert caught.value.code == "AGX205"
    assert caught.value.hint == f"Did you mean `{meant}`?"
    assert caught.value.fix == fix


@pytest.mark.parametrize("name", ["y", "width", "alpha", "ro", "ep"])
def test_a_name_close_to_nothing_is_left_to_a_warning(name):
    checked("x", "--x", "2", f"--{name}", "3")


@pytest.mark.parametrize(
    ("words", "code", "text", "marked"),
    [
        (["--x", "2+"], "AGX101", "--x 2+", "+"),
        (["--x", ""], "AGX202", "", ""),
        (["--x", "2*Y"], "AGX202", "--x 2*Y", "Y"),
        (["--x", "x"], "AGX202", "--x x", "x"),
        (["--x", "open('f')"], "AGX103", "--x open('f')", "open"),
        (["--x", "[bold]2[/bold]"], "AGX101", "--x [bold]2[/bold]", None),
    ],
)
def test_a_fault_in_a_value_is_told_with_its_name(words, code, text, marked):
    with pytest.raises(AgxError, match=r".") as caught:
        checked("sin(x)", *words)
    error = caught.value
    assert error.code == code
    assert error.text in (text, words[1])
    if marked:
        assert error.text[error.span.start : error.span.end] == marked


def test_a_fault_in_the_source_is_told_before_one_in_a_value():
    with pytest.raises(AgxError, match=r".") as caught:
        checked("sin(x", "--x", "2+")
    assert caught.value.text == "sin(x"


@pytest.mark.parametrize("key", ["wrt", "const"])
def test_a_name_to_differentiate_by_must_be_a_binding(key):
    with pytest.raises(InputError, match=f"`--{key} q` names `q`, which is no binding.") as caught:
        checked("x", "--x", "2", **{key: ("q",)})
    assert (caught.value.code, caught.value.hint) == ("AGX208", "The bindings are: x.")


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [("1+", "AGX101", "+"), ("[1, q]", "AGX202", "q"), ("a = 1", "AGX104", "a = 1")],
)
def test_a_fault_in_the_cotangent_is_told_before_torch_is_loaded(text, code, marked):
    with pytest.raises(AgxError, match=r".") as caught:
        checked("x*2", "--x", "2", grad_output=text)
    error = caught.value
    assert (error.code, error.text) == (code, f"--grad-output {text}")
    assert error.text[error.span.start : error.span.end] == marked


def test_a_name_that_a_program_does_not_bind_is_left_to_its_run():
    assert checked("y = x*q; y", "--x", "2").usage.unbound == ("q",)


def test_a_binding_close_to_a_name_that_a_program_does_not_bind_is_refused():
    with pytest.raises(InputError, match="the source has no name `wieght`") as caught:
        checked("y = 2*weight; y", "--wieght", "2")
    assert caught.value.hint == "Did you mean `--weight`?"


@pytest.mark.parametrize("root", ["y", "z", "x", "a", "b"])
def test_a_root_may_be_any_name_of_a_program(root):
    checked("y = x*2; z = y\nfor i in range(2):\n    a, (b, c) = x, (y, z)", "--x", "2", root=root)


@pytest.mark.parametrize(
    ("source", "root", "hint"),
    [
        ("x*2", "y", "Leave --root out: the graph of that value is shown."),
        ("loss = x*2", "los", "Did you mean `loss`?"),
        ("y = x*2", "q", "The names are: x, y."),
    ],
)
def test_a_root_that_is_no_name_is_refused(source, root, hint):
    with pytest.raises(InputError, match=f"`--root {root}`") as caught:
        checked(source, "--x", "2", root=root)
    assert (caught.value.code, caught.value.hint) == ("AGX208", hint)


@pytest.mark.parametrize("text", ["y = 2", "1; 2", "y = 2\ny"])
def test_a_value_is_one_expression(text):
    with pytest.raises(AgxError, match=r".") as caught:
        checked("x*2", "--x", text)
    assert caught.value.code == "AGX104"
