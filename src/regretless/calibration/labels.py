"""Which of two labels each round has, in any of the codings that users have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import RegretlessError

Flags = np.ndarray[Any, np.dtype[np.bool_]]
LABELS = (-1, 0, 1)
EXPECTED = "bool, 0 and 1, or -1 and 1 are expected"


def is_larger(label: Any) -> bool:
    """Whether a label is the larger one.

    Raises
    ------
    RegretlessError
        If it is none of True, False, -1, 0 and 1.
    """
    if not _known(label):
        raise RegretlessError(f"label {label!r}: {EXPECTED}")
    return bool(label > 0)


def which_are_larger(labels: Any, rounds: int, what: str) -> Flags:
    """Whether each label is the larger one, shape (rounds,); `what` names the column beside them.

    Raises
    ------
    RegretlessError
        If there are more or fewer labels than rounds, or others than two; the message says in which row (from 0).
    """
    each = np.asarray(labels).ravel()
    if len(each) != rounds:
        raise RegretlessError(f"{rounds:,} {what} and {len(each):,} labels: one of each a round is expected")
    numeric = each.dtype.kind in "biuf"
    known = np.isin(each, LABELS) if numeric else np.array([_known(one) for one in each.tolist()], dtype=bool)
    if not known.all():
        row = int(np.argmin(known))
        raise RegretlessError(f"labels: row {row} (from 0) is {each.tolist()[row]!r}: {EXPECTED}")
    if (each == -1).any() and (each == 0).any():
        raise RegretlessError(f"labels: there are both -1 and 0: {EXPECTED}")
    return np.asarray(each > 0, dtype=np.bool_)


def _known(label: Any) -> bool:
    return isinstance(label, int | float | np.number | np.bool_) and label in LABELS
