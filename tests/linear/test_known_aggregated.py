"""The theorems of the aggregated learner: numbers that are known by hand, a hunt for violations, and formulas that are
wrong."""

from __future__ import annotations

from dataclasses import replace
from math import e, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from regretless.data.batch import Batch
from regretless.ledger import Ledger
from regretless.linear import AggregatedClassifier
from regretless.textbook import aggregated as book
from regretless.theory import aggregated as theory
from regretless.theory.aggregated import AGGREGATED, REACHES, AggregatedFacts, MemberComparator, curvature
from regretless.theory.facts import UNIT_WEIGHTS

from ..examples import at_most
from ..known import Assumes, Known, first_of_each, known, refuses, says_its_number

# Eight rounds, four members: a mixture costs ln 4 + ln ln(7 + e) = 2.20450 with shares, 2 ln 2 without.
BOOK = Ledger(rounds=8, updates=8, mistakes=3, loss=4.5, total_norm2=40)
SHARES = AggregatedFacts(norm=1.0, rate=1.0, loss="logistic", members=4.0)
ALONE = replace(SHARES, share=False)
MEMBER = MemberComparator("member", "the member coins", 8, 3.0, 40.0, member="coins", kind="coins")
BY_RATE = MemberComparator(
    "ridge", "ridge", 8, 2.0, 40.0, member="rate 0.4", kind="rate", regularised=0.5, energy=0.25, linear=1.5
)
BY_MATRIX = MemberComparator(
    "ridge", "ridge", 8, 2.0, 40.0, member="full, 16", kind="full", regularised=0.5, energy=0.25, reach=6.0, largest=5.0
)
CHANGES = replace(MEMBER, name="sequence", member="", kind="", switches=2.0, late=3 * log(2))  # after rounds 2 and 4
CONSTANT = replace(BY_RATE, name="constant")
LN2 = log(2)
MIXED = 2 * LN2 + log(log(7 + e))
CASES = [
    Known(theory.mixture, BOOK, MEMBER, SHARES, 3 + MIXED, 4.5),
    Known(theory.mixture, BOOK, MEMBER, ALONE, 3 + 2 * LN2, 4.5),
    Known(theory.mixture, replace(BOOK, rounds=1), replace(MEMBER, rounds=1), SHARES, 3 + 2 * LN2, 4.5),
    Known(theory.switching, BOOK, CHANGES, SHARES, 3 + MIXED + 7 * LN2, 4.5),  # 2 ln 4 + 3 ln 2
    Known(theory.by_a_rate, BOOK, BY_RATE, SHARES, 2.75 + MIXED, 4.5),
    Known(theory.by_a_matrix, BOOK, BY_MATRIX, ALONE, 2.75 + 2 * LN2, 4.5),
    Known(theory.linearised, BOOK, BY_RATE, SHARES, 3.5 + MIXED, 4.5),
    Known(theory.against_constant, BOOK, CONSTANT, SHARES, 2.75 + MIXED, 4.5),
    Known(theory.against_constant, BOOK, replace(CONSTANT, linear=0.25), SHARES, 2.25 + MIXED, 4.5),
    Known(theory.against_constant, BOOK, replace(BY_MATRIX, name="constant"), SHARES, 2.75 + MIXED, 4.5),
    Known(theory.mistakes_from_log_loss, BOOK, BY_RATE, SHARES, (2.75 + MIXED) / LN2, 3),
    Known(theory.mistakes_from_log_loss, BOOK, BY_MATRIX, ALONE, 2.75 / LN2 + 2, 3),
]
SEQUENCES, SHARING = (check[0] for check in theory.switching.assumes[-2:][::-1])
MEMBERS, RATES, FULLS, DIAGONAL, CONSTANTS, BOUNDED, VECTORS = (
    ("it is about members, and there is none", None),
    ("it is about rates, and there is none", None),
    (theory.FULL, None),
    ("it is about diagonal members, and there is none", None),
    ("there must be an intercept, and rounds of both classes", None),
    ("no member has a theorem about a constant", None),
    ("there must be a vector to compare with", None),
)
ASSUMES: Assumes = [
    ((theory.mixture,), (*theory.PLAYED, MEMBERS)),
    ((theory.switching,), (*theory.PLAYED, (SHARING, None), (SEQUENCES, None))),
    ((theory.by_a_rate,), (*theory.PLAYED, theory.COUNTED, RATES)),
    ((theory.by_a_matrix,), (*theory.PLAYED, theory.COUNTED, FULLS, theory.WITHIN)),
    ((theory.linearised,), (*theory.PLAYED, theory.COUNTED, DIAGONAL)),
    ((theory.against_constant,), (*theory.PLAYED, theory.COUNTED, CONSTANTS, BOUNDED)),
    ((theory.mistakes_from_log_loss,), (*theory.PLAYED, UNIT_WEIGHTS, VECTORS)),
]
NAN = float("nan")
BREAKS = {
    theory.SAME_ROUNDS[0]: [{"comparator.rounds": 7}, {"comparator.rounds": 9}, {"comparator.total_norm2": 41.0}],
    theory.LIGHT[0]: [{"learner.heaviest": 1.5}],
    theory.STEADY[0]: [{"learner.steady": False}],
    UNIT_WEIGHTS[0]: [{"ledger.weighted": 1}],
    theory.COUNTED[0]: [{"ledger.weighted": 1}],
    MEMBERS[0]: [{"comparator.name": "ridge"}],
    SEQUENCES: [{"comparator.name": "member"}],
    SHARING: [{"learner.share": False}],
    RATES[0]: [{"comparator.kind": "coins"}, {"comparator.regularised": NAN}],
    FULLS[0]: [{"comparator.kind": "rate"}, {"comparator.regularised": NAN}],
    theory.WITHIN[0]: [{"comparator.largest": 6.5}, {"comparator.reach": 4.9}],
    DIAGONAL[0]: [{"comparator.linear": NAN}],
    CONSTANTS[0]: [{"comparator.name": "ridge"}],
    BOUNDED[0]: [{"comparator.linear": NAN, "comparator.regularised": NAN}],
    VECTORS[0]: [{"comparator.name": "member"}, {"comparator.linear": NAN, "comparator.regularised": NAN}],
}


