"""What fixed uses of the experts would have lost: against brute force, scipy and published numbers."""

from __future__ import annotations

import lzma
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise, product
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, nnls

from regretless.best_switching import Shifting
from regretless.experts import AggregatingAlgorithm
from regretless.experts.best_mixture import least_quadratic
from regretless.experts.comparators import Totals, absent_reasons, comparators, own_losses
from regretless.experts.losses import Loss
from regretless.ledger import ExpertLedger
from regretless.theory.expert_facts import lower_bound

VECTORS = ("losses", "faced", "spoke", "regrets", "delays", "squares", "drags")


def ledger_of(advice, outcomes, loss, paid=0.0) -> ExpertLedger:
    """Of a learner that lost `paid` in every round."""
    own = own_losses(advice, outcomes, loss)
    n, spoke = own.shape[1], ~np.isnan(own)
    values = {name: 0.0 for name in (one.name for one in fields(ExpertLedger)) if name not in VECTORS}
    values |= {name: np.zeros(n) for name in VECTORS}
    values |= {"rounds": float(len(own)), "loss": paid * len(own), "absent": float((~spoke).sum())}
    values |= {"losses": np.nansum(own, 0), "spoke": spoke.sum(0).astype(float), "faced": paid * spoke.sum(0)}
    return ExpertLedger(**values)


def find(advice, outcomes, loss, *, paid=0.0, pieces=1, **options):
    """Comparators by name, the rounds being read in so many blocks."""
    cuts = np.array_split(np.arange(len(advice)), pieces)

    def blocks():
        for rows in cuts:
            yield advice[rows], None if outcomes is None else outcomes[rows]

    n = advice.shape[1]
    vectors = comparators(ledger_of(advice, outcomes, loss, paid), loss, np.full(n, 1 / n), blocks, **options)
    return {one.name if one.name != "best_shifting" else one.label: one for one in vectors}


def linear_programme(advice, outcomes, loss) -> float:
    """The least absolute, pinball or percentage loss of a convex combination, by scipy."""
    rounds, n = advice.shape
    over, under = {"pinball": (1 - loss.tau, loss.tau)}.get(loss.name, (1.0, 1.0))
    scale = 1 / np.abs(outcomes) if loss.name == "percentage" else np.ones(rounds)
    costs = np.concatenate([np.zeros(n), over * scale, under * scale])
    system = np.hstack([advice, -np.eye(rounds), np.eye(rounds)])
    total = np.concatenate([np.ones(n), np.zeros(2 * rounds)])[None]
    return linprog(costs, A_eq=np.vstack([system, total]), b_eq=np.append(outcomes, 1.0), method="highs").fun


def forecasts(seed, rounds, n):
    """An outcome that wanders, and forecasts that miss it each in its own way; some are alike."""
    rng = np.random.default_rng(seed)
    y = 10 + np.cumsum(rng.normal(size=rounds))
    advice = y[:, None] + rng.normal(size=n) + rng.normal(size=(rounds, n)) * rng.uniform(0.2, 2, n)
    if n > 2 and seed % 3 == 0:
        advice[:, 1] = advice[:, 0]
    return advice, np.where(np.abs(y) < 0.1, 0.1, y)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 7), st.integers(1, 3))
def test_the_best_combination_under_the_square_loss_is_that_of_scipy(seed, rounds, n, pieces):
    """One pass over the rounds finds what nonnegative least squares finds, and certifies it to a billionth."""
    advice, y = forecasts(seed, rounds, n)
    best = find(advice, y, Loss("square"), pieces=pieces)["best_convex"]
    weights = nnls(np.vstack([advice - y[:, None], np.ones(n)]), np.append(np.zeros(rounds), 1.0))[0]
    weights = weights / weights.sum()
    least = float(((advice @ weights - y) ** 2).sum())
    size = float(((advice - y[:, None]) ** 2).sum())
    assert best.loss == pytest.approx(least, rel=1e-8, abs=1e-11 * size)
    assert best.detail["gap"] <= 1e-9 * best.loss + 1e-12 * size
    assert best.weights.min() >= 0
    assert best.weights.sum() == pytest.approx(1)
    assert ((advice @ best.weights - y) ** 2).sum() == pytest.approx(best.loss, rel=1e-8, abs=1e-11 * size)
    used = best.weights[best.weights > 0]
    assert best.divergence == pytest.approx(log(n) + used @ np.log(used), abs=1e-9)


