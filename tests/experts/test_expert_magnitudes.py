"""Sure bounds of the combiners on numbers of every size that floats have."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.catalogue import EXPERT_LEARNERS, expert_class
from regretless.errors import RegretlessError
from regretless.experts import AggregatingAlgorithm, Hedge, Ridge

from ..catalogue import OWN_RATES

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
    """Forecasts of 1e15 drown a ridge of 1: both bounds say so, or nothing. Of 5e4 they hold, by a small allowance."""
    advice, outcomes = np.array([[1e15, 1e15], [3e15, 3e15], [1e15, 1e15]]), np.array([2e15, 0.0, 1e15])
    drowned = Ridge()
    drowned.play(advice, outcomes)
    for one in drowned.certify(advice, outcomes):
        assert one.holds
        assert one.vacuous or one.why == "its numbers are too large or too small for floats"
    generator = np.random.default_rng(0)
    loads = 5e4 + 1e4 * generator.normal(size=300)
    forecasts = loads[:, None] + 2e3 * generator.normal(size=(300, 5))
    usual = Ridge()
    usual.play(forecasts, loads)
    posterior, determinant = usual.certify(forecasts, loads)
    assert posterior.applies
    assert determinant.applies
    assert posterior.observed <= posterior.bound <= posterior.observed + 1e-6 * usual.ledger_.loss
    assert usual.facts().missed < 1e-9 * usual.ledger_.loss


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


# Any size at all, rows of one size or of many.

HOWS = ("table", "late", "one by one")
BLIND = (None, "wealth")


@st.composite
def rows_of_any_size(draw: Any) -> tuple[np.ndarray, np.ndarray]:
    """Forecasts and outcomes from the smallest floats to the largest, level, alike or not, some missing."""
    rounds, experts = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low = draw(st.integers(-323, 307))
    high = draw(st.integers(low, 308))
    shape = draw(st.sampled_from([(1, 1), (rounds, 1), (rounds, experts + 1)]))
    table = draw(st.sampled_from([random.random, random.standard_normal, np.ones]))((rounds, experts + 1))
    table = table * 10.0 ** random.integers(low, high + 1, size=shape).astype(np.float64)
    if draw(st.booleans()):
        table[:, :experts][random.random((rounds, experts)) < 0.2] = np.nan
    return np.clip(table[:, :experts], -1.7e308, 1.7e308), np.clip(np.nan_to_num(table[:, experts]), -1e308, 1e308)


def fed(learner: Any, advice: Any, outcomes: Any, loss: Any, how: str) -> None:
    """Play as many rows as can be played; a round that is refused changes nothing."""
    known = () if loss in BLIND else (outcomes,)
    if how != "one by one":
        with suppress(RegretlessError):
            learner.play(advice, *known, **({"arrivals": 3} if how == "late" else {}))
        return
    for row, outcome in zip(advice, outcomes, strict=True):
        with suppress(RegretlessError):
            ticket = learner.predict(~np.isnan(row) if loss is None else row)
            before = [array.tobytes() for array in learner._state.arrays().values()]
            try:
                learner.update(ticket, row if loss is None else None if loss == "wealth" else outcome)
            except RegretlessError:
                assert before == [array.tobytes() for array in learner._state.arrays().values()]
                learner.withdraw(ticket)


def all_is_finite(learner: Any) -> None:
    """But for rates, which may follow the leader, all that is kept is a number, and so is all that is printed."""
    if learner._state is None or not learner.rounds_:
        return
    arrays, ledger = learner._state.arrays(), learner.ledger_
    rest = [array for name, array in arrays.items() if name != "book"]
    numbers = [getattr(ledger, one.name) for one in fields(ledger) if one.name not in ("first_rate", "last_rate")]
    assert all(np.isfinite(one).all() for one in [*rest, *numbers])
    for one in learner.certify():
        assert not one.violated, str(one)
        assert one.why or np.isfinite([one.bound, one.observed, one.shown_bound]).all(), str(one)


@pytest.mark.parametrize("name", NAMES)
@given(
    table=rows_of_any_size(),
    loss=st.sampled_from(("square", "absolute", "pinball", "percentage", "wealth", None)),
    how=st.sampled_from(HOWS),
)
def test_no_number_leaves_the_floats(name, table, loss, how):
    """Whatever the size of the rows, a round is learned with finite books, or refused and leaves no trace."""
    advice, outcomes = table
    size = float(np.nanmax(np.abs(advice), initial=1e-300))
    if name in ("aggregating", "ridge"):
        loss = "square"
    if loss == "wealth":
        advice = np.abs(advice) + 5e-324
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            learner = made(name, loss, min(size, 1e140))
        except RegretlessError:
            return
        fed(learner, advice, outcomes, loss, how)
        all_is_finite(learner)


BEYOND = [
    ("square", [[1e154, 2e154]], [0.0]),
    ("square", [[1e73, 2e73]], [0.0]),
    ("absolute", [[2e145, 1.0]], [0.0]),
    ("absolute", [[1e146, 1e146]], [1e146]),
    (None, [[1e300, 0.0]], None),
    (None, [[1e291, 1e291]], None),
]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(("loss", "rows", "outcomes"), BEYOND)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("aggregating", "ridge")])
def test_a_round_whose_sums_would_leave_the_floats_is_refused(name, loss, rows, outcomes, how):
    """The error names the row and says what to do; the rounds before it are learned."""
    advice = np.array([[1.0, 2.0], *rows])
    learner = made(name, loss, 1.0)
    known = () if outcomes is None else (np.array([1.5, *outcomes]),)
    more = {"arrivals": 2} if how == "late" else {}
    if how == "one by one":
        fed(learner, advice[:1], np.array([1.5]), loss, how)
        before = [array.tobytes() for array in learner._state.arrays().values()]
        ticket = learner.predict() if loss is None else learner.predict(advice[-1])
        with pytest.raises(RegretlessError, match=r"row 1 .*too large for floats; scale the numbers down"):
            learner.update(ticket, advice[-1] if loss is None else float(known[0][-1]))
        assert before == [array.tobytes() for array in learner._state.arrays().values()]
        return
    with pytest.raises(RegretlessError, match=r"row 1 .*too large for floats; scale the numbers down"):
        learner.play(advice, *known, **more)
    assert learner.rounds_ == 1
    all_is_finite(learner)


@pytest.mark.parametrize("changes", [{"off": np.inf}, {"faced": np.inf}, {"faced": -np.inf}])
def test_no_certificate_prints_what_is_infinite(changes):
    """A regret, or an allowance for rounding, that is no number makes a theorem say so and not apply."""
    learner = expert_class("ml-poly")(loss="square")
    learner.play([[1.0, 2.0]] * 5, [1.5] * 5)
    best = replace(learner.comparators()[0], **changes)
    theorem = replace(learner.theorems[0], assumes=())
    certificates = theorem.certify(learner.ledger_, [best], learner.facts())
    assert certificates.why == "its numbers are too large or too small for floats"


@pytest.mark.parametrize("size", [1e-163, 1e-160, 1e-155, 1e-152])
def test_ml_poly_has_weights_where_squared_losses_vanish(size):
    """Losses whose squares are subnormal make neither a rate nor a weight infinite."""
    learner = expert_class("ml-poly")(loss=None)
    learner.play(size * np.random.default_rng(0).random((50, 3)))
    assert np.isfinite(learner.facts().rates).all()
    assert learner.weights.sum() == pytest.approx(1)
    assert np.isfinite(learner.ledger_.drag)


def test_ml_poly_bounds_its_regret_after_a_jump_of_any_size():
    """Losses of 1e-100 that become 1e60 leave a bound that is a number, as small as the later losses alone allow."""
    random = np.random.default_rng(0)
    table = np.vstack([1e-100 * random.random((20, 3)), 1e60 * random.random((20, 3))])
    learner = expert_class("ml-poly")(loss=None)
    learner.play(table)
    posterior = learner.certify()[0]
    assert posterior.holds
    assert posterior.observed <= posterior.bound < 1e62


@pytest.mark.parametrize("size", [1e-200, 1e-301])
def test_books_of_losses_below_any_scale_are_right(size):
    """ML-Prod and BOA learn nothing from losses of 1e-200, but know who lost what."""
    table = size * np.random.default_rng(0).random((30, 3))
    for name in ("ml-prod", "boa"):
        learner = expert_class(name)(loss=None)
        learner.play(table)
        np.testing.assert_allclose(learner.ledger_.losses, table.sum(0), rtol=1e-12)


def test_a_declared_range_whose_square_is_no_number_makes_no_rate_nan():
    """ML-Prod takes a range of 1e200 for none, as it refuses charges that differ as much."""
    learner = expert_class("ml-prod")(loss="absolute", value_range=(-1e200, 1e200))
    learner.play(np.ones((5, 3)), np.ones(5))
    all_is_finite(learner)


def test_the_plain_average_of_large_price_relatives_is_a_number():
    """Relatives of 1e308 whose sum is no float still have an average, and its regret breaks no bound."""
    learner = expert_class("eg")()
    relatives = 1e308 * np.random.default_rng(0).uniform(0.5, 1, (10, 3))
    learner.play(relatives)
    uniform = next(one for one in learner.comparators(relatives) if one.name == "uniform")
    assert uniform.loss == pytest.approx(-np.log((relatives / 3).sum(1)).sum())
    assert not any(one.violated for one in learner.certify(relatives))


@pytest.mark.parametrize("size", [1e-150, 1e-300])
def test_no_best_combination_is_sought_where_curvatures_are_no_floats(size):
    """Relatives of 1e-150 leave the other comparators, and no error of a solver."""
    learner = expert_class("eg")()
    relatives = size * np.random.default_rng(0).uniform(0.5, 1, (400, 3))
    learner.play(relatives)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        names = [one.name for one in learner.comparators(relatives)]
    assert "best_expert" in names


def test_percentages_are_of_forecasts_that_keep_their_digits():
    """Weights of 1e-128 times forecasts of 1e-205 vanish: the prediction is that of their shares all the same."""
    learner = expert_class("hedge")(loss="percentage", eta=1e257, prior=[1.0, 1e-128])
    outcomes = np.full(5, 1e-205)
    advice = np.column_stack([2 * outcomes, outcomes])
    played = learner.play(advice, outcomes)
    np.testing.assert_allclose(played.predictions[1:], 1e-205)
    assert not any(one.violated for one in learner.certify())


def test_percentages_of_next_to_nothing_are_refused():
    """An outcome of 1e-300 is as good as zero."""
    with pytest.raises(RegretlessError, match=r"row 0 .*outcome is zero, or as good as that"):
        expert_class("ewa")(loss="percentage").play([[1e-300, 2e-300]], [1e-300])


def test_the_aggregating_prediction_lies_among_the_forecasts():
    """In a range so wide that rounding is larger than the forecasts, what all say is predicted."""
    learner = AggregatingAlgorithm(value_range=(-1e66, 1e66))
    played = learner.play(np.full((10, 3), 1e40), np.full(10, 1e40))
    np.testing.assert_array_equal(played.predictions, 1e40)


def test_ml_poly_with_weights_that_vanish_promises_nothing():
    """A prior weight of 1e-249 over squared losses of 1e240 is no float: the bounds do not apply, and say so."""
    learner = expert_class("ml-poly")(loss=None, prior=[1.0, 1e-60, 1e-249])
    learner.play(1e120 * np.random.default_rng(0).random((10, 3)))
    assert "too large or too small for floats" in (learner.certify()[0].why or "")


@pytest.mark.parametrize("a", [1e-300, 1e-10, 1e300])
@pytest.mark.parametrize("size", [1e-160, 1.0, 1e100, 1e144])
def test_ridge_of_any_size_is_refused_or_finite(a, size):
    """Whatever the ridge and the forecasts, a round that would make its books infinite leaves no trace."""
    random = np.random.default_rng(0)
    learner = Ridge(a=a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        fed(learner, size * random.random((9, 3)), size * random.random(9), "square", "one by one")
        all_is_finite(learner)


@pytest.mark.parametrize("certain", [1e-7, 1e-9, 1e-12, 1e-15])
def test_forecasts_that_are_nearly_certain_and_wrong_break_no_bound(certain):
    """Where forecasts are within a few units of rounding of 1 and the outcome is 0, the mixed forecast's loss is off by
    far more than a unit of itself: the bound of the aggregating algorithm allows for it."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        outcomes = (random.random(100) < 0.5).astype(float)
        advice = np.clip(random.beta(0.05, 0.05, size=(100, 5)), certain, 1 - certain)
        learner = AggregatingAlgorithm(loss="log")
        learner.play(advice, outcomes)
        assert not any(one.violated for one in learner.certify())


