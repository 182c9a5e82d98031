"""Rows near the ends of what floats hold: learned from as they should be, or refused before they change anything."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.errors import RegretlessError
from regretless.linear import OnlineGradientDescent
from regretless.linear.ogd import LOSSES, SCHEDULES
from regretless.textbook.gradient_descent import gradient_descent

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
            found = learner.certify(X[:played], y[:played], svm=False)
            assert not any("learned from others" in (one.why or "") or one.violated for one in found)
