"""A combiner that asks for few outcomes, and games on which its theorems must say numbers that are known by hand."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless.comparator import ExpertComparator
from regretless.errors import RegretlessError
from regretless.experts import (
    AdaHedge,
    ExponentiallyWeightedAverage,
    Hedge,
    LabelEfficient,
    RandomizedWeightedMajority,
)
from regretless.textbook import experts as rules
from regretless.theory import selective as theory

from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# A hundred rounds, of which each is asked with 1/4: 25 were. The span is 2, the rate 1/2, ln N = 1.
LEARNED = Hedge(n_experts=2).ledger_
BOOK = theory.AskedLedger(rounds=100, asked=25, waiting=0, share=0.25, learned=LEARNED, regrets=np.array([7.0, 3.0]))
BEST = ExpertComparator("best_expert", "best expert 1", loss=4.0, faced=5.5, rounds=25, expert=1)
STANDS = theory.AskingFacts(experts=2, schedule="constant", rate=0.5, span=2.0, mixes=True, delta=0.1)
OFF = 2 * sqrt(2 * 100 * 3 * log(20)) + 2 * log(20)  # s sqrt(2 T (1 / epsilon - 1) L) + s max(1, 3) L / 3
CASES = [
    Known(theory.label_efficient, BOOK, BEST, STANDS, 8 * log(2) + 25, 6),
    Known(theory.label_efficient, BOOK, BEST, STANDS, 2 * sqrt(400 * log(2)), 6).changed(
        {"learner.schedule": "anytime"}
    ),
    Known(theory.regret_over_all, BOOK, BEST, STANDS, 6 + OFF, 3),
]
ASSUMES: Assumes = [
    (theory.LABEL_EFFICIENT, (theory.SETTLED, theory.DECLARED, theory.OF_ONE_EXPERT)),
    ((theory.label_efficient,), (theory.EXPONENTIAL,)),
]
BREAKS = {
    theory.SETTLED[0]: [{"ledger.waiting": 1}],
    theory.DECLARED[0]: [{"learner.span": None}, {"learner.mixes": False}],
    theory.OF_ONE_EXPERT[0]: [{"comparator.expert": None}],
    theory.EXPONENTIAL[0]: [{"learner.schedule": ""}],
}


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was found by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    refuses(case, ASSUMES, BREAKS)


def game(seed: int, rounds: int = 300, experts: int = 3):
    """Forecasts of different skill in [0, 1], and what came."""
    rng = np.random.default_rng(seed)
    outcomes = rng.random(rounds)
    skill = np.linspace(0.1, 0.8, experts)
    return np.clip(outcomes[:, None] + rng.normal(size=(rounds, experts)) * skill, 0, 1), outcomes


def test_it_is_that_of_the_textbook():
    """Played on asked rounds at the rate eta / epsilon, the weights are those of the estimates at the rate eta."""
    losses, eta, epsilon = np.random.default_rng(1).random((400, 4)), 0.02, 0.1
    ours = LabelEfficient(Hedge(eta=eta / epsilon, value_range=(0, 1)), share=epsilon, seed=3)
    played = ours.play(losses, weights=True)
    twin = rules.label_efficient(losses, ours.asks(0, 400), eta, epsilon)
    np.testing.assert_allclose(played.weights, twin, rtol=1e-9)
    np.testing.assert_allclose(played.losses, (twin * losses).sum(axis=1), rtol=1e-9)


@given(seed=st.integers(0, 2**64 - 1), begin=st.integers(0, 50), end=st.integers(50, 90))
def test_a_round_is_asked_however_rounds_come(seed, begin, end):
    """The draws of some rounds are those of the whole."""
    learner = LabelEfficient(Hedge(), share=0.3, seed=seed)
    assert np.array_equal(learner.asks(begin, end), learner.asks(0, 90)[begin:end])


@pytest.mark.parametrize("base", [ExponentiallyWeightedAverage(loss="absolute", horizon=60), AdaHedge()])
def test_rounds_may_come_in_one_table_in_pieces_or_one_by_one(base, tmp_path):
    """Forecasts and weights are the same, bit for bit, with a stop at a model file too."""
    forecasts, outcomes = game(2)
    whole = LabelEfficient(base, share=0.2)
    played = whole.play(forecasts, outcomes)
    parts = LabelEfficient(base, share=0.2)
    for begin in range(0, 300, 70):
        parts.play(forecasts[begin : begin + 70], outcomes[begin : begin + 70])
        parts.learner_.save(tmp_path / "m.rgl")
        parts = LabelEfficient(regretless.load(tmp_path / "m.rgl"), share=0.2, rounds=parts.rounds_)
    single, messages = LabelEfficient(base, share=0.2), []
    for row, outcome in zip(forecasts, outcomes, strict=True):
        forecast = single.predict(row)
        messages.append(float(forecast))
        if forecast.wanted:
            single.update(forecast, outcome)
    assert np.array_equal(messages, played.predictions)
    assert np.array_equal(whole.weights, single.weights)
    assert np.array_equal(whole.weights, parts.weights)
    assert whole.asked_ == single.asked_ == parts.asked_ == whole.learner_.rounds_


@pytest.mark.parametrize("garbage", [0.5, np.nan])
def test_outcomes_that_were_not_asked_do_not_matter(garbage):
    """With garbage for them forecasts, weights and what is known of the asked rounds are the same."""
    forecasts, outcomes = game(3)
    base = ExponentiallyWeightedAverage(loss="absolute", value_range=(0, 1))
    ours, theirs = LabelEfficient(base, share=0.2), LabelEfficient(base, share=0.2)
    other = np.where(ours.asks(0, 300), outcomes, garbage)
    assert np.array_equal(ours.play(forecasts, outcomes).predictions, theirs.play(forecasts, other).predictions)
    assert np.array_equal(ours.weights, theirs.weights)
    assert ours.ledger_.learned.loss == theirs.ledger_.learned.loss
    if np.isnan(garbage):
        assert theirs.ledger_.regrets is None
        assert theirs.certify()[1].observed is None


def test_the_regret_over_all_rounds_is_that_of_the_forecasts():
    """Where all outcomes are known, the loss of all forecasts less that of the best asked expert is observed."""
    forecasts, outcomes = game(4)
    learner = LabelEfficient(ExponentiallyWeightedAverage(loss="absolute", value_range=(0, 1)), share=0.2)
    played = learner.play(forecasts, outcomes)
    best = int(np.argmin(learner.ledger_.learned.losses))
    regret = np.abs(played.predictions - outcomes).sum() - np.abs(forecasts[:, best] - outcomes).sum()
    assert learner.certify()[1].observed == pytest.approx(regret)


def test_the_expected_bound_holds_of_the_mean_over_seeds():
    """On losses that are coins, known beforehand, the mean regret over seeds is below the bound against each expert,
    and above a twentieth of it."""
    losses = np.random.default_rng(0).integers(0, 2, (600, 8)).astype(float)
    regrets, bound = [], 0.0
    for seed in range(60):
        learner = LabelEfficient(Hedge(horizon=60), share=0.1, seed=seed)
        played = learner.play(losses)
        regrets.append(played.losses.sum() - losses.sum(axis=0).min())
        bound = learner.certify()[0].bound
    assert bound == pytest.approx(600 * sqrt(log(8) / 120))
    assert bound / 20 < np.mean(regrets) < bound


def test_the_probable_bound_fails_seldom_enough():
    """Over 100 seeds the regret against the worst expert to miss exceeds the bound at level 1/2 in at most half."""
    losses = np.zeros((100, 2))
    losses[::2, 0] = losses[1::2, 1] = 1
    failures = 0
    for seed in range(100):
        learner = LabelEfficient(Hedge(eta=2.0, value_range=(0, 1)), share=0.5, seed=seed)
        learner.play(losses)
        certificate = learner.certify(delta=0.5)[1]
        failures += certificate.observed > certificate.bound
    assert failures <= 50 + 3 * sqrt(25)


def test_an_outcome_that_was_asked_and_never_came_is_named():
    """Late answers are learned; as long as one is missing the certificates say so."""
    forecasts, outcomes = game(5, rounds=40)
    learner = LabelEfficient(ExponentiallyWeightedAverage(value_range=(0, 1)), share=0.5)
    queries = [(forecast, t) for t in range(40) if (forecast := learner.predict(forecasts[t])).wanted]
    for forecast, t in queries[1:]:
        learner.update(forecast, outcomes[t])
    assert [one.why for one in learner.certify()[:2]] == [theory.SETTLED[0]] * 2
    learner.update(queries[0][0], outcomes[queries[0][1]])
    assert learner.ledger_.waiting == 0
    with pytest.raises(RegretlessError):
        learner.update(queries[0][0], 0.5)


def test_a_row_that_cannot_be_played_leaves_those_before_it_learned():
    """The error names the row, and the learner goes on as if the table had ended before it."""
    forecasts, outcomes = game(6, rounds=1300)
    base = ExponentiallyWeightedAverage(value_range=(0, 1))
    ours, theirs = LabelEfficient(base, share=0.5), LabelEfficient(base, share=0.5)
    wrong = forecasts.copy()
    wrong[1100, 1] = 7.0
    with pytest.raises(RegretlessError, match="row 1100"):
        ours.play(wrong, outcomes)
    theirs.play(forecasts[:1100], outcomes[:1100])
    assert (ours.rounds_, ours.asked_) == (theirs.rounds_, theirs.asked_)
    ours.play(forecasts[1100:], outcomes[1100:])
    theirs.play(forecasts[1100:], outcomes[1100:])
    assert np.array_equal(ours.weights, theirs.weights)


@pytest.mark.parametrize(
    ("base", "more", "message"),
    [
        (RandomizedWeightedMajority(beta=0.5), {}, "draws experts"),
        (Hedge(loss=lambda forecast, outcome: (forecast - outcome) ** 2), {}, "must have a name"),
        (Hedge(), {"share": 1.0}, "share"),
        (Hedge(), {"seed": 2**64}, "seed"),
    ],
)
def test_what_has_no_meaning_is_refused(base, more, message):
    """The message says what."""
    with pytest.raises(RegretlessError, match=message):
        LabelEfficient(base, **({"share": 0.1} | more))


def test_the_theorems_of_the_combiner_say_that_they_are_about_asked_rounds():
    """Their titles do, and they are sure of these."""
    learner = LabelEfficient(Hedge(horizon=30), share=0.1)
    learner.play(np.random.default_rng(7).random((300, 3)))
    own = learner.certify()[2:]
    assert all(one.theorem.title.endswith(", of the rounds asked") for one in own)
    assert all(one.holds is not False for one in own)
    assert replace(own[0].theorem, title="").bound is own[0].theorem.bound


def test_what_is_known_of_all_rounds_goes_on_with_the_combiner():
    """Described after some rounds and read again, the regrets and the loss of all rounds are those of one run."""
    forecasts, outcomes = game(4)
    base = AdaHedge()
    whole, parts = LabelEfficient(base, share=0.2, seed=1), LabelEfficient(base, share=0.2, seed=1)
    whole.play(forecasts, outcomes)
    for begin, end in ((0, 110), (110, 300)):
        parts.play(forecasts[begin:end], outcomes[begin:end])
        parts = LabelEfficient.read(parts.learner_, parts.describe())
    assert parts.describe() == whole.describe()
    assert whole.ledger_.loss is not None
    assert np.array_equal(whole.asks(0, 300), rules.asked(0.2, 1, 300))


@pytest.mark.parametrize("wrong", [{"rounds": 3}, {"regrets": [0.0]}, {"regrets": [np.nan] * 3}, {"share": 2.0}])
def test_a_description_that_does_not_fit_is_refused(wrong):
    """More outcomes than rounds, regrets of other experts or none, and a share above 1 are no description."""
    learner = LabelEfficient(AdaHedge(), share=0.2)
    learner.play(*game(4))
    with pytest.raises(ValueError, match=r"outcomes were asked|regrets over all rounds|share"):
        LabelEfficient.read(learner.learner_, learner.describe() | wrong)
