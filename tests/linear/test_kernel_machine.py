"""The compiled kernel perceptron: many may ask at once, and arrays that do not fit together are refused."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

from regretless import _core
from regretless.data.batch import Batch
from regretless.errors import RegretlessError
from regretless.linear import KernelPerceptron

from ..sanitized import fewer

pytestmark = pytest.mark.kernel

ROOM, COLUMNS, TARGETS = 8, 4, 1


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("how", [{}, {"average": "voted"}, {"average": "averaged"}])
def test_threads_that_ask_at_once_get_the_same_scores(how, sparse):
    """Four threads that score rows with one learner get what one gets after the other, also from a learner whose
    compiled loop is not made yet."""
    random = np.random.default_rng(0)
    X = random.normal(size=(1200, 20)) * (random.random((1200, 20)) < 0.5)
    y, rows = X[:, 0] > X[:, 1], sp.csr_array(X) if sparse else X
    learner = KernelPerceptron(gamma=0.05, **how).fit(rows[:500], y[:500])
    parts = [rows[300 * i : 300 * (i + 1)] for i in range(4)]
    alone = [learner.decision_function(part) for part in parts]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            for _ in range(fewer(8, 2)):
                learner.state_._player = None
                scores = threads.map(learner.decision_function, parts * 3)
                assert all(np.array_equal(a, b) for a, b in zip(scores, alone * 3, strict=True))
    finally:
        sys.setswitchinterval(before)


def made(**changes) -> dict[str, np.ndarray]:
    """The arrays of a sparse support of two rows, some of them others."""
    wide = {"place": np.int32, "indices": np.int32, "counts": np.int64, "begin": np.int64, "length": np.int64}
    arrays = {
        "coefficients": np.zeros((ROOM, TARGETS)),
        "lag": np.zeros((ROOM, TARGETS)),
        "norm2": np.zeros(ROOM),
        "born": np.zeros(ROOM),
        "counts": [2, 3, 2, 0],
        "begin": [0, 2, *[0] * 6],
        "length": [2, 1, *[0] * 6],
        "values": np.ones(16),
        "indices": [0, 2, 2, *[0] * 13],
        "place": [1, 0, 2, 0],
        "work": np.zeros((5, _core.SPARSE_LANES)),
        "scratch": np.zeros(_core.kernel_scratch(0, TARGETS)),
    }
    return {name: np.array(array, wide.get(name, np.float64)) for name, array in (arrays | changes).items()}


def machine(**changes) -> _core.KernelMachine:
    """A machine over them."""
    a, book = made(**changes), np.zeros((1, 13))
    result = _core.KernelMachine(
        *(a[name] for name in ("coefficients", "lag", "norm2", "born", "counts")),
        book,
        np.zeros(TARGETS),
        a["scratch"],
        COLUMNS,
        0,
    )
    result.sparse(*(a[name] for name in ("begin", "length", "values", "indices", "place", "work")))
    result.rules("linear")
    return result


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"place": [1, 0, 2, 2**30]}, "numbers of columns"),
        ({"place": [1, 0, 2, -1]}, "numbers of columns"),
        ({"place": [1, 0, 2, 3]}, "numbers of columns"),
        ({"place": [1, 0, 0, 0]}, "numbers of columns"),
        ({"place": [1, 0]}, "numbers of columns"),
        ({"place": [1, 0, 2, 0, 0]}, "more places"),
        ({"counts": [2, 3, 3, 0]}, "numbers of columns"),
        ({"counts": [2, 3, 2**60, 0]}, "numbers of columns"),
        ({"counts": [2, 3, -1, 0]}, "counts are"),
        ({"counts": [9, 3, 2, 0]}, "counts are"),
        ({"counts": [-1, 3, 2, 0]}, "counts are"),
        ({"counts": [2, 17, 2, 0]}, "one index"),
        ({"counts": [2, 2, 2, 0]}, "outside the entries"),
        ({"counts": [2, 3, 2]}, "counts are"),
        ({"indices": [0, 1, 2, *[0] * 13]}, "in no column"),
        ({"indices": [0, 4, 2, *[0] * 13]}, "in no column"),
        ({"indices": [0, -1, 2, *[0] * 13]}, "in no column"),
        ({"indices": [0, 2, 2]}, "one index"),
        ({"begin": [0, 2**62, *[0] * 6]}, "outside the entries"),
        ({"begin": [-1, 2, *[0] * 6]}, "outside the entries"),
        ({"begin": [0, 2]}, "one beginning"),
        ({"length": [2, 2**62, *[0] * 6]}, "outside the entries"),
        ({"length": [2, -1, *[0] * 6]}, "outside the entries"),
        ({"lag": np.zeros((ROOM, 2))}, "different lengths"),
        ({"norm2": np.zeros(ROOM - 1)}, "different lengths"),
        ({"work": np.zeros((5, 3))}, "work has"),
        ({"work": np.zeros((2, _core.SPARSE_LANES))}, "numbers of columns"),
        ({"scratch": np.zeros(3)}, "scratch is"),
    ],
)
def test_a_support_that_does_not_fit_together_is_refused(changes, says):
    """Counts, places and bounds that would lead outside an array are errors before anything is read by them."""
    assert machine().score(np.ones(1), np.array([2], np.int32), np.array([0, 1]), np.zeros((1, 1))) == (1, None)
    with pytest.raises(ValueError, match=says):
        machine(**changes)


ROWS = (np.ones(3), np.array([0, 2, 1], np.int32), np.array([0, 2, 3]))
SIGNS = np.array([1, -1], np.int32)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"order": np.array([0, 2])}, "order names"),
        ({"order": np.array([-1])}, "order names"),
        ({"begin": 3}, "no such rounds"),
        ({"begin": -1}, "no such rounds"),
        ({"end": 3}, "no such rounds"),
        ({"labels": np.array([1, 0], np.int32)}, "a label is"),
        ({"labels": np.array([1], np.int32)}, "one label"),
        ({"known": np.array([-1])}, "one place"),
        ({"known": np.array([-1, 2])}, "in no slot"),
        ({"known": np.array([-2, -1])}, "in no slot"),
        ({"known": np.array([-1, -1]), "offset": 1}, "one place"),
        ({"known": np.array([-1, -1]), "offset": 2**63 - 1}, "one place"),
        ({"known": np.array([-1, -1]), "offset": -1}, "one place"),
    ],
)
def test_rounds_that_are_not_there_are_refused(how, says):
    """Orders, bounds, labels and slots out of range are errors; what lies outside the rounds is not looked at."""
    assert machine().play(*ROWS, SIGNS, known=np.array([-1, -1])) == (2, None)
    with pytest.raises(ValueError, match=says):
        machine().play(*ROWS, **({"labels": SIGNS, "known": np.array([-1, -1])} | how))
    assert machine().play(*ROWS, np.array([1, 7], np.int32), end=1) == (1, None)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ((np.ones(3), np.array([2, 0, 1], np.int32), np.array([0, 2, 3])), "unsorted"),
        ((np.ones(3), np.array([0, 4, 1], np.int32), np.array([0, 2, 3])), "out of range"),
        ((np.ones(3), np.array([-1, 2, 1], np.int32), np.array([0, 2, 3])), "out of range"),
        ((np.ones(3), np.array([0, 2, 1], np.int32), np.array([0, 9, 3])), "broken starts"),
        ((np.ones(3), np.array([0, 2, 1], np.int32), np.array([2, 0, 3])), "broken starts"),
        ((np.full(3, np.inf), np.array([0, 2, 1], np.int32), np.array([0, 2, 3])), "not finite"),
    ],
)
def test_broken_rows_stop_the_play(rows, says):
    """The first row is named with what is wrong, in playing, scoring and adopting."""
    assert machine().play(*rows, SIGNS) == (0, says)
    assert machine().score(*rows, np.zeros((2, 1))) == (0, says)
    assert machine().adopt(*rows) == (0, says)


def test_a_gram_matrix_that_does_not_hold_the_support_is_refused():
    """Columns of slots and the place of the rows among them lie within the matrix."""
    result = machine()
    result.gram_columns(np.array([0, 5, *[0] * 6]))
    with pytest.raises(ValueError, match="not in the Gram matrix"):
        result.score_gram(np.eye(2), np.zeros((2, 1)))
    for first in (-1, 5, 2**63 - 1):
        with pytest.raises(ValueError, match="not among the columns"):
            result.play_gram(np.ones((2, 6)), first, SIGNS)


def test_a_stream_that_grows_too_wide_for_sparse_rows_is_refused():
    """Columns beyond 32 bits are refused when the support is made, and when a later batch reveals them."""
    wide = 2**31 + 100

    def batch(columns, *places):
        starts = np.arange(0, 2 * len(places) + 1, 2)
        labels = np.arange(len(places)) % 2.0
        return Batch(np.ones(starts[-1]), labels, columns, np.array(places, np.int64).ravel(), starts)

    with pytest.raises(RegretlessError, match="more than a kernel learner's sparse rows may have"):
        KernelPerceptron(kernel="linear").observe(batch(wide, [0, 1], [2, 3]))
    learner = KernelPerceptron(kernel="linear")
    learner.observe(batch(10, [0, 1], [2, 3]))
    before = learner.ledger_
    with pytest.raises(RegretlessError, match="more than a kernel learner's sparse rows may have"):
        learner.observe(batch(wide, [5, 2**31 + 5], [6, 2**31 + 7]))
    learner.observe(batch(2**31 - 1, [5, 6], [7, 8]))
    assert learner.ledger_.rounds == before.rounds + 2
    assert len(learner.state_.support.place) < 100
