from dataclasses import replace

import torch

from autograd_cli.diagnose.inspections import inspect
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Gradient, Verdict, Witness
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import LiveStep, Run

GRADIENT = Gradient(
    "x", (2,), "2*x", "", "", (2.0, 4.0), (2.0, 4.0), (2.0, 4.0), 1e-9, 0.0, 1e-6, (1,), Verdict.OK
)


def said(*gradients):
    program = parse(Source("ones(2)"))
    step = LiveStep(0, program.body, "call", torch.tensor(1.0))
    return inspect(Run(program, (), [step], 0, None, Settings()), None, gradients)


def test_agreement_is_silent():
    assert said(GRADIENT) == ()


def test_the_odd_one_out_is_named_with_the_place():
    (finding,) = said(
        replace(
            GRADIENT, verdict=Verdict.WRONG, odd=Witness.AUTOGRAD, sentence="0.1 off; rounding allows 1e-6"
        )
    )
    assert (finding.code, finding.name, finding.severity) == ("AGX501", "witnesses-disagree", "error")
    assert (
        finding.sentence == "The gradient of `x`: autograd is the odd one out of the three witnesses at [1]."
    )
    assert finding.cause == ("0.1 off; rounding allows 1e-6",)


def test_of_two_witnesses_there_is_no_odd_one_out():
    (finding,) = said(
        replace(GRADIENT, verdict=Verdict.WRONG, odd=Witness.AUTOGRAD, symbolic=None, formula=None)
    )
    assert finding.sentence == "The gradient of `x`: autograd is not what the other witness gives at [1]."


def test_one_element_needs_no_place():
    (finding,) = said(replace(GRADIENT, shape=(1,), worst=(0,), verdict=Verdict.WRONG, odd=Witness.AUTOGRAD))
    assert finding.sentence.endswith(" of the three witnesses.")


def test_no_odd_one_is_said_as_it_is():
    (finding,) = said(replace(GRADIENT, verdict=Verdict.WRONG, worst=()))
    assert finding.sentence == "The witnesses of the gradient of `x` do not agree."


def test_kinks_are_one_note_with_their_count():
    (finding,) = said(
        replace(GRADIENT, verdict=Verdict.KINK, kinks=2, sentence="the slope is 0 to the left"),
        replace(GRADIENT, name="y", kinks=1),
    )
    assert (finding.code, finding.severity) == ("AGX503", "note")
    assert finding.sentence == (
        "3 elements of `x` and `y` stand exactly at a kink: the slopes on its two sides differ, and autograd "
        "gives one value between or beside them."
    )
    assert finding.cause == ("x: the slope is 0 to the left",)


def test_too_few_digits_are_a_note():
    (finding,) = said(replace(GRADIENT, verdict=Verdict.PRECISION, sentence="3e-3 off"))
    assert (finding.code, finding.severity) == ("AGX504", "note")
    assert finding.sentence == (
        "float32 does not hold the gradient of `x` as float64 does, where the references agree."
    )
