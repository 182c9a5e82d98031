"""Winnow: against its textbook twin and exact arithmetic, its theorems, its worked cases, the game of its margin."""

from __future__ import annotations

import pickle
import warnings
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import atanh, inf, log

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

import regretless
from regretless import _core
from regretless.comparator import Comparator
from regretless.data.batch import Batch
from regretless.errors import ModelError, RegretlessError
from regretless.ledger import FIELDS
from regretless.linear import Perceptron, PNormPerceptron, Winnow, max_margin_simplex
from regretless.linear.mirror_steps import (
    BASE,
    BIAS,
    MET,
    REACH,
    REFERENCE,
    REST,
    SUM,
    TOUCHED,
    MirrorRules,
    MirrorState,
    SimplexGeometry,
)
from regretless.linear.separation.budget import Budget
from regretless.linear.separation.signed_rows import read_batch
from regretless.linear.separation.simplex_margin import SimplexMargin, max_margin_simplex_signed
from regretless.persist.format import read_model, write_model
from regretless.textbook.experts import weighted_majority
from regretless.textbook.linear import p_norm_perceptron, winnow
from regretless.theory.mirror import (
    WINNOW,
    log_cosh,
    winnow_hinge,
    winnow_posterior,
    winnow_separable,
    winnow_textbook,
    winnow_tuned,
)

from ..examples import first_of
from .slow import comparator as slow

reals = st.floats(-8, 8, width=32)
mostly_zero = st.one_of(st.just(0.0), reals)
eighths = st.integers(-16, 16).map(lambda k: k / 8)  # sums and products of these are exact
signs = st.sampled_from([-1, 1])
links = st.sampled_from(["simplex", "balanced", "power"])


class Play:
    """A state of mirror steps and the rules to play it by."""

    def __init__(self, columns: int, targets: int = 1, *, link="simplex", rate=1.0, tie=0.0, intercept=0.0, power=2.0):
        self.state = MirrorState(columns, targets, link=link, constant=intercept > 0, power=power)
        self.rules = MirrorRules(geometry=link, eta=rate, tie=float(tie), intercept=intercept)

    def dense(self, X, y, **rest):
        player = self.state.player(self.rules)
        return player.play(np.ascontiguousarray(X), None, None, np.asarray(y, np.int32), **rest)

    def sparse(self, X, y, *, wide=False, keep_zeros=False):
        keep = np.ones_like(X, dtype=bool) if keep_zeros else X != 0
        kind = np.int64 if wide else np.int32
        starts = np.concatenate([[0], np.cumsum(keep.sum(1))]).astype(kind)
        player = self.state.player(self.rules)
        return player.play(X[keep], np.nonzero(keep)[1].astype(kind), starts, np.asarray(y, np.int32))

    @property
    def counts(self):
        ledger = self.state.ledger()
        return int(ledger.updates), int(ledger.mistakes)

    def normaliser(self, target=0) -> float:
        """ln of the mean weight, from what the kernel keeps."""
        m, features = self.state.memory[target], self.state.columns + self.state.constant
        total = m[SUM] + m[REST] + (features - m[TOUCHED]) * m[BASE]
        return float(np.log(total) + m[REFERENCE] - np.log(features))

    def bits(self) -> bytes:
        return b"".join(tensor.tobytes() for tensor in self.state.tensors().values())


def fitted(X, y, **parameters) -> Winnow:
    return Winnow(**parameters).partial_fit(np.asarray(X, float), np.asarray(y), classes=[-1, 1])


def comparator(X, y, v, *, of, balanced=False, repeats=1) -> Comparator:
    """A comparator computed the slow way."""
    v = np.asarray(v, float)
    own = np.abs(v).sum() if balanced or (v >= 0).all() else inf
    shares = np.abs(v)[v != 0] / np.abs(v).sum()
    weights = len(v) * (2 if balanced else 1)
    return slow(
        X,
        y,
        v,
        repeats,
        own=float(own),
        divergence=log(weights) + float(shares @ np.log(shares)),
        product=float(v @ of.state_.theta[: len(v), 0]),
    )


# ---- the kernel


