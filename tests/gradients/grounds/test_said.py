"""What is said where there is no verdict, and of a cut that is gone through."""

from autograd_cli.report import Verdict, Witness


def test_meta_tensors_have_nothing_to_check_by(checked):
    report = checked("sin(x**2)", {"x": "2."}, device="meta")
    (found,) = report.gradients
    assert (found.verdict, report.status) == (None, 1)
    assert found.sentence == "meta tensors have no values"
    assert found.grounds.next == "agx gradcheck … --device cpu   has values to check the gradient by"


def test_references_alone_check_nothing(checked):
    given = frozenset({Witness.SYMBOLIC, Witness.NUMERIC})
    (found,) = checked("sin(x**2)", {"x": "2."}, witnesses=given).gradients
    assert found.verdict is None
    assert found.sentence == (
        "autograd was not asked (--witness): there is nothing to hold against the references"
    )
    assert found.grounds.next == "agx gradcheck … --witness autograd,symbolic,numeric"


def test_a_witness_beside_autograd_is_enough(checked):
    given = frozenset({Witness.AUTOGRAD, Witness.SYMBOLIC})
    (found,) = checked("sin(x**2)", {"x": "2."}, witnesses=given).gradients
    assert (found.verdict, found.grounds.next) == (Verdict.OK, "")


def test_a_cut_that_the_numeric_witness_goes_through_is_not_said_to_hold_it(checked):
    for source in ("int(x)*x", "x.detach()*x"):
        for through, said in ((True, "was asked to go through it."), (False, "and the numeric witness.")):
            report = checked(source, {"x": "2.5"}, through_detach=through)
            (finding,) = [one for one in report.findings if one.code == "AGX408"]
            assert finding.sentence.endswith(said)
