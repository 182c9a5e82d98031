"""The theorems of online gradient descent."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless.comparator import Comparator
from regretless.linear import OnlineGradientDescent, Perceptron
from regretless.textbook import linear as book
from regretless.theory.gradient import COSTS, GRADIENT_DESCENT, posterior_regret, prior_regret
from regretless.theory.margin_losses import MARGIN_LOSSES

reals = st.floats(-3, 3, width=32)


def loss_of(name, margins):
    short = np.maximum(0, 1 - margins)
    return {
        "hinge": short,
        "squared-hinge": short**2,
        "square": (1 - margins) ** 2,
        "logistic": np.logaddexp(0, -margins),
        "perceptron": np.maximum(0, -margins),
    }[name].sum()


def comparator(X, y, u, loss) -> Comparator:
    margins = y * (X @ u)
    hinge = np.maximum(0, 1 - margins)
    squares = (X**2).sum(1)
    return Comparator(
        "slow",
        float(np.linalg.norm(u)),
        float(hinge.sum()),
        float((hinge**2).sum()),
        float(loss_of(loss, margins)),
        float(margins.min()),
        len(y),
        float(squares.max()),
        float(squares.sum()),
    )


@given(
    X=arrays(float, (25, 3), elements=reals),
    y=arrays(np.int8, 25, elements=st.sampled_from([-1, 1])),
    u=arrays(float, 3, elements=reals),
    loss=st.sampled_from(["hinge", "logistic", "squared-hinge", "square", "perceptron"]),
    schedule=st.sampled_from(["inverse-sqrt", "constant", "self-tuned", "scale-free"]),
    rate=st.sampled_from([0.01, 0.1, 1.0]),
    radius=st.sampled_from([None, 0.5, 2.0]),
)
def test_no_stream_and_no_comparator_break_a_regret_bound(X, y, u, loss, schedule, rate, radius):
    """Every loss, schedule and ball keeps its regret within both bounds against every vector of the ball."""
    if radius is not None:
        u = u * min(1, radius / max(np.linalg.norm(u), 1e-300))
    learner = OnlineGradientDescent(loss=loss, schedule=schedule, rate=rate, radius=radius)
    learner.partial_fit(X, y, classes=[-1, 1])
    for theorem in GRADIENT_DESCENT:
        certificate = theorem.certify(learner.ledger_, [comparator(X, y, u, loss)], learner.target_facts()[0])
        assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (20, 2), elements=reals),
    y=arrays(np.int8, 20, elements=st.sampled_from([-1, 1])),
    u=arrays(float, 2, elements=reals),
    losses=st.lists(st.sampled_from(sorted(book.LOSSES)), min_size=20, max_size=20),
    rate=st.sampled_from([0.01, 0.1, 1.0]),
)
def test_each_round_may_have_a_loss_of_its_own(X, y, u, losses, rate):
    """With another convex loss in each round the regret at a constant rate is within |u|^2 / (2 eta) + eta / 2 times
    the sum of the squared gradients, where each round is charged to the vector by its own loss."""
    _, paid, history = book.gradient_descent(X, y, losses, "constant", rate)
    margins = y * np.einsum("ij,ij->i", X, np.array(history))
    slopes = np.array([book.LOSSES[name][1](m) for name, m in zip(losses, margins, strict=True)])
    suffered = sum(book.LOSSES[name][0](m) for name, m in zip(losses, y * (X @ u), strict=True))
    bound = u @ u / (2 * rate) + rate / 2 * float((slopes**2) @ (X**2).sum(1))
    assert paid - suffered <= bound + 1e-9 * (1 + abs(bound) + abs(paid) + suffered)


def test_the_perceptron_is_gradient_descent_on_its_loss():
    """At a constant rate and without a ball, descent on the perceptron's loss has the weights, updates and loss of the
    perceptron, its regret is bounded, and its mistakes are not: from w = 0 wrong rounds may cost nothing."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(80, 3)), random.choice([-1, 1], size=80)
    descent = OnlineGradientDescent(loss="perceptron", schedule="constant", rate=0.5).fit(X, y)
    perceptron = Perceptron(rate=0.5).fit(X, y)
    assert np.array_equal(descent.coef_, perceptron.coef_)
    assert (descent.ledger_.updates, descent.ledger_.loss) == (perceptron.ledger_.updates, perceptron.ledger_.loss)
    regret, prior, mistakes = descent.certify(X, y)
    assert regret.holds
    assert prior.holds
    assert regret.bound < prior.bound
    assert mistakes.why == COSTS[0]
    still = OnlineGradientDescent(loss="perceptron", schedule="constant", rate=1.0).fit([[1.0], [-1.0]], [-1, 1])
    assert (still.ledger_.mistakes, still.ledger_.loss, still.ledger_.updates) == (1, 0, 1)


