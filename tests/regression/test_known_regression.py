"""The theorems of the learners of numbers: numbers known by hand, a hunt for violations, formulas that are wrong."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import ParameterError
from regretless.ledger import Ledger
from regretless.regression import (
    AggregatedQuantile,
    AggregatedRegressor,
    OnlineGradientDescent,
    OnlineNewtonStep,
    VovkAzouryWarmuth,
    certificates,
)
from regretless.textbook import regression as book
from regretless.theory import regression as theory
from regretless.theory.aggregated import MemberComparator
from regretless.theory.regression import RegressionFacts

from ..examples import at_most
from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# Nine rounds, eight of them charged, and four members: with the rate 1/2 and the gap 1, a mixture costs
# 2 (ln 4 + ln 8) + 1 = 10 ln 2 + 1 with shares, and 4 ln 2 + 1 without.
NAN = float("nan")
BOOK = Ledger(rounds=9, updates=8, loss=4.5, total_norm2=40)
SHARES = RegressionFacts(members=4.0, eta=0.5, gap=1.0, width=2.0, worst=4.0, least=2.0, energy=0.75)
ALONE = replace(SHARES, share=False)
ONE = replace(SHARES, members=1.0, eta=0.0, gap=0.0)
LEADERS = replace(SHARES, eta=0.0, gap=0.0)
MEMBER = MemberComparator("member", "the member rate 0.1", 9, 3.0, 40.0, member="rate 0.1")
BY_MATRIX = MemberComparator("ridge", "ridge", 9, 2.0, 40.0, member="full", regularised=0.5, energy=0.25)
BY_SLOPES = MemberComparator("ridge", "ridge", 9, 2.0, 40.0, member="rate 0.1", linear=1.5)
STEPS = replace(ONE, least=NAN, energy=NAN, determinant=1.25)  # loss 2, penalty 0.5, steps 0.25 or at most 1.25
CONSTANT = replace(BY_SLOPES, name="constant")
LN2 = log(2)
CASES = [
    Known(theory.against_all, BOOK, None, SHARES, 3.75 + 10 * LN2, 4.5),
    Known(theory.against_all, BOOK, None, ONE, 2.75, 4.5),
    Known(theory.against_all_over_shards, replace(BOOK, updates=6), None, replace(ONE, gap=1.0), 3.75, 4.5),
    Known(theory.by_a_full_matrix, BOOK, BY_MATRIX, ALONE, 3.75 + 4 * LN2, 4.5),
    Known(theory.by_newton_steps, BOOK, BY_MATRIX, STEPS, 2.75, 4.5),
    Known(theory.by_the_determinant, BOOK, BY_MATRIX, STEPS, 3.75, 4.5),
    Known(theory.by_slopes, BOOK, BY_SLOPES, SHARES, 4.5 + 10 * LN2, 4.5),
    Known(theory.aggregation, BOOK, MEMBER, SHARES, 4 + 10 * LN2, 4.5),
    Known(theory.aggregation, BOOK, MEMBER, LEADERS, 3, 4.5),
    Known(theory.against_best_constant, BOOK, CONSTANT, SHARES, 4.5 + 10 * LN2, 4.5),
    Known(theory.against_best_constant, BOOK, replace(BY_MATRIX, name="constant"), ALONE, 3.75 + 4 * LN2, 4.5),
]
MEMBERS, SLOPES = (
    ("it is about members, and there is none", None),
    ("it is about members that follow slopes, and there is none", None),
)
CONSTANTS = ("the best constant takes an intercept, and is not looked for beside a comparator of yours", None)
ASSUMES: Assumes = [
    ((theory.against_all,), (theory.CHARGED, theory.STEADY, theory.SQUARE, theory.WHOLE, (theory.FULL, None))),
    (
        (theory.against_all_over_shards,),
        (theory.ALL_FIRST, theory.STEADY, theory.SQUARE, theory.WHOLE, (theory.FULL, None)),
    ),
    ((theory.by_a_full_matrix,), (*theory.PLAYED, theory.SQUARE, theory.WHOLE, (theory.FULL, None))),
    ((theory.by_newton_steps, theory.by_the_determinant), (*theory.PLAYED, (theory.NEWTON, None))),
    ((theory.by_slopes,), (*theory.PLAYED, SLOPES)),
    ((theory.aggregation,), (*theory.PLAYED, MEMBERS)),
    ((theory.against_best_constant,), (*theory.PLAYED, CONSTANTS)),
]
BREAKS = {
    theory.ALL_FIRST[0]: [{"ledger.updates": 0}],
    theory.CHARGED[0]: [{"ledger.rounds": 1}, {"ledger.rounds": 0}],
    theory.SAME_ROUNDS[0]: [{"comparator.rounds": 8}, {"comparator.total_norm2": 41.0}],
    theory.STEADY[0]: [{"learner.steady": False}],
    theory.SQUARE[0]: [{"learner.square": False}],
    theory.WHOLE[0]: [{"learner.diagonal": True}],
    theory.FLOAT[0]: [{"comparator.loss": float("inf")}, {"comparator.loss": NAN}],
    MEMBERS[0]: [{"comparator.name": "ridge"}],
    SLOPES[0]: [{"comparator.linear": NAN}],
    theory.NEWTON: [{"learner.determinant": NAN}, {"comparator.regularised": NAN}],
    CONSTANTS[0]: [{"comparator.name": "ridge"}, {"comparator.linear": NAN}],
}


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was computed by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    place = "learner.least" if case.comparator is None else "comparator.regularised"
    refuses(case, ASSUMES, BREAKS | {theory.FULL: [{place: NAN}]})


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (AggregatedRegressor(loss="poisson"), theory.SQUARE[0]),
        (AggregatedRegressor(loss="huber"), theory.SQUARE[0]),
        (VovkAzouryWarmuth(matrix="diagonal"), theory.WHOLE[0]),
        (AggregatedRegressor(full=0), theory.FULL),
        (AggregatedRegressor(priors=()), theory.FULL),
    ],
)
def test_where_there_is_no_full_matrix_the_reason_is_the_true_one(made, why):
    """On few features the reason is the loss, the diagonal, or the parameters that leave full matrices out."""
    X, y = np.eye(3), np.array([1.0, 2.0, 4.0])
    reasons = {one.theorem.name: one.why for one in made.fit(X, y).certify(X, y)}
    assert (reasons["against_all"], reasons["by_a_full_matrix"]) == (why, why)


def test_all_theorems_are_known():
    """Every theorem of the learners has a number here."""
    assert {case.theorem for case in CASES} == {
        *(*theory.SEVERAL, *theory.ONE_MATRIX, theory.against_all_over_shards),
        *(*theory.SEVERAL_BY_SLOPES, *theory.ONE_DESCENT, *theory.NEWTON_STEPS),
    }


def test_nothing_is_reported_of_a_bound_that_no_forecast_exceeds():
    """A bound above the squared width of the outcomes in every round is called vacuous: 8 rounds of width 2 lose 32."""
    facts = replace(ONE, energy=0.0)
    assert [theory.against_all.certify(BOOK, [None], replace(facts, least=one)).vacuous for one in (31.9, 32.1)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("parameters", "worst"),
    [
        ({"loss": "square"}, 4.0),
        ({"loss": "absolute"}, 2.0),
        ({"loss": "pinball", "quantile": 0.2}, 1.6),
        ({"loss": "huber", "delta": 3.0}, 2.0),
        ({"loss": "huber", "delta": 2.0}, 2.0),
        ({"loss": "huber", "delta": 1.0}, 1.5),
        ({"loss": "poisson"}, 2.0),
    ],
)
def test_no_round_loses_more_than_the_width_of_the_range(parameters, worst):
    """The most that a run can lose is its loss at the whole width of the range, 2, in each of the three rounds that are
    charged; Huber's is half the square up to delta, and a line beyond. Of counts it is no count where 2 is the mean."""
    y = np.array([0.0, 2.0, 0.0, 1.0])
    made = OnlineGradientDescent(**parameters).fit(np.ones((4, 1)), y).certify(np.ones((4, 1)), y)
    assert [one.most.value for one in made if one.applies] == pytest.approx([3 * worst] * 2)


