"""Constructors of linear learners, made from their parameters."""

from __future__ import annotations

from dataclasses import field, is_dataclass
from inspect import Parameter, signature

import pytest

from regretless.catalogue import LEARNERS, learner_class
from regretless.linear import OnlineGradientDescent, Perceptron, Winnow
from regretless.rows.estimator import with_constructor

SHARED = ["passes", "until_clean", "max_passes", "shuffle", "random_state", "class_weight", "warm_start"]


@pytest.mark.parametrize("name", LEARNERS)
def test_the_shared_parameters_come_last_in_one_order(name):
    """Every constructor ends with the parameters that all learners share, and each is kept under its own name."""
    learner = learner_class(name)
    known = signature(learner).parameters
    shared = [one for one in SHARED if one in known]
    assert list(known)[-len(shared) :] == shared
    assert set(SHARED) - set(shared) == ({"until_clean", "max_passes"} if learner is OnlineGradientDescent else set())
    assert vars(learner()) == {one: parameter.default for one, parameter in known.items()}


@pytest.mark.parametrize("name", LEARNERS)
def test_no_learner_is_a_dataclass(name):
    """To Dask a dataclass is its fields, so that learners of equal parameters would be one, whatever they learned."""
    assert not is_dataclass(learner_class(name))


def test_only_the_first_parameter_of_some_may_be_given_by_place():
    """The rate of Winnow may stand first without its name; the perceptron takes names alone."""
    kinds = [one.kind for one in signature(Winnow).parameters.values()]
    assert kinds[0] is Parameter.POSITIONAL_OR_KEYWORD
    assert {*kinds[1:], *(one.kind for one in signature(Perceptron).parameters.values())} == {Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError, match=r"Perceptron\.__init__\(\) takes 1 positional argument"):
        Perceptron(0.5)


def test_a_constructor_can_be_made_for_a_learner_of_ones_own():
    """Its own parameters come first, a default of its own replaces the other, and what is left out is no parameter."""

    @with_constructor
    class Own(Perceptron):
        slack: float = 0.5
        rate: float = 2.0
        warm_start: bool = field(default=False, init=False)
        noted_: list[int] = field(init=False)

    names = list(signature(Own).parameters)
    assert names == ["slack", *(name for name in signature(Perceptron).parameters if name != "warm_start")]
    assert (repr(Own(slack=1.0)), Own().get_params()["rate"], Own().warm_start) == ("Own(slack=1.0)", 2.0, False)
    assert not hasattr(Own(), "noted_")


def test_a_subclass_may_have_a_constructor_of_its_own():
    """Without the decorator an annotated value is no parameter, and a constructor that is written stays."""

    class Plain(Perceptron):
        note: str = ""

    class Written(Perceptron):
        def __init__(self, *, speed: float = 3.0) -> None:
            super().__init__(rate=speed)
            self.speed = speed

    assert signature(Plain) == signature(Perceptron)
    assert (Written().get_params(), Written().rate) == ({"speed": 3.0}, 3.0)
