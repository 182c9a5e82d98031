"""The treeplex of one player: the information set of each sequence, and the parent sequence of each set.

A plan x of realisation probabilities satisfies E x = e: the empty sequence has probability 1, and the sequences of an
information set sum to its parent sequence. E determines the treeplex: its row of a set has -1 at the parent and 1 at
each sequence of the set (von Stengel 1996).

**Vertices.** An optimal plan x, with the values of the other player's information sets, solves a linear program. At a
vertex enough of its inequalities are equalities to determine x: sequences off the support have probability zero, and
best responses of the other player have equal payoffs. The floats suggest these equalities; the nearest independent ones
are solved. On a face of optimal plans the remaining probabilities stay near the floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import InputError, RegretlessError
from ..methods import StopCheck
from ..payoffs import Vector, names_or_numbers
from ..solvers.lifting import PRIMES, Integers, lifted

# Smaller realisation probabilities count as zero, and answers within this share of the largest payoff as best
# responses.
PLAYED, NEARLY = 1e-9, 1e-5
MOST_UNKNOWN = 3000
# The largest denominator of a probability that stays near its float.
STAY = 10**9

Whole = np.ndarray[Any, np.dtype[np.int32]]
Entries = list[tuple[int, int, int]]
LIMIT = 2**31 - 1
NEAR = 1e-6


class Treeplex:
    """One player's sequences and information sets.

    Parameters
    ----------
    constraints : sparse matrix, shape (information sets + 1, sequences)
        E; one row is the empty sequence's, with its 1 in column 0.
    what : str
        Its name in errors.
    names : sequence of str, optional
        Of the sequences; by default their numbers from 0.
    sets : sequence of str, optional
        Of the information sets, in the order of their rows without the empty sequence's; by default their numbers from
        1.
    actions : sequence of str, optional
        Names of the last action of each sequence; by default the sequences' names.

    Attributes
    ----------
    names, actions, sets : list of str
    order : ndarray of int
        The sequences in the kernels' order: those of an information set are consecutive, after their parent.
    places : ndarray of int
        The user's number of each information set of the kernels.
    first, parent : ndarray of int32
        The first sequence and the parent of each set, in the kernels' order.

    Raises
    ------
    RegretlessError
        If the matrix is no constraint matrix of a treeplex.
    """

    def __init__(
        self,
        constraints: Any,
        what: str,
        names: Sequence[str] | None = None,
        sets: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
    ) -> None:
        self.what = what
        self.constraints = constraints
        count = constraints.shape[1]
        parents, children = _families(constraints, what)
        self.order, self.places, self.first, self.parent = _numbered(parents, children, count, what)
        self.names = names_or_numbers(names, count, f"{what}: sequences", first=0)
        self.sets = names_or_numbers(sets, len(parents), f"{what}: information sets")
        self.actions = self.names if actions is None else [str(action) for action in actions]
        if len(self.actions) != count:
            raise RegretlessError(f"{what}: {len(self.actions):,} names of actions; {count:,} sequences need one each")

    def __len__(self) -> int:
        return len(self.order)

    def inward(self, plan: Vector) -> Vector:
        """A plan in the kernels' order."""
        return np.ascontiguousarray(plan[self.order])

    def outward(self, plan: Vector) -> Vector:
        """A plan of the kernels in the user's order."""
        outward = np.empty_like(plan)
        outward[self.order] = plan
        return outward

    def behaviour(self, plan: Vector) -> Vector:
        """The probability of each sequence's last action in its information set; uniform at sets of probability 0.

        Both are in the kernels' order.
        """
        totals = np.add.reduceat(plan, self.first[:-1]) if len(self.parent) else np.empty(0)
        sizes = np.diff(self.first)
        total = np.repeat(totals, sizes)
        steps = np.repeat(1 / sizes, sizes)
        np.divide(plan[1:], total, out=steps, where=total > 0)
        return np.concatenate([np.ones(1), steps])

    def plan(self, behaviour: Vector) -> Vector:
        """The plan of behaviour probabilities: their products along the sequences, in the kernels' order."""
        plan = np.array(behaviour)
        plan[0] = 1.0
        for place, parent in enumerate(self.parent.tolist()):
            plan[self.first[place] : self.first[place + 1]] *= plan[parent]
        return plan

    def uniform(self) -> Vector:
        """The plan that is uniform at every information set, in the kernels' order."""
        return self.plan(self.behaviour(np.zeros(len(self))))

    def named(self, plan: Sequence[Any]) -> dict[str, dict[str, Any]]:
        """The behaviour of a plan in the user's order, of any numbers, at each information set that it reaches."""
        inward = [plan[place] for place in self.order.tolist()]
        actions = [self.actions[place] for place in self.order.tolist()]
        chances: dict[str, dict[str, Any]] = {}
        for place in np.argsort(self.places).tolist():
            own = slice(self.first[place], self.first[place + 1])
            if inward[self.parent[place]] > 0 and (total := sum(inward[own])) > 0:
                steps = [chance / total for chance in inward[own]]
                chances[self.sets[self.places[place]]] = dict(zip(actions[own], steps, strict=True))
        return chances

    def inward_plan(self, plan: Any) -> Vector:
        """A user's plan, validated and in the kernels' order.

        Raises
        ------
        RegretlessError
            If it is no plan of the treeplex.
        """
        try:
            outward = np.ascontiguousarray(np.asarray(plan, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise RegretlessError(f"{self.what}: a plan of probabilities is expected ({error})") from error
        if outward.shape != (len(self),):
            expected = f"one probability for each of {len(self):,} sequences is expected"
            raise RegretlessError(f"{self.what}: shape {outward.shape}; {expected}")
        inward = self.inward(outward)
        if not (inward >= 0).all() or not abs(inward[0] - 1) <= NEAR:
            raise RegretlessError(f"{self.what}: nonnegative probabilities are expected, and 1 for the empty sequence")
        if len(self.parent):
            missing = np.abs(np.add.reduceat(inward, self.first[:-1]) - inward[self.parent])
            worst = int(np.argmax(missing))
            if not missing[worst] <= NEAR:
                name = self.sets[self.places[worst]]
                raise RegretlessError(
                    f"{self.what}: the sequences of information set {name!r} do not sum to their parent; the"
                    f" difference is {missing[worst]:.3g}"
                )
        return inward


def _families(constraints: Any, what: str) -> tuple[list[int], list[list[int]]]:
    """The parent of each information set, in the order of rows, and its sequences."""
    parents: list[int] = []
    children: list[list[int]] = []
    roots = 0
    starts, columns, values = (part.tolist() for part in (constraints.indptr, constraints.indices, constraints.data))
    for row, (begin, end) in enumerate(pairwise(starts)):
        entries = list(zip(columns[begin:end], values[begin:end], strict=True))
        if entries == [(0, 1.0)]:
            roots += 1
            continue
        above = [column for column, value in entries if value == -1]
        below = [column for column, value in entries if value == 1]
        if len(above) != 1 or not below or len(above) + len(below) < len(entries):
            raise InputError(
                f"{what}: row {row} is no information set",
                "a -1 where it is entered and 1 at each action are expected",
            )
        parents.append(above[0])
        children.append(below)
    if roots != 1:
        raise InputError(f"{what}: {roots} rows give sequence 0, the empty one, the probability 1", "one is expected")
    return parents, children


def _numbered(
    parents: list[int], children: list[list[int]], count: int, what: str
) -> tuple[Whole, Whole, Whole, Whole]:
    """The sequences and sets in the kernels' order: a set comes after its parent."""
    if count >= LIMIT:
        raise InputError(f"{what}: {count:,} sequences", f"at most {LIMIT:,} are expected")
    owner = [-1] * count
    entered: list[list[int]] = [[] for _ in range(count)]
    for place, (parent, below) in enumerate(zip(parents, children, strict=True)):
        entered[parent].append(place)
        for sequence in below:
            if owner[sequence] >= 0 or sequence == 0:
                raise InputError(f"{what}: sequence {sequence} ends in two information sets, or is the empty one")
            owner[sequence] = place
    order, places, first, parent_of = [0], [], [1], []
    waiting = [(place, 0) for place in reversed(entered[0])]
    while waiting:
        place, parent = waiting.pop()
        places.append(place)
        parent_of.append(parent)
        begin = len(order)
        order.extend(children[place])
        first.append(len(order))
        for step, sequence in reversed(list(enumerate(children[place]))):
            waiting.extend((later, begin + step) for later in reversed(entered[sequence]))
    if len(order) < count:
        lost = min(set(range(count)).difference(order))
        where = "ends in no information set" if owner[lost] < 0 else "does not come from the empty sequence"
        raise InputError(f"{what}: sequence {lost} {where}")
    return _read_only(order), _read_only(places), _read_only(first), _read_only(parent_of)


def _read_only(numbers: list[int]) -> Whole:
    """A read-only array."""
    array = np.asarray(numbers, dtype=np.int32)
    array.flags.writeable = False
    return array


def vertex(own: Treeplex, other: Treeplex, entries: Entries, plan: Vector, check_stop: StopCheck) -> list[int] | None:
    """The plan in whole numbers, each to be divided by the first one.

    Parameters
    ----------
    own, other : Treeplex
        The player of the plan, and the other one.
    entries : list of (int, int, int)
        Payoffs of the other player, by its sequence and the plan's.
    plan : ndarray
        In floats.
    check_stop : callable
        Called at intervals; an exception ends the computation.

    Returns
    -------
    list of int or None
        None if the plan is near no such point, or there are too many equations.
    """
    played = np.flatnonzero(plan > PLAYED)
    unknown = len(played) + len(other.parent) + 1
    if unknown > MOST_UNKNOWN or played[0] != 0:
        return None
    lines = _equations(own, other, entries, played, _lost(other, entries, plan))
    for place, chance in enumerate(plan[played].tolist()[1:], 1):
        stays = Fraction(chance).limit_denominator(STAY)
        lines.append({place: stays.denominator, 0: -stays.numerator})
    matrix = np.full((len(lines), unknown), 0, dtype=object)
    for number, line in enumerate(lines):
        matrix[number, list(line)] = list(line.values())
    chosen = _independent(matrix, check_stop)
    if len(chosen) < unknown:
        return None
    # The first one says that the first probability is 1; added to all others, it makes all right sides 1.
    matrix[1:, 0] += 1
    weights = lifted(matrix[chosen], check_stop)
    if weights is None or min(weights[: len(played)]) < 0:
        return None
    numbers = [0] * len(own)
    for place, weight in zip(played.tolist(), weights, strict=False):
        numbers[place] = int(weight)
    return numbers


def _lost(other: Treeplex, entries: Entries, plan: Vector) -> Vector:
    """The loss of each sequence against the best response in its information set, as a share of the largest payoff."""
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
    """Equations that may hold, by their unknowns; nearest first.

    Unknowns are the sequences of the support, the value of the empty sequence, and those of the information sets.
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


def _independent(matrix: Integers, check_stop: StopCheck) -> list[int]:
    """The first rows that are independent of those before, modulo a prime."""
    prime = PRIMES[0]
    left = (matrix % prime).astype(np.int64)
    chosen: list[int] = []
    for row in range(len(left)):
        check_stop()
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
