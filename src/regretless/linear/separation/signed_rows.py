"""The vectors z = y (x, B) of labelled rows, borrowed from where they are kept, with bounds that rounding respects."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...data.batch import Array, Batch, norms2
from ...errors import RegretlessError
from ...rows.faults import explain_nonfinite
from ...rows.validation import read_rows
from ..labels import read_labels
from .result import CallRows

AT_A_TIME = 1 << 17  # values converted to float64 in one go: what the cache holds
CAREFUL = 1 << 22  # values worth going over again in the widest arithmetic there is
WIDEST_RANGE = 400  # exponents of squared norms beyond which rows are rescaled
COLUMNS_TO_NUMBER_AFRESH = 1 << 16
MOST_SUSPECTS = 1000
SAME = 1e-12  # relative distance of two scores up to which their rows may be equal
WIDEST_PRECISION = 2.0**-63  # more is not believed: pairs of float64 that pose as one number claim 2^-1074
UNDERFLOW = 2.0**-1000  # more than gradual underflow can take from a dot product with a unit vector
UNDERFLOW_OF_NORMS = 2.0**-500  # and from the root of a sum of squares
ROUND_DOWN, ROUND_UP = 1 - 2.0**-50, 1 + 2.0**-50  # several roundings of a float64 each


def read_signs(X: Any, y: Any) -> tuple[Batch, Array]:
    """The rows of two classes, and their labels as signs.

    Parameters
    ----------
    X : Batch, array, sequence, sparse matrix or table, shape (rows, features)
    y : array or sequence, shape (rows,)
        Two labels, of which the larger one is +1. One label alone is +1 if it is a string or positive, else -1.

    Returns
    -------
    batch : Batch
    signs : ndarray of float64, shape (rows,)
        -1 or 1.

    Raises
    ------
    RegretlessError
        If X or y cannot be used, or y holds more than two classes.
    """
    batch = read_batch(X)
    labels = read_labels(y, len(batch))
    classes = np.unique(labels)
    if len(classes) > 2:
        raise RegretlessError(f"y holds {len(classes):,} classes; a hyperplane separates two")
    larger = classes[-1]
    if len(classes) == 1 and labels.dtype.kind != "U" and not larger > 0:
        return batch, np.full(len(batch), -1.0)
    return batch, np.where(labels == larger, 1.0, -1.0)


def read_batch(X: Any) -> Batch:
    """The rows of X, which may be a batch already."""
    return X if isinstance(X, Batch) else read_rows(X, learner=SimpleNamespace(), reset=True)


def finite_number(name: str, value: float, least: float = -np.inf) -> float:
    """The number, if it is finite and large enough."""
    number = float(value)
    if not np.isfinite(number) or number < least:
        raise RegretlessError(f"{name} must be a finite number{'' if least < 0 else ' from 0'}, not {value!r}")
    return number


class SignedRows:
    """Rows z_t = s_t (x_t, B) of float64 values that are never all kept.

    Every bound below is meant for the rows as they are given: a float32 or float64 value is an exact number. Rows of
    extreme size are divided by a power of two, `2**exponent`, and sparse columns without entries are left out;
    `outside` and `vector` translate back.

    Parameters
    ----------
    batch : Batch
        The rows x.
    signs : ndarray, shape (rows,)
        -1 or 1.
    intercept : float
        B, the constant feature; 0 for none.
    """

    def __init__(self, batch: Batch, signs: Array, intercept: float) -> None:
        intercept = finite_number("intercept", intercept)
        self.signs = np.ascontiguousarray(signs, dtype=np.float64)
        self.rows, self._all_columns = len(batch), batch.columns
        self._used_columns: Array | None = None
        self._matrix: Any = batch.values if batch.starts is None else self._sparse(batch)
        self.sparse = batch.sparse
        self.columns = int(self._matrix.shape[1])
        self.intercept = intercept
        self.width = self.columns + (intercept != 0)
        self.exponent, self.exact = 0, True
        self.terms = self._count_terms()
        with np.errstate(over="ignore", invalid="ignore"):
            largest = float(self._measure().max())
            if not 2.0**-WIDEST_RANGE < largest < 2.0**WIDEST_RANGE:
                self._rescale(batch)

    def scores(self, w: Array) -> Array:
        """<w, z> for every row, in plain float64."""
        scores = np.empty(self.rows)
        for begin, block in self._blocks():
            scores[begin : begin + block.shape[0]] = block @ w[: self.columns]
        if self.intercept:
            scores += self._constant * w[-1]
        scores *= self.signs
        return scores

    def mean(self) -> Array:
        """The average row."""
        total = np.zeros(self.width)
        for begin, block in self._blocks():
            total[: self.columns] += self.signs[begin : begin + block.shape[0]] @ block
        if self.intercept:
            total[-1] = self._constant * self.signs.sum()
        return total / self.rows

    def take(self, rows: Array, dtype: Any = np.float64) -> Any:
        """Some rows z as a matrix of their own, sparse if the rows are."""
        signs = self.signs[rows]
        column = (self._constant * signs)[:, None].astype(dtype)
        if not self.sparse:
            block = self._scaled(self._matrix.take(rows, axis=0).astype(dtype, copy=False))
            block *= signs[:, None]
            return np.hstack([block, column]) if self.intercept else block
        from scipy.sparse import csr_array, hstack

        block = self._matrix[rows].astype(dtype)
        block.data = self._scaled(block.data) * np.repeat(signs, np.diff(block.indptr))
        return csr_array(hstack([block, csr_array(column)], format="csr")) if self.intercept else block

    def obvious(self, call: CallRows, labels: Array | None = None) -> tuple[Array, str] | None:
        """A row that is exactly zero, or else two equal ones of different labels, by default their signs, for which
        nothing separates the rows, and that in words; None where there are none."""
        zero = self._zero()
        if zero is not None:
            place = np.array([zero])
            return place, f"{call(place)} is zero: its margin is 0"
        pair = self._contradiction(self.signs if labels is None else labels)
        return None if pair is None else (pair, f"{call(pair)} are equal and have different labels")

    def _zero(self) -> int | None:
        """The first row that is exactly zero."""
        if self.intercept:
            return None
        for row in np.flatnonzero(self.norms <= 2 * UNDERFLOW_OF_NORMS):
            values = self._matrix[[row]]
            if not (values.data if self.sparse else values).any():
                return int(row)
        return None

    def _contradiction(self, labels: Array) -> Array | None:
        """Two rows x that are equal and have different labels: what real data are most often inseparable for."""
        along = self.scores(np.random.default_rng(0).standard_normal(self.width)) * self.signs
        values = np.sort(along)  # in a fraction of the time that their order takes
        if (np.diff(values) > SAME * np.abs(values[1:])).all():
            return None
        order = np.argsort(along, kind="stable")
        labels, along = labels[order], along[order]
        suspects = np.flatnonzero((labels[1:] != labels[:-1]) & (np.diff(along) <= SAME * np.abs(along[1:])))
        for place in suspects[:MOST_SUSPECTS]:
            pair = order[place : place + 2]
            difference = self._matrix[pair[:1]] - self._matrix[pair[1:]]
            if not (difference.data if self.sparse else difference).any():
                return np.asarray(pair)
        return None

    def margin(self, w: Array) -> tuple[float, Array]:
        """A lower bound of min <w, z> / \\|w\\| that no rounding can break, and all scores; \\|w\\| must be near 1."""
        scores = self.scores(w)
        length = _norm(w) * ROUND_UP
        error = length * self.norms * _relative_error(self.terms, np.float64) + UNDERFLOW
        least = scores - error
        close = np.flatnonzero(least <= (scores + error).min())
        if self.terms[close].sum() <= CAREFUL:
            again = self.take(close, np.longdouble) @ w.astype(np.longdouble)
            error = length * self.norms[close] * _relative_error(self.terms[close], np.longdouble) + UNDERFLOW
            least[close] = np.nextafter((again - error).astype(np.float64), -np.inf)
        bound = float(least.min())
        return (bound / length * ROUND_DOWN if bound > 0 else bound), scores

    def combination(self, rows: Array, multipliers: Array) -> float:
        """An upper bound of \\|sum a z\\| / sum a that no rounding can break, for sum a about 1."""
        wide = multipliers.astype(np.longdouble)
        total = np.zeros(self.width, np.longdouble)
        step = max(1, CAREFUL * len(rows) // (int(self.terms[rows].sum()) or 1))
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            total += self.take(rows[part], np.longdouble).T @ wide[part]
        lengths = float(multipliers @ self.norms[rows])
        error = lengths * ROUND_UP * float(_relative_error(np.array(len(rows)), np.longdouble)) + UNDERFLOW
        weight = float(wide.sum()) * (1 - float(_relative_error(np.array(len(rows)), np.longdouble)))
        return (_norm(total) * ROUND_UP + error) / weight * ROUND_UP if weight > 0 else np.inf

    def outside(self, value: float, towards: float) -> float:
        """A length of these rows as a length of the rows that were given, rounded towards one side."""
        if self.exponent == 0:
            return value
        with np.errstate(over="ignore"):
            return float(np.nextafter(np.ldexp(value, self.exponent), towards))

    def vector(self, w: Array) -> Array:
        """A vector of these rows' columns as one of the columns that were given (and the constant feature's)."""
        if self._used_columns is None:
            return w
        whole = np.zeros(self._all_columns + (self.intercept != 0))
        whole[self._used_columns] = w[: self.columns]
        if self.intercept:
            whole[-1] = w[-1]
        return whole

    def inside(self, vector: Array, bias: float) -> Array:
        """A vector of the columns that were given, and the weight of the constant feature, as one of these rows'."""
        own = vector[: self._all_columns] if self._used_columns is None else vector[self._used_columns]
        return np.append(own, bias) if self.intercept else own

    def _sparse(self, batch: Batch) -> Any:
        from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

        indices, columns = batch.indices, batch.columns
        if columns > COLUMNS_TO_NUMBER_AFRESH:
            occurs = np.zeros(columns, dtype=bool)
            occurs[indices] = True
            used = np.flatnonzero(occurs)
            if 2 * len(used) < columns:
                numbers = np.cumsum(occurs, dtype=np.int32) - 1
                self._used_columns, indices, columns = used, numbers[indices], len(used)
        return csr_array((batch.values, indices, batch.starts), shape=(len(batch), columns))

    def _count_terms(self) -> Array:
        if self.sparse:
            entries: Array = np.diff(self._matrix.indptr)
            return entries + (self.intercept != 0)
        return np.full(self.rows, self.width)

    def _measure(self) -> Array:
        """Bounds of the rows' norms, and their squares."""
        self._constant = float(np.ldexp(self.intercept, -self.exponent))
        squares = np.empty(self.rows)
        for begin, block in self._blocks():
            squares[begin : begin + block.shape[0]] = _squares(block)
        squares += self._constant**2
        self.norms: Array = np.sqrt(squares) * (1 + _relative_error(self.terms, np.float64)) + UNDERFLOW_OF_NORMS
        return squares

    def _rescale(self, batch: Batch) -> None:
        largest, smallest = abs(self.intercept), abs(self.intercept) or np.inf
        for begin, block in self._blocks():
            values = block.data if self.sparse else block
            if not np.isfinite(values).all():
                rows = np.flatnonzero(~np.isfinite(_squares(block)))
                bad = next(row for row in rows if not np.isfinite(self.take(np.array([row + begin])).sum()))
                raise RegretlessError(explain_nonfinite(batch, int(bad) + begin))
            sizes = np.abs(values)
            largest = max(largest, float(sizes.max(initial=0.0)))
            smallest = min(smallest, float(sizes.min(initial=np.inf, where=sizes > 0)))
        if largest == 0:
            return
        self.exponent = int(np.frexp(largest)[1])
        self.exact = int(np.frexp(smallest)[1]) - self.exponent > -1000
        self._measure()

    def _blocks(self) -> Iterator[tuple[int, Any]]:
        """The rows x without their signs, in float64, and where each block of them begins."""
        matrix = self._matrix
        if matrix.dtype == np.float64 and self.exponent == 0:
            yield 0, matrix
            return
        values = matrix.data.size if self.sparse else matrix.size
        step = max(1, AT_A_TIME * self.rows // max(1, values))
        for begin in range(0, self.rows, step):
            block = matrix[begin : begin + step].astype(np.float64)
            if self.sparse:
                block.data = self._scaled(block.data)
            yield begin, block if self.sparse else self._scaled(block)

    def _scaled(self, values: Array) -> Array:
        return values if self.exponent == 0 else np.ldexp(values, -self.exponent)


def _relative_error(terms: Array, dtype: Any) -> Array:
    """By which share of \\|a\\| \\|b\\| a dot product of so many terms may be wrong, in whatever order it is summed."""
    share = (terms + 4.0) * max(float(np.finfo(dtype).eps), WIDEST_PRECISION) / 2
    return share / (1 - share)


def _norm(vector: Array) -> float:
    """Euclidean length, right but for a few roundings."""
    wide = vector.astype(np.longdouble)
    return float(np.sqrt(wide @ wide) * (1 + _relative_error(np.array(len(wide)), np.longdouble)))


def _squares(block: Any) -> Array:
    if isinstance(block, np.ndarray):
        return norms2(Batch(block, None, block.shape[1]))
    return norms2(Batch(block.data, None, block.shape[1], block.indices, block.indptr))
