"""Second-order learners over shards: their matrices are added up once, without a theorem."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import regretless
from regretless.distributed import average_once, mix
from regretless.distributed.checkpoint import ADDED_ONCE
from regretless.errors import RegretlessError
from regretless.linear import AROW, SecondOrderPerceptron
from regretless.textbook.linear import arow, second_order_perceptron

BOTH = [AROW, SecondOrderPerceptron]
MATRICES = ["full", "diagonal"]
Pair = tuple[np.ndarray, np.ndarray]


def rows(seed: int, classes: int = 2, count: int = 240, columns: int = 5) -> list[Pair]:
    """Four shards of different sizes, whose features go together and have different scales."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, columns)) @ random.normal(size=(columns, columns))
    X *= 10.0 ** random.integers(-1, 2, columns)
    scores = (X / np.abs(X).max(axis=0)) @ random.normal(size=(columns, classes))
    best = (scores + 0.2 * random.normal(size=scores.shape)).argmax(axis=1)
    at = [0, 20, 90, 160, count]
    return [(X[a:b], 2 * best[a:b] - 1 if classes == 2 else best[a:b]) for a, b in pairwise(at)]


@pytest.mark.parametrize("seed", range(4))
def test_arow_with_a_full_matrix_solves_least_squares_on_the_updates_of_all_shards(seed: int) -> None:
    """A and u are sums over the book's runs on each shard, and the weights are A^-1 u."""
    shards, r = rows(seed), 0.7
    learner = average_once(AROW(r=r, matrix="full", intercept=0.0), shards).learner
    A, u = r * np.eye(5), np.zeros(5)
    for X, y in shards:
        mu, own, *_ = arow(X, y, r)
        A += own - r * np.eye(5)
        u += own @ mu
    assert np.allclose(learner.coef_[0], np.linalg.solve(A, u), rtol=1e-7, atol=1e-9)
    state = learner.state_
    assert np.isclose(state.volume(0), np.linalg.slogdet(A / r)[1], rtol=1e-7)
    assert np.isclose(state.energy(0), u @ np.linalg.solve(A, u), rtol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_arow_with_a_diagonal_weighs_each_shard_by_what_it_knows_of_a_feature(seed: int) -> None:
    """A weight is the sum of A_s w_s over the shards, divided by all that they have added to r."""
    shards, r = rows(seed), 0.7
    learner = average_once(AROW(r=r, matrix="diagonal", intercept=0.0, scale="none"), shards).learner
    A, products = np.full(5, r), np.zeros(5)
    for X, y in shards:
        mu, own, *_ = arow(X, y, r, diagonal=True)
        A += np.diag(own) - r
        products += np.diag(own) * mu
    assert np.allclose(learner.coef_[0], products / A)


def test_entries_start_by_the_largest_value_of_all_shards() -> None:
    """A column that is a thousand times as large in one shard as in the others starts as that shard has it."""
    shards = rows(0)
    shards[2][0][:, 0] *= 1000
    learner = average_once(AROW(matrix="diagonal"), shards).learner
    alone = [AROW(matrix="diagonal").fit(*shard).state_ for shard in shards]
    added = sum(one.records[:, 1] for one in alone)
    largest = np.max([one.records[:, 3] for one in alone], axis=0)
    assert np.allclose(learner.state_.entries()[1:, 0], 10 * largest + added)
    assert np.array_equal(learner.state_.records[:, 3], largest)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("seed", range(4))
def test_the_second_order_perceptron_has_the_sums_of_all_shards(seed: int, matrix: str) -> None:
    """Its weights are A^-1 u with the sums of the book's runs on each shard."""
    shards, a = rows(seed), 0.3
    learner = average_once(SecondOrderPerceptron(a=a, matrix=matrix), shards).learner
    books = [second_order_perceptron(X, y, a, diagonal=matrix == "diagonal") for X, y in shards]
    A, u = a * np.eye(5) + sum(A - a * np.eye(5) for _, A, *_ in books), sum(u for u, *_ in books)
    assert np.allclose(learner.coef_[0], np.linalg.solve(A, u), rtol=1e-7, atol=1e-9)
    assert learner.ledger_.updates == sum(updates for *_, updates, _ in books)
    assert learner.ledger_.mistakes == sum(mistakes for *_, mistakes in books)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("kind", BOTH)
def test_every_executor_gives_the_same_bits(kind: Any, matrix: str) -> None:
    """Threads give the weights of one process, of three classes and with a constant feature."""
    shards, learner = rows(1, classes=3), kind(matrix=matrix, intercept=2.0)
    here = average_once(learner, shards)
    with ThreadPoolExecutor(2) as pool:
        there = average_once(learner, shards, pool)
    assert here.learner.state_.same(there.learner.state_)
    assert here.learner.coef_.shape == (3, 5)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("kind", BOTH)
def test_one_shard_is_the_learner_by_itself(kind: Any, matrix: str) -> None:
    """A single shard gives the bits of `fit` on its rows, in two passes."""
    (X, y), *_ = rows(2)
    alone = kind(matrix=matrix, passes=2).fit(X, y)
    assert average_once(kind(matrix=matrix, passes=2), [(X, y)]).learner.state_.same(alone.state_)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("kind", BOTH)
def test_shards_of_other_widths_are_padded(kind: Any, matrix: str, tmp_path: Any) -> None:
    """Columns that some files do not reach count as zeros there, as if all shards had written them."""
    shards = rows(3)
    for number, (X, y) in enumerate(shards):
        wide = 3 if number in (0, 2) else 5
        lines = [
            f"{label:+d} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row))
            for row, label in zip(X[:, :wide].tolist(), y.tolist(), strict=True)
        ]
        (tmp_path / f"{number}.svm").write_text("\n".join(lines) + "\n")
        X[:, wide:] = 0
    narrow = average_once(kind(matrix=matrix), str(tmp_path / "*.svm")).learner
    padded = average_once(kind(matrix=matrix), [(csr_array(X), y) for X, y in shards]).learner
    assert np.allclose(narrow.coef_, padded.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("matrix", MATRICES)
def test_the_united_learner_predicts_nearly_as_well_as_one_over_all_rows(matrix: str) -> None:
    """On held-out tumours the united AROW errs on at most one in a hundred more than a learner over all rows, and on
    fewer than a learner of one shard does on the average."""
    datasets = pytest.importorskip("sklearn.datasets")
    X, y = datasets.load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = (X / X.std(axis=0))[order], y[order]
    shards = list(zip(np.array_split(X[:400], 8), np.array_split(y[:400], 8), strict=True))
    united = average_once(AROW(matrix=matrix), shards).learner.score(X[400:], y[400:])
    assert united >= AROW(matrix=matrix).fit(X[:400], y[:400]).score(X[400:], y[400:]) - 0.01
    assert united > np.mean([AROW(matrix=matrix).fit(*shard).score(X[400:], y[400:]) for shard in shards])


@pytest.mark.parametrize("kind", BOTH)
def test_certificates_do_not_apply_and_say_why(kind: Any) -> None:
    """After one pass as after two each theorem of the learner is named, and declined with the same reason."""
    for passes in (1, 2):
        mixture = average_once(kind(), rows(1), passes=passes)
        assert [one.theorem for one in mixture.certify()] == list(kind.theorems)
        assert {one.why for one in mixture.certify()} == {ADDED_ONCE}
        assert mixture.describe()["guarantee"] == ADDED_ONCE
        assert "matrices added up once" in str(mixture)
        assert ADDED_ONCE in str(mixture)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("kind", BOTH)
def test_a_saved_union_is_a_model_that_goes_on_learning(kind: Any, matrix: str, tmp_path: Any) -> None:
    """Read from its file it predicts the same, and learns on to the same bits as before it was saved."""
    shards = rows(2)
    mixture = average_once(kind(matrix=matrix), shards)
    mixture.save(tmp_path / "m.rgl")
    learner = regretless.load(tmp_path / "m.rgl")
    X, y = shards[3]
    assert np.array_equal(learner.predict(X), mixture.learner.predict(X))
    assert learner.partial_fit(X, y).state_.same(mixture.learner.partial_fit(X, y).state_)


def test_rounding_leaves_no_matrix_indefinite() -> None:
    """Of features that are copies of each other, and enormous beside r, the united matrix still has an inverse."""
    shards = [(np.repeat(X[:, :1], 3, axis=1) * 1e9, y) for X, y in rows(1)]
    learner = average_once(AROW(matrix="full"), shards).learner
    assert (learner.state_.scales > 0).all()
    assert np.isfinite(learner.coef_).all()


def test_mixing_again_and_again_is_refused_with_the_way_that_there_is() -> None:
    """`mix` refuses the learner and names `average_once`; other weights than uniform ones are refused there."""
    with pytest.raises(RegretlessError, match=r"average_once \(--one-shot\) adds up its matrices, without a bound"):
        mix(AROW(), rows(1))
    with pytest.raises(RegretlessError, match="weights='rows' has no meaning for arow"):
        average_once(AROW(), rows(1), weights="rows")
