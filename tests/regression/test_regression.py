"""Learners of numbers: the textbook's forecasts, the same bits in every form, what is refused, scikit-learn's
checks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

import regretless
from regretless import _core
from regretless.data.batch import Batch
from regretless.errors import ParameterError, RegretlessError, RowError
from regretless.regression import (
    AggregatedQuantile,
    AggregatedRegressor,
    OnlineGradientDescent,
    OnlineNewtonStep,
    VovkAzouryWarmuth,
)
from regretless.regression.hindsight import ridge_regressions
from regretless.regression.losses import FORECAST_LOSSES
from regretless.textbook import regression as book

from ..examples import first_of


def rounds(seed: int, rows: int = 300, columns: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Rows of very different sizes with zeros among them, and outcomes with heavy tails around a line."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) * 10.0 ** random.integers(-3, 4, columns)
    X[random.random(X.shape) < 0.3] = 0
    return X, X @ (random.normal(size=columns) / np.abs(X).max(axis=0)) + 7 + random.standard_t(3, size=rows)


def forecasts_of(learner, X, y) -> np.ndarray:
    """What each round was predicted by."""
    parts: list[np.ndarray] = []
    learner.on_forecasts = lambda forecasts, _: parts.append(forecasts)
    learner.fit(X, y)
    learner.on_forecasts = None
    return np.concatenate(parts)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tau", [None, 0.2, 0.9])
@pytest.mark.parametrize("share", [True, False])
def test_forecasts_are_those_of_the_textbook(seed, tau, share):
    """Members, their mixture, its rate and its gap are those that plain numpy computes."""
    X, y = rounds(seed)
    kind = AggregatedRegressor(share=share) if tau is None else AggregatedQuantile(quantile=tau, share=share)
    forecasts = forecasts_of(kind, X, y)
    rows, z = np.hstack([np.ones((len(X), 1)), X])[1:], (y - y[0])[1:]
    kind_of_loss = ("square", 0.0) if tau is None else ("pinball", tau)
    members = [book.dual_averaging(rows, z, rate, *kind_of_loss) for rate in kind.rates]
    full = [] if tau is not None else [book.vaw(rows, z, prior) for prior in kind.priors]
    each = np.stack([one[0] for one in (*members, *full)], axis=1)
    mixed, eta, gap = book.adahedge(each, z, *kind_of_loss, share=share)
    size = np.abs(z).max()
    assert forecasts[0] == y[0]
    assert np.abs(forecasts[1:] - mixed - y[0]).max() <= 1e-8 * size
    assert kind.state_.one("eta") == pytest.approx(eta, rel=1e-6)
    assert kind.state_.one("gap") == pytest.approx(gap, rel=1e-6)
    assert kind.losses_ == pytest.approx(book.loss(each, z[:, None], tau).sum(axis=0), rel=1e-7)
    assert kind.state_.part("linear")[: len(members)] == pytest.approx([one[2] for one in members], rel=1e-6)
    for place, (_, _, least, energy) in enumerate(full):
        assert kind.state_.part("least")[5 + place] == pytest.approx(least, rel=1e-6)
        assert kind.state_.part("energy")[5 + place] == pytest.approx(energy, rel=1e-6)


def counted(seed: int, rows: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Rows of several sizes, and counts whose logarithms lie near a line; none among them. Members differ from the
    second round on: where they do not, roundings say whether a mixture follows its leaders."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3)) * [1.0, 100.0, 0.01]
    y = random.poisson(np.exp(X @ [0.5, 0.003, -30.0] + 1)).astype(float)
    X[:3], y[:3] = abs(X[:3]), (2, 8, 4)
    return X, y


def nearer(learner, forecasts: np.ndarray, expected: np.ndarray) -> None:
    """Counts are forecast by exp of the scores that the textbook has, measured from the origin."""
    assert np.log(forecasts[1:]) - learner.state_.one("origin") == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "share"), [("poisson", True), ("poisson", False), ("huber", True)])
def test_mixtures_of_other_losses_are_those_of_the_textbook(seed, name, share):
    """Members, mixture, loss and slopes of counts, and of Huber's loss, are those that plain numpy computes."""
    X, y = counted(seed)
    learner = AggregatedRegressor(loss=name, delta=1.5, share=share)
    forecasts = forecasts_of(learner, X, y)
    rows, origin = np.hstack([np.ones((len(X), 1)), X])[1:], learner.state_.one("origin")
    z, level = (y[1:], origin) if name == "poisson" else (y[1:] - y[0], 1.5)
    members = [book.dual_averaging(rows, z, rate, name, level) for rate in learner.rates]
    each = np.stack([one[0] for one in members], axis=1)
    mixed, eta, gap = book.adahedge(each, z, name, level, share=share)
    if name == "poisson":
        nearer(learner, forecasts, mixed)
        assert origin == np.log(max(y[0], 0.5))
    else:
        assert forecasts[1:] - y[0] == pytest.approx(mixed, rel=1e-9, abs=1e-9)
    assert (learner.state_.one("eta"), learner.state_.one("gap")) == pytest.approx((eta, gap), rel=1e-8)
    assert learner.losses_ == pytest.approx(book.charged(each, z[:, None], name, level).sum(axis=0), rel=1e-9)
    assert learner.ledger_.loss == pytest.approx(book.charged(mixed, z, name, level).sum(), rel=1e-9)
    assert learner.state_.part("linear")[:4] == pytest.approx([one[2] for one in members], rel=1e-8, abs=1e-8)
    low, high = learner.state_.one("low"), learner.state_.one("high")
    alone = np.clip(learner.state_.member_weights()[0, :4], low, high) @ learner.posterior_  # of a row of zeros
    forecast = float(learner.predict(np.zeros((1, 3)))[0])
    assert (np.log(forecast) if name == "poisson" else forecast) == pytest.approx(alone + origin, rel=1e-9)


