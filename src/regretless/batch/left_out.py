"""The leave-one-out error of an online learner, exact, without playing all rows again for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from math import sqrt
from typing import Any

import numpy as np

from ..certificate import Certificate
from ..checks import one_of
from ..comparator import Comparator
from ..data.batch import Array, Batch
from ..info import info_of
from ..linear.base import OnlineClassifier
from ..linear.comparators.candidates import matrix_of
from ..rows.state import BaseState
from ..theory.online_to_batch import BY_MARGIN, LEAVE_ONE_OUT, Lazy, LeftOut
from ..theory.perceptron import separable
from .rerun import OmissionResult, Omissions, RerunTable, copy_state, mistaken, refuse_foreign, rows_of, updates


def by_fits(table: RerunTable) -> OmissionResult:
    """One fit to all rows, and one to all the others for each row that it may depend on."""
    rows, labels = len(table), table.labels
    every = np.arange(rows)
    full = _fit_on(table, every)
    whole = rows_of(_columns(table, every), every)
    wrong = mistaken(full, whole, table.codes, table.undecided)
    slots: Array | None = getattr(full.state_, "slots", None)
    if slots is not None and not _changed_by_updates_alone(full):
        slots = None
    lazy = slots is not None
    support = np.ones(rows, dtype=np.bool_) if slots is None else np.asarray(slots >= 0)
    errors = np.where(support, False, wrong)
    residual, reruns = int(errors.sum()), int((~support).sum()) * full.n_iter_
    for row in np.flatnonzero(support).tolist():
        others = np.delete(every, row)
        if len(np.unique(labels[others])) < len(full.classes_):  # no other row has its class
            errors[row], reruns = True, reruns + full.n_iter_
            continue
        fitted = _fit_on(table, others)
        left_out = rows_of(_columns(table, others), np.array([row]))
        errors[row] = mistaken(fitted, left_out, table.codes[[row]], table.undecided)[0]
        reruns += fitted.n_iter_
    clean = not mistaken(full, whole, table.codes, "error").any()

    def widest() -> Comparator | None:
        return _comparator(full, table)

    return OmissionResult(
        errors, support, residual, int(full.ledger_.updates), full.n_iter_, clean, lazy, reruns, widest
    )


def _changed_by_updates_alone(learner: OnlineClassifier) -> bool:
    """Whether a row without an update can be left out without changing anything: not where all rounds have a voice in
    the prediction, where the support is limited, or where another number of rows comes in another order."""
    parameters = learner.get_params()
    return not (parameters.get("average") or parameters.get("budget") or learner.shuffle)


def _fit_on(table: RerunTable, rows: Array) -> OnlineClassifier:
    """The learner after a fit to some of the rows; what it takes from all rows, it takes from all of them always."""
    learner = type(table.learner)(**table.learner.get_params()).set_params(class_weight=None)
    if learner.shuffle:
        learner.set_params(random_state=table.orders.seed)
    if table.gamma is not None:
        learner.set_params(gamma=table.gamma)
    weights = None if table.weights is None else table.weights[rows]
    learner.fit(matrix_of(rows_of(_columns(table, rows), rows)), table.labels[rows], weights)
    if table.gamma is None and isinstance(learner.get_params().get("gamma"), str):
        table.gamma = float(learner.gamma_)  # type: ignore[attr-defined]
    table.visits += int(learner.ledger_.rounds)
    return learner


def _columns(table: RerunTable, rows: Array) -> Batch:
    """The rows as they stand, or with the columns of some rows alone where they are values of a kernel."""
    batch = table.batch
    if table.learner.get_params().get("kernel") != "precomputed":
        return batch
    return Batch(np.ascontiguousarray(batch.values[:, rows]), None, len(rows))


def _comparator(full: OnlineClassifier, table: RerunTable) -> Comparator | None:
    """The comparator that serves the learner's own bound for separable data best, read on the rows once."""
    if len(full.classes_) > 2:
        return None
    certificates = full.certify(matrix_of(table.batch), table.labels, svm=False)
    result = next((c for c in certificates if c.theorem.name == separable.name and c.applies), None)
    return None if result is None else replace(result.comparator, rounds=float(len(table)))


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut(Omissions):
    """What the others teach about each row.

    Attributes
    ----------
    errors : ndarray of bool, shape (rows,)
        Whether what all other rows teach, played in the same order, predicts another label for the row.
    support : ndarray of bool, shape (rows,)
        Whether the row caused an update when all were played. If the learner is lazy, no other row had to be left out
        by a run of its own.
    residual : int
        Rows that caused no update and that the final hypothesis mistakes all the same.
    updates, passes : int
        Of the run over all rows.
    clean : bool
        Whether its last pass was without an update.
    lazy : bool
        Whether the learner is one that a round without an update leaves as it was.
    row_visits, rerun_visits : int
        Rounds that were played for this, and that a run for each row would have played.
    certificates : list of Certificate
        The theorems that bound the errors, and the expected risk.
    """

    row_visits: int
    rerun_visits: int
    certificates: list[Certificate] = field(repr=False)

    @property
    def error(self) -> float:
        """The share of the rows that are errors: an unbiased estimate of the risk of what one row less teaches."""
        return float(self.errors.mean())

    @property
    def bound(self) -> float:
        """The share of the rows that can be errors: those that caused an update and what is mistaken anyway, if the
        learner is lazy."""
        return (int(self.support.sum()) + self.residual) / len(self.support) if self.lazy else 1.0


