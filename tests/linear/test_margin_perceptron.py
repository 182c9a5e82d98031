"""The margin perceptron: how often it moves, and what margin it hands over."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

import regretless
from regretless.errors import RegretlessError
from regretless.linear import MarginPerceptron, max_margin
from regretless.rows.validation import read_rows
from regretless.textbook.linear import margin_perceptron
from regretless.textbook.linear import most_updates as counted
from regretless.theory.margin_perceptron import (
    EXACT,
    MARGIN_PERCEPTRON,
    WIDE,
    growth,
    margin_attained,
    margin_clean_pass,
    margin_closed,
    margin_hinge,
    margin_recursion,
    most_updates,
)

from .slow import comparator

WEIGHTS = "a round that weighs 2 is one round and not two"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks(
        [MarginPerceptron(gamma=0.05, intercept=1.0, max_passes=50, shuffle=True, random_state=0)],
        expected_failed_checks=lambda estimator: EXPECTED,
    )

small = st.integers(-3, 3).map(float)
signs = st.sampled_from([-1, 1])


def adversary(k: float, epsilon: float) -> np.ndarray:
    """Rows of length 1 with margin 1 / k against e_1, each as far along the weights as still moves them."""
    gamma, rows = 1 / k, []
    w = np.zeros(int(40 * k * k / epsilon) + 10)
    while len(rows) < len(w) - 1:
        x, rest = np.zeros(len(w)), 1 - gamma**2
        x[0] = gamma
        if rows:
            side = w.copy()
            side[0] = 0
            size = np.linalg.norm(side)
            along = ((1 - epsilon) * gamma * np.linalg.norm(w) * (1 - 1e-9) - w[0] * gamma) / size
            x, rest = x + along * side / size, rest - along**2
            if rest < 0:
                break
        x[len(rows) + 1] = sqrt(rest)
        rows.append(x)
        w = w + x
    return np.array(rows)[:, : len(rows) + 1]


@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for weights that are not repetitions."""
    check(estimator)


@given(
    X=arrays(np.float32, (12, 3), elements=small),
    y=arrays(np.int8, 12, elements=signs),
    gamma=st.sampled_from([1e-6, 0.1, 0.3, 1.0, 50.0]),
    epsilon=st.sampled_from([0.1, 0.5, 0.9]),
    intercept=st.sampled_from([0.0, 2.0]),
)
def test_the_trace_is_the_twins(X, y, gamma, epsilon, intercept):
    """Weights, updates and passes are those of the twin, from dense and sparse rows of either precision."""
    if len(set(y)) < 2:
        return
    longer = np.column_stack([X.astype(float), np.full(len(X), intercept)])
    w, updates, passes, mistakes = margin_perceptron(longer, y, gamma, epsilon, 20)
    for rows in (X, X.astype(float), sp.csr_array(X), sp.csr_array(X.astype(float))):
        ours = MarginPerceptron(gamma=gamma, epsilon=epsilon, intercept=intercept, max_passes=20).fit(rows, y)
        assert ours.coef_[0].tolist() == w[:-1].tolist()
        assert ours.intercept_[0] == w[-1] * intercept
        assert (ours.ledger_.updates, ours.ledger_.mistakes, ours.n_iter_) == (updates, mistakes, passes)