def test_counts_that_are_none_are_forecast_between_one_half_and_the_largest():
    """No mean is below 1/2, nor above the largest count so far, whatever rows come."""
    X, y = counted(4)
    X[::7] *= 1e6
    assert AggregatedRegressor(loss="poisson").fit(X, y).range_ == pytest.approx([0.5, y.max()])
    for learner in (AggregatedRegressor(loss="poisson"), OnlineGradientDescent(loss="poisson", schedule="constant")):
        forecasts = forecasts_of(learner, X, y)
        for t in range(1, len(y)):
            assert 0.5 * (1 - 1e-12) <= forecasts[t] <= max(0.5, y[:t].max()) * (1 + 1e-12)


def test_counts_are_forecast_better_by_their_own_loss():
    """Of counts near exp of a line the mixture of their loss has less than the best constant, and its likelihood is
    better than that of the forecasts of squares."""
    X, y = counted(5, rows=1500)
    own, squares = AggregatedRegressor(loss="poisson"), AggregatedRegressor()
    forecasts = [np.maximum(forecasts_of(one, X, y), 0.5)[1:] for one in (own, squares)]
    losses = [float(book.charged(np.log(p), y[1:], "poisson", 0.0).sum()) for p in forecasts]
    assert losses[0] == pytest.approx(own.ledger_.loss, rel=1e-9)
    assert losses[0] < losses[1]
    constant = next(one for one in own.certify(X, y) if one.theorem.name == "against_best_constant")
    assert own.ledger_.loss < constant.comparator.loss


@pytest.mark.parametrize("kind", [AggregatedRegressor(loss="poisson"), OnlineGradientDescent(loss="poisson")])
def test_outcomes_below_zero_are_no_counts(kind):
    """They are refused with their row, and a stream has learned the rows before."""
    X, y = counted(1, rows=9)
    y[4] = -2
    with pytest.raises(RegretlessError, match=r"y\[4\] = -2 is below 0, and the Poisson loss is of counts"):
        kind.fit(X, y)
    with pytest.raises(RowError, match="below 0") as refused:
        kind.observe(Batch(X, y, 3))
    assert (refused.value.row, refused.value.learned, kind.ledger_.rounds) == (4, 4, 4)
    with pytest.raises(RegretlessError, match="below 0"):
        kind.update_one(X[5], -1.0)