def leave_one_out(
    learner: OnlineClassifier,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    undecided: str = "predicted",
    seconds: float = 10.0,
) -> LeaveOneOut:
    """The leave-one-out error: each row judged by what the learner makes of all the others.

    For each row the result is that of a run over the other rows, bit for bit: in the same order (drawn once, with
    `shuffle`), for all classes that y holds, with `passes`, `until_clean` and `max_passes` as the learner has them.
    A row that caused no update changes nothing by its absence, if the learner is one that such a round leaves as it
    was; the others are played again from their first update on, for until then nothing is different. Any other learner
    plays each row's run from the row's first visit on. With `until_clean`, a run over rows that no vector separates
    takes `max_passes` passes, and so does each run without a row.

    Parameters
    ----------
    learner : OnlineClassifier
        Its parameters are all that counts; it is not changed.
    X, y, sample_weight
        As in its `fit`. What a learner takes from all rows before it plays, such as ``class_weight="balanced"`` and the
        ``gamma="scale"`` of a kernel, it takes from all rows here too.
    undecided : {"predicted", "error"}, default="predicted"
        What a score of exactly 0 is, or a true class that is level with another: what `predict` says all the same, so
        that `error` is the share of wrong labels; or an error, where the learner would take it for an update, as the
        theorems' textbooks have it. The bounds are those of either.
    seconds : float, default=10.0
        How much CPU time the search for maximum margins may take; 0 for none.

    Returns
    -------
    LeaveOneOut

    Raises
    ------
    RegretlessError
        If X or y cannot be used, or the weights overflow.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.batch import leave_one_out
    >>> from regretless.linear import Perceptron
    >>> X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]]), [1, 1, -1, -1, 1]
    >>> result = leave_one_out(Perceptron(until_clean=True), X, y)
    >>> result.error, result.bound
    (0.0, 0.4)
    >>> print(result.certificates[0])
    Support rows: leave-one-out errors 0 <= 2  [a row that caused no update changes nothing by its absence]
    """
    refuse_foreign(learner)
    one_of("undecided", undecided, ("predicted", "error"))
    table = RerunTable.read(learner, X, y, sample_weight, undecided=undecided)
    result = by_fits(table) if table.learner.holds_rows else _by_states(table)
    bounded = any(theorem.name == separable.name for theorem in table.learner.proven())
    additive = bounded and table.rules.loss == "perceptron" and table.weights is None
    comparator = None
    if result.lazy and result.clean and additive and seconds > 0:
        comparator = result.widest() if result.widest is not None else _widest(table, seconds)
    rows = len(table)
    counted = LeftOut(rows, int(result.errors.sum()), int(result.support.sum()), result.residual)
    facts = Lazy(result.lazy, result.clean, additive)
    return LeaveOneOut(
        **{one.name: getattr(result, one.name) for one in fields(Omissions)},
        row_visits=table.visits,
        rerun_visits=result.reruns * (rows - 1),
        certificates=[
            theorem.certify(counted, [comparator if theorem in BY_MARGIN else None], facts) for theorem in LEAVE_ONE_OUT
        ],
    )