@given(
    st.integers(0, 10**6),
    st.integers(1, 30),
    st.integers(1, 6),
    st.sampled_from([Loss("absolute"), Loss("pinball", tau=0.85), Loss("percentage")]),
)
def test_the_best_combination_under_a_loss_with_a_kink_is_that_of_a_linear_programme(seed, rounds, n, loss):
    """The interior point method finds what scipy's finds, and its gap says so."""
    advice, y = forecasts(seed, rounds, n)
    best = find(advice, y, loss, pieces=2 if rounds > 1 else 1)["best_convex"]
    size = float(loss.of(advice, y[:, None]).sum())
    assert best.loss == pytest.approx(linear_programme(advice, y, loss), rel=1e-7, abs=1e-8 * size)
    assert best.detail["gap"] <= 1e-8 * best.loss + 1e-8 * size


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 5), st.booleans())
def test_no_other_weights_beat_the_best_combination_by_more_than_its_gap(seed, rounds, n, wealth):
    """Random weights, corners among them, lose no less than the best under the log loss and in wealth."""
    rng = np.random.default_rng(seed)
    advice = rng.uniform(0.01, 0.99, (rounds, n)) if not wealth else rng.lognormal(0, 0.2, (rounds, n))
    y = None if wealth else rng.integers(0, 2, rounds).astype(float)
    loss = Loss("wealth") if wealth else Loss("log")
    best = find(advice, y, loss)["best_convex"]
    assert best.detail["gap"] <= 1e-8 * max(1.0, abs(best.loss))
    for u in [*np.eye(n), *rng.dirichlet(np.ones(n), 20)]:
        assert best.loss - best.detail["gap"] - 1e-9 <= float(loss.of(advice @ u, np.nan if wealth else y).sum())


def test_forecasts_that_are_vectors_are_combined_as_vectors():
    """Probabilities of three outcomes: the best combination is that of the probabilities of what happened."""
    rng = np.random.default_rng(3)
    advice, y = rng.dirichlet(np.ones(3), (50, 4)), np.eye(3)[rng.integers(0, 3, 50)]
    best = find(advice, y, Loss("log"))["best_convex"]
    same = find((advice * y[:, None]).sum(-1), None, Loss("wealth"))["best_convex"]
    assert best.loss == pytest.approx(same.loss)
    square = find(advice, y, Loss("square"))["best_convex"]
    mixed = np.einsum("tnk,n->tk", advice, square.weights)
    assert square.loss == pytest.approx(((mixed - y) ** 2).sum())
    assert square.loss <= find(advice, y, Loss("square"))["uniform"].loss


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 5), st.sampled_from([0.0, 0.5, 50.0]))
def test_the_best_linear_combination_is_that_of_least_squares(seed, rounds, n, ridge):
    """With or without a price for the distance from equal weights, it is what the normal equations say."""
    advice, y = forecasts(seed + (seed % 3 == 0), rounds, n)
    best = find(advice, y, Loss("square"), ridge=ridge)["best_linear"]
    start = np.full(n, 1 / n)
    stacked = np.vstack([advice, np.sqrt(ridge) * np.eye(n)])
    u = np.linalg.lstsq(stacked, np.append(y, np.sqrt(ridge) * start), rcond=None)[0]
    slow = float(((advice @ u - y) ** 2).sum() + ridge * ((u - start) ** 2).sum())
    ours = best.loss + ridge * float(((best.weights - start) ** 2).sum())
    size = float((y**2).sum())
    assert ours == pytest.approx(slow, rel=1e-6, abs=1e-9 * size)
    assert ((advice @ best.weights - y) ** 2).sum() == pytest.approx(best.loss, rel=1e-6, abs=1e-9 * size)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 3), st.integers(0, 3), st.booleans())