def test_the_forecaster_is_ridge_regression_that_knows_the_row():
    """Its weights are those of ridge regression in the sizes of the features, and it forecasts as the textbook does."""
    X, y = rounds(7)
    learner = VovkAzouryWarmuth(prior=0.5)
    forecasts = forecasts_of(learner, X, y)
    rows, z = np.hstack([np.ones((len(X), 1)), X])[1:], (y - y[0])[1:]
    expected, M, _, _ = book.vaw(rows, z, 0.5)
    assert np.abs(forecasts[1:] - expected - y[0]).max() <= 1e-8 * np.abs(z).max()
    ridge = np.linalg.solve(rows.T @ rows + 0.5 * np.diag(M * M), rows.T @ z)
    assert learner.coef_ == pytest.approx(ridge[1:], rel=1e-6, abs=1e-9)
    assert learner.intercept_ == pytest.approx(ridge[0] + y[0], rel=1e-6)


@pytest.mark.kernel
@pytest.mark.parametrize("prior", [0.01, 1.0])
def test_newton_steps_are_those_of_the_textbook(prior):
    """Forecasts, weights and both sums of the theorems are those of the minimisers of sums of lower bounds."""
    X, y = rounds(9)
    learner = OnlineNewtonStep(prior=prior)
    forecasts = forecasts_of(learner, X, y)
    rows, z = np.hstack([np.ones((len(X), 1)), X])[1:], (y - y[0])[1:]
    expected, w, _, fall, determinant = book.newton_steps(rows, z, prior)
    assert np.abs(forecasts[1:] - expected - y[0]).max() <= 1e-8 * np.abs(z).max()
    assert learner.coef_ == pytest.approx(w[1:], rel=1e-6, abs=1e-9)
    assert -learner.state_.part("least")[5] == pytest.approx(fall, rel=1e-6)
    assert learner.facts().determinant == pytest.approx(determinant, rel=1e-6)


