"""Whether a hyperplane through the origin separates two classes, and how wide the margin can be.

For rows z = y x, any v and any weights a >= 0 with sum 1 enclose the largest margin of a unit vector,

    min <v, z> / |v|  <=  rho*  <=  |sum a z|,

and both sides meet at the point of the rows' convex hull that is nearest to the origin. If that is the origin itself,
no hyperplane separates (Gordan 1873). Both sides are computed so that no rounding error can break them.

Any separating v, be it ever so far from the best, makes (max |x| / min y <v, x> * |v|)^2 a valid bound of a
perceptron's updates.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ..labels import read_labels
from ..validation import read_rows
from .margin_search import ANY, MarginSearch
from .signed_rows import SignedRows


@dataclass(frozen=True, slots=True)
class Separation:
    """Whether two classes can be separated, and what shows it.

    Attributes
    ----------
    separable : bool or None
        None when rounding errors or the time left no answer; `why` says so.
    weights : ndarray or None
        A unit vector with a positive margin on every row. With an intercept, the last entry is the weight of the
        constant feature.
    margin : float
        Lower bound of min y <weights, x>, rounding errors allowed for; 0 when there are no weights.
    multipliers : tuple of two ndarrays, or None
        Rows and their weights a, positive with sum 1, for which sum a y x = 0 up to `residual`: no vector separates.
    residual : float
        Upper bound of \\|sum a y x\\|. No unit vector has a larger margin.
    proven : bool
        Whether the answer is certain. If not, and `separable` is False, then up to the residual only.
    why : str
        What the answer rests on, in one sentence.
    """

    separable: bool | None
    weights: Array | None
    margin: float
    multipliers: tuple[Array, Array] | None
    residual: float
    proven: bool
    why: str


@dataclass(frozen=True, slots=True)
class MaxMargin:
    """An interval that contains the largest margin, and what proves each of its ends.

    Attributes
    ----------
    lower, upper : float
        lower <= rho* <= upper, rounding errors allowed for. Both are 0 when it is proved that nothing separates.
    weights : ndarray or None
        The unit vector whose margin is `lower`; None when lower is 0. With an intercept, the last entry is the weight
        of the constant feature.
    support : tuple of two ndarrays
        Rows and their weights a, with sum 1, for which \\|sum a y x\\| is at most `upper`; where that is 0, up to the
        rounding of the weights.
    separable : bool or None
        As in :class:`Separation`.
    converged : bool
        Whether the gap is within the tolerance, or nothing separates.
    why : str
        What the answer rests on, in one sentence.
    """

    lower: float
    upper: float
    weights: Array | None
    support: tuple[Array, Array]
    separable: bool | None
    converged: bool
    why: str

    @property
    def gap(self) -> float:
        """Relative width of the interval, 1 - lower / upper."""
        return 1 - self.lower / self.upper if self.upper > 0 else 0.0


def separate(X: Any, y: Any, *, intercept: float = 0.0, max_seconds: float | None = None) -> Separation:
    """Decide whether a hyperplane separates two classes.

    Parameters
    ----------
    X : array, sequence, sparse matrix or table, shape (rows, features)
        Float32 and float64, dense or in compressed sparse rows, are read where they are.
    y : array or sequence, shape (rows,)
        Two labels, of which the larger one is +1. One label alone is +1 if it is a string or positive, else -1.
    intercept : float, default=0.0
        Size B of a constant feature that every row is given; 0 for a hyperplane through the origin.
    max_seconds : float, optional
        Stop looking after about so long.

    Returns
    -------
    Separation
        With a separator, or with Gordan's certificate that there is none.

    Examples
    --------
    >>> from regretless.linear import separate
    >>> separate([[1.0, 2.0], [3.0, -1.0]], [1, -1]).separable
    True
    >>> found = separate([[1.0], [1.0]], [1, -1])
    >>> found.separable, found.multipliers[1].tolist()
    (False, [0.5, 0.5])
    """
    search = MarginSearch(_signed(X, y, intercept), ANY, max_seconds)
    search.run()
    inseparable = search.separable is False
    return Separation(
        separable=search.separable,
        weights=search.weights,
        margin=search.lower,
        multipliers=search.support if inseparable else None,
        residual=search.residual if inseparable else search.upper,
        proven=search.separable is True or search.proven,
        why=search.why,
    )


def max_margin(
    X: Any, y: Any, *, intercept: float = 0.0, tolerance: float = 1e-9, max_seconds: float | None = None
) -> MaxMargin:
    """Find the largest margin rho* of a hyperplane between two classes, as an interval that contains it.

    Parameters
    ----------
    X, y, intercept
        As for :func:`separate`. With an intercept, margins are those of the rows with the constant feature.
    tolerance : float, default=1e-9
        Relative gap, 1 - lower / upper, that is good enough.
    max_seconds : float, optional
        Return the interval found so far after about so long.

    Examples
    --------
    >>> from regretless.linear import max_margin
    >>> found = max_margin([[10.0, 1.0], [10.0, -1.0]], [1, -1])
    >>> round(found.lower, 9), round(found.upper, 9), found.weights.round(9).tolist()
    (1.0, 1.0, [0.0, 1.0])
    """
    return _max_margin(_signed(X, y, intercept), tolerance, max_seconds)


def max_margin_signed(
    rows: Any,
    signs: Any = None,
    *,
    intercept: float = 0.0,
    tolerance: float = 1e-9,
    max_seconds: float | None = None,
) -> MaxMargin:
    """:func:`max_margin` for rows whose labels are signs already, -1 and 1, or multiplied into the rows (None)."""
    batch = _read(rows)
    labels = np.ones(len(batch)) if signs is None else np.asarray(signs, dtype=np.float64)
    if labels.shape != (len(batch),) or not (np.abs(labels) == 1).all():
        raise RegretlessError(f"signs must be {len(batch)} numbers, each -1 or 1")
    return _max_margin(SignedRows(batch, labels, _finite("intercept", intercept)), tolerance, max_seconds)


def _max_margin(rows: SignedRows, tolerance: float, max_seconds: float | None) -> MaxMargin:
    search = MarginSearch(rows, _finite("tolerance", tolerance, least=0.0), max_seconds)
    search.run()
    return MaxMargin(
        lower=search.lower,
        upper=search.upper,
        weights=search.weights,
        support=search.support,
        separable=search.separable,
        converged=search.converged,
        why=search.why,
    )


def _signed(X: Any, y: Any, intercept: float) -> SignedRows:
    batch = _read(X)
    labels = read_labels(y, len(batch))
    classes = np.unique(labels)
    if len(classes) > 2:
        raise RegretlessError(f"y holds {len(classes)} classes; a hyperplane separates two")
    larger = classes[-1]
    if len(classes) == 1 and labels.dtype.kind != "U" and not larger > 0:
        signs = np.full(len(batch), -1.0)
    else:
        signs = np.where(labels == larger, 1.0, -1.0)
    return SignedRows(batch, signs, _finite("intercept", intercept))


def _read(X: Any) -> Batch:
    return X if isinstance(X, Batch) else read_rows(X, learner=SimpleNamespace(), reset=True)


def _finite(name: str, value: float, least: float = -np.inf) -> float:
    number = float(value)
    if not np.isfinite(number) or number < least:
        raise RegretlessError(f"{name} must be a finite number{'' if least < 0 else ' from 0'}, not {value!r}")
    return number
