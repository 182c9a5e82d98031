"""Rows near the ends of what floats hold: learned from as they should be, or refused before they change anything."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.catalogue import LEARNERS, learner_class
from regretless.errors import RegretlessError
from regretless.linear import (
    AROW,
    KernelPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    SecondOrderPerceptron,
)
from regretless.linear.ogd import LOSSES, SCHEDULES
from regretless.textbook.linear import gradient_descent

SIZES = (1e-160, 1e-155, 1e-150, 1e-75, 1.0, 1e75, 1e77, 1e100, 1e150)


@pytest.mark.parametrize("radius", [None, 1.0])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_row_is_learned_from_like_the_textbook_or_refused(loss, schedule, radius):
    """Whatever the size of the rows, after each of them all numbers are finite, what was learned is the textbook's, and
    a row that is refused has changed nothing; the rounds that were played are certified as such."""
    random = np.random.default_rng(0)
    rows, y = random.normal(size=(12, 3)), np.tile([1, -1], 6)
    for size in SIZES:
        X = rows * size
        learner = OnlineGradientDescent(loss=loss, schedule=schedule, rate=1.0, radius=radius)
        learner.announce(np.array([-1, 1]), 3)
        played = 0
        for k in range(len(y)):
            before = {name: array.copy() for name, array in learner.state_.tensors().items()}
            try:
                learner.partial_fit(X[k : k + 1], y[k : k + 1])
            except RegretlessError:
                after = learner.state_.tensors()
                assert all(np.array_equal(before[name], after[name]) for name in before)
                break
            played += 1
            assert all(np.isfinite(array).all() for array in learner.state_.tensors().values())
            assert np.isfinite(learner.decision_function(X)).all()
        if played and size**2 > 1e-290:
            w, _, _ = gradient_descent(X[:played], y[:played], loss, schedule, 1.0, radius or np.inf)
            np.testing.assert_allclose(learner.coef_[0], w, rtol=1e-6)
        if played and size in (1e-150, 1e77, 1e100):
            certificates = learner.certify(X[:played], y[:played], svm=False)
            assert not any("learned from others" in (one.why or "") or one.violated for one in certificates)


UNIT = np.random.default_rng(0).normal(size=(20, 3))
SIDES = np.where(UNIT[:, 0] > -0.3, 1, -1)


@pytest.mark.parametrize("targets", [2, 3])
@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e-170, 1e-163])
@pytest.mark.parametrize(
    "learner",
    [PassiveAggressive(), PassiveAggressive(variant="PA"), OnlineGradientDescent(), OnlineGradientDescent(radius=1.0)],
    ids=str,
)
def test_rows_whose_squares_vanish_are_refused_where_they_would_teach_nothing(learner, size, targets):
    """A rate that asks for the length of a row refuses one that is not zeros though its square is; zeros are played."""
    y = SIDES if targets == 2 else np.arange(20) % 3
    with pytest.raises(RegretlessError, match=r"Row 0 is so short .*scale the columns"):
        type(learner)(**learner.get_params()).fit(size * UNIT, y)
    zeros = type(learner)(**learner.get_params()).fit(np.zeros((20, 3)), y)
    assert not zeros.coef_.any()


def test_a_rate_that_is_lost_beside_the_rows_is_refused():
    """A rate of 1e-160 over rows of 1e100, and over their gradients, is 0: nothing would be learned in silence."""
    with pytest.raises(RegretlessError, match="Row 0 is so long"):
        OnlineGradientDescent(rate=1e-160).fit(1e100 * UNIT, SIDES)


PARAMETERS = [
    ("perceptron", "rate"),
    ("passive-aggressive", "C"),
    ("online-gradient-descent", "rate"),
    ("online-gradient-descent", "radius"),
    ("winnow", "rate"),
    ("winnow", "radius"),
    ("p-norm-perceptron", "rate"),
    ("second-order-perceptron", "a"),
    ("arow", "r"),
    ("multiclass-perceptron", "rate"),
    *((name, "intercept") for name in LEARNERS),
]


# Of sizes and values the pairs whose products, or products of squares, leave the floats, stay inside, or cancel.
EXTREMES = [(1.0, 5e-324), (1.0, 1e-300), (1.0, 1e-160), (1.0, 1e160), (1.0, 1e300), (1.0, 1.7e308)]
EXTREMES += [(1e-100, 5e-324), (1e-100, 1e-160), (1e-100, 1e160), (1e-100, 1.7e308)]
EXTREMES += [(1e100, 5e-324), (1e100, 1e-160), (1e100, 1e160), (1e100, 1.7e308)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("size", "value"), EXTREMES)
@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_no_parameter_leads_beyond_floats(name, parameter, value, size):
    """Parameters of any size are refused, or give finite states, finite scores, and certificates that hold."""
    try:
        learner = learner_class(name)(**{parameter: value}).fit(size * UNIT, SIDES)
    except RegretlessError:
        return
    assert all(np.isfinite(array).all() for array in learner.state_.tensors().values())
    assert np.isfinite(learner.decision_function(size * UNIT)).all()
    for one in learner.certify(size * UNIT, SIDES):
        assert not one.violated, str(one)
        assert one.why or np.isfinite([one.bound, one.observed]).all(), str(one)


@pytest.mark.parametrize(("kind", "name"), [(AROW, "r"), (SecondOrderPerceptron, "a")])
@pytest.mark.parametrize("value", [5e-324, 1e-291, 1e291])
def test_a_matrix_that_has_no_inverse_is_no_prior(kind, name, value):
    """What a matrix starts with must have an inverse, and what is divided by it as well."""
    with pytest.raises(RegretlessError, match=f"{name}=.* must lie between 1e-290 and 1e\\+290"):
        kind(**{name: value}).fit(UNIT, SIDES)


@pytest.mark.parametrize("size", [1e-160, 1e-200])
def test_a_kernel_whose_scale_is_no_float_is_refused(size):
    """Where one over the variance is infinite, or the variance itself is lost, no gamma is made up."""
    with pytest.raises(RegretlessError, match="the inverse of their variance is no float"):
        KernelPerceptron().fit(size * UNIT, SIDES)
    assert np.isfinite(KernelPerceptron(gamma=1.0).fit(size * UNIT, SIDES).decision_function(size * UNIT)).all()