def test_the_bound_at_a_worked_run():
    """Four square losses at a constant rate of 1/4: loss, gradients and weights are exact, the bound the formula's."""
    X, y = np.array([[1.0], [1.0], [1.0], [1.0]]), np.array([1, -1, 1, 1])
    learner = OnlineGradientDescent(loss="square", schedule="constant", rate=0.25).partial_fit(X, y, classes=[-1, 1])
    w, paid, slopes = 0.0, 0.0, 0.0
    for label in y:
        gradient = 2 * (w - label)
        paid, slopes, w = paid + (w - label) ** 2, slopes + gradient**2, w - 0.25 * gradient
    assert learner.ledger_.loss == paid
    assert learner.ledger_.slope2 == slopes
    assert learner.coef_[0, 0] == w
    u = comparator(X, y, np.array([0.5]), "square")
    certificate = posterior_regret.certify(learner.ledger_, [u], learner.target_facts()[0])
    assert certificate.bound == pytest.approx(0.25 / (2 * 0.25) + 0.125 * slopes)
    assert certificate.observed == pytest.approx(paid - u.loss)


def test_without_a_ball_the_prior_bound_of_a_falling_rate_does_not_apply():
    """c / sqrt(t) has no bound before the run unless the weights are kept in a ball; the certificate says so."""
    X, y = np.eye(2), np.array([1, -1])
    learner = OnlineGradientDescent().partial_fit(X, y, classes=[-1, 1])
    u = comparator(X, y, np.zeros(2), "hinge")
    assert "ball" in str(prior_regret.certify(learner.ledger_, [u], learner.target_facts()[0]).why)
    constant = OnlineGradientDescent(schedule="constant").partial_fit(X, y, classes=[-1, 1])
    assert prior_regret.certify(constant.ledger_, [u], constant.target_facts()[0]).applies


def test_a_comparator_outside_the_ball_gives_no_number():
    """The regret bound is against vectors of the learner's own ball."""
    X, y = np.eye(2), np.array([1, -1])
    learner = OnlineGradientDescent(radius=0.5).partial_fit(X, y, classes=[-1, 1])
    assert learner.target_facts()[0].radius == 0.5 < inf
    u = comparator(X, y, np.array([1.0, -1.0]), "hinge")
    assert "ball" in str(posterior_regret.certify(learner.ledger_, [u], learner.target_facts()[0]).why)


@given(arrays(float, (40, 2), elements=reals), arrays(np.int8, 40, elements=st.sampled_from([-1, 1])))
def test_the_weights_never_leave_the_ball(X, y):
    """After every round the length of the weights is at most the radius, up to rounding."""
    assume(np.abs(X).max() > 0)
    learner = OnlineGradientDescent(radius=0.7, rate=3.0)
    for t in range(40):
        learner.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1] if t == 0 else None)
        assert learner.target_facts()[0].norm <= 0.7 * (1 + 1e-9)


def test_the_perceptron_reading_of_a_subgradient_that_never_moves_is_not_ours():
    """With <, not <=, the perceptron would stay at 0 for ever; ours moves in the first round."""
    from regretless.linear import Perceptron

    learner = Perceptron().partial_fit(np.ones((20, 1)), -np.ones(20), classes=[-1, 1])
    assert (learner.ledger_.updates, learner.ledger_.mistakes) == (1, 1)


@pytest.mark.parametrize("name", MARGIN_LOSSES)
def test_facts_of_a_loss_are_those_of_its_value_and_its_slope(name):
    """At -a it is what it is at most from -a to a, and as steep; no slope exceeds the limit, and one comes near it."""
    loss = MARGIN_LOSSES[name]
    value, slope = book.LOSSES[loss.played]
    margins = np.linspace(-40, 40, 801)
    slopes = np.abs([slope(m) for m in margins.tolist()])
    np.testing.assert_allclose(loss.value(margins), value(margins), rtol=1e-15)
    for k in range(0, 400, 7):
        assert loss.value(margins[k]) == pytest.approx(value(margins[k : 801 - k]).max())
        assert loss.steepest(-float(margins[k])) == pytest.approx(slopes[k : 801 - k].max())
    assert slopes.max() <= loss.limit
    assert loss.limit == inf or slopes.max() > 0.9 * loss.limit
    assert loss.of_a_mistake == value(0.0)
    assert (loss.limit, loss.of_a_mistake) == (book.steepest(name), book.of_a_mistake(name))


KNOWN = [name for name, loss in MARGIN_LOSSES.items() if loss.summed is not None or loss.by_hinges is not None]


@pytest.mark.parametrize("name", KNOWN)
def test_sums_of_a_loss_along_a_ray_are_those_of_its_values(name):
    """Where a loss says how it sums from the margins' bins, or from their hinge losses, it is the sum of its values."""
    loss, rng = MARGIN_LOSSES[name], np.random.default_rng(0)
    margins = rng.normal(size=50)
    parts = [margins[margins < 0], margins[margins >= 0]]
    bins = np.array([[len(one), one.sum(), one @ one] for one in parts])
    sums = SimpleNamespace(rounds=50.0, all_total=margins.sum(), all_squares=margins @ margins, bins=bins)
    for s in (0.25, 1.0, 3.0):
        hinge = np.maximum(0, 1 - s * margins)
        summed = loss.by_hinges(hinge.sum(), hinge @ hinge) if loss.by_hinges else loss.summed(sums, s)
        assert summed == pytest.approx(loss.value(s * margins).sum())
