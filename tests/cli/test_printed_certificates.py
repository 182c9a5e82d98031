"""What a certificate prints: a true inequality, its allowance for rounding, and whether it says anything."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from regretless.batch import average, leave_one_out
from regretless.certificate import Certificate, Most, compared, summed
from regretless.experts import AdaHedge, ExponentiallyWeightedAverage, Hedge, MLPoly, WeightedMajority
from regretless.games import boost
from regretless.linear import OnlineGradientDescent, Perceptron
from regretless.report import summary
from regretless.theory.experts import hedge_posterior

READ = str.maketrans("", "", ",")


def of_regret(observed: float, bound: float, most: Most | None = None) -> Certificate:
    return Certificate(hedge_posterior, observed, bound, None, None, **({} if most is None else {"most": most}))


def printed(line: str, sign: str) -> tuple[float, float]:
    """The two numbers of a line."""
    left, right = line.split(f" {sign} ")
    return float(left.split()[-1].translate(READ)), float(right.split()[0].rstrip(",").translate(READ))


numbers = st.floats(-1e15, 1e15) | st.integers(-(10**9), 10**9).map(float)


@given(numbers, numbers)
@example(1234567.4, 1234568.0)
@example(1234567.6, 1234567.0)
@example(0.1 + 0.2, 0.3)
@example(999999.5, 1e6)
@example(2.0**53, 2.0**53 - 1)
def test_printed_numbers_compare_as_they_do(observed, bound):
    """Two numbers are printed so that the printed ones compare as they do, whatever is rounded."""
    values, limit = (float(text.translate(READ)) for text in compared(observed, bound))
    assert (values <= limit) == (observed <= bound)


@given(numbers, numbers | st.just(0.0), st.floats(-3e-9, 3e-9))
@example(8.9e-10, 0.0, 0.0)
@example(1234567.5, 1234567.0, 0.0)
def test_a_line_is_a_true_inequality(observed, bound, nudge):
    """A certificate that holds prints observed <= bound of printed numbers, and one that does not, the opposite."""
    for values in (observed, bound + nudge * max(1.0, abs(bound))):
        one = of_regret(values, bound)
        left, right = printed(str(one), "<=" if one.holds else "EXCEEDS")
        assert (left <= right) == one.holds
        shown, limit = (text.replace("\u2212", "-") for text in summary.pair(one))
        if "×" not in shown + limit:
            assert (float(shown.translate(READ)) <= float(limit.translate(READ))) == one.holds


def test_what_rounding_alone_lifts_is_printed_below_the_allowance():
    """One expert has no regret but rounding: the line allows for it, and JSON gives bound and allowance apart."""
    generator = np.random.default_rng(0)
    loads = 5e4 + 1e4 * generator.normal(size=4000)
    learner = MLPoly(loss="square", linearize=False)
    learner.play((loads + 3e3 * generator.normal(size=4000))[:, None], loads)
    (best,) = learner.comparators()
    one = of_regret(1e-13 * best.faced, 0.0)
    one = replace(one, comparator=best)
    left, right = printed(str(one), "<=")
    assert 0 < left <= right
    record = json.loads(json.dumps(one.describe()))
    assert record["bound"] == 0
    assert record["observed"] <= record["bound"] + record["rounding"]
    assert record["rounding"] == one.rounding > 0


def test_luck_is_called_luck():
    """A mean that luck may lift above its bound is not printed as if it were below."""

    class Lucky(Certificate):
        luck = 1.0

    one = Lucky(hedge_posterior, 2.5, 2.0, None, None)
    assert one.holds
    assert "regret 2.5 above 2 by less than luck may do" in str(one)


def test_a_bound_on_regret_is_vacuous_where_it_is_no_less_than_the_own_loss():
    """Where losses are not negative a regret bound of the own loss or more is marked, in words and in JSON."""
    outcomes = np.linspace(0, 1, 6)
    advice = outcomes[:, None] + np.array([0.1, 0.2, 0.3])
    few, many = ExponentiallyWeightedAverage(), ExponentiallyWeightedAverage(loss="absolute")
    few.play(advice, outcomes)
    many.play(np.tile(advice, (400, 1)), np.tile(outcomes, 400))
    early, late = few.certify()[0], many.certify()[0]
    assert early.vacuous
    assert early.describe()["vacuous"]
    assert f"<= {early.bound:.6g}, no better than the learner's own loss" in str(early)
    assert early.bound >= few.ledger_.loss
    assert late.bound < many.ledger_.loss
    assert not late.vacuous
    assert "no better" not in str(late)


def test_losses_that_may_be_negative_leave_room_for_regret():
    """Of losses below zero the own loss is no limit, and a declared range is: the line names it."""
    losses = np.array([[-1.0, 0.0], [0.0, -1.0], [-0.5, -0.5]])
    bare, declared = Hedge(), Hedge(value_range=(-1, 0))
    for learner in (bare, declared):
        learner.play(losses)
    assert not any(one.vacuous for one in bare.certify())
    (prior,) = (one for one in declared.certify() if one.theorem.title == "Prior regret")
    assert prior.bound < 3
    assert not prior.vacuous
    one = Hedge(value_range=(-1, 0))
    one.play(losses[:1])
    (prior,) = (certificate for certificate in one.certify() if certificate.theorem.title == "Prior regret")
    assert prior.vacuous == (prior.bound >= 1)
    posterior = of_regret(0.0, 5.0, Most(3.0, "the declared range of losses in every round"))
    assert "no better than the declared range of losses in every round" in str(posterior)


@pytest.mark.parametrize("loss", ["hinge", "squared-hinge", "logistic", "square"])
def test_gradient_descent_has_no_more_regret_than_loss(loss):
    """On labels by chance the bounds of gradient descent exceed its own loss in a few rounds, and are marked."""
    generator = np.random.default_rng(3)
    X, y = generator.normal(size=(20, 4)), np.where(generator.random(20) < 0.5, -1, 1)
    learner = OnlineGradientDescent(loss=loss, radius=50.0).fit(X, y)
    certificates = [one for one in learner.certify(X, y, svm=False) if one.quantity == "regret" and one.applies]
    assert len(certificates) == 2
    for one in certificates:
        assert one.vacuous == (one.bound >= learner.ledger_.loss)
        assert ("no better than the learner's own loss" in str(one)) == one.vacuous
    assert any(one.vacuous for one in certificates)


def test_several_classes_are_vacuous_together():
    """Of several problems in one the limits add up as the bounds do."""
    part = of_regret(1.0, 4.0, Most(3.0, "the learner's own loss"))
    rich = of_regret(1.0, 4.0, Most(6.0, "the learner's own loss"))
    assert summed([part, part]).vacuous
    assert not summed([part, rich]).vacuous


def test_counts_keep_their_limit():
    """Updates are still held against the rounds."""
    generator = np.random.default_rng(1)
    X, y = generator.normal(size=(12, 2)), np.arange(12) % 2
    learner = Perceptron().fit(X, y)
    certificates = [one for one in learner.certify(X, y, svm=False) if one.applies and one.quantity == "updates"]
    assert certificates
    for one in certificates:
        assert one.vacuous == (one.shown_bound >= 12)


def test_halving_promises_nothing_against_an_expert_that_errs():
    """With beta = 0 the bound is finite against an expert without mistakes, and does not apply where there is none."""
    generator = np.random.default_rng(0)
    votes = (generator.random((30, 3)) < 0.5).astype(float)
    right, none = WeightedMajority(beta=0), WeightedMajority(beta=0)
    right.play(votes, votes[:, 1])
    none.play(votes, (generator.random(30) < 0.5).astype(float))
    (rest,), (lost,) = right.certify(), none.certify()
    assert (rest.applies, rest.shown_bound) == (True, 1)
    assert not lost.applies
    assert "with beta = 0 an expert that errs loses all its say" in str(lost)
    assert str(inf) not in str(lost)


@pytest.mark.parametrize(
    "make", [lambda: Hedge(loss="square", value_range=(0, 1)), lambda: AdaHedge(value_range=(0, 1))]
)
def test_what_is_known_before_the_run_knows_no_delay(make):
    """A bound called prior holds no cost that only the run tells: where outcomes come late it does not apply."""
    generator = np.random.default_rng(2)
    outcomes = generator.random(60)
    advice = np.clip(outcomes[:, None] + generator.normal(0, 0.2, (60, 3)), 0, 1)
    prompt, late = make(), make()
    prompt.play(advice, outcomes)
    late.play(advice, outcomes, arrivals=5)
    for learner, applies in ((prompt, True), (late, False)):
        (prior,) = (one for one in learner.certify() if one.theorem.title == "Prior regret")
        assert prior.applies == applies
    assert "known before the run only where each outcome is known before the next forecast" in str(prior)


def test_a_risk_of_one_is_promised_by_nobody():
    """Bounds on a risk, on left-out rows, on means and on boosting's margins are marked from the most on that there can
    be: 1, all rows, the largest loss, the range of the margins."""
    X, y = np.ones((6, 1)), np.array([1, -1] * 3)
    learner = Perceptron().fit(X[:4], y[1:5])  # it errs in every round
    marked = {
        **{one.theorem.title: one for one in learner.certify_risk(0.05)},
        **{one.theorem.title: one for one in leave_one_out(Perceptron(), X, y).certificates},
        **{
            one.theorem.title: one
            for one in average(
                OnlineGradientDescent(loss="logistic", schedule="inverse-sqrt", radius=1.0), X, y, longest=1.0
            ).certificates
        },
        **{
            one.theorem.title: one
            for one in boost(np.tile([[1, -1], [-1, 1]], (20, 1)), [1, -1] * 20, rounds=1).certificates
        },
    }
    words = {
        "Future error": "no better than 1, the largest risk",
        "Future error of the vote": "no better than 1, the largest risk",
        "Support rows": "no better than the number of rows",
        "Expected risk by support rows": "no better than 1, the largest risk",
        "Risk of the mean": "no better than the largest loss",
        "Excess risk of the mean": "no better than the largest loss",
        "Boosting by Hedge": "no better than the range of the margins",
    }
    for title, values in words.items():
        assert marked[title].vacuous, title
        assert values in str(marked[title])


def test_an_allowance_that_says_nothing_is_marked():
    """Where a bound is small but what rounding may have done is as much as there is to lose, the line says so."""
    generator = np.random.default_rng(2)
    outcomes, advice = 1e14 + generator.random(40), 1e14 + generator.random((40, 2))
    learner = Hedge(loss="absolute", eta=100.0)
    learner.play(advice, outcomes)
    (posterior,) = (one for one in learner.certify() if one.theorem.title == "Posterior regret")
    assert posterior.bound < learner.ledger_.loss < posterior.bound + posterior.rounding
    assert posterior.vacuous
    assert "no better than the learner's own loss" in str(posterior)