@pytest.mark.parametrize("size", [1e155, 1e200, 1e308])
def test_a_vector_whose_loss_is_no_float_gives_no_bound(size):
    """Beside a vector so long that its loss is infinite nothing is claimed, and the certificate says why."""
    X, y = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [3.0, 1.0]]), np.array([0.0, 1.0, 2.0, 1.0])
    certificates = AggregatedRegressor().fit(X, y).certify(X, y, against=[-size, -size])
    whys = {one.theorem.name: one.why for one in certificates if not one.applies}
    assert whys["by_slopes"] == whys["by_a_full_matrix"] == theory.FLOAT[0]
    assert all(one.holds for one in certificates if one.applies)


KINDS = [
    {"loss": "square"},
    {"loss": "absolute"},
    *({"loss": "pinball", "quantile": level} for level in (0.05, 0.5, 0.93)),
    *({"loss": "huber", "delta": delta} for delta in (1e-3, 0.7, 1e3)),
    {"loss": "poisson"},
]


def constant_of(learner: OnlineGradientDescent, X: np.ndarray, y: np.ndarray) -> MemberComparator:
    """What the certificate against the best constant compares with."""
    return next(one for one in learner.certify(X, y) if one.theorem is theory.against_best_constant).comparator


@pytest.mark.parametrize("parameters", KINDS)
@pytest.mark.parametrize("rows", [2, 7, 40])
def test_no_constant_loses_less_than_the_best(parameters, rows):
    """None of a fine grid, and no outcome, loses less than what is called the best constant; the textbook's loses as
    much."""
    random = np.random.default_rng(rows)
    X, y = random.normal(size=(rows, 2)), random.gamma(0.5, size=rows) * 10
    learner = OnlineGradientDescent(**parameters).fit(X, y)
    best, level = constant_of(learner, X, y), float(parameters.get("quantile", parameters.get("delta", 0.0)))
    some = np.concatenate([y, np.linspace(y.min(), y.max(), 401)])
    if parameters["loss"] == "poisson":
        some = np.log(np.maximum(some, 1e-9))
    losses = book.charged(some[:, None], y[1:], parameters["loss"], level).sum(axis=1)
    assert best.label == "the best constant"
    assert best.loss <= losses.min() * (1 + 1e-12) + 1e-12
    again = book.charged(book.best_constant(y[1:], parameters["loss"], level), y[1:], parameters["loss"], level)
    assert best.loss == pytest.approx(float(again.sum()), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("parameters", KINDS)
def test_a_constant_of_a_sample_is_called_so(parameters, monkeypatch):
    """Of rows that are too many a constant is chosen on the first ones, 20 of them that are charged, and says so; the
    mean is known of all."""
    monkeypatch.setattr(certificates, "BLOCK", 10)
    monkeypatch.setattr(certificates, "ENTRIES", 40)
    monkeypatch.setattr(certificates, "WIDE", 0)
    X, y = np.random.default_rng(1).normal(size=(100, 1)) + 2, np.arange(100.0)
    learner = OnlineGradientDescent(**parameters).fit(X, y)
    best = constant_of(learner, X, y)
    if parameters["loss"] == "poisson":
        deviance = float(y[1:] @ np.log(y[1:] / y[1:].mean()))
        assert (best.label, best.loss) == ("the best constant", pytest.approx(deviance))
    elif parameters["loss"] == "square":
        assert (best.label, best.loss) == ("the best constant", pytest.approx(learner.best_constant_loss_))
    else:
        assert best.label == "a constant chosen on the first 21 rows"


# ---- the hunt

SPIKE = 1e6
SEQUENCES = st.lists(
    st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 100.0, 1e-3]), st.sampled_from([-3.0, 0.0, 1.0, 1.5, 40.0, SPIKE])),
    min_size=2,
    max_size=40,
)


