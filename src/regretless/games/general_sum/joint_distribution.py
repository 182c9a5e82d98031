"""What two players gain by not following a joint distribution, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import RegretlessError
from ..payoffs import Array, Payoffs
from .exact_integers import Whole, whole_payoffs, whole_strategy


def joint_of(probabilities: Any, shape: tuple[int, int], what: str = "joint") -> Array:
    """Probabilities of pairs of a row and a column, as users give them: floats, or fractions.

    Raises
    ------
    RegretlessError
        If they have not the payoffs' shape.
    """
    table = probabilities if isinstance(probabilities, np.ndarray) else np.array(probabilities, dtype=object)
    if table.shape != shape:
        raise RegretlessError(f"{what}: shape {table.shape}; one probability for each of {shape[0]} x {shape[1]} pairs")
    return table


def joint_gains(A: Payoffs, B: Payoffs, joint: Array, coarse: bool) -> tuple[Fraction, Fraction]:
    """By how much more each player would win by its best way not to follow what is drawn.

    Coarse: who does not follow plays one fixed strategy, chosen before the draw; if all of them are worse than to
    follow, the gain is negative. Else it answers each strategy that it is shown by another one, or the same: the
    gain is that of the best answers to all of them together.
    """
    table = whole_strategy(joint.ravel().tolist(), joint.size, "joint")
    drawn = Whole(table.values.reshape(joint.shape), table.unit)
    gain = _fixed if coarse else _swapped
    return gain(whole_payoffs(A), drawn), gain(_transposed(whole_payoffs(B)), _transposed(drawn))


def _fixed(payoffs: Whole, drawn: Whole) -> Fraction:
    answers = payoffs.values @ drawn.values.sum(axis=0)
    gain = answers.max() - (payoffs.values * drawn.values).sum()
    return Fraction(gain) * payoffs.unit * drawn.unit


def _swapped(payoffs: Whole, drawn: Whole) -> Fraction:
    answers = payoffs.values @ drawn.values.T  # what row i wins where row k was shown: row i, column k
    return Fraction((answers.max(axis=0) - answers.diagonal()).sum()) * payoffs.unit * drawn.unit


def _transposed(table: Whole) -> Whole:
    return Whole(table.values.T, table.unit)
