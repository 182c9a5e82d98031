"""Certificates of rounds that were learned with weights."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from regretless.errors import RegretlessError
from regretless.linear import (
    AveragedPerceptron,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
    max_margin,
)
from regretless.linear.certificates import OTHER_WEIGHTS

FAMILY = [Perceptron, AveragedPerceptron, VotedPerceptron, MulticlassPerceptron]


def noisy(rows=80, columns=4, classes=2, seed=0, noise=0.3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    scores = X @ random.normal(size=(columns, classes)) + noise * random.normal(size=(rows, classes))
    return X, scores.argmax(1), random


@pytest.mark.parametrize("learner", FAMILY)
@pytest.mark.parametrize("classes", [2, 3])
def test_weighted_rounds_are_certified_as_rounds_of_longer_rows(learner, classes):
    """With weights that are powers of two, or 0, each line is that of a learner that was given the rows times them."""
    X, y, random = noisy(classes=classes)
    weights = 2.0 ** random.integers(-2, 3, len(y))
    weights[::7] = 0
    there = weights > 0
    rows = np.column_stack([X, np.full(len(y), 0.5)])[there] * weights[there, None]
    plain = learner(passes=2).fit(rows, y[there]).certify(rows, y[there])
    ours = learner(passes=2, intercept=0.5).fit(X, y, weights)
    for table in (X, sp.csr_array(X)):
        certificates = ours.certify(table, y, sample_weight=weights)
        assert len(certificates) == len(plain) > 2
        for one, other in zip(certificates, plain, strict=True):
            assert (one.why, one.observed) == (other.why, other.observed)
            if one.bound is not None:
                assert one.bound == pytest.approx(other.bound, rel=1e-9)


@pytest.mark.parametrize("learner", FAMILY)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_squared_lengths_of_weighted_updates_are_summed(learner, classes, monkeypatch):
    """The books that theorems read sum c^2 |x|^2 over the updates, as those of a run on the rows c x do, the whole's
    where several classes are one vector too."""
    X, y, random = noisy(classes=classes)
    weights, ledgers = 2.0 ** random.integers(-2, 3, len(y)), []
    monkeypatch.setattr(learner, "certify_rounds", lambda _, question: ledgers.append(question.ledger()) or [])
    learner(passes=2).fit(X, y, weights).certify(X, y, sample_weight=weights)
    plain = learner(passes=2).fit(X * weights[:, None], y).ledger_
    assert ledgers[0].update_norm2 == pytest.approx(plain.update_norm2, rel=1e-12)
    assert ledgers[0].update_norm2 > 0


@pytest.mark.parametrize("learner", FAMILY)
def test_no_search_breaks_a_bound_on_weighted_rounds(learner):
    """Over many small runs with weights of all sizes, of two classes and three, every line that applies holds."""
    applied = 0
    for seed in range(12):
        X, y, random = noisy(rows=12, columns=2, classes=2 + seed % 2, seed=seed, noise=0.1 * (seed % 4))
        if len(set(y)) < 2 + seed % 2:
            continue
        weights = np.exp(3 * random.normal(size=len(y)))
        ours = learner(passes=1 + seed % 3, intercept=seed % 2).fit(X, y, weights)
        certificates = ours.certify(X, y, sample_weight=weights)
        assert all(one.holds for one in certificates), certificates
        applied += sum(one.applies for one in certificates)
    assert applied > 30


def test_the_plain_rows_would_give_a_bound_that_is_false():
    """Novikoff's (r / rho)^2 of the rows without their weights is exceeded by a run with weights; ours is not."""
    X, y, _ = noisy(rows=12, columns=2, seed=138, noise=0.0)
    weights = np.where(np.arange(12) < 6, 30.0, 1.0)
    ours = Perceptron(passes=200, until_clean=True).fit(X, y, weights)
    updates, longest2 = ours.ledger_.updates, float((X * X).sum(1).max())
    assert updates > longest2 / max_margin(X, y).lower ** 2
    first = ours.certify(X, y, sample_weight=weights)[0]
    assert first.theorem.name == "separable"
    assert first.bound >= first.observed == updates


def test_a_class_that_comes_late_counts_the_weighted_rows_from_its_first():
    """Of classes that are met on the way each line is read on the rows since its class came, without those of weight
    0."""
    X, y, random = noisy(rows=60, classes=3, seed=3)
    y[:20] %= 2
    weights = random.integers(0, 3, 60).astype(float)
    ours = Perceptron().partial_fit(X[:30], y[:30], sample_weight=weights[:30])
    ours.partial_fit(X[30:], y[30:], sample_weight=weights[30:])
    sharp = ours.certify(X, y, sample_weight=weights)[1]
    late = int(np.argmax(y == 2))
    rounds = [np.count_nonzero(weights[begin:]) for begin in (0, 0, late)]
    assert late >= 20
    assert sharp.holds
    assert [one.comparator.rounds for one in sharp.each] == rounds