@given(SEQUENCES, st.booleans(), st.sampled_from([None, 0.1, 0.5, 0.9]))
@at_most(25)
def test_no_sequence_breaks_a_bound(rounds, share, tau):
    """Whatever rows and outcomes come, spikes and features that grow among them, the loss is within every bound."""
    X, y = np.array([[x, 1.0 - x] for x, _ in rounds]), np.array([outcome for _, outcome in rounds])
    learner = AggregatedRegressor(share=share) if tau is None else AggregatedQuantile(quantile=tau, share=share)
    certificates = learner.fit(X, y).certify(X, y)
    assert all(one.holds for one in certificates), [str(one) for one in certificates]
    assert any(one.applies for one in certificates)


@given(SEQUENCES, st.floats(-5, 5), st.floats(-5, 5), st.sampled_from([1e-6, 1e-2, 1.0, 1e3]))
@at_most(40)
def test_one_number_bounds_the_loss_beside_every_vector(rounds, a, b, prior):
    """No vector's own bound is below the one against all, and both are at least the loss."""
    X, y = np.array([[x, 1.0 - x] for x, _ in rounds]), np.array([outcome for _, outcome in rounds])
    learner = VovkAzouryWarmuth(prior=prior).fit(X, y)
    everyone, yours, _ = learner.certify(X, y, against=[a, b, 0.0])
    assert everyone.holds
    assert yours.holds
    allowed = 1e-7 * (1 + abs(yours.bound)) + yours.rounding
    assert everyone.bound <= yours.bound + allowed


