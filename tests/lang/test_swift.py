"""Frozen dataclasses that are made in one step are what dataclasses makes of them."""

import inspect
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from autograd_cli.lang.swift import swift


@dataclass(frozen=True)
class Plain:
    first: int
    put: str = "p"
    missing: list[int] = field(default_factory=list)
    aside: int = field(default=1, kw_only=True)


@swift
@dataclass(frozen=True)
class Swift:
    first: int
    put: str = "p"
    missing: list[int] = field(default_factory=list)
    aside: int = field(default=1, kw_only=True)


@pytest.mark.parametrize(
    ("args", "named"), [((1,), {}), ((1, "q", [2]), {"aside": 3}), ((), {"first": 0, "missing": [5]})]
)
def test_the_fields_are_the_same(args, named):
    assert vars(Swift(*args, **named)) == vars(Plain(*args, **named))


def test_each_has_a_default_of_its_own():
    assert Swift(1).missing is not Swift(1).missing


@pytest.mark.parametrize(("args", "named"), [((), {}), ((1, "q", [], 4), {}), ((1,), {"other": 2})])
def test_what_is_no_field_is_refused(args, named):
    for kind in (Plain, Swift):
        with pytest.raises(TypeError):
            kind(*args, **named)


def test_it_stays_frozen_and_can_be_replaced():
    made = Swift(1)
    with pytest.raises(FrozenInstanceError):
        made.first = 2
    assert replace(made, put="r") == Swift(1, "r")
    assert hash(replace(Swift(1), missing=())) == hash(Swift(1, missing=()))


def test_the_parameters_are_those_of_the_dataclass():
    assert list(inspect.signature(Swift).parameters) == list(inspect.signature(Plain).parameters)