@pytest.mark.kernel
@given(
    seed=st.integers(0, 10**6),
    rate=st.sampled_from([0.1, 1.0, 7.0]),
    tie=st.sampled_from([0, 1, -1]),
    intercept=st.sampled_from([0.0, 1.5]),
    balanced=st.booleans(),
    kind=st.sampled_from([np.float32, np.float64]),
)
def test_winnow_is_the_textbooks(seed, rate, tie, intercept, balanced, kind):
    """Weights, updates and mistakes are those of a dozen lines of numpy, with a constant feature and without."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 7)).astype(np.float32) * (rng.random((40, 7)) < 0.6), rng.choice([-1, 1], 40)
    longer = np.hstack([X, np.full((len(X), 1), intercept)]) if intercept else X
    w, *counts = winnow(longer, y, rate, balanced=balanced, ties=tie)
    play = Play(7, link="balanced" if balanced else "simplex", rate=rate, tie=tie, intercept=intercept)
    assert play.sparse(X.astype(kind), y) == (40, None)
    assert play.counts == tuple(counts)
    value = np.append(play.state.coefficients()[:, 0], play.state.biases() if intercept else [])
    np.testing.assert_allclose(value, w, rtol=1e-9, atol=1e-12)


@pytest.mark.kernel
@given(
    X=arrays(float, (25, 3), elements=eighths),
    y=arrays(np.int32, 25, elements=signs),
    rate=st.sampled_from([0.5, 64.0, 1024.0, 2.0**20]),
    balanced=st.booleans(),
)
def test_decisions_are_exact_at_any_rate(X, y, rate, balanced):
    """With weights that differ by more than floats hold, decisions but near ties are those of eighty digits."""
    play = Play(3, link="balanced" if balanced else "simplex", rate=rate)
    play.dense(X, y)
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 80, 10**17, -(10**17)
        theta, updates, mistakes = [Fraction(0)] * 3, 0, 0
        for x, label in zip(X, y, strict=True):
            terms = []
            for t, entry in zip(theta, x, strict=True):
                at = Decimal(t.numerator) / Decimal(t.denominator)
                terms.append((at.exp() - ((-at).exp() if balanced else 0)) * Decimal(float(entry)))
            score, moved = sum(terms), any(t and e for t, e in zip(theta, x, strict=True))
            if moved and abs(score) < Decimal("1e-12") * sum(abs(term) for term in terms):
                return  # nearly a tie, of which floats cannot know
            mistakes += (score >= 0) != (label > 0)
            if label * score <= 0:
                theta = [t + Fraction(rate) * int(label) * Fraction(float(e)) for t, e in zip(theta, x, strict=True)]
                updates += 1
    assert play.counts == (updates, mistakes)


@pytest.mark.kernel
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("link", ["simplex", "balanced", "power"])
def test_rows_of_any_length_move_as_the_loop_that_leaves_zeros_out_does(link, kind):
    """Features of 1 to 20 entries, moved eight by eight and by what is left over, end with the bits of that loop."""
    rng, before = np.random.default_rng(0), _core.isa()
    X, y = np.zeros((60, 24), dtype=kind), rng.choice([-1, 1], 60)
    for t, row in enumerate(X):
        row[rng.permutation(24)[: t % 20 + 1]] = rng.normal(size=t % 20 + 1)
    names = set()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for keep_zeros in (False, True):
                play = Play(24, link=link, power=3.5, rate=0.5)
                assert play.sparse(X, y, keep_zeros=keep_zeros) == (60, None)
                names.add(play.bits())
    finally:
        _core.use_isa(before)
    assert len(names) == 1
    assert play.counts[0] > 20


@pytest.mark.kernel
@given(
    X=arrays(float, (30, 11), elements=mostly_zero),
    y=arrays(np.int32, 30, elements=signs),
    link=links,
    power=st.sampled_from([2.0, 3.5, 20.0]),
    rate=st.sampled_from([0.3, 40.0]),
    intercept=st.sampled_from([0.0, 1.5]),
)
def test_all_instruction_sets_and_layouts_give_the_same_bits(X, y, link, power, rate, intercept):
    """Dense rows, sparse rows, stored zeros, 32 and 64 bit indices: on every instruction set one and the same state."""
    names, before = set(), _core.isa()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for layout in ({}, {"wide": True}, {"keep_zeros": True}, None):
                play = Play(11, link=link, power=power, rate=rate, intercept=intercept)
                assert (play.dense(X, y) if layout is None else play.sparse(X, y, **layout)) == (30, None)
                names.add(play.bits())
    finally:
        _core.use_isa(before)
    assert len(names) == 1


@pytest.mark.kernel
@given(
    X=arrays(np.float32, (12, 300), elements=mostly_zero),
    y=arrays(np.int32, 12, elements=st.integers(0, 2)),
    link=links,
)
def test_a_class_against_the_rest_is_a_learner_alone(X, y, link):
    """Each target of several has the dual coordinates, memory and book that it would have alone, in long rows too."""
    together = Play(300, 3, link=link, power=7.0)
    together.dense(X, y)
    for target in range(3):
        alone = Play(300, link=link, power=7.0)
        alone.dense(X, np.where(y == target, 1, -1))
        for name, tensor in alone.state.tensors().items():
            ours = together.state.tensors()[name]
            assert np.array_equal(
                ours[target] if len(ours) < 5 else ours[:, target], tensor[0] if len(ours) < 5 else tensor[:, 0]
            )


@given(
    X=arrays(float, (30, 6), elements=mostly_zero),
    y=arrays(np.int64, 30, elements=st.integers(0, 2)),
    cuts=st.lists(st.integers(1, 29), max_size=4),
    learner=st.sampled_from([Winnow(rate=30.0), Winnow(balanced=True), Winnow(intercept=2.0), PNormPerceptron(p=5)]),
)
def test_columns_may_come_late(X, y, cuts, learner):
    """A stream that reveals its columns block by block leaves the state of one that announces them all."""
    bounds = [0, *sorted(set(cuts)), 30]
    late = type(learner)(**learner.get_params())
    whole = type(learner)(**learner.get_params())
    labels = np.array([0, 1, 2, *y])
    X = np.vstack([np.zeros((3, 6)), X])
    for begin, end in pairwise(bounds):
        rows = slice(begin if begin else 0, end + 3) if begin == 0 else slice(begin + 3, end + 3)
        mask = X[: rows.stop] != 0
        columns = int(np.nonzero(mask.any(axis=0))[0].max(initial=-1)) + 1
        block = sp.csr_array(X[rows][:, :columns])
        late.observe(Batch(block.data, labels[rows], columns, block.indices, block.indptr))
        block = sp.csr_array(X[rows])
        whole.observe(Batch(block.data, labels[rows], 6, block.indices, block.indptr))
    late.state_.grow(6)
    assert late.state_.same(whole.state_)


@pytest.mark.parametrize("name", ["theta", "cached", "memory", "books"])
def test_a_state_with_one_other_number_is_another_state(name):
    """States whose last number of one array differs are not the same; of columns that are room alone, they are."""
    state, other = (MirrorState(5, 3, link="balanced", constant=True) for _ in range(2))
    other.theta = np.vstack([other.theta, np.ones((2, 3))])
    assert state.same(other)
    getattr(other, name)[4 if name in ("theta", "cached") else -1, -1] += 1
    assert not state.same(other)


def log_normaliser(state):
    """ln of the mean of exp(theta) over all N weights, which is the sum of ln Z over all updates."""
    theta = state._all(0)
    return float(np.logaddexp.reduce(np.concatenate([theta, -theta]) if state.link == "balanced" else theta)) - np.log(
        state.weighed
    )


def test_the_normaliser_does_not_drift_in_ten_million_rounds():
    """After 10^7 rounds the normaliser, kept by differences, is that of the weights to nine digits."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(1000, 4)) * (rng.random((1000, 4)) < 0.7)).astype(np.float32)
    y = rng.choice([-1, 1], 1000)
    order = np.tile(np.arange(1000), 100)
    for link in ("simplex", "balanced"):
        play = Play(4, link=link, rate=0.3)
        for _ in range(100 if link == "balanced" else 5):
            play.dense(X, y, order=order)
        assert play.state.ledger().updates > 1e5
        assert play.normaliser() == pytest.approx(log_normaliser(play.state), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("link", ["simplex", "balanced"])
@pytest.mark.parametrize("rate", [7.0, 50.0, 299.0, 1e4, 1e200])
def test_the_normaliser_survives_weights_that_rise_and_vanish(link, rate):
    """Weights that grow a thousandfold and shrink again, or leave the range of floats, do not spoil the normaliser."""
    rng = np.random.default_rng(1)
    play = Play(5, link=link, rate=rate, tie=0)
    for _ in range(300):
        x = np.zeros((1, 5))
        x[0, rng.integers(5)] = rng.choice([1.0, -1.0])
        play.dense(x, [rng.choice([-1, 1])])
        assert play.normaliser() == pytest.approx(log_normaliser(play.state), rel=1e-9, abs=1e-6)


@pytest.mark.kernel
def test_all_weights_may_fade():
    """When every feature speaks against the only class that comes, weights shrink together and nothing underflows."""
    play = Play(3, rate=1.0)
    X, y = np.ones((5000, 3)) * [1, 2, 3], -np.ones(5000)
    play.dense(X, y)
    assert play.counts == (5000, 5000)
    np.testing.assert_allclose(play.state.coefficients()[:, 0], [1, 0, 0], atol=1e-300)
    # A feature that no round had shown is heavier by exp(5000) than the rest.
    play.state.grow(4)
    player = play.state.player(play.rules)
    assert player.one(np.array([1.0, 1.0, 1.0, 0.0]), 1) == (1, None)
    assert player.one(np.array([0.0, 0.0, -1e-3, 1e-3]), 1) == (1, None)
    assert play.counts == (5000, 5000)
    assert play.state.coefficients()[3, 0] == 1.0


def test_the_textbook_predicts_by_weights_that_others_make_vanish():
    """A row whose weight is exp(-1000) of another feature's has a score above 0 in the textbook, as compiled."""
    X, y = np.array([[1.0, 0.0]] * 4000 + [[1.0, 0.0]]), np.array([-1] * 4000 + [1])
    ledger = Winnow(rate=0.25, intercept=0.0).fit(X, y).ledger_
    assert winnow(X, y, 0.25)[1] == 4000 == ledger.updates


@pytest.mark.kernel
def test_a_row_beside_far_heavier_ones_is_predicted_by_its_own_weights():
    """Features whose weights are nothing beside exp(1000) still decide the rounds in which only they appear."""
    for link in ("simplex", "balanced", "power"):
        play = Play(3, link=link, rate=1.0, power=8.0)
        player = play.state.player(play.rules)
        size = 1e60 if link == "power" else 1000.0
        if link == "simplex":
            player.one(np.array([-size, 0.0, 0.0]), 1)
        else:
            player.one(np.array([size, 0.0, 0.0]), 1)
            player.one(np.array([-1e-3, 0.0, 0.0]), -1)
        player.one(np.array([0.0, -1.0, 0.5]), 1)  # moved, as what it says is wrong or nothing
        out = np.empty((1, 1))
        expected = play.state.theta[:, 0].copy()
        for row, sign in (([0.0, 1.0, 0.0], -1), ([0.0, 0.0, 1.0], 1)):
            player.score(np.array([row]), None, None, out)
            goal = 1 if link == "simplex" else sign
            assert np.sign(out[0, 0]) == goal, (link, row, expected)


@pytest.mark.kernel
def test_overflow_is_reported():
    """A round by which dual coordinates would leave the range of floats is refused before it changes anything."""
    play = Play(2, link="balanced", rate=1e290)
    X = np.array([[1.0, 0.0], [1e20, 1e20]])
    assert play.dense(X, [1, -1]) == (1, "diverged")
    once = Play(2, link="balanced", rate=1e290)
    once.dense(X[:1], [1])
    assert all(
        np.array_equal(mine, theirs)
        for mine, theirs in zip(play.state.tensors().values(), once.state.tensors().values(), strict=True)
    )


# ---- the textbooks' other names for it


@given(X=arrays(np.int8, (40, 5), elements=signs), y=arrays(np.int8, 40, elements=signs))
def test_winnow_on_signs_is_weighted_majority(X, y):
    """With features +-1 it is weighted majority with beta = exp(-2 rate), mistake for mistake."""
    rate = 0.3
    mistakes, _, weights = weighted_majority((X + 1) // 2, (y + 1) // 2, np.exp(-2 * rate))
    learner = fitted(X, y, rate=rate, ties=1)
    w = winnow(X.astype(float), y, rate, ties=1)
    if learner.ledger_.mistakes == mistakes:  # a tie may be lost to rounding, in one of the two
        np.testing.assert_allclose(learner.coef_[0], weights / weights.sum(), rtol=1e-9)
    assert (learner.ledger_.updates, learner.ledger_.mistakes) == w[1:] or abs(w[0] @ X[-1]) < 1e-9


def test_a_huge_rate_is_halving():
    """On eight experts it makes log2 8 = 3 updates, which is what the best rate's bound becomes."""
    X = np.array([[-1, -1, -1, -1, 1, 1, 1, 1], [-1, -1, 1, 1, -1, -1, 1, 1], [-1, 1, -1, 1, -1, 1, -1, 1]])
    learner = fitted(X, [-1, -1, -1], gamma=1 - 1e-12)
    certificates = {c.theorem: c for c in learner.certify(X, [-1, -1, -1])}
    for theorem in (winnow_separable, winnow_tuned, winnow_hinge):
        assert certificates[theorem].observed == certificates[theorem].shown_bound == 3, str(certificates[theorem])


# ---- theorems


@given(
    X=arrays(float, (30, 3), elements=st.one_of(reals, st.sampled_from([0.0, 1.0, -1.0, 1e-6, 1e6]))),
    y=arrays(np.int8, 30, elements=signs),
    v=arrays(float, 3, elements=reals),
    balanced=st.booleans(),
    ties=st.sampled_from(["update", 1, -1]),
    rate=st.sampled_from([1e-3, 0.1, 1.0, 7.0]),
    scale=st.sampled_from([1e-3, 0.1, 1.0, 30.0]),
)
def test_no_stream_and_no_comparator_break_a_sure_bound(X, y, v, balanced, ties, rate, scale):
    """Every theorem of Winnow holds on every stream against every vector that it allows, under every rule for ties."""
    learner = fitted(X, y, balanced=balanced, ties=ties, rate=rate)
    v = scale * (v if balanced else np.abs(v))
    if not np.abs(v).sum():
        return
    for theorem in WINNOW:
        certificate = theorem.certify(
            learner.ledger_, [comparator(X, y, v, balanced=balanced, of=learner)], learner.target_facts()[0]
        )
        assert certificate.holds, str(certificate)


@given(
    X=arrays(float, (40, 6), elements=st.sampled_from([-1.0, 1.0, 0.5])),
    rate=st.sampled_from([0.05, 0.2, 0.5, 1.0, 3.0]),
    passes=st.integers(1, 4),
    most=st.integers(0, 3),
)
def test_bounds_hold_where_they_say_most(X, rate, passes, most):
    """On rows that their first feature labels, over several passes, the bounds apply and hold; cosh is the sharper."""
    y = np.where(X[:, 0] > 0, 1, -1)
    y[:most] *= -1
    learner = fitted(np.tile(X, (passes, 1)), np.tile(y, passes), rate=rate)
    for s in (1.0, 0.5, 2.0):
        u = comparator(X, y, s * np.eye(6)[0], repeats=passes, of=learner)
        certificates = {t: t.certify(learner.ledger_, [u], learner.target_facts()[0]) for t in WINNOW}
        assert all(c.holds for c in certificates.values())
        if certificates[winnow_hinge].applies and certificates[winnow_textbook].applies:
            assert certificates[winnow_hinge].bound <= certificates[winnow_textbook].bound * (1 + 1e-9)
        if rate == 0.2 and s == 1.0:
            assert certificates[winnow_hinge].applies


@given(
    X=arrays(float, (25, 4), elements=reals),
    y=arrays(np.int8, 25, elements=signs),
    v=arrays(float, 4, elements=st.integers(0, 40).map(lambda k: k / 5)),
)
def test_the_posterior_bound_is_its_divergences(X, y, v):
    """H + <v, theta> / eta is H and the divergences from start and end with the sum of ln Z, over eta rho."""
    if not v.any():
        return
    learner = fitted(X, y, rate=0.5)
    u, facts = comparator(X, y, v, of=learner), learner.target_facts()[0]
    shares, w = v / v.sum(), learner.coef_[0]
    if w[shares > 0].min() < 1e-280:
        return
    mask = shares > 0
    to_end = float(shares[mask] @ np.log(shares[mask] / w[mask]))
    spent = log_normaliser(learner.state_)
    assert winnow_posterior.bound(learner.ledger_, u, facts) == pytest.approx(
        u.hinge + (u.divergence - to_end + spent) / 0.5 * v.sum(), rel=1e-6, abs=1e-6
    )


def test_the_posterior_bound_is_attained_away_from_zero():
    """Five updates, and the posterior bound at v = e_1 is 5: all of them lie on its margin, no other round is short of
    it."""
    X = np.array([[1.0, 0]] * 3 + [[0, 1.0]] * 4 + [[1.0, 0]] * 9)
    y = np.array([1, 1, 1, -1, 1, -1, 1] + [1] * 9)
    learner = fitted(X, y, balanced=True, rate=1.0)
    u = comparator(X, y, [1.0, 0.0], balanced=True, of=learner)
    assert learner.ledger_.updates == 5
    assert winnow_posterior.bound(learner.ledger_, u, learner.target_facts()[0]) == pytest.approx(5, rel=1e-12)


def test_ln_cosh_has_no_range():
    """ln cosh keeps its digits near 0 and does not overflow."""
    assert log_cosh(1e-8) == pytest.approx(5e-17, rel=1e-12)
    assert log_cosh(1e5) == pytest.approx(1e5 - log(2))
    assert log_cosh(1.0) == pytest.approx(log(np.cosh(1.0)))
    assert log_cosh(1 - 1e-12) == pytest.approx(log_cosh(1 + 1e-12))


def test_negative_entries_ask_for_balance():
    """A user's comparator with a negative entry gives no number, and the reason; balanced, it does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    v = np.array([1.0, -1.0, 0.5])
    y = np.sign(X @ v)
    plain = Winnow(rate=0.05).fit(X, y)
    certificates = {
        t: t.certify(plain.ledger_, [comparator(X, y, v, of=plain)], plain.target_facts()[0]) for t in WINNOW
    }
    assert "balanced" in str(certificates[winnow_hinge].why)
    assert certificates[winnow_posterior].applies  # which measures no comparator
    assert all(c.holds for c in plain.certify(X, y, against=v))
    both = {c.theorem: c for c in Winnow(rate=0.05, balanced=True).fit(X, y).certify(X, y, against=1e3 * v)}
    assert both[winnow_separable].why is None or "rate" in both[winnow_separable].why


def test_a_rate_made_for_a_margin_is_certified_before_the_run():
    """With gamma the rate is artanh(gamma / R) / R, and the bound needs no more than N; an entry above R voids it."""
    rng = np.random.default_rng(2)
    X = rng.choice([-1.0, 1.0], size=(400, 200))
    y = np.sign(X[:, :3].sum(1))
    learner = Winnow(gamma=1 / 3, balanced=True, passes=5).fit(X, y)
    assert learner.target_facts()[0].rate == atanh(1 / 3)
    tuned = {c.theorem: c for c in learner.certify(X, y, svm=False)}[winnow_tuned]
    assert tuned.applies, tuned.why
    assert tuned.bound <= 2 * 9 * log(400)
    assert learner.ledger_.updates <= tuned.bound
    wide = Winnow(gamma=0.3, balanced=True, radius=0.5).fit(X, y)
    assert "radius" in str({c.theorem: c for c in wide.certify(X, y, svm=False)}[winnow_tuned].why)


@pytest.mark.parametrize("learner", [Winnow(rate=0.3, until_clean=True), PNormPerceptron(until_clean=True)])
def test_a_run_until_clean_has_a_bound_on_its_length(learner):
    """Rounds are at most rows times one more than the bound on updates; a run of one pass has no such bound."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(60, 10))
    y = np.sign(X[:, 0])
    learner.fit(X, y)
    certificates = {c.theorem.title: c for c in learner.certify(X, y, svm=False)}
    until, separable = certificates["Rounds until clean"], certificates["Separable data"]
    assert until.applies, until.why
    assert until.observed == 60 * learner.n_iter_ <= until.bound
    assert until.bound == 60 * (separable.shown_bound + 1)
    assert learner.ledger_.updates <= separable.bound
    learner.set_params(until_clean=False).fit(X, y)
    assert "Rounds until clean" not in {c.theorem.title for c in learner.certify(X, y, svm=False)}


# ---- forms that were printed wrongly must fail


def test_updating_in_every_round_breaks_the_bound():
    """With the true label but in every round, mistakes outgrow the bound; on mistakes alone there are none."""
    n, rate = 200, 1 / 3
    X = np.array([[1.0, 1, -1]] * n + [[1, -1, 1], [-1, 1, 1]] * n)
    w, mistakes = np.full(3, 1 / 3), 0
    for x in X:
        mistakes += w @ x <= 0
        w = w * np.exp(rate * x)
        w /= w.sum()
    learner = fitted(X, np.ones(len(X)), rate=rate)
    uniform = comparator(X, np.ones(len(X)), np.ones(3), of=learner)
    bound = log(3) / (rate / 3 - rate**2 / 2) if rate / 3 > rate**2 / 2 else 2 * 9 * log(3)
    assert mistakes == n - 1 > bound
    assert learner.ledger_.updates == 0
    assert winnow_posterior.bound(learner.ledger_, uniform, learner.target_facts()[0]) >= 0


def test_moving_towards_the_predicted_label_never_learns():
    """The printed rule, which uses the predicted label, errs in every round; the true label takes one update."""
    X, rate = np.array([[1.0, -1, -1]] * 20), log(2)
    w, mistakes = np.full(3, 1 / 3), 0
    for x in X:
        predicted = 1 if w @ x >= 0 else -1
        mistakes += predicted != 1
        w = w * np.exp(rate * predicted * x)
        w /= w.sum()
    assert mistakes == 20
    learner = fitted(X, np.ones(20), rate=rate)
    assert learner.ledger_.updates <= 1 + (learner.coef_[0] @ X[0] <= 0)
    bound = winnow_separable.bound(
        learner.ledger_, comparator(X, np.ones(20), [1.0, 0, 0], of=learner), learner.target_facts()[0]
    )
    assert learner.ledger_.updates <= bound


def test_half_a_cosh_is_no_cosh():
    """With ln((exp(a) + exp(-a)) / 2) read as half of what it is, the bound is below one mistake."""
    rate, n = 50.0, 4
    printed = log(n) / (rate - log_cosh(rate) / 2 - log(2))
    X = np.array([[1.0, -1, -1, -1]])
    learner = fitted(X, [1], rate=rate)
    assert learner.ledger_.updates == 1 > printed
    u = comparator(X, [1], [1.0, 0, 0, 0], of=learner)
    assert winnow_separable.bound(learner.ledger_, u, learner.target_facts()[0]) == pytest.approx(2, rel=1e-6)


# ---- worked cases


def _number(value) -> float:
    return inf if value == "Infinity" else float(Fraction(value)) if isinstance(value, str) else float(value)


def test_the_worked_cases_come_out(oracles):
    """Updates, mistakes, weights, margins and bounds of the worked cases are ours."""
    count = 0
    for case in oracles:
        given_, expected = case["input"], case["expected"]
        if case["topic"] != "winnow" or "X" not in given_ or "w" not in expected:
            continue
        count += 1
        X, y, rate = np.array(given_["X"], float), np.array(given_["y"]), log(_number(given_["exp_eta"]))
        learner = Winnow(rate=rate, until_clean=given_["until_clean"], passes=given_["passes"])
        learner = learner.fit(X, y) if len(set(y)) > 1 else fitted(X, y, rate=rate)
        assert (learner.ledger_.updates, learner.ledger_.mistakes) == (expected["updates"], expected["mistakes"])
        np.testing.assert_allclose(learner.coef_[0], [_number(w) for w in expected["w"]], rtol=1e-9, atol=1e-30)
        margin = max_margin_simplex(X, y)
        assert margin.lower <= _number(expected["rho_inf"]) <= margin.upper
        assert margin.gap < 1e-9
        if _number(expected["rho_inf"]) <= 0:
            continue
        assert learner.n_iter_ == expected["passes"] if len(set(y)) > 1 else True
        rho = _number(expected["rho_inf"])
        v, repeats = np.array([_number(x) for x in expected["v_opt"]]), int(learner.ledger_.rounds) // len(y)
        u, facts = comparator(X, y, v / rho, repeats=repeats, of=learner), learner.target_facts()[0]
        slow = {"bound_cosh_eta": log(X.shape[1]) / (rate * rho - log_cosh(rate))}
        if rate * rho > rate**2 / 2:
            slow["bound_712_eta"] = winnow_textbook.bound(learner.ledger_, u, facts)
        for name, value in slow.items():
            assert value == pytest.approx(_number(expected[name]), rel=1e-9), (case["id"], name)
        assert winnow_separable.bound(learner.ledger_, u, facts) <= slow["bound_cosh_eta"] * (1 + 1e-12)
        tuned = fitted(X, y, gamma=min(rho, 1 - 1e-15))
        value = winnow_tuned.bound(tuned.ledger_, u, tuned.target_facts()[0])
        assert value == pytest.approx(_number(expected["bound_cosh_opt"]), rel=1e-9)
    assert count or not any(case["topic"] == "winnow" for case in oracles)


def test_balanced_winnow_is_winnow_on_pairs(oracles):
    """On x1 - x2 + x3 of signs, three features with two weights each do what six features do."""
    case = next(c for c in oracles if c["id"] == "winnow/balanced x1-x2+x3")
    X, y = np.array(case["input"]["X"], float), np.array(case["input"]["y"])
    three = Winnow(rate=log(1.5), balanced=True, until_clean=True).fit(X[:, :3], y)
    assert three.ledger_.updates == case["expected"]["updates"]
    assert three.ledger_.mistakes == case["expected"]["mistakes"]
    w = np.array([_number(w) for w in case["expected"]["w"]])
    np.testing.assert_allclose(three.coef_[0], w[:3] - w[3:], rtol=1e-9)
    margin = max_margin_simplex(X[:, :3], y, balanced=True)
    assert margin.lower <= 1 / 3 <= margin.upper
    assert margin.gap < 1e-12


def test_sparse_targets_are_where_it_wins(oracles):
    """Where one feature of many decides, it makes the few updates of the worked cases, and the perceptron many."""
    for case in oracles:
        if not case["id"].startswith("winnow/sparse vs perceptron"):
            continue
        X, y = np.array(case["input"]["X"], float), np.array(case["input"]["y"])
        ours = Winnow(rate=log(case["input"]["exp_eta"]), until_clean=True).fit(X, y)
        theirs = Perceptron(until_clean=True).fit(X, y)
        assert ours.ledger_.updates == case["expected"]["winnow_updates"]
        assert theirs.ledger_.updates == case["expected"]["perceptron_updates"]


def test_the_margin_is_the_value_of_a_game(oracles):
    """The worked game's value and both players' strategies are found."""
    case = next(c for c in oracles if c["id"] == "game/winnow margin is a game value")
    margin = max_margin_simplex(case["input"]["X"], case["input"]["y"])
    assert margin.lower <= case["expected"]["rho_inf"] <= margin.upper
    np.testing.assert_allclose(margin.weights, case["expected"]["v"], atol=1e-9)


@settings(max_examples=25)
@given(
    X=arrays(np.int8, (12, 4), elements=st.integers(-3, 3)),
    y=arrays(np.int8, 12, elements=signs),
    balanced=st.booleans(),
    intercept=st.sampled_from([0.0, 2.0]),
    sparse=st.booleans(),
)
def test_no_strategy_leaves_the_interval(X, y, balanced, intercept, sparse):
    """The interval is narrow and attained; no mix of features has a larger margin, no mix of rows a smaller edge."""
    rows = sp.csr_array(X.astype(np.float32)) if sparse else X
    margin = max_margin_simplex(rows, y, balanced=balanced, intercept=intercept)
    assert margin.gap <= 1e-7
    Z = y[:, None] * np.hstack([X, np.full((12, 1), intercept)] if intercept else [X])
    assert np.abs(margin.weights).sum() == pytest.approx(0 if balanced and margin.upper < 1e-7 else 1)
    assert margin.examples.sum() == pytest.approx(1)
    assert (Z @ margin.weights).min() == pytest.approx(margin.lower, abs=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(20):
        v = rng.dirichlet(np.full(Z.shape[1], 0.3)) * (rng.choice([-1, 1], Z.shape[1]) if balanced else 1)
        assert (Z @ v).min() <= margin.upper
        q = rng.dirichlet(np.full(12, 0.3))
        edges = q @ Z
        assert (np.abs(edges).max() if balanced else edges.max()) >= margin.lower


def test_a_margin_needs_rows_features_and_two_classes():
    """Without features, or with three classes, there is no game."""
    with pytest.raises(RegretlessError, match="two"):
        max_margin_simplex(np.eye(3), [0, 1, 2])
    with pytest.raises(RegretlessError, match="feature"):
        max_margin_simplex(sp.csr_array((2, 0)), [0, 1])


def test_a_program_without_time_gives_a_wide_interval():
    """With no time at all the interval still contains the value."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 30)), rng.choice([-1, 1], 80)
    hasty, patient = max_margin_simplex(X, y, max_seconds=0.0), max_margin_simplex(X, y)
    assert hasty.lower <= patient.lower <= patient.upper <= hasty.upper


@pytest.mark.parametrize("sparse", [False, True])
def test_what_work_gives_is_the_same_on_every_machine(monkeypatch, sparse):
    """A limit of work ends a search early without a look at any clock, and its interval contains the margin."""
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(80, 30)), rng.choice([-1, 1], 80)
    monkeypatch.setattr("regretless.linear.separation.simplex_margin.SIMPLEX_WORK", 0.0)
    batch = read_batch(sp.csr_array(X) if sparse else X)

    def margin(work: float | None) -> SimplexMargin:
        return max_margin_simplex_signed(batch, signs, balanced=False, intercept=0.0, budget=Budget(work=work))

    patient = margin(None)
    solve = scipy.optimize.linprog
    timed = []

    def watched(*arguments, options, **program):
        timed.append("time_limit" in options)
        return solve(*arguments, options=options, **program)

    monkeypatch.setattr("scipy.optimize.linprog", watched)
    monkeypatch.setattr("time.process_time", None)
    hasty = margin(1e5)
    assert timed == ([False] if sparse else [])
    assert hasty.lower < patient.lower <= patient.upper < hasty.upper
    assert patient.gap < 1e-8


# ---- the learner

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    WEIGHTS = "a round that weighs 2 is one round and not two"
    HEAVY = "a heavier class moves the weights farther, which need not make it the more frequent one"
    every_check = parametrize_with_checks(
        first_of([Winnow(balanced=True), Winnow(balanced=True, intercept=2.0, passes=3, shuffle=True, random_state=0)]),
        expected_failed_checks=lambda estimator: {
            "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
            "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
            **({} if estimator.intercept else {"check_class_weight_classifiers": HEAVY}),
        },
    )


@every_check
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_no_fault(estimator, check):
    """Each of scikit-learn's estimator checks passes, but for those that promise what a step cannot."""
    check(estimator)


@pytest.mark.parametrize("learner", [Winnow(), Winnow(balanced=True, intercept=1.0), PNormPerceptron(p=3)])
def test_scores_are_those_of_the_weights(learner):
    """decision_function is the product with coef_, plus intercept_; weights of Winnow sum to 1 at most."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 3, 200)
    learner.fit(X, y)
    np.testing.assert_allclose(learner.decision_function(X), X @ learner.coef_.T + learner.intercept_, atol=1e-9)
    if isinstance(learner, Winnow):
        assert (np.abs(learner.coef_).sum(axis=1) <= 1 + 1e-9).all()


def bits(learner, *, mistakes=True):
    arrays = dict(learner.state_.tensors())
    if not mistakes:
        arrays["books"] = np.delete(arrays["books"], FIELDS.index("mistakes"), axis=1)
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("alone", [1, 5, 30])
@pytest.mark.parametrize("order", [("egg", "spam"), ("spam", "egg")])
def test_which_class_comes_first_changes_nothing(tmp_path, order, alone):
    """Two classes met on the way give the bits that announced ones give but for mistakes, which are those of what was
    predicted, and the same bits in one call, row by row, saved and pickled."""
    rng = np.random.default_rng(alone)
    X = rng.normal(size=(40, 3))
    y = np.array([order[0]] * alone + [str(one) for one in rng.choice(order, 40 - alone - 1)] + [order[1]])
    announced = Winnow().partial_fit(X, y, classes=list(order))
    met = Winnow().partial_fit(X, y)
    assert bits(met, mistakes=False) == bits(announced, mistakes=False)
    one = Winnow().partial_fit(X[:1], y[:1])
    for place in range(1, 40):
        if place == 1:
            one.save(tmp_path / "one.rgl")
            one = pickle.loads(pickle.dumps(regretless.load(tmp_path / "one.rgl")))
        if place < alone:
            one.update_one(X[place], y[place])
        else:
            one.partial_fit(X[place : place + 1], y[place : place + 1])
    assert bits(one) == bits(met)
    assert one.ledger_.rounds == 40
    signed = [Winnow(balanced=True).partial_fit(X, y, classes=classes).coef_ for classes in (None, list(order))]
    np.testing.assert_array_equal(*signed)


def test_a_refused_row_stops_both_signs():
    """A row that is refused while one class is known leaves both signs at the row before it."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [np.nan, 1.0], [1.0, 1.0]])
    learner = Winnow()
    with pytest.raises(RegretlessError, match="NaN"):
        learner.partial_fit(X, ["egg"] * 4)
    learner.partial_fit(X[3:], ["spam"])
    assert bits(learner) == bits(Winnow().partial_fit(X[[0, 1, 3]], ["egg", "egg", "spam"]))


def test_a_third_class_finds_all_rounds_counted():
    """Three classes met on the way: the whole has every round, and the class that stood for -1 begins there."""
    X = np.eye(3)[[0, 0, 1, 1, 2, 2]]
    learner = Winnow().partial_fit(X, ["a", "a", "b", "b", "c", "c"])
    assert learner.ledger_.rounds == 6
    assert [book.rounds for book in learner.state_.ledgers()] == [2, 6, 2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rate": 0.0}, "rate=0.0"),
        ({"gamma": 1.0}, "radius"),
        ({"gamma": -1.0}, "gamma=-1.0"),
        ({"radius": 0.0}, "radius=0.0"),
        ({"balanced": "yes"}, "balanced='yes'"),
        ({"ties": 0}, "ties=0"),
        ({"intercept": -1.0}, "intercept=-1.0"),
    ],
)
def test_parameters_without_a_meaning_are_refused(wrong, message):
    """A parameter that cannot be meant is named, before anything is learned."""
    with pytest.raises(RegretlessError, match=message):
        Winnow(**wrong).fit(np.eye(2), [0, 1])


def test_what_the_weights_are_made_of_stays():
    """Balance, a constant feature and p cannot change in mid-run."""
    X, y = np.eye(2), [0, 1]
    for learner, change in (
        (Winnow(), {"balanced": True}),
        (Winnow(), {"intercept": 1.0}),
        (PNormPerceptron(p=3), {"p": 4}),
    ):
        with pytest.raises(RegretlessError, match="cannot change"):
            learner.fit(X, y).set_params(**change).partial_fit(X, y)


def test_a_model_goes_on_where_it_stopped(tmp_path):
    """Saved and loaded between two halves, a run has the state of one that did not stop, and the facts."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 5)), rng.integers(0, 3, 90)
    for learner in (Winnow(rate=2.0, intercept=1.0), Winnow(balanced=True), PNormPerceptron()):
        whole = type(learner)(**learner.get_params()).partial_fit(X, y, classes=[0, 1, 2])
        learner.partial_fit(X[:40], y[:40], classes=[0, 1, 2]).save(tmp_path / "half.rgl")
        resumed = regretless.load(tmp_path / "half.rgl").partial_fit(X[40:], y[40:])
        assert resumed.state_.same(whole.state_)
        assert resumed.target_facts()[0].reach == whole.target_facts()[0].reach


@pytest.mark.parametrize(("column", "value"), [(0, 7.0), (1, 1.0), (1, np.nan)])
def test_a_model_whose_memory_lies_is_refused(tmp_path, column, value):
    """A file that counts more columns than it has, or has a power below 2, is no model."""
    X, y = np.eye(3), [0, 1, 1]
    Winnow().fit(X, y).save(tmp_path / "m.rgl")
    description, tensors = read_model(tmp_path / "m.rgl")
    tensors["memory"][:, column] = value
    write_model(tmp_path / "m.rgl", {k: v for k, v in description.items() if k != "format"}, tensors)
    with pytest.raises(ModelError):
        regretless.load(tmp_path / "m.rgl")


def test_what_is_never_shown_is_not_counted_while_it_learns():
    """The number of features met is that of the rounds, and the norm of what moved is the largest entry."""
    X = np.array([[0.0, 0.5, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]])
    learner = fitted(X, [1, 1])
    memory = learner.state_.memory[0]
    assert (memory[MET], memory[REACH], memory[BIAS]) == (2, 2.0, 0.0)
    assert learner.ledger_.array()[FIELDS.index("updates")] == 1


def test_a_comparator_is_measured_with_its_constant_feature():
    """Sum and divergence count the constant feature; a lone entry diverges by ln N, a uniform one not at all."""
    geometry = SimplexGeometry(lambda target: (np.arange(3.0), 4.0), 4, balanced=False, intercept=1.0)
    assert geometry.measure(np.zeros(3), 2.0, 0) == (2.0, pytest.approx(log(4), rel=1e-12))
    assert geometry.product(np.array([1.0, 0.5]), 2.0, 0) == 8.5
    own, divergence = geometry.measure(np.full(3, 0.5), 0.5, 0)
    assert (own, divergence) == (2.0, pytest.approx(0.0, abs=1e-12))
    assert geometry.measure(np.array([1.0, -1.0, 0.0]), 0.0, 0)[0] == inf
    assert geometry.admissible(np.array([1.0, -1.0, 0.0]), -1.0)[0].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.kernel
def test_p_norm_and_winnow_share_one_loop():
    """The p-norm perceptron on one stream is its own textbook, so that the loop serves all links."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.choice([-1, 1], 50)
    play = Play(4, link="power", power=6.0)
    play.dense(X, y)
    theta, *counts = p_norm_perceptron(X, y, 6.0)
    np.testing.assert_allclose(play.state.theta[:, 0], theta, rtol=1e-12)
    assert play.counts == tuple(counts)


@pytest.mark.parametrize("bad", [np.nan, inf])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_margin_over_the_simplex_is_one_of_finite_rows(bad, sparse):
    """NaN and infinity are refused in words of ours."""
    X = np.array([[1.0, bad], [1.0, 2.0]])
    with pytest.raises(RegretlessError, match="finite rows"):
        max_margin_simplex(sp.csr_array(X) if sparse else X, [1, -1])


@pytest.mark.parametrize("noisy", [False, True])
def test_no_program_is_solved_for_rounds_that_cannot_be_separated(monkeypatch, noisy):
    """Where the rounds are proved inseparable the program is left out, and with it there would be the same bounds."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 5))
    y = np.where(X @ [1, 1, 0.5, 0, 0] + noisy * rng.normal(size=120) > 0, 1, -1)
    learner = Winnow(balanced=True).fit(X, y)
    certificates = learner.certify(X, y)
    queries: list[bool | None] = []
    directions = SimplexGeometry.directions

    def always(self, batch, signs, target, *, separable=True, budget=None):
        queries.append(separable)
        return directions(self, batch, signs, target, separable=True)

    monkeypatch.setattr(SimplexGeometry, "directions", always)
    others = learner.certify(X, y)
    assert len(queries) == 1
    assert (queries[0] is False) is noisy
    assert [one.bound for one in certificates] == [one.bound for one in others]
    geometry = SimplexGeometry(lambda target: (np.zeros(5), 0.0), 10, balanced=True, intercept=0.0)
    assert len(directions(geometry, Batch(X, None, 5), y.astype(np.int32), 0)) == (not noisy)
    assert directions(geometry, Batch(X, None, 5), y.astype(np.int32), 0, separable=False) == ()