@given(SEQUENCES, st.floats(-5, 5), st.floats(-5, 5), st.sampled_from([1e-6, 1e-2, 1.0, 1e3]), st.booleans())
@at_most(40)
def test_no_sequence_breaks_the_bounds_of_newton_steps_and_of_a_diagonal(rounds, a, b, prior, newton):
    """Beside any vector the loss is within each bound, and the bound by steps is no larger than that by the
    determinant."""
    X, y = np.array([[x, 1.0 - x] for x, _ in rounds]), np.array([outcome for _, outcome in rounds])
    learner = OnlineNewtonStep(prior=prior) if newton else VovkAzouryWarmuth(prior=prior, matrix="diagonal")
    learner.fit(X, y)
    for against in (None, [a, b, 0.0]):
        made = [one for one in learner.certify(X, y, against=against) if one.applies]
        assert made
        assert all(one.holds for one in made), [str(one) for one in made]
        if newton:
            assert made[0].bound <= made[1].bound + 1e-9 * abs(made[1].bound) + made[1].rounding


def test_with_the_curvature_doubled_the_bound_of_newton_steps_is_wrong():
    """The sum of lower bounds allows c up to 1: with a larger one some vector loses less than the bound says."""
    p, z = np.array([0.0, 0.0]), np.array([1.0, -1.0])
    g, best = 2 * (p - z), np.array([1.0, -1.0])
    bounds = [float(np.sum((z - p) ** 2 + g * (best - p) + c * (best - p) ** 2)) for c in (1.0, 1.5)]
    assert bounds == [0.0, 1.0]  # the least loss is 0, and no lower bound of it may be 1


COUNTS = st.lists(
    st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 100.0]), st.sampled_from([0.0, 1.0, 2.0, 40.0, SPIKE, 0.1])),
    min_size=2,
    max_size=40,
)


@given(COUNTS, st.floats(-3, 3), st.floats(-3, 3), st.booleans())
@at_most(20)
def test_no_sequence_of_counts_breaks_a_bound(rounds, a, b, mixed):
    """Whatever counts come, spikes and none among them, the loss is within the bound beside any vector, though slopes
    have no limit."""
    X, y = np.array([[x, 1.0 - x] for x, _ in rounds]), np.array([outcome for _, outcome in rounds])
    learner = AggregatedRegressor(loss="poisson") if mixed else OnlineGradientDescent(loss="poisson")
    learner.fit(X, y)
    for against in (None, [a / 100, b / 100, 0.0]):
        made = [one for one in learner.certify(X, y, against=against) if one.applies]
        assert made
        assert all(one.holds for one in made), [str(one) for one in made]