def test_the_best_sequence_is_that_of_a_search_over_all(seed, rounds, n, switches, silent):
    """With at most so many switches, silent experts never being followed; its stretches lose what it says."""
    rng = np.random.default_rng(seed)
    own = rng.random((rounds, n))
    if silent:
        own[np.arange(1, rounds), rng.integers(n, size=rounds - 1)] = np.nan
    table = Shifting(n, switches, rounds)
    for row in own:
        table.add(row[None])
    costs = np.where(np.isnan(own), inf, own)
    slow = min(
        sum(costs[t, i] for t, i in enumerate(path))
        for path in product(range(n), repeat=rounds)
        if sum(a != b for a, b in pairwise(path)) <= switches
    )
    lost, used, stretches = table.best(switches)
    assert lost == pytest.approx(slow) or (lost == slow == inf)
    if lost < inf:
        assert used == len(stretches) - 1 <= switches
        assert sum(costs[first : last + 1, i].sum() for i, first, last in stretches) == pytest.approx(lost)
        assert [first for _, first, _ in stretches[1:]] == [last + 1 for _, _, last in stretches[:-1]]


def test_experts_that_were_silent_are_judged_where_they_spoke():
    """The best expert is the one with the largest regret over its own rounds; combinations are of those who always
    spoke; the average is of those who speak."""
    y = np.zeros(4)
    advice = np.array([[3.0, 1.0, np.nan], [3.0, 1.0, 0.0], [3.0, 1.0, np.nan], [3.0, 1.0, 2.0]])
    vectors = find(advice, y, Loss("absolute"), paid=2.0)
    assert vectors["best_expert"].expert == 1
    assert vectors["best_expert"].regret == 4.0
    assert vectors["best_convex"].weights.tolist() == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    assert vectors["best_convex"].detail["among"] == 2
    assert vectors["uniform"].loss == pytest.approx(2 + 4 / 3 + 2 + 2)
    assert vectors["uniform"].weights is None
    alone = find(advice, y, Loss("absolute"), paid=1.2)["best_expert"]
    assert (alone.expert, alone.rounds) == (1, 4.0)
    late = find(np.where(advice == 2, 0.0, advice), y, Loss("absolute"), paid=1.1)["best_expert"]
    assert (late.expert, late.rounds, late.regret) == (2, 2.0, 2.2)


def test_a_comparator_that_there_cannot_be_has_its_reason():
    """Bare losses, functions of unknown shape and experts of whom none always spoke have no best combination."""
    rows, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.0, 1.0])

    def reasons(advice, loss, **options):
        why = absent_reasons(ledger_of(advice, y, loss), loss, **options)
        assert not {"best_convex", "best_linear"} & set(find(advice, y, loss)) & set(why)
        return why

    assert "best expert" in reasons(rows, Loss("table"))["best_convex"]
    assert "shape" in reasons(rows, Loss("own", own=lambda a, y: abs(a - y)))["best_convex"]
    assert "square loss alone" in reasons(rows, Loss("absolute"))["best_linear"]
    silent = np.where(np.eye(2) == 1, np.nan, rows)
    assert "every round" in reasons(silent, Loss("square"))["best_convex"]
    assert set(reasons(rows, Loss("square"))) == {"best_shifting"}
    assert reasons(rows, Loss("square"), switches=(1,)) == {}


def test_forecasts_without_error_leave_nothing_to_find():
    """Experts who are all right have a best combination that loses nothing, whatever the loss."""
    y = np.arange(1.0, 6.0)
    for name in ("square", "absolute", "pinball", "percentage"):
        vectors = find(np.tile(y[:, None], 3), y, Loss(name))
        assert vectors["best_convex"].loss == 0
        assert vectors["best_convex"].detail["gap"] <= 1e-12


def test_a_quadratic_function_of_equal_corners_has_a_least_point():
    """A singular matrix, and one of zeros, are no obstacle."""
    for matrix in (np.zeros((3, 3)), np.ones((3, 3)), np.outer([1.0, -1.0, 2.0], [1.0, -1.0, 2.0])):
        v = least_quadratic(matrix, np.zeros(3))
        slopes = matrix @ v
        assert v.sum() == pytest.approx(1)
        assert v @ slopes - slopes.min() <= 1e-12


