"""Where to look for comparators: along vectors of the run and of more passes over its rounds, or along the user's own.

More passes make support vector machines of some penalties, all at once; where rows of more classes than two are many,
or not at hand, the averaged perceptron, and gradient descent in balls, whose averages follow the path of such machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log2, sqrt

import numpy as np

from ... import _core
from ...data.batch import Array
from ...ledger import Ledger
from ...rows.state import Rules, length_of
from ..state import Geometry
from .candidates import Plan
from .evaluate import table_of
from .question import FEW_TARGETS, Question
from .rays import Direction

YOURS = "yours, scaled"
BALLS = (0.125, 0.25, 0.5, 1.0)  # radii, as shares of the largest that can matter
BALLS_OF_MANY = (0.125, 0.5)  # where there are more targets than few
MOST_WEIGHTS = 1 << 22  # of all classes, where a deep search has several machines of each against the rest
OFTEN = 0.2  # the share of updates from which on fewer passes over many rows say as much


def all_directions(question: Question) -> list[list[Direction]]:
    """Where to look for the comparators of each target: along vectors of the run and of more passes, or along the
    user's own alone."""
    columns, targets = question.state.columns, question.state.targets
    if question.against is not None:
        candidates, machines = [(YOURS, *question.against)], []
    else:
        final = question.state.coefficients(), question.state.biases()
        candidates, machines = [("final weights", *final), *question.other], extra_passes(question)
    each = []
    for c in range(targets):
        unit = unit_length(question.sums(c))
        its = directions_along(question, c, unit, [(n, v[:columns, c], float(b[c])) for n, v, b in candidates])
        its += _along_machines(question, c, unit, [(n, v[:columns, c], float(b[c])) for n, v, b in machines])
        its += _along_machines(question, c, unit, _machines_of(question, c))
        # Somewhere to look when there is nowhere better: even v = 0 gives a bound, the number of rounds.
        each.append(its or [Direction("first axis", unit * np.eye(1, max(columns, 1))[0, :columns], 0.0, unit, unit)])
    return each


def directions_along(
    question: Question, target: int, unit: float, vectors: Sequence[tuple[str, Array, float]]
) -> list[Direction]:
    """Directions along these vectors, or along what is near them and allowed, each measured."""
    directions = []
    for name, vector, bias in vectors:
        allowed, its_bias = question.geometry.admissible(vector, bias)
        if name == YOURS and (its_bias != bias or not np.array_equal(allowed, vector)):
            name = question.geometry.PART
        direction = Direction.along(name, allowed, its_bias, unit)
        if direction is not None:
            directions.append(_measured(question.geometry, direction, target))
    return directions


def _along_machines(
    question: Question, target: int, unit: float, vectors: Sequence[tuple[str, Array, float]]
) -> list[Direction]:
    """The same of vectors that nobody else has: those that lie side by side are scaled where they lie."""
    directions, begin = [], 0
    while begin < len(vectors):
        table = table_of([vector for _, vector, _ in vectors[begin:]])
        its = []
        if table is not None:
            its = _along_table(question, target, unit, vectors[begin : begin + table.shape[1]], table)
        its = its or directions_along(question, target, unit, vectors[begin : begin + 1])
        begin += max(1, len(its))
        directions += its
    return directions


def _along_table(
    question: Question, target: int, unit: float, vectors: Sequence[tuple[str, Array, float]], table: Array
) -> list[Direction]:
    """Directions along vectors that are the columns of a table, which they take the place of; none if one of them has
    no length."""
    geometry = question.geometry
    biases = geometry.admit_columns(table, [bias for _, _, bias in vectors])
    lengths = [length_of(squares, b) for squares, b in zip(_core.column_squares(table), biases, strict=True)]
    norms = [length for length in lengths if length is not None]
    if len(norms) < len(lengths):
        return []
    _core.divide_columns(table, norms, unit)
    biases = [bias / norm * unit for bias, norm in zip(biases, norms, strict=True)]
    each = zip(vectors, biases, strict=True)
    directions = [Direction(name, vector, bias, unit) for (name, vector, _), bias in each]
    measured = geometry.measure_columns(table, biases, target)
    if measured is None:
        return [_measured(geometry, direction, target) for direction in directions]
    return [
        replace(one, own=own, divergence=divergence, product=product)
        for one, (own, divergence, product) in zip(directions, measured, strict=True)
    ]


def _measured(geometry: Geometry, direction: Direction, target: int) -> Direction:
    """The direction with what it measures, which in Euclid's geometry is its length."""
    if type(geometry) is Geometry:
        return direction
    own, divergence = geometry.measure(direction.vector, direction.bias, target)
    product = geometry.product(direction.vector, direction.bias, target)
    return replace(direction, own=own, divergence=divergence, product=product)


def unit_length(ledger: Ledger) -> float:
    """A length, a power of two, that brings the margins of the rows to about 1."""
    longest = sqrt(ledger.max_norm2)
    return 2.0 ** -round(log2(longest)) if longest > 0 else 1.0


def extra_plans(question: Question, shares: Sequence[float] = ()) -> list[Plan]:
    """Whose averages are looked along: the perceptron's, and gradient descent's in four balls, or in those of some
    radii, as shares of the largest that can matter."""
    intercept, ledger = question.rules.intercept, question.sums()
    longest = sqrt(ledger.max_norm2)
    if longest == 0 or ledger.rounds == 0:
        return []
    # The bounds are at least (r |v|)^2, so no vector longer than sqrt(rounds) / r says more than v = 0 does.
    largest = sqrt(ledger.rounds) / longest
    plans = [("perceptron, averaged", Rules(intercept=intercept))]
    return plans + [
        (
            f"gradient descent in a ball of {share * largest:.3g}, averaged",
            Rules("ball", "hinge", "self-tuned", share * largest, share * largest * sqrt(2), 0.0, intercept),
        )
        for share in shares or (BALLS if question.state.targets <= FEW_TARGETS else BALLS_OF_MANY)
    ]


def extra_passes(question: Question) -> list[tuple[str, Array, Array]]:
    """Means of support vector machines, or of our own learners, over the same rounds."""
    if question.state.targets == 1 and question.at_hand():
        return question.machines()
    plans = extra_plans(question)
    if not plans:
        return []
    if question.has_few():
        return question.machines_of_classes()
    if question.state.targets <= FEW_TARGETS or not question.has_many():
        return question.means(plans)
    if question.part_is_enough():
        return question.in_part().machines_of_classes()
    return question.means(_few_of(question, plans))


def _machines_of(question: Question, target: int) -> list[tuple[str, Array, float]]:
    """Those of one of several classes against the rest, which a deep search takes its time for."""
    state = question.state
    several = 1 < state.targets <= MOST_WEIGHTS // max(1, state.columns)
    if not (question.deep and several and question.at_hand() and question.against is None):
        return []
    return [(name, vectors[:, 0], float(biases[0])) for name, vectors, biases in question.machines(target)]


def _few_of(question: Question, plans: list[Plan]) -> list[Plan]:
    """Those that are worth their passes over many rows of many classes and columns: the smallest ball says about what
    all say, where targets are often updated; where they are not, it and the perceptron's average do."""
    ledgers = [question.sums(target) for target in range(question.state.targets)]
    often = sum(one.updates for one in ledgers) >= OFTEN * sum(one.rounds for one in ledgers)
    return plans[1:2] if often else plans[:2]
