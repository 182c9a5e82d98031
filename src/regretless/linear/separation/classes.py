"""Whether some matrix puts the class of every row above all others, and by how much one can.

A matrix V with a vector for each class does so where <v_y, x> - <v_c, x> > 0 for every row x of class y and every other
class c: it separates the differences, rows of as many columns as V has entries. Then v_a - v_b separates the rows of
class a from those of class b. So where the rows of two classes cannot be separated from one another, there is no such
matrix.
"""

from __future__ import annotations

from math import inf

import numpy as np

from ...data.batch import Array, Batch
from .budget import Budget
from .margin import max_margin_signed, work_to_begin
from .result import CallRows, MaxMargin


def max_margin_of_classes(
    batch: Batch, labels: Array, classes: int, intercept: float, budget: Budget, call: CallRows, *, plain: bool = False
) -> MaxMargin:
    """The matrix of the largest margin: that of the differences between the right class and each other one.

    Parameters
    ----------
    batch : Batch
    labels : ndarray of int, shape (rows,)
        Places of classes.
    classes : int
        How many there are.
    intercept : float
        Size of the constant feature; 0 for none.
    budget : Budget
        What the search may cost.
    call : callable
        What rows are called.
    plain : bool, default=False
        Whether it is known that no row is zero, and that no two rows are equal and of different classes: then nothing
        is found where no step can be paid for.

    Returns
    -------
    MaxMargin
        Whose weights are those of one class after another, each with that of the constant feature at its end.
    """
    rows = _with_constant(batch, intercept)
    each = [np.flatnonzero(labels != other) for other in range(classes)]
    owners, others = np.concatenate(each), np.repeat(np.arange(classes), [len(its) for its in each])
    differences = _differences(rows.take(owners), labels[owners].astype(np.int64), others, classes)
    dense = 2 * np.count_nonzero(np.bincount(np.asarray(rows.indices), minlength=rows.columns)) >= rows.columns
    if plain and dense and budget.late(work_to_begin(differences)):
        none = np.zeros(0, np.intp), np.zeros(0)
        return MaxMargin(0.0, inf, None, none, separable=None, converged=False, why=budget.why)
    return max_margin_signed(differences, budget=budget, call=lambda places: call(owners[places]))


def _differences(rows: Batch, own: Array, others: Array, classes: int) -> Batch:
    """Each row in the columns of its own class, less the same in those of another."""
    starts, columns, width = np.asarray(rows.starts), np.asarray(rows.indices), rows.columns
    lengths = np.diff(starts)
    first = np.arange(rows.entries) + np.repeat(starts[:-1], lengths)  # of the two classes
    second = first + np.repeat(lengths, lengths)
    values, indices = np.empty(2 * rows.entries), np.empty(2 * rows.entries, dtype=np.int64)
    values[first] = np.repeat(np.where(own < others, 1, -1), lengths) * rows.values
    values[second] = -values[first]
    indices[first] = np.repeat(np.minimum(own, others) * width, lengths) + columns
    indices[second] = np.repeat(np.maximum(own, others) * width, lengths) + columns
    return Batch(values, None, classes * width, indices, 2 * starts)


def _with_constant(batch: Batch, intercept: float) -> Batch:
    """The entries of the rows that are stored, or are not 0, and of a constant feature at their end, if there is one.
    By numpy alone: to import scipy's matrices takes as long as the rest of a search among few rows."""
    values, columns, starts = batch.values.astype(np.float64), batch.indices, batch.starts
    if columns is None or starts is None:
        row, columns = values.nonzero()
        values, starts = values[row, columns], np.append(0, np.cumsum(np.bincount(row, minlength=len(batch))))
    if not intercept:
        return Batch(values, None, batch.columns, columns, starts)
    ends, more = starts[1:], np.arange(len(starts))
    values, columns = np.insert(values, ends, intercept), np.insert(columns, ends, batch.columns)
    return Batch(values, None, batch.columns + 1, columns, starts + more)


def most_confused(labels: Array, predicted: Array, classes: int, fewest: int) -> tuple[int, int] | None:
    """The two classes that were most often taken for one another.

    Parameters
    ----------
    labels, predicted : ndarray of int, shape (rows,)
        Places of classes.
    classes : int
        How many there are.
    fewest : int
        Rows that two classes must have together.

    Returns
    -------
    tuple of two ints, or None
        Of equally many the first; None where no row is wrong of two classes that have so many.
    """
    counts = np.bincount(labels, minlength=classes)
    wrong = np.bincount(labels * classes + predicted, minlength=classes**2).reshape(classes, classes)
    wrong = np.triu(wrong + wrong.T, 1)
    wrong[counts[:, None] + counts < fewest] = 0
    place = int(wrong.argmax())
    return divmod(place, classes) if wrong.flat[place] else None
