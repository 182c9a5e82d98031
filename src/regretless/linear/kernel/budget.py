"""What goes when the support has one row more than its budget, and what that costs.

The length of all that is removed is added up, because with it the perceptron's bound still holds (see
`regretless.theory.perceptron`); rounding errors are added on its side.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from ...data.batch import Array
from .rules import KernelRules
from .state import LENGTHS, TIMES, DualArrays

REFRESH = 256  # removals after which the inverse is computed afresh
RIDGE = 1e-10  # of the mean of the diagonal: what keeps the inverse of nearly dependent rows finite
DEPENDENT = 1e-8  # share of its squared length by which a row must leave the span of the others to count as new
ROUNDING, TINY = 2.0**-52, 1e-300


def remove_one(state: DualArrays, rules: KernelRules, row: Callable[[int], Array], square: Callable[[], Array]) -> int:
    """Remove a slot by the rules' policy; the last slot moves there.

    Parameters
    ----------
    state : DualArrays
    rules : KernelRules
    row : callable
        Gives the values of the kernel of a slot and each slot.
    square : callable
        Gives those of all pairs of slots.

    Returns
    -------
    int
        Which slot it was.
    """
    if rules.removal == "projection":
        return _project(state, square())
    slot = CHOICES[rules.removal](state, _own(state, rules))
    values = row(slot)
    parts, score = state.support.coefficients[slot].copy(), values @ state.support.coefficients[: state.support.count]
    _charge(state, np.abs(parts) * sqrt(values[slot]))
    state.norm2[:, 0] = np.maximum(state.norm2[:, 0] - parts * (2 * score - parts * values[slot]), 0)
    state.support.drop(slot)
    return slot


def _charge(state: DualArrays, lengths: Array) -> None:
    state.removed[:, LENGTHS] += lengths * (1 + 8 * ROUNDING)
    state.removed[:, TIMES] += 1


def _own(state: DualArrays, rules: KernelRules) -> Array:
    """K(s, s) of every slot."""
    support = state.support
    norm2 = support.norm2[: support.count]
    if rules.kernel == "rbf":
        return np.full(support.count, 1 + rules.intercept**2)
    if rules.kernel == "poly":
        return np.asarray((state.gamma * norm2 + rules.coef0) ** rules.degree + rules.intercept**2)
    return np.asarray(norm2 + rules.intercept**2)


# ---- which slot goes; never the one that was filled last


def _oldest(state: DualArrays, own: Array) -> int:
    return int(np.argmin(state.support.born[: state.support.count - 1]))


def _random(state: DualArrays, own: Array) -> int:
    # A generator for each removal, so that a run that is resumed draws what it would have drawn.
    random = np.random.default_rng([state.seed, int(state.removed[0, TIMES])])
    return int(random.integers(state.support.count - 1))


def _smallest(state: DualArrays, own: Array) -> int:
    """The slot whose part of the functions is shortest, the oldest among equals."""
    old = state.support.count - 1
    sizes = (state.support.coefficients[:old] ** 2).sum(axis=1) * own[:old]
    equals = np.flatnonzero(sizes == sizes.min())
    return int(equals[np.argmin(state.support.born[equals])])


CHOICES: dict[str, Callable[[DualArrays, Array], int]] = {"oldest": _oldest, "random": _random, "smallest": _smallest}


# ---- projection


def _project(state: DualArrays, gram: Array) -> int:
    """Replace a slot by the nearest combination of the others: the slot for which that costs least."""
    support = state.support
    count = support.count
    inverse = _bordered(state, gram)
    coefficients = support.coefficients[:count]
    if inverse is None:  # the new row depends on the others: they take it over
        slot, part = count - 1, np.append(-(state.inverse @ gram[:-1, -1]), 1.0)
    else:
        slot = int(np.argmin((coefficients**2).sum(axis=1) / np.maximum(np.diagonal(inverse), TINY)))
        part = inverse[slot] / inverse[slot, slot]
        inverse -= np.outer(part, inverse[slot].copy())
        state.inverse = _without(inverse, slot)
        part[slot] = 1.0
    # What is removed, for a coefficient of 1, is this combination of all rows. Its length may lose everything to
    # cancellation, so what it may have lost is added.
    mass = float(np.abs(part) @ np.sqrt(np.diagonal(gram)))
    length2 = max(float(part @ gram @ part), 0.0) + 4 * count * ROUNDING * mass**2
    _charge(state, np.abs(coefficients[slot]) * sqrt(length2))
    coefficients -= np.outer(part, coefficients[slot].copy())
    state.norm2[:, 0] = np.maximum((coefficients * (gram @ coefficients)).sum(axis=0), 0)
    support.drop(slot)
    state.square = _without(gram, slot)
    return slot


def _bordered(state: DualArrays, gram: Array) -> Array | None:
    """The inverse with the new row in it; None if the row is in the span of the others, up to rounding."""
    old, times = len(gram) - 1, int(state.removed[0, TIMES])
    if len(state.inverse) != old or times % REFRESH == 0:
        block = gram[:-1, :-1]
        mean = float(np.trace(block)) / old or 1.0  # 0 where all rows are
        state.inverse = np.linalg.inv(block + RIDGE * mean * np.eye(old))
    shares = state.inverse @ gram[:-1, -1]
    rest = float(gram[-1, -1] - shares @ gram[:-1, -1])
    if rest <= DEPENDENT * gram[-1, -1]:
        return None
    edge = np.append(-shares, 1.0)
    inverse = np.outer(edge, edge / rest)
    inverse[:-1, :-1] += state.inverse
    return inverse


def _without(square: Array, slot: int) -> Array:
    """The matrix without a slot, in the order of slots after the last one moved there."""
    square[slot], square[:, slot] = square[-1], square[:, -1]
    return np.ascontiguousarray(square[:-1, :-1])