def test_the_sensitivity_of_the_log_loss_is_summed_up():
    """The book adds |p l'(p)| over the forecasts: 1 where the outcome is 1, p / (1 - p) where it is 0."""
    learner = AggregatingAlgorithm(loss="log")
    learner.play(np.array([[0.75, 0.75], [0.75, 0.75], [0.5, 0.5]]), np.array([1.0, 0.0, 0.5]))
    assert learner.ledger_.sensitivity == pytest.approx(1 + 3 + 0)
    other = Hedge(loss="square")
    other.play(np.array([[0.75, 0.75]]), np.array([0.0]))
    assert other.ledger_.sensitivity == 0


@pytest.mark.parametrize("eta", [1e-15, 1e-9, 1e-3])
def test_the_gap_of_a_small_rate_keeps_its_digits(eta):
    """At a tiny rate the gap is eta / 2 times the variances of the rounds' losses, and not lost in their rounding."""
    losses = np.random.default_rng(0).random((50, 8))
    learner = Hedge(eta=eta)
    learner.play(losses)
    assert learner.ledger_.gap == pytest.approx(eta / 2 * losses.var(axis=1).sum(), rel=1e-2)


@pytest.mark.parametrize("size", [1e-140, 1e-150, 1e-155, 1e-160, 1e-305, 5e-324])
@pytest.mark.parametrize("loss", ["absolute", "square"])
@pytest.mark.parametrize("name", OWN_RATES)
def test_a_declared_range_whose_square_vanishes_gives_no_warning_and_no_false_bound(name, loss, size):
    """Second-order bounds of ranges down to the smallest float hold or do not apply, and numpy warns of nothing."""
    random = np.random.default_rng(0)
    learner = expert_class(name)(loss=loss, value_range=(0.0, size))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with suppress(RegretlessError):  # rounds that floats cannot carry
            learner.play(size * random.random((20, 3)), size * random.random(20))
            prior = [values for values in learner.certify() if values.theorem.title != "Posterior regret"]
            assert prior
            assert all(values.holds for values in prior if values.applies)
            assert size**2 > 1e-290 or not any(values.applies for values in prior)