def adversarial(rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes as far from each forecast as they may be."""
    random, learner = np.random.default_rng(3), AggregatedRegressor()
    X, y = random.normal(size=(rounds, 3)), np.zeros(rounds)
    learner.partial_fit(X[:1], y[:1])
    for t in range(1, rounds):
        y[t] = 1.0 if learner.predict_one(X[t]) < 0 else -1.0
        learner.update_one(X[t], y[t])
    return X, y


def test_an_adversary_does_not_break_a_bound():
    """Outcomes that flee the forecast make it lose 1 in each round at least, and every bound holds."""
    X, y = adversarial(300)
    learner = AggregatedRegressor().fit(X, y)
    assert learner.ledger_.loss >= 298
    assert all(one.holds and one.applies for one in learner.certify(X, y))


def played(X: np.ndarray, y: np.ndarray, prior: float = 0.01) -> tuple[float, float, float]:
    """The loss of the textbook's forecaster, the least penalised loss, and the sum of z^2 h / (1 + h) and clipping."""
    z = (y - y[0])[1:]
    forecasts, _, least, energy = book.vaw(X[1:], z, prior)
    return float(book.loss(forecasts, z, None).sum()), least, energy


def test_clipping_is_part_of_the_bound():
    """Where an outcome leaves the range so far, a forecast that was kept within it costs more, and the bound says
    so."""
    X, y = np.append(np.ones(21), 10.0)[:, None], np.append(np.append(0.0, np.ones(20)), 10.0)
    loss, least, energy = played(X, y)
    free, square = 0.0, 0.0
    for x, z in zip(X[1:, 0], y[1:], strict=True):
        h = x * x / (square + 0.01 * X[1:][: int(square) + 1].max() ** 2)
        free, square = free + z * z * h / (1 + h), square + x * x
    assert loss <= least + energy
    assert energy > free + 5


def test_without_the_second_sum_the_bound_is_wrong():
    """The least penalised loss alone is exceeded: forecasts are made before the outcomes are known."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 4)), random.normal(size=200)
    loss, least, energy = played(X, y)
    assert least < loss <= least + energy


def test_the_gap_is_part_of_the_price_of_a_mixture():
    """Without the gap, or without ln K over the rate, some mixture loses more than its best member and the rest."""
    t = np.arange(64)
    forecasts, outcomes = np.stack([np.ones(64), -np.ones(64)], axis=1), np.where(t % 2, 0.9, -0.9)
    mixed, eta, gap = book.adahedge(forecasts, outcomes, share=False)
    loss = float(book.loss(mixed, outcomes, None).sum())
    best = float(book.loss(forecasts, outcomes[:, None], None).sum(axis=0).min())
    assert loss <= best + log(2) / eta + gap
    forecasts[:, 0], outcomes = 0.0, np.where(t < 8, -1.0, 0.0)
    mixed, eta, gap = book.adahedge(forecasts, outcomes, share=False)
    loss = float(book.loss(mixed, outcomes, None).sum())
    best = float(book.loss(forecasts, outcomes[:, None], None).sum(axis=0).min())
    assert best < loss <= best + log(2) / eta + gap


@pytest.mark.parametrize("tau", [None, 0.1, 0.9])
def test_a_mixture_follows_its_best_member(tau):
    """Beside one member that is right and others that are not, a mixture loses no more than its price."""
    random = np.random.default_rng(5)
    outcomes = random.normal(size=500)
    forecasts = np.stack([outcomes, outcomes + 3, random.normal(size=500), np.zeros(500)], axis=1)
    mixed, eta, gap = book.adahedge(forecasts, outcomes, *(("square",) if tau is None else ("pinball", tau)))
    loss = float(book.loss(mixed, outcomes, tau).sum())
    assert loss <= (log(4) + log(500)) / eta + gap
    assert loss < 0.1 * float(book.loss(forecasts[:, 3], outcomes, tau).sum())


@pytest.mark.parametrize("base", [1e6, 1e9])
def test_counts_that_hardly_differ_keep_their_losses(base):
    """Of counts that differ in their last digits the loss is what fractions say, and every bound holds."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 1)), base + random.integers(0, 3, 40)
    learner = AggregatedRegressor(loss="poisson").fit(X, y)
    assert all(one.holds for one in learner.certify(X, y) if one.applies)
    forecasts = [float(y[0])]
    twin = AggregatedRegressor(loss="poisson").partial_fit(X[:1], y[:1])
    for row, count in zip(X[1:], y[1:], strict=True):
        forecasts.append(float(twin.predict_one(row)))
        twin.update_one(row, count)
    lost = [count * ((x := (f - count) / count) ** 2 / 2 - x**3 / 3) for f, count in zip(forecasts, y, strict=True)]
    assert learner.ledger_.loss == pytest.approx(sum(lost), rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("learner", [VovkAzouryWarmuth, OnlineNewtonStep])
def test_a_prior_that_doubles_lose_is_refused(learner):
    """With a prior of 1e-60 nearly collinear rows broke bounds; such a prior is refused by its name."""
    with pytest.raises(ParameterError, match="prior"):
        learner(prior=1e-60).fit(np.eye(2), [1.0, 2.0])
