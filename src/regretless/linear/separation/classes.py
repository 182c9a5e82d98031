"""Whether some matrix puts the class of every row above all others, and by how much one can.

A matrix V with a vector for each class does so where <v_y, x> - <v_c, x> > 0 for every row x of class y and every other
class c: it separates the differences, rows of as many columns as V has entries. Then v_a - v_b separates the rows of
class a from those of class b. So where the rows of two classes cannot be separated from one another, there is no such
matrix.
"""

from __future__ import annotations

import numpy as np

from ...data.batch import Array, Batch
from ..comparators.candidates import matrix_of, with_constant
from .budget import Budget
from .margin import max_margin_signed
from .result import CallRows, MaxMargin


def max_margin_of_classes(
    batch: Batch, labels: Array, classes: int, intercept: float, budget: Budget, call: CallRows
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

    Returns
    -------
    MaxMargin
        Whose weights are those of one class after another, each with that of the constant feature at its end.
    """
    from scipy.sparse import coo_array, csr_array, vstack  # type: ignore[import-untyped, unused-ignore]

    rows = with_constant(matrix_of(batch), intercept)
    entries = coo_array(rows)
    width, (row, column) = rows.shape[1], entries.coords
    blocks = []
    for other in range(classes):
        others = labels[row] != other
        places = np.concatenate([labels[row[others]] * width + column[others], other * width + column[others]])
        values = np.concatenate([entries.data[others], -entries.data[others]]).astype(np.float64)
        table = csr_array((values, (np.tile(row[others], 2), places)), shape=(rows.shape[0], classes * width))
        blocks.append(table[np.flatnonzero(labels != other)])
    owners = np.concatenate([np.flatnonzero(labels != other) for other in range(classes)])
    return max_margin_signed(vstack(blocks, format="csr"), budget=budget, call=lambda places: call(owners[places]))


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
