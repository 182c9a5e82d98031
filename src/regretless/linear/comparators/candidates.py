"""Where to look for comparators: the mean weights of other learners, the maximum margin, scikit-learn's linear SVMs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from threading import Thread
from typing import Any

import numpy as np

from ... import _core
from ...data.batch import Array, Batch
from ...rows.narrowed import MANY_COLUMNS
from ...rows.state import Rules, zeros_on_lines
from ..separation.budget import Budget
from ..separation.result import CallRows, by_places
from ..state import State

PENALTIES = (0.1, 1.0, 10.0, 300.0)  # of machines that climb at once, in units of 1 / r^2
MORE_PENALTIES = (0.02, 0.2, 5.0, 300.0, 0.07, 1.0, 20.0, 1500.0)  # the same for rows of few entries
FEW_ENTRIES = 300_000
SVM_EXPONENTS = range(-2, 5)  # of C in units of 1 / r^2
TICK = 0.1  # seconds between looks for Ctrl-C, on systems where waiting for a thread cannot be interrupted
MOST_SVM_ENTRIES = 20_000_000
SVM_LENGTHS2 = 1e-290, 1e290  # outside of which C is no positive float

Plan = tuple[str, Rules]
Metric = tuple[Array, float]  # a diagonal, and the entry of the constant feature


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


def machine_directions(
    batch: Batch,
    signs: Array,
    intercept: float,
    longest2: float,
    orders: Iterable[Array | None],
    penalties: Sequence[float] | None = None,
    inverse: Metric | None = None,
) -> list[tuple[float, Array, float]]:
    """Linear support vector machines of some penalties, about: coordinate ascent in the dual, all in one pass.

    Parameters
    ----------
    batch, signs, intercept
        As for `margin_direction`.
    longest2 : float
        r^2, the largest squared length of a row, or another one in units of which penalties are.
    orders : iterable of (ndarray of int or None)
        Of each pass, in which order it goes over the rows.
    penalties : sequence of float, optional
        One, four or eight, in units of 1 / r^2; by default more for rows of few entries.
    inverse : tuple of (ndarray, shape (columns,), float), optional
        That of a diagonal A, and its entry for the constant feature: the machines are those of the rows A^-1/2 x, and
        the vectors those that give the rows x the same scores.

    Returns
    -------
    list of (penalty in units of 1 / r^2, weights, weight of the constant feature)
        The mean of each over the last pass; none where rows are so short or long that penalties are no floats.
    """
    if not SVM_LENGTHS2[0] < longest2 < SVM_LENGTHS2[1]:
        return []
    shares = penalties_of(batch.entries) if penalties is None else penalties
    climbed = _climbed(batch, signs, intercept, np.array(shares) / longest2, list(orders), inverse or (None, 1.0))
    return [] if climbed is None else list(zip(shares, climbed[0], climbed[1].tolist(), strict=True))


def class_directions(
    batch: Batch, codes: Array, classes: int, intercept: float, longest2: float, orders: Sequence[Array]
) -> list[tuple[float, Array, Array]]:
    """The same of each class against the rest, for four penalties.

    Parameters
    ----------
    batch, intercept, longest2, orders
        As for `machine_directions`.
    codes : ndarray of int, shape (rows,)
        Places of classes.
    classes : int
        How many there are, more than two.

    Returns
    -------
    list of (penalty in units of 1 / r^2, weights, shape (columns, classes), weights of the constant feature)
    """
    if not SVM_LENGTHS2[0] < longest2 < SVM_LENGTHS2[1]:
        return []
    climbed = _climbed(batch, codes, intercept, np.array(PENALTIES) / longest2, orders, (None, 1.0), classes)
    if climbed is None:
        return []
    vectors, biases = (its.reshape(classes, len(PENALTIES), -1).transpose(1, 2, 0) for its in climbed)
    return list(zip(PENALTIES, vectors, biases[:, 0], strict=True))


def penalties_of(entries: int) -> Sequence[float]:
    """Those of machines of rows with so many entries."""
    return MORE_PENALTIES if entries <= FEW_ENTRIES else PENALTIES


def _climbed(
    batch: Batch,
    labels: Array,
    intercept: float,
    most: Array,
    passes: Sequence[Array | None],
    inverse: Metric | tuple[None, float],
    classes: int = 1,
) -> tuple[Array, Array] | None:
    """Weights, a row a penalty of each class, and weights of the constant feature; None of rows with numbers too
    large."""
    width = classes * len(most)
    climbed, biases = zeros_on_lines((batch.columns, width)), np.zeros(width)
    multipliers, lacks = zeros_on_lines((len(batch), width)), zeros_on_lines((batch.columns + 1, width))
    rows = batch.values, batch.indices, batch.starts
    for number, order in enumerate(passes):
        its = lacks if number == len(passes) - 1 else None
        _, why = _core.climb(*rows, labels, order, intercept, climbed, biases, multipliers, most, its, *inverse)
        if why is not None:
            return None
    climbed -= lacks[:-1]
    # Each is read often; very many columns are dear to copy, and are measured where they lie.
    vectors = climbed.T if batch.columns > MANY_COLUMNS else np.ascontiguousarray(climbed.T)
    return vectors, biases - lacks[-1]


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
    name = "maximum margin" if margin.converged else "a margin, not yet the largest"
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