@known(CASES)
def test_a_theorem_says_its_number(case):
    """On this game a theorem says the number that was computed by hand."""
    says_its_number(case)


@known(first_of_each(CASES))
def test_an_assumption_that_fails_is_named(case):
    """Each assumption fails alone on a game, and then there is no number."""
    refuses(case, ASSUMES, BREAKS)


def test_all_theorems_are_known():
    """Every theorem of the learner has a number here."""
    assert {case.theorem for case in CASES} == set(AGGREGATED)


# ---- the curvature


def logistic(a):
    """ln(1 + exp(-a)), its slope and its second derivative."""
    p = np.exp(-np.logaddexp(0, a))
    return np.logaddexp(0, -a), -p, p * (1 - p)


@given(st.sampled_from([1.0, *REACHES]), st.floats(-1, 1), st.floats(-60, 60))
@settings(max_examples=300)
def test_the_curvature_is_that_of_a_lower_bound(reach, part, h):
    """For |a| <= reach and every h, the log loss is at least its quadratic lower bound with kappa around h."""
    a = part * reach
    (value, _, _), (base, slope, second) = logistic(a), logistic(h)
    bound = base + slope * (a - h) + curvature(reach) * second * (a - h) ** 2 / 2
    assert bound <= value + 1e-12 * (1 + abs(base) + abs(slope * (a - h)))


@pytest.mark.parametrize(("reach", "kappa"), [(2.0, 0.827), (4.0, 0.578), (16.0, 0.148)])
def test_the_curvature_is_the_largest(reach, kappa):
    """It is the number that is published beside the theorem, and a hundredth more is too much."""
    assert curvature(reach) == pytest.approx(kappa, abs=6e-4)
    h = np.linspace(-4, reach + 8, 4001)
    base, slope, second = logistic(-h)  # by symmetry of the two labels
    value = logistic(np.full_like(h, -reach))[0]
    d = h - reach
    assert (base + slope * d + 1.01 * curvature(reach) * second * d * d / 2 > value + 1e-12).any()


# ---- the hunt

SIZES = st.sampled_from([1e-60, 1e-20, 1e-3, 1.0, 1e4, 1e20, 1e60])
OPTIONS = st.fixed_dictionaries(
    {
        "share": st.booleans(),
        "coins": st.booleans(),
        "full": st.sampled_from([0, 2, 256]),
        "intercept": st.sampled_from([0.0, 1.0, 10.0]),
    }
)


