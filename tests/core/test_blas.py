"""What is printed does not depend on how many threads the libraries of linear algebra have."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
import threadpoolctl

from regretless.blas import one_thread
from regretless.data.batch import Batch
from regretless.experts.comparators import Totals
from regretless.experts.losses import Loss
from regretless.linear import SecondOrderPerceptron
from regretless.regression import VovkAzouryWarmuth
from regretless.regression.certificates import PlayedRun, comparators_of


def threads():
    """How many threads each library of linear algebra has."""
    return {each["num_threads"] for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"}


@contextmanager
def limited(count):
    """Run with so many threads."""
    with threadpoolctl.threadpool_limits(count, user_api="blas"):
        if threads() != {count}:
            pytest.skip(f"this machine's libraries cannot have {count} threads")
        yield


def of_numbers(X, y):
    """The vectors that a learner of numbers is compared with."""
    learner = VovkAzouryWarmuth().fit(X, y)
    run = PlayedRun(learner.state_, learner.played_rules(), learner._names(), learner.ledger_.rounds)
    return comparators_of(run, lambda: iter([Batch(X, y, X.shape[1])]), None)


def of_labels(X, y):
    """The vectors that a learner of labels with a full matrix is compared with."""
    signs = np.where(y > 0, 1, -1)
    return [one.comparator for one in SecondOrderPerceptron(matrix="full").fit(X, signs).certify(X, signs)]


def bits(comparator):
    """All numbers of a comparator."""
    return comparator.vector.tobytes() if comparator.vector is not None else b"", comparator.label, comparator.loss


@pytest.mark.parametrize(("compared", "rows", "columns"), [(of_numbers, 400, 100), (of_labels, 600, 200)])
def test_threads_change_no_bit_of_a_comparator(compared, rows, columns):
    """Comparators are the same, to the last bit, with one thread and with two, whose products are others."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns))
    y = X @ random.normal(size=columns) + random.normal(size=rows)
    seen = []
    for count in (1, 2):
        with limited(count):
            seen.append([bits(one) for one in compared(X, y)])
            assert threads() == {count}
    assert seen[0] == seen[1]


def test_a_combiner_rotates_rounds_in_one_thread(monkeypatch):
    """The sums that a combination of experts is chosen by are made by one thread, where there are two."""
    seen, rotate = [], np.linalg.qr
    monkeypatch.setattr(np.linalg, "qr", lambda *a, **k: (seen.append(threads()), rotate(*a, **k))[1])
    totals = Totals(3, Loss("square"))
    with limited(2):
        totals.add(np.eye(3), np.ones(3))
        assert totals.square_loss(np.ones(3)) == pytest.approx(0)
    assert seen == [{1}]


def test_the_last_to_leave_puts_the_threads_back():
    """Of two calls that overlap the one that leaves first lifts no limit, and the second leaves none behind."""
    with limited(2):
        first, second = one_thread(), one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert threads() == {1}
        second.__exit__(None, None, None)
        assert threads() == {2}
