"""The sentences of findings of programs, whole, in the person's own names."""

from autograd_cli.diagnose.programs import failure_of, inspect_program
from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

ADDED = """\
x = torch.tensor(2.0, requires_grad=True)
y1 = x ** 2
y1.backward()
print(x.grad)
y2 = x ** 3
y2.backward()
print(x.grad)
"""

CHANGED = """\
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.sigmoid(x)
z = h ** 2
h.mul_(2)
(z.sum() + h.sum()).backward()
"""

ROUNDS = """\
w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.0)
for t in range(3):
    h = torch.tanh(w * h)
    loss = h ** 2
    loss.backward()
"""


def test_the_sum_that_a_backward_adds_to_is_spelt_out(program):
    (finding,) = inspect_program(program(ADDED))
    assert finding.sentence == "`x.grad` still held 4 from line 3, already printed on line 4."
    assert finding.cause == (
        "backward adds to .grad, it does not replace it: 4 + 12 = 16. Of `y2` alone it is 12.",
    )
    (fix,) = finding.fix
    assert (fix.text, fix.ran, fix.passed) == ("before line 6:  x.grad = None; prints 4, 12", True, True)
    assert fix.program == ADDED.replace("y2.backward()", "x.grad = None\ny2.backward()")


def test_a_program_of_one_line_is_told_by_its_statements(program):
    (finding,) = inspect_program(program(ADDED.replace("\n", "; ").rstrip("; ")))
    assert finding.sentence == "`x.grad` still held 4 of the backward before."
    assert "print(x.grad); y2 = x ** 3; x.grad = None; y2.backward()" in finding.fix[0].program


def test_every_victim_of_a_change_in_place_is_named(program):
    (finding,) = failure_of(program(CHANGED))
    assert finding.sentence == (
        "`h` is changed in place on line 4, by `h.mul_(2)`, after lines 2 and 3 kept it for backward."
    )
    assert finding.cause == (
        "changed  line 4  h.mul_(2)         (2,) float32",
        "needed   line 2  torch.sigmoid(x)  SigmoidBackward0 kept its result",
        "needed   line 3  h ** 2            PowBackward0 kept its input",
        '"output 0 of Mul", in torch\'s words, is the change itself, not who needed it',
    )
    assert [(fix.text, fix.passed) for fix in finding.fix] == [
        ("line 4:  h = h.mul(2)", True),
        ("line 4 moved behind line 5, the backward, z.sum() + h.sum() is then 2.922, not 4.534", True),
    ]


def test_a_state_that_leads_back_into_the_round_before_is_named(program):
    (finding,) = failure_of(program(ROUNDS))
    assert finding.name == "recurrent-state-not-detached"
    assert finding.sentence == (
        "The backward of the round before freed its graph, and `h` leads back into it: "
        "it cannot be gone through again."
    )
    assert finding.fix[0].program == ROUNDS.replace("    h = torch", "    h = h.detach()\n    h = torch", 1)


def test_repairs_are_run_on_bindings_as_they_were(program):
    from torch import tensor

    source = "x.data.fill_(7.)\nif x.sum() > 10:\n    y = x * 2\ny.backward()"
    (finding,) = failure_of(program(source, x=tensor([3.0, 4.0])))
    assert [fix.passed for fix in finding.fix] == [True, True, True]


def test_a_repair_that_takes_long_is_offered_and_not_run(program):
    source = ADDED + "for i in range(100_001):\n    pass\n"
    (finding,) = inspect_program(program(source))
    assert [(fix.ran, fix.passed) for fix in finding.fix] == [(False, None)]


def test_a_repair_is_written_under_the_imports_that_there_are(why_it_failed):
    (finding,) = why_it_failed("import torch\nx = torch.tensor([1, 2], requires_grad=True)")
    assert finding.fix[0].program.endswith("requires_grad=True, dtype=torch.float32)")
    start = "import torch as t\nx = t.ones(2, requires_grad=True)\n"
    (finding,) = why_it_failed(start + "(x * 2).backward()")
    assert finding.fix[-1].program == start + "(x * 2).backward(gradient=t.ones_like(x * 2))"
    (finding,) = why_it_failed(start + "x.mul_(2)")
    assert finding.fix[0].program == start + "with t.no_grad():\n    x.mul_(2)"
    assert all(fix.passed for fix in finding.fix)


def test_an_element_of_a_leaf_is_written_into_the_leaf_itself(why_it_failed):
    start = "x = torch.ones(2, requires_grad=True)\n"
    (finding,) = why_it_failed(start + "x[0] = 1.0")
    assert (finding.name, "view" in finding.sentence) == ("leaf-inplace", False)
    (finding,) = why_it_failed(start + "v = x[0:1]\nv[0] = 1.0")
    assert finding.name == "leaf-view-inplace"


def test_the_node_that_two_backwards_share_is_the_one_that_was_freed(why_it_failed):
    start = "x = torch.tensor(2.0, requires_grad=True)\n"
    lines = "h = x**2\nloss1 = h * 3\nloss2 = h + 1\nloss1.backward()\nloss2.backward()"
    (finding,) = why_it_failed(start + lines)
    assert finding.code == "AGX411"
    assert finding.cause == ("both go through `h` of line 2, by PowBackward0",)


