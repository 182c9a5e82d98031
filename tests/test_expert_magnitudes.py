"""Sure bounds of the combiners on numbers of every size that floats have."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.experts import AggregatingAlgorithm, Ridge
from regretless.experts.registry import EXPERT_LEARNERS, expert_class

LOSSES = ("square", "absolute", "pinball", None)
NAMES = tuple(name for name in EXPERT_LEARNERS if "majority" not in name)


def made(name: str, loss: str | None, size: float) -> Any:
    """A learner of that name with what it asks for; the declared range, where one is needed, is ten times the size."""
    if name == "aggregating":
        return expert_class(name)(value_range=(-10 * size, 10 * size))
    return expert_class(name)() if name == "ridge" else expert_class(name)(loss=loss)


@st.composite
def tables(draw: Any) -> tuple[np.ndarray, np.ndarray]:
    """Forecasts and outcomes of one size or of many, level or around a level, alike or not."""
    rounds, experts = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = 10.0 ** draw(st.integers(-150, 150))
    apart = draw(st.sampled_from([1.0, 1e-3, 1e-9, 1e-15, 0.0]))
    level = draw(st.sampled_from([0.0, 1.0]))
    table = level + apart * random.normal(size=(rounds, experts + 1))
    if draw(st.booleans()):
        table *= 10.0 ** random.integers(-12, 1, size=table.shape)
    if draw(st.booleans()):
        table[:, :experts] = np.round(table[:, :experts])
    return size * table[:, :experts], size * table[:, experts]


def no_sure_bound_breaks(learner: Any, advice: Any, outcomes: Any, loss: str | None) -> None:
    known = None if loss is None else outcomes
    try:
        learner.play(advice, known)
    except RegretlessError:
        return
    for one in [*learner.certify(), *learner.certify(advice, known)]:
        assert not one.violated, str(one)
        assert "inf" not in str(one).split("[")[0], str(one)


@pytest.mark.parametrize("name", NAMES)
@given(table=tables(), loss=st.sampled_from(LOSSES))
def test_no_size_breaks_a_sure_bound(name, table, loss):
    """From 1e-150 to 1e150 no table makes a combiner exceed a sure bound, and no bound is infinite."""
    advice, outcomes = table
    if name in ("aggregating", "ridge"):
        loss = "square"
    size = max(float(np.abs(advice).max()), float(np.abs(outcomes).max()), 1e-300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        no_sure_bound_breaks(made(name, loss, size), advice, outcomes, loss)


FOUND = [
    ("hedge", "square", [[1e34, 1e34, 1e34]], [1e34]),  # the mean of equal forecasts is one unit of rounding off
    ("ml-poly", "square", [[1000000.00012573]], [999999.9998679]),  # weights of 1 - 2.6e-10 were a convex combination
    ("boa", "square", [[1000000.00012573]], [999999.9998679]),
    ("squint", "square", [[1.0, 1.0]], [1.0]),  # linear weights without a divergence made a bound of inf
    ("eg", "square", [[1.0, 1.0]], [1.0]),
    ("eg", "square", [[1.25730221e77, -1.32104863e77]], [6.4042265e77]),  # squared spreads are beyond floats
    ("ridge", "square", [[1.25730221e77]], [-1.32104863e77]),  # what a round adds is beyond floats
    ("ridge", "square", [[1e15, 1e15], [3e15, 3e15], [1e15, 1e15]], [2e15, 0.0, 1e15]),  # the ridge is below rounding
]


@pytest.mark.parametrize(("name", "loss", "advice", "outcomes"), FOUND)
def test_tables_that_broke_a_bound_break_none(name, loss, advice, outcomes):
    """What the search found once stays found: no line is exceeded, none is infinite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        no_sure_bound_breaks(made(name, loss, 1e34), np.array(advice), np.array(outcomes), loss)


def test_ridge_says_where_floats_do_not_carry_it():
    """Forecasts of 1e15 drown a ridge of 1: both bounds say so. Of 5e4 they hold, at an allowance nobody sees."""
    advice, outcomes = np.array([[1e15, 1e15], [3e15, 3e15], [1e15, 1e15]]), np.array([2e15, 0.0, 1e15])
    drowned = Ridge()
    drowned.play(advice, outcomes)
    for one in drowned.certify(advice, outcomes):
        assert "its numbers are too large or too small for floats" in str(one)
    generator = np.random.default_rng(0)
    loads = 5e4 + 1e4 * generator.normal(size=300)
    forecasts = loads[:, None] + 2e3 * generator.normal(size=(300, 5))
    usual = Ridge()
    usual.play(forecasts, loads)
    posterior, determinant = usual.certify(forecasts, loads)
    assert posterior.applies
    assert determinant.applies
    assert posterior.observed <= posterior.bound <= posterior.observed + 1e-6 * usual.ledger_.loss
    assert usual.standing().missed < 1e-9 * usual.ledger_.loss


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 5),
    st.sampled_from([1e-8, 1.0, 1e8]),
    st.floats(-3, 16),
    st.sampled_from([1.0, 1e-4, 1e-9, 0.0]),
    st.sampled_from(["average", "zero"]),
)
def test_ridge_allows_for_the_rounding_of_forecasts_that_are_nearly_parallel(seed, n, a, size, apart, around):
    """However large against the ridge, and however alike, forecasts never lift the regret above a bound."""
    generator = np.random.default_rng(seed)
    outcomes = 10**size * (1 + 0.2 * generator.normal(size=40))
    advice = outcomes[:, None] * (1 + 0.1 * generator.normal(size=(40, 1)) + apart * generator.normal(size=(40, n)))
    learner = Ridge(a=a, around=around)
    learner.play(advice, outcomes)
    for one in learner.certify(advice, outcomes):
        assert not one.violated, str(one)


@pytest.mark.parametrize("width", [1e-170, 1e170])
def test_a_range_without_a_rate_is_refused(width):
    """A range so narrow or wide that 2 / width^2 is no float is refused in words."""
    with pytest.raises(RegretlessError, match="floats hold no rate"):
        AggregatingAlgorithm(value_range=(0, width)).play([[0.0, width]], [0.0])


@pytest.mark.parametrize("name", ["aggregating", "ml-poly", "eg"])
def test_an_expert_that_was_certain_and_wrong_leaves_the_allowance_small(name):
    """An infinite loss of one expert makes no certificate allow for any rounding whatever."""
    advice, outcomes = np.array([[0.0, 0.6, 0.7], [0.5, 0.6, 0.7]] * 5), np.ones(10)
    learner = expert_class(name)(loss="log")
    learner.play(advice, outcomes)
    applied = [one for one in learner.certify(advice, outcomes) if one.applies]
    assert applied
    for one in applied:
        assert one.rounding < 1e-6
        assert one.holds