def _by_states(table: RerunTable) -> OmissionResult:
    """Play the rows once to see which of them cause updates, then once more for each of these."""
    trace, rows = _trace(table), len(table)
    lazy, support = info_of(table.learner).lazy, trace.first >= 0
    idle = np.flatnonzero(~support)
    errors = np.zeros(rows, dtype=np.bool_)
    if len(idle):
        errors[idle] = table.mistakes(trace.final, idle)
    residual = int(errors.sum())
    reruns = len(idle) * trace.passes if lazy else 0
    for row, state, passes in _branches(table, trace.first if lazy else _first_visits(table)):
        errors[row] = table.mistakes(state, np.array([row]))[0]
        reruns += passes
    return OmissionResult(errors, support, residual, int(updates(trace.final)), trace.passes, trace.clean, lazy, reruns)


@dataclass(frozen=True, slots=True)
class _Trace:
    """The run over all rows: its end, and when each row caused its first update, in rounds since the start, or -1."""

    final: BaseState
    first: Array
    passes: int
    clean: bool


def _trace(table: RerunTable) -> _Trace:
    """Play all rows one by one, to see which of them cause updates."""
    state, rows = table.fresh(), len(table)
    first = np.full(rows, -1, dtype=np.int64)
    number, before = 0, 0.0
    while True:
        start = before
        for place in range(rows):
            table.play(state, number, place, place + 1)
            after = updates(state)
            if after > before:
                row, before = table.orders.row(number, place), after
                if first[row] < 0:
                    first[row] = number * rows + place
        number += 1
        clean = before == start
        if number == table.learner.most_passes or (clean and table.learner.until_clean):
            return _Trace(state, first, number, clean)


def _first_visits(table: RerunTable) -> Array:
    """When each row is played first."""
    order = table.orders[0]
    return np.arange(len(table)) if order is None else np.argsort(order)


def _branches(table: RerunTable, times: Array) -> Iterator[tuple[int, BaseState, int]]:
    """For each row with a time >= 0: the state at the end of a run without that row, and how many passes it took.

    Until its time the run is the one over all rows, which is played once more, up to each of these times in turn.
    """
    state, rows = table.fresh(), len(table)
    number, place, start = 0, 0, 0.0
    for row in np.argsort(times, kind="stable")[int((times < 0).sum()) :].tolist():
        target, stop = divmod(int(times[row]), rows)
        while number < target:
            table.play(state, number, place, rows)
            number, place, start = number + 1, 0, updates(state)
        table.play(state, number, place, stop)
        place = stop
        branch = copy_state(state)
        passes, _ = table.finish(branch, number, stop, row, moved=updates(state) > start)
        yield row, branch, passes


def _widest(table: RerunTable, seconds: float) -> Comparator | None:
    """The vector of largest margin on all rows, scaled so that the margin is 1; with several classes, one for each."""
    from ..linear.separation.budget import Budget
    from ..linear.separation.margin import max_margin_signed

    classes, intercept = len(table.learner.classes_), table.rules.intercept
    signs = [table.codes] if classes == 2 else [np.where(table.codes == c, 1, -1) for c in range(classes)]
    norm2 = 0.0
    for one in signs:
        result = max_margin_signed(table.batch, one, intercept=intercept, budget=Budget(seconds / len(signs)))
        if not result.lower > 0:
            return None
        norm2 += result.lower**-2
    squares = _squares(table.batch) + intercept**2
    return Comparator(
        name="maximum margin" if classes == 2 else "maximum margins, one for each class",
        norm=sqrt(norm2),
        hinge=0.0,
        squared_hinge=0.0,
        loss=None,
        least=1.0,
        rounds=len(table),
        max_norm2=float(squares.max()),
        total_norm2=float(squares.sum()),
    )


def _squares(batch: Batch) -> Array:
    """Squared lengths of the rows."""
    squares = np.square(batch.values, dtype=np.float64)
    if batch.starts is None:
        return np.asarray(squares.sum(axis=1))
    row_of = np.repeat(np.arange(len(batch)), np.diff(batch.starts))
    return np.bincount(row_of, weights=squares, minlength=len(batch))