def test_what_underflows_is_told_by_its_place_and_a_scale_that_was_tried():
    text = "x = torch.tensor([3.0, 5.0], dtype=torch.float16, requires_grad=True)\n"
    report = explore(Source(text + "y = (x * 1e4 * 1e-4 * 1e-4).sum()\ny.backward()\n"), [])
    (finding,) = report.findings
    assert finding.name == "gradient-underflow"
    least = "float16 holds nothing between 0 and 6e-08"
    assert finding.cause == (
        f"lost at `x * 1e4 * 1e-4`: 0.0001 arrives, 1e-08 leaves (float64); {least}: 2 of 2 became 0",
        "the loss scaled  ×2^1: 2 are 0  ×2^2: none is 0, 49 % off  ×2^8: 0.14 % off  ×2^16: not finite",
        "so scale by 2^8 to 2^15",
    )
    assert finding.fix[0].text.startswith("scale the loss by 256 before backward (tried: no element is 0)")


def test_a_softmax_is_flat_only_where_it_has_decided():
    text = "a = torch.tensor([0.0, {}], requires_grad=True)\ntorch.softmax(a, 0).{}.backward()\n"
    (summed,) = explore(Source(text.format("1.0", "sum()")), []).findings
    assert (summed.name, "sum to 1 whatever it is given" in summed.sentence) == ("constant-sum", True)
    (decided,) = explore(Source(text.format("900.0", "square().sum()")), []).findings
    assert (decided.name, "is flat there" in decided.sentence) == ("saturated-activation", True)


def test_a_training_that_ran_away_is_told_by_its_rounds():
    lines = ["w = torch.tensor(1.0, requires_grad=True)", "for i in range(120):", "    loss = (w * 3) ** 2"]
    lines += [
        "    loss.backward()",
        "    with torch.no_grad():",
        "        w -= 0.2 * w.grad",
        "    w.grad = None",
    ]
    (finding,) = explore(Source("\n".join(lines)), []).findings
    assert finding.cause[-1] == (
        "`loss` is 9 in round 1, 60.84 in round 2, 411.3 in round 3, …, inf in round 47; "
        "`w` is no number from round 92 on"
    )
    assert finding.fix[0].text == "line 6:  w -= 0.02 * w.grad, `loss` then falls to 0"
    slow = "\n".join(lines).replace("0.2", "0.02")
    assert explore(Source(slow), []).findings == ()


def test_operands_are_called_by_the_names_that_stand_there():
    lines = ["def forward(inp):", "    return inp @ w", "w = torch.zeros(2, 1, requires_grad=True)"]
    lines += ["pred = forward(torch.ones(6, 2))", "t = torch.ones(3).repeat(2)"]
    lines += ["((pred - t) ** 2).mean().backward()"]
    (finding,) = explore(Source("\n".join(lines)), []).findings
    assert finding.sentence.startswith("`pred` (6,1) with `t` (6,) gives (6,6): ")
    assert finding.fix[0].program.endswith("((pred - t[:, None]) ** 2).mean().backward()")


def test_the_line_that_takes_a_leafs_name_away_is_told(why_it_failed):
    lines = ["w = torch.tensor(1.0, requires_grad=True)", "(w**2).backward()", "w = w - 0.1 * w.grad"]
    (finding,) = why_it_failed("\n".join([*lines, "w.grad.zero_()"]))
    assert finding.sentence == (
        "`w.grad` is None on line 4: line 3 gives the name `w` to a computed tensor, and backward fills the "
        ".grad of the leaf, that of line 1, which has no name any more."
    )
    assert finding.fix[0].text == "line 3:  with torch.no_grad(): w -= 0.1 * w.grad"
    (finding,) = why_it_failed("\n".join([lines[0], "v = w * 2", "v.backward()", "v.grad.zero_()"]))
    assert finding.name == "grad-is-none"


def test_a_sum_that_a_comment_has_wrong_is_spelt_out(program):
    start = "x = torch.tensor(2.0, requires_grad=True)\n(x**2).backward()\n"
    (finding,) = inspect_program(program(start + "(x**3).backward()\nprint(x.grad)  # tensor(31.)"))
    assert finding.cause[0].startswith("`x.grad` is 4 + 12 = 16: line 2 added 4, line 3 added 12; ")
    (finding,) = inspect_program(program(start + "print(x.grad)  # tensor(5.)"))
    assert finding.cause == ()
    cleared = "x.grad = None\n(x**3).backward()\nprint(x.grad)  # tensor(16.)"
    (finding,) = inspect_program(program(start + cleared))
    assert finding.cause == ()


def test_kept_losses_that_are_read_are_said_to_be_read_for_their_numbers(program):
    lines = ["w = torch.ones((), requires_grad=True)", "kept = []", "for i in range(3):"]
    lines += ["    w.grad = None", "    loss = w * i", "    loss.backward()", "    kept.append(loss)"]
    (finding,) = inspect_program(program("\n".join([*lines, "print(len(kept))"])))
    assert finding.sentence.endswith("and no backward goes through those graphs again.")
    (finding,) = inspect_program(program("\n".join([*lines, "print(sum(kept) / len(kept))"])))
    assert finding.sentence.endswith("again; line 8 reads the numbers alone.")


def test_a_bias_is_made_as_long_as_there_are_outputs(why_it_failed):
    lines = "w = torch.randn(5, 3)\nb = torch.randn(4)\nF.linear(torch.randn(2, 3), w, {})"
    (finding,) = why_it_failed(lines.format("b"))
    assert finding.fix[0].text == "line 2:  b = torch.randn(5), `b` with 5 numbers"
    (finding,) = why_it_failed(lines.format("b * 2"))
    assert finding.fix[0].text == "line 1:  w = torch.randn(4, 3), `w` made with 4 for 5"
    assert finding.fix[-1].text == "make `b * 2` with 5 numbers, one for each output"