def rows(seed, count, columns, shape, size):
    """Rows of different kinds."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, columns))
    if shape == "mixed sizes":
        X *= 10.0 ** random.integers(-60, 60, size=columns)
    if shape == "growing":
        X *= 10.0 ** np.sort(random.uniform(-20, 20, size=count))[:, None]
    if shape == "late":
        X[: 3 * count // 4, 0] = 0
    if shape == "bits":
        X = (X > 0.5) * 1.0
    if shape == "together":
        X = X @ random.normal(size=(columns, columns)) + 100
    return size * X


@given(
    seed=st.integers(0, 10**6),
    count=st.sampled_from([1, 2, 3, 20, 80]),
    columns=st.integers(1, 5),
    shape=st.sampled_from(["plain", "mixed sizes", "growing", "late", "bits", "together"]),
    size=SIZES,
    labels=st.sampled_from(["random", "sorted", "separable", "adversarial"]),
    weighted=st.booleans(),
    options=OPTIONS,
)
@at_most(40)
def test_no_run_exceeds_a_bound(seed, count, columns, shape, size, labels, weighted, options):
    """Against any vector, on rows of any sizes in any order, with weights up to 1, no theorem is violated."""
    if shape in ("mixed sizes", "growing"):
        size = 1.0
    X, random = rows(seed, count, columns, shape, size), np.random.default_rng(seed)
    y = random.choice([-1, 1], size=count)
    weights = random.choice([0.0, 1e-3, 0.5, 1.0], size=count) if weighted else np.ones(count)
    learner = AggregatedClassifier(**options)
    if labels == "sorted":
        y = np.sort(y)
    if labels == "separable":
        y = np.where(X @ random.normal(size=columns) > 0, 1, -1)
    for t in range(count) if labels == "adversarial" else [slice(0, count)]:
        part = slice(t, t + 1) if labels == "adversarial" else t
        if labels == "adversarial" and t:
            y[t] = -1 if learner.decision_function(X[part])[0] >= 0 else 1
        learner.partial_fit(X[part], y[part], classes=[-1, 1], sample_weight=weights[part])
    for against in (
        None,
        *(scale * random.normal(size=columns) / np.abs(X).max(axis=0, initial=1e-70) for scale in (1e-2, 1.0)),
    ):
        for one in learner.certify(X, y, against=against):
            assert one.holds is not False, one
            if weighted and (weights != 1).any() and one.theorem is theory.mistakes_from_log_loss:
                assert not one.applies


@given(seed=st.integers(0, 10**6), share=st.booleans(), limit=st.integers(1, 3), noise=st.sampled_from([0.0, 0.2, 0.5]))
@settings(max_examples=30, deadline=None)
def test_no_run_whose_members_retire_exceeds_a_bound(seed, share, limit, noise):
    """While columns come, full members widen and then go; the theorems hold for those that stay."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 5))
    first = random.integers(0, 50, size=5)
    X[np.arange(60)[:, None] < first] = 0
    X[-1] = 1.0
    y = np.where((X @ random.normal(size=5) > 0) ^ (random.random(60) < noise), 1, -1)
    learner = AggregatedClassifier(share=share, full=limit)
    order = np.argsort(first)
    X = X[:, order]
    for t in range(60):
        columns = 1 + int(np.flatnonzero(X[: t + 1].any(axis=0)).max(initial=0))
        row = sparse.csr_array(X[t : t + 1, :columns])
        learner.observe(Batch(row.data, y[t : t + 1].astype(float), columns, row.indices, row.indptr))
    assert not learner.state_.full
    facts, loss = learner.target_facts()[0], learner.ledger_.loss
    allowed = log(facts.members) + (log(log(59 + e)) if share else 0)
    assert loss <= learner.losses_[0].min() + allowed + 1e-9
    rows = sparse.csr_array(X)
    whole = Batch(rows.data, y.astype(float), 5, rows.indices, rows.indptr)
    codes = y.astype(np.int32)
    question = learner.question(lambda: iter([(whole, codes)]), 60, in_memory=True, svm=False, against=None)
    certificates = learner.judge(question)
    assert all(one.holds is not False for one in certificates)
    assert sum(one.applies for one in certificates) >= 4


