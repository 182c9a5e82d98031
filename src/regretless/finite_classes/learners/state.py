"""The state of a learner of a finite class, and the compiled rounds on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import _core
from ...ledger import ClassLedger
from ..finite_class import FiniteClass, Words, refuse_empty, unpacked

Array = np.ndarray[Any, Any]
FIELDS: tuple[str, ...] = _core.VOTE_FIELDS
DIED = FIELDS.index("died")
MOST_STEPS = 2**31  # words that elimination may write: about a second


class ClassState:
    """The version space of a learner, the hypotheses that agree with all labels, and its totals.

    Parameters
    ----------
    finite_class : FiniteClass
    tie : int
        The prediction of an even vote.
    lazy : bool
        Whether hypotheses lose their vote only after mistakes of the learner.
    order : ndarray of int64, optional
        Follow the first hypothesis of the version space in this order.
    arrays : mapping of str to ndarray, optional
        Arrays of such a state, to continue with.

    Attributes
    ----------
    version_space : ndarray of uint64, shape (words,)
        The hypotheses that the learner predicts from. A label that would leave none changes nothing.
    alive : ndarray of uint64 or None, shape (words,)
        The hypotheses that agree with all labels, or did until none was left; None where that is the version space.
    book : ndarray of int64
        Totals in the order of `FIELDS`.
    """

    def __init__(
        self,
        finite_class: FiniteClass,
        *,
        tie: int = 1,
        lazy: bool = False,
        order: Array | None = None,
        arrays: Mapping[str, Array] | None = None,
    ) -> None:
        refuse_empty(finite_class)
        self.finite_class, self.tie, self.lazy, self.order = finite_class, tie, lazy, order
        count = finite_class.hypotheses
        if arrays is None:
            whole = finite_class.all_hypotheses
            arrays = {"kept": whole, "book": np.array([0, 0, count, count, 0])}
            arrays |= {"alive": whole} if lazy else {}
        self.version_space: Words = arrays["kept"].copy()
        self.book: np.ndarray[Any, np.dtype[np.int64]] = arrays["book"].astype(np.int64)
        self.alive: Words | None = arrays["alive"].copy() if lazy else None
        self.core = _core.Voter(
            finite_class.columns, count, self.version_space, self.book, self.alive, order, tie=tie, lazy=lazy
        )

    def arrays(self) -> dict[str, Array]:
        """The arrays that another state needs to continue."""
        return {"kept": self.version_space, "book": self.book} | ({} if self.alive is None else {"alive": self.alive})

    def with_arrays(self, arrays: Mapping[str, Array]) -> ClassState:
        """A state of the same learner with other arrays, after validation.

        Raises
        ------
        ValueError
            If no run can have produced them.
        """
        _refuse_arrays(self, arrays)
        return ClassState(**self.__getstate__() | {"arrays": arrays})

    def copy(self) -> ClassState:
        """An independent copy."""
        return ClassState(**self.__getstate__())

    @property
    def died(self) -> int | None:
        """The round, from 1, whose label left no hypothesis; None if there is one."""
        return int(self.book[DIED]) or None

    def agreeing(self) -> Array:
        """Numbers of the hypotheses that agree with all labels."""
        if self.died is not None:
            return np.empty(0, dtype=np.int64)
        words = self.version_space if self.alive is None else self.alive
        return np.flatnonzero(unpacked(words[None], self.finite_class.hypotheses)[0])

    def ledger(self, expected: float | None = None) -> ClassLedger:
        """The ledger; `expected` mistakes default to those that were made."""
        totals = dict(zip(FIELDS, self.book.tolist(), strict=True))
        totals["died"] = self.died
        return ClassLedger(**totals, expected=float(totals["mistakes"]) if expected is None else expected)

    def __getstate__(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        settings = {"finite_class": self.finite_class, "tie": self.tie, "lazy": self.lazy, "order": self.order}
        return settings | {"arrays": self.arrays()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ClassState.__init__(self, **state)


def whole_row(array: Array, what: str) -> Array:
    """A row of whole numbers."""
    if array.ndim != 1 or array.dtype != np.int64:
        raise ValueError(f"{what} is no row of whole numbers")
    return array


def _agreeing(finite_class: FiniteClass, some: Array) -> Array:
    """All hypotheses with the labels on which some of them agree."""
    agreeing = finite_class.all_hypotheses.copy()
    for column in finite_class.columns:
        if not (some & ~column).any():
            agreeing &= column
        elif not (some & column).any():
            agreeing &= ~column
    return agreeing


def _size(words: Array) -> int:
    return int(np.unpackbits(words.view(np.uint8)).sum(dtype=np.int64))


def _refuse_arrays(state: ClassState, arrays: Mapping[str, Array]) -> None:
    """Refuse arrays that no run can have produced."""
    if set(arrays) != set(state.arrays()):
        raise ValueError("it has other arrays than such a learner")
    whole = state.finite_class.all_hypotheses
    for name, array in arrays.items():
        if name == "book":
            continue
        if array.shape != whole.shape or array.dtype != np.uint64 or (array & ~whole).any() or not array.any():
            raise ValueError(f"{name} is no set of its hypotheses")
        if not np.array_equal(_agreeing(state.finite_class, array), array):
            raise ValueError(f"{name} are not all hypotheses that agree with some labels")
    if state.lazy and (arrays["alive"] & ~arrays["kept"]).any() and not arrays["book"][FIELDS.index("died")]:
        raise ValueError("a hypothesis agrees with all labels and has no vote")
    book = whole_row(arrays["book"], "book")
    if len(book) != len(FIELDS):
        raise ValueError("its book has another length")
    rounds, mistakes, alive, voters, died = book.tolist()
    agreeing = _size(arrays.get("alive", arrays["kept"]))
    if not (0 <= mistakes <= rounds and 0 <= died <= rounds):
        raise ValueError("it counts more mistakes than rounds, or a death in none of them")
    if voters != _size(arrays["kept"]) or alive != (0 if died else agreeing):
        raise ValueError("its book counts other hypotheses than there are")


def rank(finite_class: FiniteClass, alive: Words | None = None) -> int | None:
    """The rank over GF(2) of the table with a column of ones, less 1; None if elimination would take long.

    It is 0 for a single hypothesis, at most the number of points, and less than the number of hypotheses. A learner
    that predicts by a hypothesis that agrees with all labels so far makes at most as many mistakes.

    Parameters
    ----------
    finite_class : FiniteClass
    alive : ndarray of uint64, shape (words,), optional
        The hypotheses that count, as bits; all by default.
    """
    if alive is None or np.array_equal(alive, finite_class.all_hypotheses):
        return finite_class.cache("rank", lambda: _eliminated(finite_class, finite_class.all_hypotheses))
    return _eliminated(finite_class, alive)


def _eliminated(finite_class: FiniteClass, alive: Words) -> int | None:
    words, rows = len(alive), finite_class.points + 1
    if words * rows * min(rows, finite_class.hypotheses) > MOST_STEPS:
        return None
    return _core.rank_of_bits(np.vstack([alive[None, :], finite_class.columns & alive])) - 1