def test_totals_read_in_pieces_are_those_read_at_once():
    """Blocks of any length give the same sums."""
    advice, y = forecasts(5, 40, 3)
    at_once, slowly = Totals(3, Loss("square")), Totals(3, Loss("square"))
    at_once.add(advice, y)
    for t in range(40):
        slowly.add(advice[t : t + 1], y[t : t + 1])
    assert slowly.uniform == pytest.approx(at_once.uniform)
    squares, same = (one.triangle.T @ one.triangle for one in (slowly, at_once))
    np.testing.assert_allclose(squares, same)
    u = np.array([2.0, -0.5, 0.1])
    assert slowly.square_loss(u) == pytest.approx(((advice @ u - y) ** 2).sum())


@pytest.mark.parametrize(("name", "wealth"), [("djia", 1.2399), ("nyse_o", 250.5971), ("tse", 6.78)])
def test_the_best_constant_portfolio_is_the_published_one(data, name, wealth):
    """Wealth of the best constant-rebalanced portfolio of three markets."""
    relatives = np.load(data / "experts" / f"portfolio_{name}.npz")["relatives"]
    best = find(relatives, None, Loss("wealth"))["best_convex"]
    assert best.detail["wealth"] == pytest.approx(wealth, rel=1e-4)
    assert best.detail["gap"] <= 1e-11
    assert exp(-find(relatives, None, Loss("wealth"))["uniform"].loss) == pytest.approx(
        {"djia": 0.813, "nyse_o": 27.075, "tse": 1.595}[name], rel=1e-3
    )


def test_the_experts_of_the_french_load_are_those_of_its_vignette(data):
    """Mean absolute percentage errors of the best expert and the average, and combinations that are better."""
    file = np.load(data / "experts" / "opera_regional.npz")
    advice, y, names = file["experts"], file["load"], [str(name) for name in file["names"]]
    vectors = find(advice, y, Loss("percentage"), names=names, switches=(5,))
    assert vectors["best_expert"].loss / len(y) == pytest.approx(0.02033, rel=1e-3)
    assert vectors["uniform"].loss / len(y) == pytest.approx(0.0234, rel=1e-3)
    assert vectors["best_convex"].loss / len(y) == pytest.approx(0.015842, rel=1e-4)
    assert vectors["best_convex"].detail["gap"] <= 1e-9
    assert vectors["best sequence with 5 switches"].loss / len(y) == pytest.approx(0.014261, rel=1e-4)
    square = find(advice, y, Loss("square"))
    assert square["best_linear"].loss < square["best_convex"].loss < square["best_expert"].loss


def test_the_forecasts_of_the_belgian_price_have_their_published_errors(data):
    """Mean absolute error of the best of ten models over 17,472 hours, and a combination certified to be better."""
    lines = lzma.decompress((data / "experts" / "epf_BE.csv.xz").read_bytes()).decode().splitlines()[1:]
    table = np.array([[float(cell) for cell in line.split(",")[1:]] for line in lines])
    vectors = find(table[:, 1:], table[:, 0], Loss("absolute"), pieces=3)
    assert vectors["best_expert"].loss / len(table) == pytest.approx(5.87, abs=5e-4)
    assert vectors["best_convex"].loss / len(table) == pytest.approx(5.777953, abs=1e-6)
    assert vectors["best_convex"].detail["gap"] <= 1e-9 * vectors["best_convex"].loss


