from autograd_cli.diagnose import drawing


def test_a_grid_puts_carets_under_the_marked_columns_only():
    rows = [("X", (10, 3), [10, 3, None]), ("weights", (100, 1), [None, 100, 1])]
    assert drawing.grid(rows, {1}) == (
        "X        (10,3)   10    3",
        "weights  (100,1)      100  1",
        "                      ^^^",
    )


def test_columns_count_the_cells_of_wide_characters():
    assert drawing.columns([("重み", "(3,)"), ("x", "(1,)")]) == ("重み  (3,)", "x     (1,)")


def test_a_label_shows_control_characters_and_is_one_line():
    assert drawing.label("x +\n  \x1b[31my") == r"x + \x1b[31my"
    assert drawing.label("a" * 30) == "a" * 23 + "…"


def test_broadcasting_stretches_ones_and_absent_dimensions():
    assert drawing.broadcast([(3, 1, 5), (4, 5)]) == (3, 4, 5)
    assert drawing.broadcast([(0,), (1,)]) == (0,)
    assert drawing.broadcast([(3, 5, 4), (3, 5)]) is None


def test_a_size_of_zero_meets_only_itself_and_one():
    assert drawing.clashes(drawing.aligned([(0,), (3,)])) == [0]
