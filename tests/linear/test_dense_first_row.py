"""The default learner takes sketches where its first row is dense and wide."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import regretless
from regretless.errors import ParameterError, RegretlessError
from regretless.linear import AggregatedClassifier
from regretless.linear.aggregated.state import MOST_SKETCHED

COLUMNS = 300
DENSE, SPARSE = -(-COLUMNS // 16), COLUMNS // 16  # numbers of the first row that make it dense, and do not


def rows(first, count=24, columns=COLUMNS):
    """Dense rows, but for the first, which has so many numbers, and its last."""
    random = np.random.default_rng(0)
    X = random.normal(size=(count, columns))
    X[0, : columns - first] = 0
    return X, np.arange(count) % 2


def held(learner):
    """All that a model has learned."""
    return {name: array.tobytes() for name, array in learner.state_.tensors().items()}


@pytest.mark.parametrize(("first", "rank"), [(DENSE, 5), (SPARSE, 0)])
def test_the_first_row_alone_decides(first, rank):
    """One of 16 numbers up to its last makes sketches, and less the diagonals of before, whatever comes later."""
    X, y = rows(first)
    learner = AggregatedClassifier().fit(X, y)
    assert learner.state_.rank == rank
    assert held(learner) == held(AggregatedClassifier(full="sketch" if rank else 256).fit(X, y))
    assert any(name.startswith("sketch") for name in learner.members_) == (rank > 0)
    assert all(line.holds is not False for line in learner.certify(X, y))


def test_few_columns_keep_all_of_the_matrix():
    """A dense row that ends at the 256th column leaves the matrices whole."""
    X, y = rows(256, columns=256)
    assert "factor" in AggregatedClassifier().fit(X[:6], y[:6]).state_.tensors()


@pytest.mark.parametrize("first", [DENSE, SPARSE])
def test_every_path_decides_alike(first, tmp_path):
    """Sparse rows, stored zeros, single rows, parts with a file between them and classes that come late give the same
    bits as one call."""
    X, y = rows(first)
    whole = held(AggregatedClassifier().partial_fit(X, y, classes=[0, 1]))
    zeros = sp.csr_array((X.ravel(), np.tile(np.arange(COLUMNS), len(X)), np.arange(len(X) + 1) * COLUMNS), X.shape)
    for layout in (sp.csr_array(X), zeros, X.astype(np.float64, order="F")):
        assert held(AggregatedClassifier().partial_fit(layout, y, classes=[0, 1])) == whole
    single = AggregatedClassifier()
    single.announce(np.array([0, 1]), COLUMNS)
    for x, label in zip(X, y.tolist(), strict=True):
        single.update_one(x, label)
    assert held(single) == whole
    parts = AggregatedClassifier().partial_fit(X[:1], y[:1], classes=[0, 1])
    parts.save(tmp_path / "m.rgl")
    assert held(regretless.load(tmp_path / "m.rgl").partial_fit(X[1:], y[1:])) == whole
    assert held(AggregatedClassifier().partial_fit(X, y)) == whole


def test_a_shuffled_run_decides_by_the_row_that_it_plays_first():
    """Where the one sparse row is not played first, there are sketches, and certificates play the rounds again."""
    X, y = rows(SPARSE)
    learner = AggregatedClassifier(shuffle=True, random_state=1).fit(X, y)
    assert np.random.default_rng(1).permutation(len(X))[0] != 0
    assert learner.state_.rank == 5
    assert len(learner.certify(X, y)) > 1


def test_a_row_that_was_refused_decides_nothing():
    """After a first row that is not finite, the next one chooses."""
    learner = AggregatedClassifier()
    learner.announce(np.array([0, 1]), COLUMNS)
    with pytest.raises(RegretlessError, match="not finite"):
        learner.update_one(np.full(COLUMNS, np.nan), 0)
    sparse = np.zeros(COLUMNS)
    sparse[-1] = 1
    learner.update_one(sparse, 0)
    assert learner.state_.rank == 0


def test_more_columns_than_sketches_have_leave_the_diagonals():
    """Beyond 10,000 columns the members with sketches go, and the others go on."""
    X, y = rows(COLUMNS)
    learner = AggregatedClassifier().partial_fit(X, y, classes=[0, 1])
    before = learner.members_
    learner.state_.grow(MOST_SKETCHED + 1)
    assert [name for name in before if not name.startswith("sketch")] == learner.members_
    assert learner.state_.tensors().keys() == {"cells", "memory", "books"}


def test_scores_before_the_first_round_decide_nothing():
    """What is predicted before anything was learned is even, and the first round still chooses."""
    X = rows(DENSE)[0]
    learner = AggregatedClassifier()
    learner.announce(np.array([0, 1]), COLUMNS)
    assert not learner.decision_function(X).any()
    assert learner.state_.rank == 0
    learner.update_one(X[0], 0)
    assert learner.state_.rank == 5


@pytest.mark.parametrize("rank", [0, 101, 2.5])
def test_a_rank_that_sketches_cannot_have_is_refused(rank):
    """Ranks go from 1 to 100."""
    X, y = rows(DENSE)
    with pytest.raises(ParameterError, match="rank"):
        AggregatedClassifier(rank=rank).fit(X, y)


def test_the_rank_is_that_of_the_parameter():
    """Two directions take twice two rows."""
    X, y = rows(DENSE)
    assert AggregatedClassifier(rank=2).fit(X, y).state_.directions.shape == (2, 4, 1 + COLUMNS)