def test_steps_that_are_not_clipped_are_newtons():
    """While forecasts stay within the range, w moves by -A^-1 g x / 2, A with its prior and this round's c x x'."""
    X, y = np.array([[1.0], [2.0], [2.0], [1.0], [1.5]]), np.array([0.0, 10.0, -6.0, 4.0, 3.0])
    A, w, width = 4.0, 0.0, 10.0  # after the second row, whose forecast is 0, the prior 1 times the largest square
    w, A = w + 10.0 * 2 / (A + 4), A + 4
    for x, outcome in zip(X[2:, 0], y[2:], strict=True):
        p = w * x
        assert -10 < p < 10
        width = max(width, 16.0)
        g = 2 * (p - outcome)
        A += (g / (2 * width)) ** 2 * x * x
        w -= g * x / A / 2
    assert OnlineNewtonStep(intercept=0).fit(X, y).coef_[0] == pytest.approx(w, rel=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("prior", [0.01, 1.0])
def test_a_diagonal_is_that_of_the_textbook(prior):
    """Forecasts, weights and the sums of its slopes are those of plain numpy."""
    X, y = rounds(10)
    learner = VovkAzouryWarmuth(prior=prior, matrix="diagonal")
    forecasts = forecasts_of(learner, X, y)
    rows, z = np.hstack([np.ones((len(X), 1)), X])[1:], (y - y[0])[1:]
    expected, w, G, linear = book.diagonal(rows, z, prior)
    assert np.abs(forecasts[1:] - expected - y[0]).max() <= 1e-9 * np.abs(z).max()
    assert learner.coef_ == pytest.approx(w[1:], rel=1e-8, abs=1e-12)
    assert learner.state_.all_cells()[:, 0] == pytest.approx(G, rel=1e-8, abs=1e-9)
    assert learner.state_.part("linear")[0] == pytest.approx(linear, rel=1e-8)


def test_of_one_feature_the_diagonal_is_the_whole_matrix():
    """Where no row has two features both forecast the same, but for the errors of floats."""
    random = np.random.default_rng(1)
    X, y = np.eye(4)[random.integers(4, size=200)], random.normal(size=200)
    whole, alone = (forecasts_of(VovkAzouryWarmuth(matrix=one, intercept=0), X, y) for one in ("full", "diagonal"))
    assert whole == pytest.approx(alone, rel=1e-9, abs=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize(("schedule", "rate"), [("scale-free", 1.0), ("inverse-sqrt", 1e-3), ("constant", 1e-4)])
def test_gradient_descent_on_counts_is_that_of_the_textbook(schedule, rate):
    """Scores, weights and the sums of slopes of counts are those of plain numpy, for each schedule."""
    X, y = counted(6)
    X /= np.abs(X).max(axis=0)
    learner = OnlineGradientDescent(loss="poisson", schedule=schedule, rate=rate)
    forecasts, origin = forecasts_of(learner, X, y), learner.state_.one("origin")
    rows = np.hstack([np.ones((len(X), 1)), X])[1:]
    expected, w, G, linear = book.gradient_descent(rows, y[1:], "poisson", origin, schedule, rate)
    nearer(learner, forecasts, expected)
    assert learner.coef_ == pytest.approx(w[1:], rel=1e-8, abs=1e-12)
    assert learner.intercept_ == pytest.approx(w[0] + origin, rel=1e-8)
    assert learner.state_.all_cells()[:, 0] == pytest.approx(G, rel=1e-8, abs=1e-9)
    assert learner.state_.part("linear")[0] == pytest.approx(linear, rel=1e-8, abs=1e-9)
    assert all(one.holds and one.applies for one in learner.certify(X, y))


@pytest.mark.kernel
@pytest.mark.parametrize("loss", ["square", "absolute", "pinball", "huber"])
@pytest.mark.parametrize(("schedule", "rate"), [("scale-free", 1.0), ("inverse-sqrt", 1e-3), ("constant", 1e-4)])
def test_gradient_descent_is_that_of_the_textbook(loss, schedule, rate):
    """Forecasts, weights and what the theorem adds up are those of plain numpy, for each loss and schedule."""
    X, y = rounds(8)
    X = X / np.abs(X).max(axis=0) * 10
    learner = OnlineGradientDescent(loss=loss, quantile=0.3, delta=1.5, schedule=schedule, rate=rate)
    forecasts = forecasts_of(learner, X, y)
    rows, z = np.hstack([np.ones((len(X), 1)), X])[1:], (y - y[0])[1:]
    level = 1.5 if loss == "huber" else 0.3
    expected, w, G, linear = book.gradient_descent(rows, z, loss, level, schedule, rate)
    assert np.abs(forecasts[1:] - expected - y[0]).max() <= 1e-9 * np.abs(z).max()
    assert learner.coef_ == pytest.approx(w[1:], rel=1e-8, abs=1e-12)
    assert learner.state_.all_cells()[:, 0] == pytest.approx(G, rel=1e-8, abs=1e-9)
    assert learner.state_.part("linear")[0] == pytest.approx(linear, rel=1e-8)
    assert learner.ledger_.loss == pytest.approx(float(book.charged(expected, z, loss, level).sum()))
    certificates = learner.certify(X, y)
    assert all(one.holds and one.applies for one in certificates)


def bits(learner) -> list[bytes]:
    """All that it knows."""
    return [array.tobytes() for array in learner.state_.tensors().values()]


@pytest.mark.kernel
@pytest.mark.parametrize(
    "kind",
    [
        AggregatedRegressor(),
        AggregatedQuantile(quantile=0.3),
        VovkAzouryWarmuth(),
        VovkAzouryWarmuth(matrix="diagonal"),
        OnlineNewtonStep(),
        OnlineGradientDescent(),
        AggregatedRegressor(loss="huber"),
    ],
)
def test_every_form_of_rows_gives_the_same_bits(kind):
    """Dense and sparse rows, int32 and int64 indices, one by one and in batches, on every instruction set."""
    X, y = rounds(11, columns=12)
    X = X.astype(np.float32).astype(np.float64)
    expected, before = bits(kind.fit(X, y)), _core.isa()
    forecast = kind.predict(X)
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in (X, X.astype(np.float32), sparse.csr_array(X), sparse.csr_array(X.astype(np.float32)), long):
                assert bits(kind.fit(rows, y)) == expected, (isa, type(rows))
                assert (kind.predict(rows) == forecast).all()
    finally:
        _core.use_isa(before)
    kind.fit(X[:1], y[:1])
    for x, outcome in zip(X[1:200], y[1:200], strict=True):
        kind.update_one(x, float(outcome))
    kind.partial_fit(X[200:], y[200:])
    assert bits(kind) == expected
    assert [kind.predict_one(x) for x in X[:50]] == forecast[:50].tolist()


@pytest.mark.kernel
def test_prediction_is_what_learning_saw():
    """The forecast of a row, asked for before its outcome, is the one that it is played by, also where features
    grow."""
    X, y = rounds(2, rows=80)
    learner, events = AggregatedRegressor(), []
    learner.partial_fit(X[:1], y[:1])
    played = forecasts_of(AggregatedRegressor(), X, y)
    for x, outcome in zip(X[1:], y[1:], strict=True):
        events.append(float(learner.predict(x[None])[0]))
        before = bits(learner)
        assert bits(learner) == before
        learner.partial_fit(x[None], [outcome])
    assert events == played[1:].tolist()


@pytest.mark.parametrize("make", [AggregatedRegressor, VovkAzouryWarmuth, OnlineGradientDescent])
def test_tiny_outcomes_are_allowed_no_more_for_rounding_than_others(make):
    """Of outcomes in another unit what is allowed for rounding changes as the losses do, so that a loss above its bound
    by a millionth is noticed whatever the unit is."""
    X, y = rounds(3, rows=60)
    lines = [make().fit(X, unit * y).certify(X, unit * y) for unit in (1.0, 2.0**-40)]
    for usual, tiny in zip(*lines, strict=True):
        assert usual.applies == tiny.applies
        if not usual.applies:
            continue
        ratio = tiny.bound / usual.bound
        assert tiny.rounding == pytest.approx(usual.rounding * ratio, rel=1e-6)
        assert not replace(tiny, observed=tiny.bound * (1 + 1e-6)).holds


def test_units_do_not_matter():
    """Columns and outcomes in other units, powers of two, give the same forecasts in these to the bit."""
    X, y = rounds(4)
    scales = 2.0 ** np.array([-30, 5, 0, 17, 40])
    one = forecasts_of(AggregatedRegressor(full=0), X, y)
    other = forecasts_of(AggregatedRegressor(full=0), X * scales, y * 1024)
    assert (other == one * 1024).all()
    both = forecasts_of(AggregatedRegressor(), X, y), forecasts_of(AggregatedRegressor(), X * scales, y * 1024)
    assert np.abs(both[1] / 1024 - both[0]).max() <= 1e-6 * np.ptp(y)


@pytest.mark.kernel
def test_full_members_retire_with_many_columns_and_bounds_still_hold():
    """Past the limit the matrices go, their weight goes to the others, and the mixture's bound counts all that
    played."""
    X, y = rounds(5, rows=120, columns=6)
    learner = AggregatedRegressor(full=4)
    learner.observe(Batch(np.ascontiguousarray(X[:60, :4]), y[:60], 4))
    assert len(learner.members_) == 7
    learner.observe(Batch(X[60:], y[60:], 6))
    assert learner.members_ == [f"rate {rate:g}" for rate in learner.rates]
    assert learner.posterior_.sum() == pytest.approx(1)
    assert learner.facts().members == 7
    assert learner.ledger_.loss <= learner.losses_.min() + regretless.theory.regression.cost(
        learner.ledger_, learner.facts()
    )


@pytest.mark.kernel
def test_new_columns_cost_nothing_before_they_come():
    """Columns that are 0 in the rows before change no forecast of these, nor the state that follows."""
    X, y = rounds(6, columns=4)
    whole = VovkAzouryWarmuth()
    whole.observe(Batch(X, y, 4))
    parts = VovkAzouryWarmuth()
    parts.observe(Batch(np.ascontiguousarray(X[:50, :2]), y[:50], 2))
    zeros = VovkAzouryWarmuth()
    zeros.observe(Batch(np.hstack([X[:50, :2], np.zeros((50, 2))]), y[:50], 4))
    for learner in (parts, zeros):
        learner.observe(Batch(X[50:], y[50:], 4))
    assert bits(parts) == bits(zeros)


# ---- numbers at the edge


@pytest.mark.kernel
@pytest.mark.parametrize(
    "y",
    [np.zeros(40), np.full(40, 1e6), np.tile([1e-300, 0.0], 20), np.tile([1e60, -1e60], 20), np.tile([5.0, 7.0], 20)],
)
@pytest.mark.parametrize("X", [np.ones((40, 2)), np.zeros((40, 2)), np.full((40, 2), 1e-70), np.full((40, 2), 1e70)])
@pytest.mark.parametrize(
    "kind",
    [
        AggregatedRegressor(),
        AggregatedQuantile(quantile=0.9),
        VovkAzouryWarmuth(),
        VovkAzouryWarmuth(matrix="diagonal"),
        OnlineNewtonStep(),
        OnlineGradientDescent(),
        OnlineGradientDescent(loss="absolute", schedule="constant", rate=1e30),
        OnlineGradientDescent(loss="huber", delta=1e-3),
    ],
)
def test_no_forecast_is_ever_no_number(kind, X, y):
    """Constant columns and outcomes, numbers as small and as large as any: forecasts stay within the outcomes so
    far."""
    forecasts = forecasts_of(kind, X, y)
    for t in range(1, len(y)):
        assert y[:t].min() <= forecasts[t] <= y[:t].max()
    assert np.isfinite(kind.predict(X)).all()
    assert all(one.holds for one in kind.certify(X, y))


@pytest.mark.parametrize(("first", "level"), [(1e8, 0.0), (0.0, 1e8), (-1e70, 3.0), (1e8, 1e8)])
def test_a_first_outcome_that_is_far_away_hides_no_loss_of_the_best_constant(first, level):
    """The squared loss of the best constant has nine digits wherever the first outcome and the others lie."""
    y = np.append(first, level + np.random.default_rng(9).random(1000))
    apart = [Fraction(one) for one in y[1:]]
    mean = sum(apart) / len(apart)
    expected = float(sum((one - mean) ** 2 for one in apart))
    learner = VovkAzouryWarmuth().fit(np.ones((len(y), 1)), y)
    assert learner.best_constant_loss_ == pytest.approx(expected, rel=1e-9)


BAD = [
    (np.nan, "Input y contains NaN. It stands in row 2 "),
    (np.inf, "Input y contains infinity. It stands in row 2 "),
    (1e300, r"y\[2\] = 1e\+300 is infinite or too large"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_an_outcome_that_is_no_number_is_named(bad, message):
    """NaN, infinity and 1e300 are refused with their row before anything is learned."""
    X, y = rounds(1, rows=5)
    y[2] = bad
    for learn in ("fit", "partial_fit"):
        learner = AggregatedRegressor()
        with pytest.raises(RegretlessError, match=message):
            getattr(learner, learn)(X, y)
        assert not hasattr(learner, "state_")


@pytest.mark.kernel
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_stream_learns_the_rows_before_a_bad_outcome(bad):
    """Of a batch of a stream the rows before are learned, and the error says how many."""
    X, y = rounds(1, rows=9)
    y[4] = bad
    learner = VovkAzouryWarmuth()
    with pytest.raises(RowError) as refused:
        learner.observe(Batch(X, y, X.shape[1]))
    assert (refused.value.row, refused.value.learned, learner.ledger_.rounds) == (4, 4, 4)
    with pytest.raises(RegretlessError, match="y"):
        learner.update_one(X[5], bad)
    assert bits(learner) == bits(VovkAzouryWarmuth().fit(X[:4], y[:4]))


@pytest.mark.parametrize(
    ("bad", "message"), [(np.nan, "contains NaN"), (np.inf, "contains infinity"), (1e300, "too large")]
)
def test_a_row_that_is_no_number_is_named(bad, message):
    """A bad number in a row is refused with its row and column; the rows before are learned."""
    X, y = rounds(1, rows=6)
    X[3, 2] = bad
    learner = AggregatedRegressor()
    with pytest.raises(RowError, match=message) as refused:
        learner.fit(X, y)
    assert refused.value.row == 3
    with pytest.raises(RegretlessError, match="row 3" if bad != 1e300 else "Row 3|row 3"):
        learner.predict(X)
    assert np.isfinite(learner.predict(X[:3])).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AggregatedQuantile(quantile=1.0), "quantile"),
        (lambda: AggregatedQuantile(quantile=0), "quantile"),
        (lambda: AggregatedQuantile(rates=()), "rates"),
        (lambda: AggregatedRegressor(rates=(1, 2, 3, 4, 5)), "rates"),
        (lambda: AggregatedRegressor(rates=(-1,)), "rates"),
        (lambda: AggregatedRegressor(rates=(), full=0), "rates"),
        (lambda: AggregatedRegressor(priors="01"), "priors"),
        (lambda: AggregatedRegressor(priors=(np.nan,)), "priors"),
        (lambda: AggregatedRegressor(full=-1), "full"),
        (lambda: AggregatedRegressor(loss="pinball"), "loss"),
        (lambda: AggregatedRegressor(loss="huber", delta=0), "delta"),
        (lambda: AggregatedRegressor(loss="poisson", rates=()), "rates"),
        (lambda: AggregatedRegressor(intercept=np.inf), "intercept"),
        (lambda: OnlineGradientDescent(loss="hinge"), "loss"),
        (lambda: OnlineGradientDescent(schedule="never"), "schedule"),
        (lambda: OnlineGradientDescent(delta=0), "delta"),
        (lambda: OnlineGradientDescent(rate=-1), "rate"),
        (lambda: VovkAzouryWarmuth(prior=0), "prior"),
        (lambda: VovkAzouryWarmuth(matrix="sparse"), "matrix"),
        (lambda: OnlineNewtonStep(prior=-1), "prior"),
        (lambda: VovkAzouryWarmuth(prior=1e200), "prior"),
    ],
)
def test_a_parameter_without_a_meaning_is_refused(make, message):
    """The error names the parameter, and nothing is learned."""
    X, y = rounds(1, rows=5)
    learner = make()
    with pytest.raises(ParameterError, match=message):
        learner.fit(X, y)
    assert not hasattr(learner, "state_")


@pytest.mark.parametrize("y", [None, ["a"] * 5, np.zeros((5, 2)), np.zeros(4), np.zeros(5) + 1j])
def test_outcomes_of_another_form_are_refused(y):
    """No outcomes, words, several columns, another number of rows, and complex numbers are errors."""
    with pytest.raises(RegretlessError):
        AggregatedRegressor().fit(np.ones((5, 2)), y)


def test_other_rows_give_no_certificate():
    """Rows that were not played give none against a vector; the one that reads no row stands."""
    X, y = rounds(3)
    learner = VovkAzouryWarmuth().fit(X, y)
    everyone, *others = learner.certify(X, y + 1e-9)
    assert everyone.applies
    assert all("learned from others" in one.why for one in others)
    with pytest.raises(RegretlessError, match="the comparator has 3 numbers; it must have 5 or 6"):
        learner.certify(X, y, against=[1, 2, 3])


def test_a_first_row_that_is_far_longer_than_the_others_hides_none_of_them():
    """The first row is charged to nobody, and its length takes no digits from those of the rows that are."""
    X, y = rounds(3, rows=30)
    X[0] *= 1e12
    assert all(one.applies and one.holds for one in AggregatedRegressor().fit(X, y).certify(X, y))


def test_parameters_that_change_midway_give_no_certificate():
    """Rounds that were played by two sets of parameters have no theorem."""
    X, y = rounds(3)
    learner = AggregatedRegressor().fit(X[:100], y[:100]).set_params(share=False)
    learner.partial_fit(X[100:], y[100:])
    assert not any(one.applies for one in learner.certify(X, y))


def test_what_is_about_labels_refuses_learners_of_numbers():
    """Comparisons, shards, guarantees for rows to come and play say that they are about labels."""
    X, y = rounds(3, rows=20)
    learner = AggregatedRegressor().fit(X, y)
    for use in (
        lambda: regretless.compare(learner, VovkAzouryWarmuth(), X, y),
        lambda: regretless.distributed.mix(AggregatedRegressor(), [(X, y)]),
        lambda: regretless.batch.pac_run(AggregatedRegressor(), X, y),
        lambda: regretless.play.play(AggregatedRegressor(), regretless.environments.Bernoulli([0.5, 0.2]), 10),
    ):
        with pytest.raises(RegretlessError, match="AggregatedRegressor"):
            use()


def test_words_are_features_and_one_row_may_be_named():
    """A table's columns of text are features, and a row by names is predicted as the table is."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    table = pandas.DataFrame({"size": random.normal(size=200), "town": random.choice(["Rome", "Oslo"], 200)})
    y = table["size"] * 2 + (table["town"] == "Rome") * 5
    learner = AggregatedRegressor().fit(table, y)
    assert learner.predict_one({"size": 1.0, "town": "Rome"}) == learner.predict(
        pandas.DataFrame({"size": [1.0], "town": ["Rome"]})
    )
    assert learner.predict_one({"town": "Rome"}) - learner.predict_one({"town": "Oslo"}) == pytest.approx(5, abs=0.5)
    assert learner.score(table, y) > 0.99


every_check = parametrize_with_checks(
    first_of(
        [AggregatedRegressor(), AggregatedQuantile(), VovkAzouryWarmuth(), OnlineNewtonStep(), OnlineGradientDescent()]
    )
)


@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes."""
    check(estimator)


@pytest.mark.parametrize("unit", [1.0, 1e200])
@pytest.mark.parametrize("shape", [(60, 5), (40, 90)])
def test_ridge_regressions_in_hindsight_solve_the_normal_equations(shape, unit):
    """Conjugate gradients end near the solution for every penalty, of uneven columns, of more rows than columns and of
    fewer, also where squares of outcomes are no floats, and at 0 for outcomes of 0."""
    random, damps = np.random.default_rng(0), (0.01, 0.1, 10.0)
    X, z = random.normal(size=shape) * np.geomspace(1, 0.01, shape[1]), random.normal(size=shape[0])
    rows = sparse.csr_array(X)
    for damp, solved in zip(damps, ridge_regressions(rows, unit * z, damps), strict=True):
        exact = np.linalg.solve(X.T @ X + damp * np.eye(shape[1]), X.T @ z)
        np.testing.assert_allclose(solved / unit, exact, atol=5e-3 * np.abs(exact).max())
        value, least = (((X @ u - z) ** 2).sum() + damp * (u**2).sum() for u in (solved / unit, exact))
        assert value <= least * (1 + 1e-4)
    assert not any(solved.any() for solved in ridge_regressions(rows, 0 * z, damps))


@pytest.mark.parametrize("loss", ["square", "huber"])
def test_columns_numbered_afresh_change_no_certificate(monkeypatch, loss):
    """Where few columns of many occur, certificates have the bounds and the vectors that they have of all columns."""
    random = np.random.default_rng(0)
    X = sparse.random_array((200, 2000), density=0.001, rng=random, format="csr")
    z = X @ random.normal(size=2000) + 0.1 * random.normal(size=200)
    learner = AggregatedRegressor(loss=loss).fit(X, z)
    whole = learner.certify(X, z)
    monkeypatch.setattr("regretless.rows.narrowed.MANY_COLUMNS", 1000)
    some = learner.certify(X, z)
    assert any(line.bound is not None for line in whole)
    for one, other in zip(whole, some, strict=True):
        assert (one.why, one.bound is None) == (other.why, other.bound is None)
        if one.bound is None:
            continue
        assert other.bound == pytest.approx(one.bound, rel=1e-6)
        vectors = [getattr(line.comparator, "vector", None) for line in (one, other)]
        assert (vectors[0] is None) == (vectors[1] is None)
        if vectors[0] is not None:
            np.testing.assert_allclose(vectors[1], vectors[0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", FORECAST_LOSSES)
def test_facts_of_a_loss_of_forecasts_are_those_of_the_textbook(name):
    """Its value is the textbook's, no slope within the range is steeper than it says, and its slope by the error, where
    it has one, is that by the score."""
    loss, c, (low, high) = FORECAST_LOSSES[name], 0.3, (-2.0, 1.5)
    scores = np.linspace(low, high, 36)
    outcomes = {"numbers": scores, "counts": np.arange(1.0, 5.0), "shares": np.array([0.0, 0.25, 1.0])}[loss.outcomes]
    for z in outcomes.tolist():
        values = loss.value(scores, np.array(z), c, c)
        np.testing.assert_allclose(values, book.charged(scores, z, name, c), rtol=1e-9, atol=1e-9)
        slopes = np.array([book.slope(p, z, name, c) for p in scores.tolist()])
        assert np.abs(slopes).max() <= loss.steepest(low, high, c, c)
        if loss.slope is not None:
            np.testing.assert_allclose(loss.slope(scores - z, c), slopes, rtol=1e-12, atol=1e-12)


def test_every_loss_of_the_kernel_has_its_facts():
    """The losses that the kernel plays and those that have facts are the same."""
    assert sorted(FORECAST_LOSSES) == sorted(_core.regression_losses())


def test_gradient_descent_on_numbers_refuses_a_loss_of_shares():
    """The log loss of shares, which a bandit's regressions have, is none of its losses; the error names them."""
    expected = "loss='logistic'; it must be one of 'square', 'absolute', 'pinball', 'huber', 'poisson'"
    with pytest.raises(ParameterError, match=f"^{expected}$"):
        OnlineGradientDescent(loss="logistic").fit([[1.0], [2.0]], [0.0, 1.0])