def test_a_shuffled_pass_is_a_pass_over_the_shuffled_rows():
    """The order comes from `random_state`, and the rows in that order give the same weights and books."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    order = np.random.default_rng(3).permutation(80)
    shuffled = MarginPerceptron(until_clean=False, shuffle=True, random_state=3).fit(X, y)
    plain = MarginPerceptron(until_clean=False).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.coef_, plain.coef_)
    assert shuffled.ledger_ == plain.ledger_


@pytest.mark.parametrize("name", ["two axes", "AND bias", "skew"])
def test_the_worked_cases(oracles, name):
    """Updates, weights, passes and margin are those of the worked cases, which leave the first update out of the
    count."""
    case = next(case for case in oracles if case["id"] == f"margin_perceptron/{name}")
    X = np.array([[float(Fraction(value)) for value in row] for row in case["input"]["X"]])
    y, gamma, expected = case["input"]["y"], float(Fraction(case["input"]["gamma"])), case["expected"]
    w, updates, passes, _ = margin_perceptron(X, np.array(y), gamma)
    assert updates == expected["updates_after_init"] + 1
    if len(set(y)) < 2:  # turned about, the rows have both labels and the same products
        X, y = np.vstack([X, -X[-1:]])[[0, 2]], [1, -1]
    ours = MarginPerceptron(gamma=gamma).fit(X, y)
    assert ours.coef_[0].tolist() == w.tolist() == expected["w"]
    assert (ours.ledger_.updates, ours.n_iter_) == (updates, passes)
    assert passes == expected["passes"]
    assert ours.clean_
    assert ours.margin_ == pytest.approx(expected["achieved_margin"])
    u = replace(comparator(X, y, np.zeros(X.shape[1])), norm=1.0, least=gamma)  # the bound is printed for such a margin
    assert margin_closed.bound(ours.ledger_, u, ours.target_facts()[0]) == pytest.approx(expected["bound"])


# ---- the theorems


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("k", [1, 1.3, 2, 3.7, 10, 25])
def test_the_recursion_is_counted_right(k, epsilon):
    """The largest number of updates is found as if it were counted one by one, and never exceeds the closed form."""
    limit = most_updates(0.0, k, 1.0, (1 - epsilon) / k)
    exact = counted(k, epsilon)
    assert exact <= limit <= (exact if exact < EXACT else exact * (1 + 1e-4))
    assert limit <= 2 * k * k / epsilon**2 + 2 * k / epsilon
    assert most_updates(0.0, k * 1e-9, 1e9, (1 - epsilon) * 1e9 / k) == limit


def test_the_recursion_has_the_asymptotes_of_the_theory():
    """For k large and epsilon = 1/2 and 1/10 about 2.513 k^2 and 20.08 k^2 updates are possible, not 8 k^2."""
    assert most_updates(0, 1000, 1, 0.5 / 1000) / 1000**2 == pytest.approx(2.5129, rel=2e-4)
    assert most_updates(0, 1000, 1, 0.9 / 1000) / 1000**2 == pytest.approx(20.08, rel=1e-3)


def test_without_a_threshold_the_recursion_is_the_perceptron():
    """At theta = 0 the most updates are floor((r / rho)^2), and with hinge losses those of the sharp bound."""
    for k in (1.0, 2.5, 9.3, 200.5):
        assert most_updates(0.0, k, 1.0, 0.0) == pytest.approx(int(k * k), rel=1e-4, abs=0)
        for hinge in (0.3, 7.7, 55.0):
            sharp = ((k + sqrt(k * k + 4 * hinge)) / 2) ** 2
            assert most_updates(hinge, k, 1.0, 0.0) == pytest.approx(int(sharp), rel=1e-4, abs=0)


@pytest.mark.parametrize("threshold", [0.0, 0.01, 1.0, 3.0])
def test_the_table_of_lengths_is_an_upper_bound(threshold):
    """The lengths that are passed over many at a time are above those of the recursion, by less than one part in
    10^4."""
    places, lengths = growth(threshold)
    at, g, n = dict(zip(places, lengths, strict=True)), 0.0, 0
    while n < 100_000:
        if n in at:
            assert g * (1 - 1e-12) <= at[n] <= g * (1 + 1e-4)
        g, n = sqrt(g * g + 2 * threshold * g + 1), n + 1


@pytest.mark.parametrize(("k", "epsilon"), [(1.5, 0.5), (2, 0.5), (4, 0.5), (8, 0.5), (3, 0.9)])
def test_an_adversary_attains_the_recursion(k, epsilon):
    """Against rows as bad as the proof allows, the updates are exactly as many as the recursion says."""
    X = adversary(k, epsilon)
    learner = MarginPerceptron(gamma=1 / k, epsilon=epsilon).partial_fit(X, np.ones(len(X), int), classes=[-1, 1])
    u = comparator(X, np.ones(len(X)), np.eye(1, X.shape[1])[0])
    certificate = margin_recursion.certify(learner.ledger_, [u], learner.target_facts()[0])
    assert certificate.observed == certificate.shown_bound == len(X) == counted(k, epsilon)


@given(
    X=arrays(float, (20, 3), elements=st.one_of(small, st.sampled_from([1e-80, 1e-9, 7.5e8, -1e70]))),
    y=arrays(np.int8, 20, elements=signs),
    v=arrays(float, 3, elements=st.floats(-8, 8)),
    gamma=st.sampled_from([1e-9, 0.1, 1.0, 20.0]),
    epsilon=st.sampled_from([0.01, 0.5, 0.99]),
    passes=st.integers(1, 5),
)
def test_no_stream_and_no_comparator_break_a_bound(X, y, v, gamma, epsilon, passes):
    """Every bound on the updates holds on every stream, over any number of passes, against every vector."""
    learner = MarginPerceptron(gamma=gamma, epsilon=epsilon)
    for _ in range(passes):
        learner.partial_fit(X, y, classes=[-1, 1])
    for scale in (1.0, 1e-3, 0.1):
        u = comparator(X, y, scale * v, passes)
        for theorem in MARGIN_PERCEPTRON:
            certificate = theorem.certify(learner.ledger_, [u], learner.target_facts()[0])
            assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (15, 3), elements=st.floats(-8, 8, width=32)),
    v=arrays(float, 3, elements=st.floats(-8, 8, width=32)),
    share=st.sampled_from([0.3, 0.9, 0.999]),
    epsilon=st.sampled_from([0.1, 0.5, 0.9]),
)
def test_a_margin_that_exists_is_handed_over(X, v, share, epsilon):
    """Of rows with a margin above gamma a run until clean makes at most the recursion's updates, ends clean within one
    pass more, and its own certificate says that the margin is (1 - epsilon) gamma."""
    norm = np.linalg.norm(v)
    if norm < 0.1:
        return
    distances = X @ v / norm
    X, y = X[np.abs(distances) > 0.3], np.where(distances > 0, 1, -1)[np.abs(distances) > 0.3]
    if len(set(y)) < 2:
        return
    gamma = share * np.abs(X @ v / norm).min()
    learner = MarginPerceptron(gamma=gamma, epsilon=epsilon, max_passes=100_000).fit(X, y)
    assert learner.clean_
    assert learner.obstacle_ is None
    assert learner.margin_ >= (1 - epsilon) * gamma * (1 - 1e-9)
    certificates = learner.certify(X, y, against=v)
    assert [c.theorem for c in certificates] == [*MARGIN_PERCEPTRON, margin_clean_pass, margin_attained]
    for certificate in certificates:
        assert certificate.applies, str(certificate)
        assert certificate.holds, str(certificate)
    assert certificates[-1].observed == pytest.approx((1 - epsilon) * gamma / learner.margin_)


@settings(max_examples=25)
@given(
    X=arrays(float, (20, 3), elements=st.sampled_from([0.0, 1.0, -1.0, 1e-30, 7.5, -1e30])),
    classes=st.integers(2, 3),
    gamma=st.sampled_from([1e-20, 0.5, 1e9]),
    seed=st.integers(0, 99),
)
def test_no_stream_breaks_what_is_printed(X, classes, gamma, seed):
    """The certificates with the comparators that are found in hindsight hold, for rows of any size."""
    y = np.r_[np.arange(classes), np.random.default_rng(seed).integers(0, classes, 20 - classes)]
    learner = MarginPerceptron(gamma=gamma, max_passes=5).fit(X, y)
    batch, codes = read_rows(X, learner=learner, reset=False), learner.codes(y)

    def rounds():
        yield batch, codes

    question = learner.question(rounds, len(batch), in_memory=True, svm=False, against=None)
    for certificate in learner.judge(question):
        assert certificate.holds, str(certificate)


def test_the_bounds_are_sharper_the_larger_the_margin_that_exists():
    """gamma may be too modest: bounds are read at the margin that rows have, and then are smaller; they may not be read
    at one below (1 - epsilon) gamma."""
    X, y = np.array([[3.0, 1.0], [3.0, -1.0], [-3.0, 0.5]]), np.array([1, 1, -1])
    learner = MarginPerceptron(gamma=1.0).fit(X, y)
    wide, narrow, wrong = (comparator(X, y, np.array(v), learner.n_iter_) for v in ([1.0, 0], [1.0, 2.4], [0, 1.0]))
    facts = learner.target_facts()[0]
    for theorem in (margin_recursion, margin_closed):
        assert theorem.bound(learner.ledger_, wide, facts) <= counted(sqrt(10)) * 4
        assert "margin is above" in str(theorem.certify(learner.ledger_, [narrow], facts).why)
        assert "right side" in str(theorem.certify(learner.ledger_, [wrong], facts).why)
    short, long = (comparator(X, y, np.array([size, 0.0]), learner.n_iter_) for size in (1 / 3, 2.0))
    assert margin_hinge.bound(learner.ledger_, short, facts) == margin_recursion.bound(learner.ledger_, wide, facts)
    assert margin_hinge.bound(learner.ledger_, long, facts) == inf


# ---- what is handed over


def test_rows_without_that_margin_are_never_clean():
    """If gamma is more than twice the largest margin there is, every pass has an update, and the learner says so."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X @ np.array([1.0, 2, 3]) > 0, 1, -1)
    largest = max_margin(X, y).upper
    learner = MarginPerceptron(gamma=2.1 * largest, max_passes=50).fit(X, y)
    assert not learner.clean_
    assert learner.n_iter_ == 50
    assert "max_margin" in str(learner.obstacle_)
    assert "last pass" in str(learner.certify(X, y)[-1].why)
    assert MarginPerceptron(gamma=largest, max_passes=100_000).fit(X, y).clean_


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_row_of_zeros_is_named(kind):
    """A zero row is below every margin on every visit: the run ends at `max_passes` and names the row."""
    X = np.array([[1.0, 2.0], [-1.0, -1.0], [0.0, 0.0]])
    learner = MarginPerceptron(max_passes=7).fit(kind(X), [1, -1, 1])
    assert (learner.n_iter_, learner.clean_, learner.margin_) == (7, False, 0.0)
    assert "row 2" in str(learner.obstacle_)
    assert MarginPerceptron(intercept=1.0).fit(kind(X), [1, -1, 1]).clean_


