import pytest
import torch
from torch import ones, tensor


def test_both_operands_are_named_with_their_device_and_a_move(why, works):
    values = {"x": ones(3), "y": ones(3, device="meta")}
    finding = why("(x + y).sum()", **values)
    assert (finding.code, finding.name) == ("AGX303", "device-mismatch-input-not-moved")
    assert (
        finding.sentence == "`x` is on cpu and `y` is on meta: one call needs all its tensors on one device."
    )
    assert finding.cause == ("x  (3,)  cpu", "y  (3,)  meta", "         ^^^^")
    assert finding.evidence["operands"] == [
        {"text": "x", "shape": (3,), "dtype": "float32", "device": "cpu"},
        {"text": "y", "shape": (3,), "dtype": "float32", "device": "meta"},
    ]
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


@pytest.mark.skipif(torch.cuda.is_available(), reason="asks for a device that is not there")
@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ('ones(2, device="cuda")', "ones(2, device={})"),
        ('ones(2).to("cuda")', "ones(2).to({})"),
        ("(ones(2) + 1).cuda()", "(ones(2) + 1).to({})"),
    ],
)
def test_a_device_that_is_not_there_is_named_with_the_reason(why_it_failed, line, mended):
    there = '"cuda" if torch.cuda.is_available() else "cpu"'
    for start in ("", "import torch\nfrom torch import ones\nx = "):
        (finding,) = why_it_failed(start + line)
        assert (finding.code, finding.name, finding.also) == ("AGX601", "device-not-usable", ())
        assert finding.sentence.startswith("The device `cuda` cannot be used here: ")
        (fix,) = finding.fix
        assert fix.program == start + mended.format(there)
        assert fix.passed
