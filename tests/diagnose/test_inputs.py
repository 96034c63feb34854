from dataclasses import replace

import torch

from autograd_cli.diagnose import inputs
from autograd_cli.diagnose.scene import Scene
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Run

X = BoundValue("x", "2", torch.tensor(2.0), "leaf")


def scene(*bindings):
    return Scene(Run(parse(Source("x**2")), bindings, [], None, None, Settings()), None, ())


def test_whole_numbers_made_floating_are_said_once_with_all_names():
    converted = replace(X, converted=True)
    (finding,) = inputs.made_floating(scene(converted, replace(converted, name="y"), X))
    assert (finding.code, finding.severity) == ("AGX209", "note")
    assert finding.sentence == (
        "`x` and `y`, ints, are made float32, since only floating values have a gradient; "
        "--const x,y keeps them."
    )


def test_floating_bindings_are_silent():
    assert list(inputs.made_floating(scene(X))) == []


def test_a_binding_that_is_not_used_is_a_warning():
    (finding,) = inputs.unused(scene(X, replace(X, name="w", used=False)))
    assert (finding.code, finding.severity) == ("AGX204", "warning")
    assert finding.sentence == "`w` is bound and not used in `x**2`."


def test_used_bindings_are_silent():
    assert list(inputs.unused(scene(X))) == []


def test_the_constant_e_is_pointed_out_once(made):
    (finding,) = inputs.euler(Scene(made("e*x + e", x="2."), None, ()))
    assert (finding.code, finding.severity) == ("AGX111", "note")
    assert finding.sentence == "`e` is the constant 2.718282; --e 2 makes it a name of your own."


def test_a_binding_called_e_is_no_constant(made):
    assert not list(inputs.euler(Scene(made("e*x + exp(x)", x="2.", e="3."), None, ())))
