"""Leaving rows out of a learner that knows its rows again, such as one with a kernel: by fits to all the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..comparator import Comparator
from ..data.batch import Array, Batch
from ..linear.base import OnlineClassifier
from ..theory.perceptron import separable
from .rerun import OmissionResult, Table, mistaken, rows_of


def by_fits(table: Table) -> OmissionResult:
    """One fit to all rows, and one to all the others for each row that it may depend on."""
    rows, labels = len(table), table.labels
    every = np.arange(rows)
    full = _fitted(table, every)
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
        if len(np.unique(labels[others])) < len(full.classes_):  # nobody is left to learn its class from
            errors[row], reruns = True, reruns + full.n_iter_
            continue
        fitted = _fitted(table, others)
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


def _fitted(table: Table, rows: Array) -> OnlineClassifier:
    """The learner after a fit to some of the rows; what it takes from all rows, it takes from all of them always."""
    learner = type(table.learner)(**table.learner.get_params()).set_params(class_weight=None)
    if learner.shuffle:
        learner.set_params(random_state=table.orders.seed)
    if table.gamma is not None:
        learner.set_params(gamma=table.gamma)
    weights = None if table.weights is None else table.weights[rows]
    learner.fit(_matrix(rows_of(_columns(table, rows), rows)), table.labels[rows], weights)
    if table.gamma is None and isinstance(learner.get_params().get("gamma"), str):
        table.gamma = float(learner.gamma_)  # type: ignore[attr-defined]
    table.visits += int(learner.ledger_.rounds)
    return learner


def _columns(table: Table, rows: Array) -> Batch:
    """The rows as they stand, or with the columns of some rows alone where they are values of a kernel."""
    batch = table.batch
    if table.learner.get_params().get("kernel") != "precomputed":
        return batch
    return Batch(np.ascontiguousarray(batch.values[:, rows]), None, len(rows))


def _matrix(batch: Batch) -> Any:
    """A batch as `fit` takes it."""
    if batch.starts is None:
        return batch.values
    from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

    return csr_array((batch.values, batch.indices, batch.starts), shape=(len(batch), batch.columns))


def _comparator(full: OnlineClassifier, table: Table) -> Comparator | None:
    """The comparator that serves the learner's own bound for separable data best, read on the rows once."""
    if len(full.classes_) > 2:
        return None
    certificates = full.certify(_matrix(table.batch), table.labels, svm=False)
    found = next((c for c in certificates if c.theorem.name == separable.name and c.applies), None)
    return None if found is None else replace(found.comparator, rounds=float(len(table)))
