"""Gradients without a verdict: why there is none, and what would give one."""

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
