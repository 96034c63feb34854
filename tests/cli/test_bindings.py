import pytest

from autograd_cli.cli import bindings, options
from autograd_cli.errors import InputError


def read(words, command="trace", takes_bindings=True):
    return bindings.read(command, words, options.of(command), takes_bindings)


ARGV = [
    # words, source, bindings, options; None where all words are sources
    (["sin(x)", "--x", "2"], "sin(x)", [("x", "2")], {}),
    (["--x", "2", "sin(x)"], "sin(x)", [("x", "2")], {}),
    (["--x", "2", "sin(x*y)", "--y", "3"], "sin(x*y)", [("x", "2"), ("y", "3")], {}),
    (["sin(x)", "--x", "-2"], "sin(x)", [("x", "-2")], {}),
    (["sin(x)", "--x=-1e-3"], "sin(x)", [("x", "-1e-3")], {}),
    (["sin(x)", "--x", "-1e-3"], "sin(x)", [("x", "-1e-3")], {}),
    (["sin(x)", "--x", "[1,-2]"], "sin(x)", [("x", "[1,-2]")], {}),
    (["sin(x)", "--x="], "sin(x)", [("x", "")], {}),
    (["sin(x)", "--x", ""], "sin(x)", [("x", "")], {}),
    (["sin(x)", "--x=a=b"], "sin(x)", [("x", "a=b")], {}),
    (["sin(x)", "--x", "y==1"], "sin(x)", [("x", "y==1")], {}),
    (["sin(x)", "--x", "two\nlines"], "sin(x)", [("x", "two\nlines")], {}),
    (["sin(x)", "--x=two\nlines"], "sin(x)", [("x", "two\nlines")], {}),
    (["-x**2", "--x", "2"], "-x**2", [("x", "2")], {}),
    (["-x", "--x", "2"], "-x", [("x", "2")], {}),
    (["-d*2", "--d", "3"], "-d*2", [("d", "3")], {}),
    (["-d", "cuda", "x"], "x", [], {"device": "cuda"}),
    (["x", "-dcpu"], "x", [], None),
    (["--2", "--x", "1"], "--2", [("x", "1")], {}),
    (["--x**2", "--x", "1"], "--x**2", [("x", "1")], {}),
    (["x", "--grad-output", "-1"], "x", [], {"grad_output": "-1"}),
    (["x", "-g", "-1"], "x", [], {"grad_output": "-1"}),
    (["x", "-g=-1"], "x", [], None),
    (["x", "--device=cuda:1"], "x", [], {"device": "cuda:1"}),
    (["x", "-f", "json", "-q"], "x", [], {"format": "json", "quiet": True}),
    (["-", "--x", "2"], "-", [("x", "2")], {}),
    (["x", "-d", "cpu", "-d", "meta"], "x", [], {"device": "meta"}),
    (["x", "--x", "@-"], "x", [("x", "@-")], {}),
    (["--x", "2", "--", "-d"], "-d", [("x", "2")], {}),
    (["--", "--x"], "--x", [], {}),
    (["x", "--var", "seed=3"], "x", [("seed", "3")], {}),
    (["x", "--var=seed=3"], "x", [("seed", "3")], {}),
    (["x", "--var", "seed = [1]"], "x", [("seed", " [1]")], {}),
    (["x", "--y", "1", "--var", "wrt=y", "--x", "2"], "x", [("y", "1"), ("wrt", "y"), ("x", "2")], {}),
    (["x", "--const", "a", "--const=b"], "x", [], {"const": ["a", "b"]}),
    (["x", "--X", "1", "--x", "2"], "x", [("X", "1"), ("x", "2")], {}),
    (["λ", "--λ", "1"], "λ", [("λ", "1")], {}),
    (["ﬁ", "--ﬁ", "1"], "ﬁ", [("fi", "1")], {}),
    ([""], "", [], {}),
    (["x", "--out_put", "2"], "x", [("out_put", "2")], {}),
]


@pytest.mark.parametrize(("words", "source", "bound", "given"), ARGV)
def test_words_are_told_apart(words, source, bound, given):
    line = read(words)
    assert line.source == source
    assert line.bindings == bound
    if given is None:
        assert line.sources == words
    else:
        assert line.sources == [source]
        assert line.given == given


