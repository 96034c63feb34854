"""DOT and the files: content, escapes, Graphviz both ways, and files whole or not at all."""

import json
import os
import re
import shutil
import stat
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from autograd_cli.errors import ExitStatus, InputError, MissingError
from autograd_cli.report.json import from_json
from autograd_cli.views import picture, render

SVG = "{http://www.w3.org/2000/svg}"
DRAWERS = [
    pytest.param("system", marks=pytest.mark.skipif(not shutil.which("dot"), reason="no dot on the PATH")),
    "pygraphviz",
]


@pytest.fixture(params=DRAWERS)
def drawer(request, monkeypatch):
    """Draw with the system's dot, then with pygraphviz and no dot on the PATH."""
    if request.param == "pygraphviz":
        pytest.importorskip("pygraphviz")
        monkeypatch.setenv("PATH", "/nonexistent")
    return request.param


def dot(report, **options):
    return render(report, "dot", width=None, colour=False, **options)


def texts(path):
    """The lines of text in an SVG."""
    return [element.text for element in ElementTree.parse(path).iter(f"{SVG}text")]


def test_dot_names_nodes_by_number_and_slots_where_there_are_several(stored):
    source = dot(stored("two_ways"))
    assert re.findall(r"^\tn\d+ -> n\d+.*$", source, re.MULTILINE) == [
        '\tn0 -> n1 [label=" 0 "]',
        '\tn0 -> n4 [label=" 1 "]',
        '\tn1 -> n2 [label=" 0 "]',
        '\tn1 -> n3 [label=" 1 "]',
        "\tn4 -> n2",
    ]


def test_dot_says_text_value_shape_grad_fn_and_gradient(stored):
    source = dot(stored("sin"))
    assert r'n1 [label="x**2\nvalue 4\nshape ()\nPowBackward0\ngradient -0.6536436"' in source
    assert r'label="sin(x**2) = -0.7568025\nfloat32 · cpu · seed 0' in source


def test_parallel_edges_are_kept(drawn):
    edges = re.findall(r"n0 -> n1 .*", dot(drawn({0: [1, 1]})))
    assert edges == ['n0 -> n1 [label=" 0 "]', 'n0 -> n1 [label=" 1 "]']


def test_kinds_differ_in_shape_and_border_as_in_colour(drawn):
    source = dot(drawn({0: [1, 3], 1: [2]}, constants={3}))
    looks = [re.search(rf"\tn{number} \[.*\]", source)[0] for number in range(4)]
    signs = [re.sub(r'(label|tooltip|fillcolor)=("[^"]*"|\S+)', "", look) for look in looks]
    assert len({re.sub(r"n\d", "n", sign) for sign in signs}) == 4
    for meaning in ("the output", "a step of torch's graph", "a leaf, which gets a gradient", "a constant"):
        assert f'label="{meaning}"' in source


def test_the_legend_names_only_what_is_there(stored):
    assert "a constant" not in dot(stored("sin"))


def test_a_leaf_that_goes_by_another_text_shows_its_name(stored):
    report = stored("sin")
    nodes = tuple(n._replace(leaf="weight") if n.leaf else n for n in report.graph.nodes)
    assert r'label="weight\nx\nvalue 2' in dot(replace(report, graph=replace(report.graph, nodes=nodes)))


def test_large_graphs_are_cut_and_say_so(drawn):
    report = drawn({0: list(range(1, 1000))})
    source = dot(report)
    assert "800 more nodes are not drawn; --full draws all" in source
    assert "n0 -> more0 [style=dotted]" in source
    assert "more nodes" not in dot(report, full=True)


def test_depth_cuts_a_picture(drawn):
    source = dot(drawn({0: [1], 1: [2]}), depth=1)
    assert "n1 -> more1" in source
    assert "\tn2 " not in source


def test_a_report_without_a_graph_is_its_title(stored):
    source = dot(stored("failed"))
    assert "mean(relu(X @ w) + b)   failed" in source
    assert "->" not in source


