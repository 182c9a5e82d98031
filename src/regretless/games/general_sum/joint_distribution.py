"""Gains of two players by deviating from a joint distribution, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import RegretlessError
from ..payoffs import Array, Payoffs
from .exact_integers import Whole, whole_payoffs, whole_strategy


def joint_of(probabilities: Any, shape: tuple[int, int], what: str = "joint") -> Array:
    """A table of probabilities of pairs of a row and a column: floats or fractions.

    Raises
    ------
    RegretlessError
        If its shape is not that of the payoffs.
    """
    table = probabilities if isinstance(probabilities, np.ndarray) else np.array(probabilities, dtype=object)
    if table.shape != shape:
        raise RegretlessError(f"{what}: shape {table.shape}; one probability for each of {shape[0]} x {shape[1]} pairs")
    return table


def joint_gains(A: Payoffs, B: Payoffs, joint: Array, coarse: bool) -> tuple[Fraction, Fraction]:
    """The gain of each player by its best deviation from the joint distribution.

    Coarse: a deviation is one fixed strategy, chosen before the draw; the gain is negative if each of them is worse
    than following. Else a deviation replaces each recommended strategy by another one, or the same; the gain is that
    of the best replacements together.
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
    answers = payoffs.values @ drawn.values.T  # payoff of row i where row k was recommended: row i, column k
    return Fraction((answers.max(axis=0) - answers.diagonal()).sum()) * payoffs.unit * drawn.unit


def _transposed(table: Whole) -> Whole:
    return Whole(table.values.T, table.unit)