@pytest.mark.parametrize(
    "words", [["--help"], ["-h"], ["x", "--x", "--help"], ["--x", "2", "--x", "3", "-h"]]
)
def test_help_wins_over_whatever_else_is_wrong(words):
    assert bindings.asks_for_help(words)


def test_help_after_two_dashes_is_a_source():
    assert not bindings.asks_for_help(["--", "-h"])
    assert read(["--", "-h"]).source == "-h"


REFUSED = [
    (["x", "--x"], "AGX214", "`--x` has no value: the line ends."),
    (["x", "--x", "--y", "3"], "AGX214", "`--x` has no value: `--y` follows."),
    (["x", "--x", "-d", "cpu"], "AGX214", "`--x` has no value: `-d` follows."),
    (["x", "--device"], "AGX214", "`--device` has no value: the line ends."),
    (["x", "-d", "--x", "2"], "AGX214", "`-d` has no value: `--x` follows."),
    (["x", "--var", "seed"], "AGX214", "`--var seed` gives no value."),
    (["x", "--x", "2", "--x", "3"], "AGX203", "`--x` is given twice."),
    (["x", "--x", "2", "--var", "x=3"], "AGX203", "`--x` is given twice."),
    (["x", "--ﬁ", "2", "--fi", "3"], "AGX203", "`--fi` is given twice."),
    (
        ["x", "--__class__", "2"],
        "AGX210",
        "`__class__` cannot be the name of a binding: two underscores in front are Python's own.",
    ),
    (["x", "--lambda", "2"], "AGX210", "`lambda` cannot be the name of a binding: it is a word of Python."),
    (
        ["x", "--var", "2=3"],
        "AGX210",
        "`2` cannot be the name of a binding: a name is letters, digits and underscores, no digit first.",
    ),
    (["x", "--grad-outputs", "2"], "AGX205", "`--grad-outputs` is no option of `agx trace`."),
    (["x", "--json=yes"], "AGX208", "`--json` takes no value."),
]


@pytest.mark.parametrize(("words", "code", "sentence"), REFUSED)
def test_a_line_that_cannot_be_read_is_refused_at_its_place(words, code, sentence):
    with pytest.raises(InputError, match=r".") as caught:
        read(words)
    assert (caught.value.code, caught.value.sentence) == (code, sentence)
    marked = caught.value.text[caught.value.span.start : caught.value.span.end]
    assert marked.startswith("-")


def test_the_carets_stand_under_the_second_of_two():
    with pytest.raises(InputError, match="given twice") as caught:
        read(["x y", "--x", "2", "--x", "3"])
    assert caught.value.text == 'agx trace "x y" --x 2 --x 3'
    assert caught.value.span == (22, 25)


def test_an_option_with_a_hyphen_gets_a_suggestion():
    with pytest.raises(InputError, match="is no option") as caught:
        read(["x", "--grad-outputs", "2"])
    assert caught.value.hint == "Did you mean `--grad-output`?"


def test_a_value_that_looks_like_an_option_says_how_to_give_it():
    with pytest.raises(InputError, match="follows") as caught:
        read(["x", "--x", "-d"])
    assert caught.value.hint == "A value that begins with a minus sign goes behind `=`: --x=-d"


def test_a_command_without_bindings_knows_only_its_options():
    assert read(["r.json", "--full"], "show", False).given == {"full": True}
    with pytest.raises(InputError, match="`--x` is no option of `agx show`"):
        read(["r.json", "--x", "2"], "show", False)


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("x", "x"),
        ("--x=-1e-3", "--x=-1e-3"),
        ("x**2", '"x**2"'),
        ("", '""'),
        ("a b", '"a b"'),
        ('say "x"', "'say \"x\"'"),
        ("$HOME", "'$HOME'"),
        ("it's", '"it\'s"'),
        ("α", '"α"'),
    ],
)
def test_a_line_is_shown_as_a_shell_takes_it(word, quoted):
    assert bindings.shell([word]) == quoted