def test_weights_above_one_do_not_apply():
    """A round that weighs more than 1 may cost the mixture more than Bayes' rule says: no theorem has a number then."""
    X, y = rows(1, 30, 3, "plain", 1.0), np.random.default_rng(1).choice([-1, 1], size=30)
    learner = AggregatedClassifier().partial_fit(
        X, y, classes=[-1, 1], sample_weight=np.where(np.arange(30) == 7, 1.5, 1)
    )
    assert not any(one.applies for one in learner.certify(X, y))
    assert theory.LIGHT[0] in [one.why for one in learner.certify(X, y)]


# ---- formulas that are wrong


def test_a_loss_counted_twice_breaks_the_full_members_bound():
    """The loss is in B = loss + min F - min F' once: with it taken off again, the bound is below what was lost."""
    X, y = rows(2, 60, 2, "plain", 1.0), np.random.default_rng(2).choice([-1, 1], size=60)
    scores, _, B = book.full(X, y, curvature(2.0), 0.01)
    lost = float(np.logaddexp(0, -y * scores).sum())
    assert lost <= 60 * LN2 + B  # against u = 0
    assert 60 * LN2 + (B - lost) < lost


def test_a_mistake_of_a_light_round_does_not_cost_ln_2():
    """With rounds that weigh a tenth, the mistakes exceed what the log loss allows: unit weights are needed."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 2)), random.choice([-1, 1], size=400)
    learner = AggregatedClassifier().partial_fit(X, y, classes=[-1, 1], sample_weight=np.full(400, 0.1))
    assert learner.ledger_.mistakes > learner.ledger_.loss / LN2


def test_a_curvature_of_one_is_too_much():
    """Were the log loss as curved as its tangent parabola, a full member's theorem would fail on this game."""
    X, y = np.ones((40, 1)), np.ones(40)
    y[0] = -1
    u = np.linspace(-6, 6, 401)
    best = (np.logaddexp(0, -np.outer(u, y)).sum(axis=1) + 0.01 * u * u).min()
    for kappa, holds in ((1.0, False), (curvature(6.0), True)):
        scores, M, B = book.full(X, y, kappa, 0.01)
        assert M == 1
        assert (np.logaddexp(0, -y * scores).sum() <= best + B) == holds


@pytest.mark.parametrize("share", [lambda _: 0.5, lambda t: 1 / (t + 1)])
def test_a_larger_share_costs_more(share):
    """With a share of a half after every round, or of 1 / (t + 1), the mixture loses more beside a member that is
    always right than the theorem says of a share of about 1 / (t ln t)."""
    y = np.ones(200)
    scores = np.column_stack([np.full(200, 40.0), np.full(200, -40.0)])
    weights, lost = np.full(2, 0.5), 0.0
    for t in range(200):
        p = 1 / (1 + np.exp(-y[t] * scores[t]))
        lost -= np.log(weights @ p)
        weights = (1 - share(t + 1)) * weights * p / (weights @ p) + share(t + 1) / 2
    assert lost > LN2 + log(log(199 + e))
    assert book.mixture(scores, y)[2] <= LN2 + log(log(199 + e))


# ---- several classes, and changes of member


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=6), st.integers(0, 5))
def test_odds_over_their_sum_lose_no_more_than_all_targets(log_odds, label):
    """Minus the logarithm of the odds of a class over the sum of all odds is at most the sum of the log losses of its
    target and of all others."""
    o, label = np.array(log_odds), label % len(log_odds)
    signs = np.where(np.arange(len(o)) == label, 1, -1)
    assert np.logaddexp.reduce(o) - o[label] <= np.logaddexp(0, -signs * o).sum() + 1e-12


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=60)
def test_changes_of_member_cost_what_the_proof_says(seed, changes, size):
    """Beside any sequence of members with m changes, after the rounds t_s, the mixture loses at most (m + 1) ln K
    + ln ln(T + e - 1) + sum ln((1 - a) / a) more, which is below m ln((T + e) ln(T + e)) in place of the sum."""
    random = np.random.default_rng(seed)
    T, K = int(random.integers(5, 120)), int(random.integers(2, 6))
    scores, y = size * random.normal(size=(T, K)), random.choice([-1, 1], size=T)
    losses = np.logaddexp(0, -y[:, None] * scores)
    cuts = np.sort(random.choice(np.arange(1, T), size=min(changes, T - 1), replace=False))
    parts = np.split(losses, cuts)
    best, m = sum(part.sum(axis=0).min() for part in parts), len(cuts)
    late = sum(theory.change_cost(t) for t in cuts)
    assert late <= m * log((T + e) * log(T + e))
    allowed = (m + 1) * log(K) + log(log(T + e - 1)) + late
    assert book.mixture(scores, y)[2] <= best + allowed + 1e-9


