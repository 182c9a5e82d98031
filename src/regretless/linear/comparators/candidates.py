"""Where to look for comparators: the mean weights of other learners, the maximum margin, scikit-learn's linear SVMs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from threading import Thread
from typing import Any

import numpy as np

from ...data.batch import Array, Batch
from ...rows.state import Rules
from ..separation.budget import Budget
from ..separation.result import CallRows, by_places
from ..state import State
from .machines import NOT_YET, SVM_LENGTHS2

SVM_EXPONENTS = range(-2, 5)  # of C in units of 1 / r^2
TICK = 0.1  # seconds between looks for Ctrl-C, on systems where waiting for a thread cannot be interrupted
MOST_SVM_ENTRIES = 20_000_000

Plan = tuple[str, Rules]


class Means:
    """Other learners that go over the same rounds, whose mean weights are good directions."""

    def __init__(self, columns: int, targets: int, plans: Sequence[Plan]) -> None:
        self._plans, self._fit = plans, [True] * len(plans)
        self._states = [State(columns, targets, average=True) for _ in plans]

    def play(self, batch: Batch, codes: Array, order: Array | None = None) -> None:
        """Some rounds more.

        Parameters
        ----------
        batch : Batch
        codes : ndarray of int, shape (rows,)
            Labels, as the kernel plays them.
        order : ndarray of int, optional
            In which order; as they stand by default.
        """
        for k, (state, (_, rules)) in enumerate(zip(self._states, self._plans, strict=True)):
            if self._fit[k]:
                player = state.player(rules)
                self._fit[k] = player.play(batch.values, batch.indices, batch.starts, codes, None, order)[1] is None

    def weights(self) -> list[tuple[str, Array, Array] | None]:
        """Name, weights and weights of the constant feature of each; None of those whose play failed."""
        each = zip(self._plans, self._states, self._fit, strict=True)
        return [(name, *state.average()) if fit else None for (name, _), state, fit in each]


# ---- directions that need all rounds at hand


def margin_direction(
    batch: Batch,
    signs: Array,
    intercept: float,
    budget: Budget,
    call: CallRows = by_places,
    toward: tuple[Array, float] | None = None,
    separable: bool = False,
) -> tuple[str, Array, float] | str:
    """The vector of the largest margin, as far as the budget allows; or why there is none.

    Parameters
    ----------
    batch : Batch
        All rows.
    signs : ndarray, shape (rows,)
        Labels, -1 or 1.
    intercept : float
        Size of the constant feature; 0 for none.
    budget : Budget
        What the search may cost.
    call : callable, optional
        What rows are called.
    toward : (weights, weight of the constant feature), optional
        A vector that has few rows wrong.
    separable : bool, default=False
        Whether some vector is known to separate the rows, so that nothing is to be found where no step can be paid for.

    Returns
    -------
    tuple of (name, weights, weight of the constant feature), or str
        The vector, or in words why there is none.
    """
    from ..separation.margin import max_margin_signed, work_to_begin

    if separable and budget.late(work_to_begin(batch)):
        return budget.why
    margin = max_margin_signed(batch, signs, intercept=intercept, budget=budget, call=call, toward=toward)
    if margin.weights is None:
        return str(margin.obstacle)
    name = "maximum margin" if margin.converged else NOT_YET
    return name, *_split_constant(margin.weights, batch.columns, intercept)


def svms_are_there() -> bool:
    """Whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def svm_directions(batch: Batch, signs: Array, intercept: float, longest2: float) -> list[tuple[str, Array, float]]:
    """A short path of linear SVMs without an intercept of their own, C = 10^-2 ... 10^4 over r^2.

    Parameters
    ----------
    batch, signs, intercept
        As for `margin_direction`.
    longest2 : float
        r^2, the largest squared length of a row.

    Returns
    -------
    list of (name, weights, weight of the constant feature)
        Empty without scikit-learn, for more than 20 million entries, and for rows of one class.
    """
    usual = SVM_LENGTHS2[0] < longest2 < SVM_LENGTHS2[1]
    if batch.entries > MOST_SVM_ENTRIES or not usual or len(np.unique(signs)) < 2 or not svms_are_there():
        return []
    from sklearn.svm import LinearSVC  # type: ignore[import-untyped, unused-ignore]

    rows = with_constant(matrix_of(with_int32(batch)), intercept)
    directions = []
    for exponent in SVM_EXPONENTS:
        svm = LinearSVC(loss="hinge", C=10.0**exponent / longest2, fit_intercept=False, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # not converged: any direction is good enough to look along
            _run_in_thread(partial(svm.fit, rows, signs))
        name = f"linear SVM, C = 1e{exponent}/r^2"
        directions.append((name, *_split_constant(svm.coef_[0], batch.columns, intercept)))
    return directions


def _run_in_thread(work: Callable[[], object]) -> None:
    """Do the work in a thread of its own, so that Ctrl-C is answered at once; its errors are raised here."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(TICK)
    for error in failed:
        raise error


def _split_constant(vector: Array, columns: int, intercept: float) -> tuple[Array, float]:
    """The weights of the features, and that of the constant feature."""
    bias = float(vector[columns]) if intercept else 0.0
    return np.ascontiguousarray(vector[:columns], dtype=np.float64), bias


def matrix_of(batch: Batch) -> Any:
    """The rows as an array, or as a sparse matrix of scipy's."""
    if batch.starts is None:
        return batch.values
    from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

    return csr_array((batch.values, batch.indices, batch.starts), shape=(len(batch), batch.columns))


def with_int32(batch: Batch) -> Batch:
    """The rows with 32-bit indices, the only ones that liblinear takes."""
    if batch.indices is None or batch.starts is None or batch.columns > np.iinfo(np.int32).max:
        return batch
    indices, starts = batch.indices.astype(np.int32, copy=False), batch.starts.astype(np.int32, copy=False)
    return Batch(batch.values, batch.labels, batch.columns, indices, starts)


def with_constant(rows: Any, intercept: float) -> Any:
    """The rows with the constant feature at their end, if there is one."""
    if not intercept:
        return rows
    column = np.full((rows.shape[0], 1), intercept)
    if isinstance(rows, np.ndarray):
        return np.hstack([rows, column])
    from scipy.sparse import hstack

    return hstack([rows, column], format="csr")
