"""The vertex, or the point of a face, that a player's plan stands at, in whole numbers.

A best plan x, together with what the other player can win from each of its information sets on, solves a linear
program. At a vertex of it so many of its inequalities are equalities that these determine x: sequences that are not
played have probability zero, and answers of the other player that are as good as its best ones win as much. Floats tell
which of them may be; of those that seem to be, the nearest ones that are independent of each other are solved. Where
they leave something open, on a face of equally good plans, probabilities stay near the floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..raw_solution import Vector
from ..solvers.interrupt import Look
from ..solvers.lifting import PRIMES, Integers, lifted
from .treeplex import Treeplex

Entries = list[tuple[int, int, int]]

# Realisation probabilities below are none, and shares of the largest payoff up to which answers may be the best ones.
PLAYED, NEARLY = 1e-9, 1e-5
MOST_UNKNOWN = 3000
# How long denominators are of what stays near a float.
LARGEST = 10**9


def vertex(own: Treeplex, other: Treeplex, entries: Entries, plan: Vector, look: Look) -> list[int] | None:
    """The plan in whole numbers, each to be divided by the first one.

    Parameters
    ----------
    own, other : Treeplex
        Whose plan it is, and who answers.
    entries : list of (int, int, int)
        What the other player wins, by its sequence and the plan's.
    plan : ndarray
        In floats.
    look : callable
        Called now and then; it may end all by an exception.

    Returns
    -------
    list of int or None
        None if the plan is near no such point, or the equations are too many.
    """
    played = np.flatnonzero(plan > PLAYED)
    unknown = len(played) + len(other.parent) + 1
    if unknown > MOST_UNKNOWN or played[0] != 0:
        return None
    lines = _equations(own, other, entries, played, _lost(other, entries, plan))
    for place, chance in enumerate(plan[played].tolist()[1:], 1):
        stays = Fraction(chance).limit_denominator(LARGEST)
        lines.append({place: stays.denominator, 0: -stays.numerator})
    matrix = np.full((len(lines), unknown), 0, dtype=object)
    for number, line in enumerate(lines):
        matrix[number, list(line)] = list(line.values())
    chosen = _independent(matrix, look)
    if len(chosen) < unknown:
        return None
    # The first one says that the first probability is 1; added to all others, it makes all right sides 1.
    matrix[1:, 0] += 1
    weights = lifted(matrix[chosen], look)
    if weights is None or min(weights[: len(played)]) < 0:
        return None
    numbers = [0] * len(own)
    for place, weight in zip(played.tolist(), weights, strict=False):
        numbers[place] = int(weight)
    return numbers


def _lost(other: Treeplex, entries: Entries, plan: Vector) -> Vector:
    """By how much less than the best answer each sequence wins in its information set, of the largest payoff."""
    largest = max((abs(value) for _, _, value in entries), default=1) or 1
    earned = np.zeros(len(other))
    for answer, place, value in entries:
        earned[answer] += value / largest * plan[place]
    lost = np.zeros(len(other))
    for place in range(len(other.parent) - 1, -1, -1):
        own = slice(other.first[place], other.first[place + 1])
        best = earned[own].max()
        lost[own] = best - earned[own]
        earned[other.parent[place]] += best
    return lost


def _equations(own: Treeplex, other: Treeplex, entries: Entries, played: Any, lost: Vector) -> list[dict[int, int]]:
    """Equations that may hold, by their unknowns: the first sequence's, the plan's, and the answers', nearest first.

    Unknown are the sequences that are played, what the empty sequence wins, and what each information set does.
    """
    count = len(played)
    column = {int(place): number for number, place in enumerate(played)}
    begin: list[dict[int, int]] = [{0: 1}]
    for place, parent in enumerate(own.parent.tolist()):
        ends = [column[step] for step in range(own.first[place], own.first[place + 1]) if step in column]
        line = dict.fromkeys(ends, 1) | ({column[parent]: -1} if parent in column else {})
        if line:
            begin.append(line)
    owner = np.concatenate([[0], np.repeat(np.arange(1, len(other.parent) + 1), np.diff(other.first))])
    answers: list[dict[int, int]] = [{count + int(place): -1} for place in owner]
    for place, parent in enumerate(other.parent.tolist()):
        answers[parent][count + 1 + place] = 1
    for answer, place, value in entries:
        if place in column:
            answers[answer][column[place]] = value
    near = [place for place in np.argsort(lost, kind="stable").tolist() if lost[place] <= NEARLY]
    return begin + [answers[place] for place in near]


def _independent(matrix: Integers, look: Look) -> list[int]:
    """The first rows that are independent of those before, modulo a prime."""
    prime = PRIMES[0]
    left = (matrix % prime).astype(np.int64)
    chosen: list[int] = []
    for row in range(len(left)):
        look()
        places = np.flatnonzero(left[row])
        if not places.size:
            continue
        chosen.append(row)
        line = left[row, places] * pow(int(left[row, places[0]]), -1, prime) % prime
        touched = row + 1 + np.flatnonzero(left[row + 1 :, places[0]])
        block = np.ix_(touched, places)
        left[block] = (left[block] - np.multiply.outer(left[touched, places[0]], line)) % prime
        if len(chosen) == matrix.shape[1]:
            break
    return chosen