def test_a_stacked_member_competes_with_constants():
    """Where labels have nothing to do with the features, its theorem bounds the log loss by that of the best
    constant and a fifth more, which the theorems of the other members of wide rows do not."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(600, 300)), np.where(random.random(600) < 0.2, 1, -1)
    learner = AggregatedClassifier().fit(X, y)
    with_it = next(one for one in learner.certify(X, y) if one.theorem is theory.against_constant)
    alone = AggregatedClassifier(stacked=False).fit(X, y).certify(X, y)
    constant = 600 * -(np.mean(y > 0) * log(np.mean(y > 0)) + np.mean(y < 0) * log(np.mean(y < 0)))
    assert with_it.observed <= with_it.bound <= 1.2 * constant
    assert next(one for one in alone if one.theorem is theory.against_constant).bound > 1.2 * constant


def test_the_linearised_bound_is_read_against_about_the_best_vector():
    """No vector near the one that it is read against, or near ridge logistic regression, has a linearised bound that is
    smaller by a hundredth."""
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 4))
    y = np.where(X @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=150) > 0, 1, -1)
    learner = AggregatedClassifier(intercept=0.0, full=0).fit(X, y)
    lines = {one.theorem: one for one in learner.certify(X, y)}
    best, ridge = lines[theory.linearised], lines[theory.by_a_rate]
    assert best.comparator.name == "slopes"
    for start in (best.comparator.vector, ridge.comparator.vector):
        for size in (0.01, 0.1, 0.5):
            near = start + size * random.normal(size=4)
            others = {one.theorem: one for one in learner.certify(X, y, against=near)}
            assert others[theory.linearised].bound >= 0.99 * best.bound


@pytest.mark.parametrize("late", [False, True])
def test_bounds_of_several_classes_are_less_by_what_their_odds_have_gained(late: bool) -> None:
    """The bound on the loss of the class that came is the sum of those of all classes less the gain of the odds."""
    generator = np.random.default_rng(6)
    X = generator.normal(size=(90, 3)).round(2)
    y = np.argmax(X + 0.5 * generator.normal(size=X.shape), axis=1)
    learner = AggregatedClassifier().partial_fit(X, y, **({} if late else {"classes": [0, 1, 2]}))
    ledgers = learner.state_.ledgers()
    gain = sum(one.loss for one in ledgers) - learner.ledger_.loss
    assert gain > 5
    members = learner.losses_.shape[1]
    best = sum(float(losses.min()) for losses in learner.losses_)
    cost = sum(log(members) + log(log(one.rounds + e - 1)) for one in ledgers)
    certificates = learner.certify(X, y)
    by_name = {one.theorem.name: one for one in certificates}
    mixed = by_name["mixture"]
    assert mixed.applies
    assert mixed.bound == pytest.approx(best + cost - gain)
    assert mixed.observed == learner.ledger_.loss
    assert mixed.comparator.describe()["gain"] == pytest.approx(gain)
    assert f"less the {gain:,.6g} nats" in str(mixed)
    assert all(one.holds for one in certificates)
    vectors = min(one.bound for one in certificates if one.applies and one.theorem in theory.EVERY_VECTOR)
    assert by_name["mistakes_from_log_loss"].bound * LN2 <= vectors * (1 + 1e-9)


@given(st.integers(0, 1000), st.integers(3, 5), st.booleans())
@settings(max_examples=8)
def test_bounds_of_several_classes_hold(seed: int, classes: int, late: bool) -> None:
    """No certificate of several classes is broken, in whatever order classes come, and the gain is never negative."""
    generator = np.random.default_rng(seed)
    X = (generator.normal(size=(30, 3)) * 10.0 ** generator.integers(-2, 3)).round(3)
    y = generator.permutation(np.append(generator.integers(0, classes, 30 - classes), np.arange(classes)))
    learner = AggregatedClassifier().partial_fit(X, y, **({} if late else {"classes": list(range(classes))}))
    assert sum(one.loss for one in learner.state_.ledgers()) >= learner.ledger_.loss - 1e-9
    assert all(one.holds for one in learner.certify(X, y))
