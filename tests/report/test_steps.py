"""What a step was computed from."""

from autograd_cli.lang.nodes import Constant
from autograd_cli.report import Ref, Step, below, refs, under


def step(place: int, *args: object, **kwargs: object) -> Step:
    return Step(place, Constant(None), "call", args=args, kwargs=tuple(kwargs.items()))


def test_refs_are_found_in_every_kind_of_argument() -> None:
    given = (Ref(0), [1, Ref(1), (Ref(2),)], {"x": Ref(3)}, slice(Ref(4), None, Ref(5)), "text", 2.0)
    assert [ref.index for ref in refs(given)] == [0, 1, 2, 3, 4, 5]


def test_below_a_step_are_its_arguments_in_order_with_repeats() -> None:
    assert list(below(step(3, Ref(2), Ref(0), Ref(2), weight=Ref(1)))) == [2, 0, 2, 1]


def test_under_a_step_is_what_it_was_computed_from_and_nothing_else() -> None:
    steps = [
        step(0),
        step(1),
        step(2, Ref(0)),
        step(3, Ref(1)),
        step(4, Ref(2), index=(slice(Ref(0)),)),
        step(5, Ref(4)),
    ]
    assert under(steps, 4) == [0, 2, 4]
    assert under(steps, 3) == [1, 3]


def test_a_long_chain_needs_no_stack() -> None:
    steps = [step(0), *(step(i, Ref(i - 1)) for i in range(1, 5000))]
    assert under(steps, 4999) == list(range(5000))
