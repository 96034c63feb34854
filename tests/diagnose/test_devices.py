from torch import ones, tensor


def test_both_operands_are_named_with_their_device_and_a_move(why, works):
    values = {"x": ones(3), "y": ones(3, device="meta")}
    finding = why("(x + y).sum()", **values)
    assert (finding.code, finding.name) == ("AGX303", "device-mismatch-input-not-moved")
    assert (
        finding.sentence == "`x` is on cpu and `y` is on meta: one call needs all its tensors on one device."
    )
    assert finding.cause == ("x  (3,)  cpu", "y  (3,)  meta")
    assert finding.fix[0].program == "(x.to(y.device) + y).sum()"
    works(finding, **values)


def test_calls_for_which_torch_says_nothing_are_found(why):
    meta = ones(3, 3, device="meta")
    for source in ("x @ y", "F.linear(x, y)", "cat([x, y])", "x[y.long()]"):
        assert why(source, x=ones(3, 3), y=meta).code == "AGX303"


def test_what_agx_says_is_not_quoted_as_torchs_words(why):
    assert why("x + y", x=ones(3), y=ones(3, device="meta")).torch == ""


def test_a_single_number_on_the_cpu_goes_anywhere(said):
    findings = said("(x * y).sum()", x=tensor(2.0), y=ones(3, device="meta"))
    assert "AGX303" not in {finding.code for finding in findings}