def test_a_clean_run_stays_clean_wherever_it_was_cut(tmp_path):
    """The rounds since the last update are counted exactly: in one call, row by row, and over a model file."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += y
    whole = MarginPerceptron(gamma=0.5).fit(X, y)
    assert whole.state_.quiet[0, 0] >= 30
    pieces = MarginPerceptron(gamma=0.5).partial_fit(X[:1], y[:1], classes=[-1, 1])
    for number in range(whole.n_iter_):
        for t in range(number == 0, 30):
            pieces.update_one(X[t], y[t])
        pieces.save(tmp_path / "m.rgl")
        pieces = regretless.load(tmp_path / "m.rgl")
    np.testing.assert_array_equal(pieces.state_.quiet, whole.state_.quiet)
    assert pieces.certify(X, y)[-1].applies


def test_several_classes_hand_over_the_smallest_margin():
    """With several classes the certificate is about the class that is worst off, and `margin_` too."""
    rng = np.random.default_rng(0)
    centres = np.array([[9.0, 0, 0], [0, 9.0, 0], [0, 0, 9.0]])
    y = rng.integers(0, 3, 60)
    X = centres[y] + rng.normal(size=(60, 3))
    learner = MarginPerceptron(gamma=1.0, intercept=3.0).fit(X, y)
    assert learner.clean_
    longer = np.column_stack([X, np.full(60, 3.0)])
    w = np.column_stack([learner.coef_, learner.intercept_ / 3.0])
    margins = (np.where(y[:, None] == np.arange(3), 1, -1) * (longer @ w.T)).min(axis=0) / np.linalg.norm(w, axis=1)
    assert learner.margin_ == pytest.approx(margins.min())
    certificate = learner.certify(X, y)[-1]
    assert certificate.applies
    assert certificate.observed == pytest.approx(0.5 / margins.min())
    assert (certificate.bound, certificate.holds) == (1.0, True)
    ratio = f"{certificate.observed:.6g}"
    line = f"Margin handed over: margin asked for over margin attained {ratio} <= 1, against final weights  ["
    assert str(certificate).startswith(line)


def test_a_longer_run_than_until_clean_has_no_bound_on_its_length():
    """Passes that follow a clean one are counted in no theorem, and the certificate says that it does not apply."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.5]]), [1, -1]
    learner = MarginPerceptron(gamma=0.1).fit(X, y)
    for _ in range(9):
        learner.partial_fit(X, y)
    certificates = {c.theorem: c for c in learner.certify(X, y)}
    assert not certificates[margin_clean_pass].applies
    assert certificates[margin_attained].applies


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ({"gamma": 0}, "gamma"),
        ({"gamma": float("nan")}, "gamma"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 1}, "epsilon"),
        ({"epsilon": "half"}, "epsilon"),
        ({"intercept": -1}, "intercept"),
    ],
)
def test_parameters_without_a_meaning_are_refused_by_name(parameters, names):
    """The message names the parameter."""
    with pytest.raises(RegretlessError, match=names):
        MarginPerceptron(**parameters).fit(np.eye(2), [0, 1])


def test_a_margin_that_is_too_small_is_not_said_to_be_missing() -> None:
    """Where rows are separated, but by less than the learner asks for, this is what its theorems lack."""
    X, y = np.array([[1.0, 0.02], [-1, 0.02], [1, -0.02], [-1, -0.02]]), [1, 1, 0, 0]
    learner = MarginPerceptron(gamma=1.0).fit(X, y)
    for against in (None, [0.0, 50.0]):
        for certificate in learner.certify(X, y, against=against):
            if WIDE in certificate.theorem.assumes:
                assert certificate.why == WIDE[0]