@pytest.mark.parametrize("kind", ["independent", "common", "twins", "few rounds"])
def test_many_experts_enter_together_and_still_the_least_point_is_found(kind):
    """Of hundreds of experts the weights are certified to a billionth, in far fewer systems than there are experts."""
    rng, n = np.random.default_rng(7), 300
    errors = rng.normal(size=(3000, n)) * rng.uniform(0.2, 2, n)
    if kind == "common":
        errors += rng.normal(size=(3000, 1))
    elif kind == "twins":
        errors[:, n // 2 :] = errors[:, : n // 2]
    elif kind == "few rounds":
        errors = rng.normal(size=(50, n)) + 1
    matrix = 2 * errors.T @ errors
    solved = []
    with pytest.MonkeyPatch.context() as patch:
        solve = np.linalg.solve
        patch.setattr(np.linalg, "solve", lambda *arguments: solved.append(arguments) or solve(*arguments))
        weights = least_quadratic(matrix, np.zeros(n))
    slopes = matrix @ weights
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    assert weights @ slopes - slopes.min() <= 1e-9 * (weights @ slopes / 2)
    assert len(solved) <= 60


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 4), st.integers(0, 4), st.booleans())
def test_sequences_are_the_same_however_rounds_are_cut_and_whether_or_not_they_are_remembered(
    seed, rounds, n, switches, silent
):
    """Losses agree to the last bit; without a table of origins only the stretches are missing."""
    rng = np.random.default_rng(seed)
    own = rng.integers(0, 3, (rounds, n)) * 0.1
    own[rng.random((rounds, n)) < 0.2 * silent] = np.nan
    whole, cut, forgetful = (Shifting(n, switches, most) for most in (rounds, rounds, 10**8))
    whole.add(own)
    for piece in np.split(own, [0, int(rng.integers(rounds + 1))]):
        cut.add(piece)
    forgetful.add(own)
    assert whole.best(switches) == cut.best(switches)
    assert whole.best(switches)[:2] == forgetful.best(switches)[:2]
    assert forgetful.best(switches)[2] is None
    assert whole.losses.tobytes() == cut.losses.tobytes() == forgetful.losses.tobytes()


def test_the_lower_bound_never_falls_as_rounds_are_added():
    """It grows with the rounds where one way to reckon it gives way to another, and stays below its limit."""
    for experts, limit in ((2, 0.3989423), (4, 0.5641896), (10, 0.7849170), (1000, 1.6208)):
        rounds = [999, 1000, 1001, 1002, 10**6, 10**7, 10**7 + 1, 3 * 10**7, 10**9, 10**15]
        bounds = [lower_bound(count, experts) for count in rounds]
        assert bounds == sorted(bounds)
        scaled = [bound / count**0.5 for bound, count in zip(bounds, rounds, strict=True)]
        assert max(scaled[4:]) <= limit * (1 + 1e-5)
        assert scaled[-1] == pytest.approx(limit, rel=1e-3)


def test_collinear_forecasts_have_the_best_combination_of_least_squares():
    """Where forecasts are nearly collinear the best linear combination is that of an orthogonal method."""
    random = np.random.default_rng(7)
    y = 100 + 10 * random.normal(size=600)
    base = y + 5 * random.normal(size=600)
    hidden = 1e-7 * random.normal(size=(600, 3))
    hidden[:, 0] += 1e-8 * (y - base)
    advice = np.column_stack([base, base + hidden[:, 0], base + hidden[:, 1], 2 * base + hidden[:, 2], base])
    u = np.linalg.lstsq(advice, y, rcond=None)[0]
    best = float(((advice @ u - y) ** 2).sum())
    learner = AggregatingAlgorithm(value_range=(-500, 500))
    learner.play(advice, y)
    (comparator,) = (one for one in learner.comparators(advice, y) if one.name == "best_linear")
    assert comparator.loss == pytest.approx(best, rel=1e-6)
    assert float(((advice @ comparator.weights - y) ** 2).sum()) == pytest.approx(best, rel=1e-6)


def test_a_loss_found_from_a_triangle_is_that_of_the_rows_but_for_what_it_allows():
    """The square loss of large weights that all but cancel is right within what `unsure` says."""
    random = np.random.default_rng(8)
    advice = random.normal(size=(300, 1)) + 1e-9 * random.normal(size=(300, 4))
    y = random.normal(size=300)
    totals = Totals(4, Loss("square"))
    totals.add(advice, y)
    for size in (1.0, 1e4, 1e8):
        u = size * random.normal(size=4)
        exact = sum(
            (sum(Fraction(a) * Fraction(w) for a, w in zip(row, u, strict=True)) - Fraction(arrivals)) ** 2
            for row, arrivals in zip(advice.tolist(), y.tolist(), strict=True)
        )
        assert abs(totals.square_loss(u) - float(exact)) <= totals.unsure(u)
        assert totals.unsure(u) <= 1e-6 * float((np.abs(advice) @ np.abs(u) + np.abs(y)) @ (np.abs(advice) @ np.abs(u)))