@pytest.mark.parametrize("passes", [1, 2])
def test_large_weights_before_a_class_comes_are_left_out_of_its_sums(passes):
    """Lines of a class that comes after rows of weights 1e9 times as large are about its own rows, and not refused as
    about others."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), np.r_[np.arange(20) % 2, np.arange(40) % 3]
    weights = np.where(np.arange(60) < 20, 1e9, 1.0) * random.uniform(1, 2, 60)
    ours = Perceptron()
    for _ in range(passes):
        ours.partial_fit(X, y, sample_weight=weights)
    sharp = ours.certify(X, y, sample_weight=weights)[1]
    assert sharp.holds
    late = (weights[22:, None] * X[22:]) ** 2
    assert sharp.each[2].comparator.total_norm2 == pytest.approx(late.sum() + (passes - 1) * (weights**2 @ X**2).sum())


def test_what_is_said_of_rows_times_their_weights_names_the_weights():
    """Rows that are equal only times their weights are not called equal themselves, and keep their places where rows
    of weight 0 are left out."""
    rows, labels = [[5, 5], [3, 0], [2, 1], [1, 0]], [0, 1, 1, 0]
    ours = Perceptron().fit(rows, labels, [0, 1, 2, 3])
    separable = ours.certify(rows, labels, sample_weight=[0, 1, 2, 3])[0]
    assert "rows 1 and 3 (from 0), times their weights, are equal" in separable.why
    rows[3] = [0, 0]
    separable = Perceptron().fit(rows, labels, [0, 1, 2, 3]).certify(rows, labels, sample_weight=[0, 1, 2, 3])[0]
    assert "row 3 (from 0), times its weight, is zero" in separable.why


def test_weights_of_classes_are_weights_of_rounds():
    """A run with class_weight is certified with no word about them, as one with the same weights of its rounds."""
    X, y, _ = noisy()
    for weight in ({0: 3.0}, "balanced"):
        by_class = Perceptron(class_weight=weight).fit(X, y)
        share = 3.0 if weight != "balanced" else len(y) / (2 * (y == 0).sum())
        other = 1.0 if weight != "balanced" else len(y) / (2 * (y == 1).sum())
        weights = np.where(y == 0, share, other)
        by_row = Perceptron().fit(X, y, weights).certify(X, y, sample_weight=weights)
        assert [str(one) for one in by_class.certify(X, y)] == [str(one) for one in by_row]
        assert by_row[1].applies


def test_ones_own_comparator_is_read_on_the_weighted_rows():
    """A vector of the user's is charged max(0, 1 - c y <v, x>) in every round, the constant feature times c too."""
    X, y, random = noisy()
    weights, v = np.exp(random.normal(size=len(y))), np.array([1.0, -2.0, 0.5, 0.25, 3.0])
    ours = Perceptron(intercept=2.0).fit(X, y, weights)
    (sharp,) = (one for one in ours.certify(X, y, sample_weight=weights, against=v) if one.theorem.name == "sharp")
    margins = weights * (2 * y - 1) * (X @ v[:4] + 2 * v[4])
    yours = sharp.comparator
    scale = yours.bias / v[4]
    assert yours.vector == pytest.approx(scale * v[:4])
    assert yours.hinge == pytest.approx(np.maximum(0, 1 - scale * margins).sum())


@pytest.mark.parametrize(
    ("sample_weight", "why"),
    [(None, "give certify the same sample_weight"), (np.full(80, 3.0), OTHER_WEIGHTS)],
)
def test_other_weights_than_the_run_had_are_no_certificate(sample_weight, why):
    """Without the weights, or with others, no line applies and all say why; so it is for weights of a run that had
    none, and for class_weight that was set anew. Other rows of a run without weights are not put down to weights."""
    X, y, _ = noisy()
    ours = Perceptron().fit(X, y, np.full(80, 2.0))
    assert all(why in str(one.why) for one in ours.certify(X, y, sample_weight=sample_weight))
    for learner in (Perceptron(), PassiveAggressive()):
        lines = learner.fit(X, y).certify(X, y, sample_weight=np.full(80, 2.0))
        assert all(one.why == OTHER_WEIGHTS for one in lines)
        assert all("weights" not in str(one.why) for one in learner.certify(X[::-1], y))
    by_class = Perceptron(class_weight={0: 3.0}).fit(X, y)
    for weight, why in ((None, "or set class_weight as it was"), ({0: 2.0}, OTHER_WEIGHTS)):
        assert all(why in str(one.why) for one in by_class.set_params(class_weight=weight).certify(X, y))


def test_learners_with_a_margin_do_not_apply_to_weights():
    """Passive-aggressive steps take the weights, and their lines still say that each round must weigh 1."""
    X, y, random = noisy()
    weights = np.exp(random.normal(size=len(y)))
    lines = PassiveAggressive().fit(X, y, weights).certify(X, y, sample_weight=weights)
    assert all("weighs 1" in str(one.why) for one in lines)


def test_weights_so_small_that_digits_are_lost_are_named():
    """A row is no row of a theorem if its squares vanish times its weight's, or its weight's alone: lines ask for
    other weights."""
    X, y, _ = noisy()
    weights = np.where(np.arange(80) == 3, 1e-200, 1.0)
    ours = Perceptron().fit(X, y, weights)
    assert all("times their weights" in str(one.why) for one in ours.certify(X, y, sample_weight=weights))
    weights[3] = 1e-90
    ours = Perceptron().fit(X * 1e60, y, weights)
    assert all("times their weights" in str(one.why) for one in ours.certify(X * 1e60, y, sample_weight=weights))
    with pytest.raises(RegretlessError, match="Negative values"):
        ours.certify(X, y, sample_weight=-weights)


def test_columns_that_do_not_occur_change_no_line():
    """Weighted rows in a few of many columns have the lines of the same rows in these columns, and vectors in all."""
    X, y, random = noisy()
    weights, places = np.exp(random.normal(size=len(y))), np.array([5, 70_000, 70_001, 99_999])
    wide = sp.csr_array((X.ravel(), (np.repeat(np.arange(80), 4), np.tile(places, 80))), shape=(80, 100_000))
    few, many = (
        Perceptron(intercept=1.0).fit(table, y, weights).certify(table, y, sample_weight=weights) for table in (X, wide)
    )
    assert [one.observed for one in few] == [one.observed for one in many]
    assert [one.bound for one in few[1:]] == pytest.approx([one.bound for one in many[1:]])
    assert many[1].comparator.vector[places] == pytest.approx(few[1].comparator.vector)
    assert many[1].comparator.vector.shape == (100_000,)
