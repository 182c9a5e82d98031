"""Certificates of rounds that were learned with weights, for learners to which a row of weight c is c times the row.

The perceptron moves by c y x, and only where y <w, x> <= 0, which is the sign of y <w, c x>: it plays the rows c x of
weight 1, and its theorems speak of those, with r the largest c |x| and hinge losses max(0, 1 - c y <v, x>). A round of
weight 0 never moves the weights, and is left out. Theorems that charge a margin do not carry over so: the loss max(0, 1
- y s) times c is not that of c s.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..certificate import Certificate
from ..comparator import Comparator
from ..data.batch import Array, Batch, norms2
from ..ledger import FIELDS
from ..rows.state import LEAST_ENTRY, MOST_ENTRY
from .comparators.evaluate import Span
from .comparators.question import Question
from .state import State

ROUNDS, MOST, TOTAL, OF_UPDATES, SLOPES, WEIGHTED = map(
    FIELDS.index, ("rounds", "max_norm2", "total_norm2", "update_norm2", "slope2", "weighted")
)


def with_weights(question: Question, weights: Array) -> Question | None:
    """What is to be certified of the same run as one over rows of weight 1; None where these are no rows that can be
    played, or none is left.

    Parameters
    ----------
    question : Question
        With all rows in memory.
    weights : ndarray, shape (rows,)
        Of one reading.
    """
    ((batch, codes),) = question.rounds()
    there, constant = weights > 0, question.rules.intercept
    rows = _times(batch.only(there), weights[there], constant)
    sizes = np.concatenate([np.abs(rows.values[rows.values != 0]), weights[there]])  # whose squares are taken too
    if not len(rows) or sizes.min(initial=1.0) < LEAST_ENTRY or sizes.max(initial=1.0) > MOST_ENTRY:
        return None
    return replace(
        question,
        state=_state_of(question, norms2(rows), there),
        rules=replace(question.rules, intercept=0.0),
        rounds=partial(iter, [(rows, codes[there])]),
        rows=len(rows),
        call=lambda places: _call(question, np.flatnonzero(there)[places]),
        against=None
        if question.against is None
        else (_stacked(*question.against, constant), np.zeros_like(question.against[1])),
    )


def _call(question: Question, places: Array) -> str:
    """What some rows are called, of which something is said that is true of the rows times their weights."""
    return f"{question.call(places)}, times {'its weight' if len(places) == 1 else 'their weights'},"


def _stacked(vectors: Array, biases: Array, constant: float) -> Array:
    """Weights (columns, targets) with those of the constant feature as one more column of the rows."""
    return np.ascontiguousarray(np.vstack([vectors, biases])) if constant else vectors


def _times(batch: Batch, weights: Array, constant: float) -> Batch:
    """The rows times their weights, with the constant feature as a column, where there is one."""
    columns = batch.columns + bool(constant)
    if batch.starts is None or batch.indices is None:
        values = batch.values.astype(np.float64) * weights[:, None]
        return Batch(np.column_stack([values, constant * weights]) if constant else values, None, columns)
    values = batch.values * np.repeat(weights, np.diff(batch.starts))
    if not constant:
        return Batch(values, None, columns, batch.indices, batch.starts)
    ends = batch.starts[1:]
    indices = np.insert(batch.indices, ends, batch.columns)
    starts = batch.starts + np.arange(len(batch.starts), dtype=batch.starts.dtype)
    return Batch(np.insert(values, ends, constant * weights), None, columns, indices, starts)


def _state_of(question: Question, lengths2: Array, there: Array) -> State:
    """The weights, with books that say what these rows are. The slope of an update is its weight, so that the books sum
    c^2 |x|^2 already; where several classes are one vector, whose gradient has the row twice, twice that."""
    state = question.state
    weights = _stacked(state.coefficients(), state.biases(), question.rules.intercept)
    assert isinstance(state, State)  # of learners that multiply rows
    ours = state.plain(len(weights))
    ours.weights[:], ours.books = weights, state.books.copy()
    ours.steady, ours.rules = state.steady, state.rules
    twice = question.rules.loss == "direct" and state.targets > 1
    for book in ours.books:
        span = Span.of(question.rows, book[ROUNDS])
        before = int(there[: span.skip].sum())
        later = lengths2[before:]
        book[ROUNDS] = (span.passes - 1) * len(lengths2) + len(later)
        book[MOST] = (later if span.passes == 1 else lengths2).max(initial=0.0)
        book[TOTAL] = (span.passes - 1) * lengths2.sum() + later.sum()
        book[OF_UPDATES] = book[SLOPES] / 2 if twice else book[SLOPES]
        book[WEIGHTED] = 0
    return ours


def with_constant_apart(certificate: Certificate) -> Certificate:
    """The certificate of rows with the constant feature as their last column, as that of rows which have it apart."""
    each = tuple(map(with_constant_apart, certificate.each))
    comparator = _apart(certificate.comparator)
    read = None if certificate.read is None else (certificate.read[0], comparator, certificate.read[2])
    return replace(certificate, comparator=comparator, each=each, read=read)


def _apart(comparator: Any) -> Any:
    vector = getattr(comparator, "vector", None)
    if not isinstance(comparator, Comparator) or vector is None or vector.ndim > 1:
        return comparator  # matrices have it at the end of each row
    return replace(comparator, vector=vector[:-1], bias=float(vector[-1]))