@pytest.mark.parametrize(
    ("form", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-")]
)
def test_a_picture_is_what_its_ending_says(stored, drawer, tmp_path, form, begins):
    path = tmp_path / f"graph.{form.upper()}"
    picture.write(stored("linear_regression"), path)
    assert path.read_bytes().startswith(begins)
    assert os.listdir(tmp_path) == [path.name]


def test_a_picture_shows_every_label(stored, drawer, tmp_path):
    picture.write(stored("linear_regression"), tmp_path / "a.svg")
    found = texts(tmp_path / "a.svg")
    for text in ("mean((X@w+b-y)**2)", "value 3.116366", "shape (10,1)", "MmBackward0", "gradient all 0.1"):
        assert text in found
    assert [text.strip() for text in found].count("0") == 3


@pytest.mark.parametrize(
    "text",
    ["<b>bold</b>", "&amp;lt;", "\\N\\G\\l", '"quoted" \\"', "{a|b}", "<<i>x</i>>", "数", "a\\", "]]>", "%s"],
)
def test_a_persons_text_is_drawn_as_it_is(drawn, drawer, tmp_path, text):
    picture.write(drawn({0: [1]}, texts={1: text}, leaves=False), tmp_path / "a.svg")
    assert text in texts(tmp_path / "a.svg")


@pytest.mark.parametrize("text", ["\x1b[31m", "a\nb", "\u202e", "\x00", "\ud800", "\ufffe", "\x0b"])
def test_what_svg_cannot_hold_is_written_out(drawn, drawer, tmp_path, text):
    picture.write(drawn({0: [1]}, texts={1: text}, leaves=False), tmp_path / "a.svg")
    assert len(texts(tmp_path / "a.svg")) > 5


def test_dot_and_json_files_hold_what_the_formats_print(stored, tmp_path):
    report = stored("sin")
    picture.write(report, tmp_path / "a.dot")
    picture.write(report, tmp_path / "a.json")
    assert (tmp_path / "a.dot").read_text() == dot(report)
    assert from_json((tmp_path / "a.json").read_text()) == report
    assert json.loads((tmp_path / "a.json").read_text())["schema"] == "agx.report/1"


@pytest.mark.parametrize("name", ["graph.txt", "graph", "graph.svg.gz", ".svg", "gr\x1baph.jpg"])
def test_another_ending_is_refused(stored, tmp_path, name):
    shown = name.replace("\x1b", r"\x1b")
    with pytest.raises(
        InputError, match=re.escape(f"{shown}` does not end in a format that agx writes.")
    ) as caught:
        picture.write(stored("sin"), tmp_path / name)
    assert caught.value.code == "AGX212"
    assert caught.value.hint == "End the name in .svg, .png, .pdf, .dot, .json."
    assert os.listdir(tmp_path) == []


def test_no_graphviz_is_one_sentence(stored, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(picture, "_has_pygraphviz", lambda: False)
    sentence = (
        "A .png is drawn by Graphviz, which is not here: install it, or "
        "`pip install 'autograd-cli[pictures]'`, which brings it along."
    )
    with pytest.raises(MissingError, match=f"^{re.escape(sentence)}$") as caught:
        picture.write(stored("sin"), tmp_path / "a.png")
    assert caught.value.status is ExitStatus.MISSING
    assert caught.value.code == "AGX602"
    assert os.listdir(tmp_path) == []
    picture.write(stored("sin"), tmp_path / "a.dot")


def test_a_missing_folder_is_said(stored, tmp_path):
    path = tmp_path / "nowhere" / "a.json"
    with pytest.raises(
        MissingError, match=r"a\.json` cannot be written: its folder is not there\.$"
    ) as caught:
        picture.write(stored("sin"), path)
    assert caught.value.code == "AGX605"


def test_a_folder_in_the_place_of_the_file_is_said(stored, tmp_path):
    (tmp_path / "a.json").mkdir()
    with pytest.raises(MissingError, match=r"a\.json` cannot be written: it is a folder\.$"):
        picture.write(stored("sin"), tmp_path / "a.json")
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_failure_leaves_the_old_file(stored, tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(MissingError, match=r"cannot be written: no space left on device\.$"):
        picture.write(stored("sin"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_an_interruption_leaves_no_temporary_file(stored, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt("now")

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt, match=r"^now$"):
        picture.write(stored("sin"), tmp_path / "a.json")
    assert os.listdir(tmp_path) == []


def test_permissions_and_links_are_those_of_a_file_written_in_place(stored, tmp_path):
    new, old, link = tmp_path / "new.json", tmp_path / "old.json", tmp_path / "link.json"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    picture.write(stored("sin"), new)
    picture.write(stored("sin"), link)
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert old.read_text() == new.read_text()


def test_a_dot_that_fails_is_said(monkeypatch, tmp_path):
    fake = tmp_path / "dot"
    fake.write_text("#!/bin/sh\necho 'no \033[1mfonts' >&2\nexit 3\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.defpath}")
    with pytest.raises(MissingError, match=r"^Graphviz did not draw the \.svg: no \\x1b\[1mfonts\.$"):
        picture.draw("digraph {}", "svg")


def test_check_gives_the_format(tmp_path):
    assert picture.check(tmp_path / "A.SVG") == "svg"
    assert picture.check(Path("report.json")) == "json"


def test_a_place_that_is_no_regular_file_is_refused_and_left_alone(stored, tmp_path):
    pipe = tmp_path / "r.json"
    os.mkfifo(pipe)
    with pytest.raises(MissingError, match=r"r\.json` cannot be written: it is no regular file\.$"):
        picture.write(stored("sin"), pipe)
    assert pipe.is_fifo()


def test_a_file_that_may_only_be_read_is_refused(stored, tmp_path):
    path = tmp_path / "r.json"
    path.write_text("mine")
    path.chmod(0o444)
    with pytest.raises(MissingError, match=r"r\.json` cannot be written: it may only be read\.$"):
        picture.write(stored("sin"), path)
    assert path.read_text() == "mine"


def test_links_in_a_circle_are_refused(stored, tmp_path):
    path = tmp_path / "r.json"
    path.symlink_to(path)
    with pytest.raises(MissingError, match=r"cannot be written: its links lead in a circle\.$"):
        picture.write(stored("sin"), path)


@pytest.mark.parametrize("form", ["svg", "png"])
def test_drawing_says_nothing_on_stderr(stored, drawer, form, tmp_path, capfd):
    picture.write(stored("sin"), tmp_path / f"x.{form}")
    assert capfd.readouterr() == ("", "")
    os.write(2, b"and stderr is back")
    assert capfd.readouterr().err == "and stderr is back"
