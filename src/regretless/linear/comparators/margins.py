"""The largest margin of the rounds of one target, where it is worth its search, or why no vector separates them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...data.batch import Array, Batch
from ...theory.facts import SEPARATES
from ..separation.budget import DEEPER, Budget
from ..separation.result import OPEN, CallRows
from .candidates import margin_direction
from .directions import directions_along, unit_length
from .evaluate import Vector, scores_of, signed
from .question import Question, Rounds
from .rays import Direction, Ray

MOST_WHOLE = 200_000  # entries of rows that a quick search goes over though nothing seems to separate them
MOST_LOOKED_AT = 1 << 14  # of the rows of larger ones, among which are those that seem to be wrong
PROOF_WORK, PROOF_AN_ENTRY = 1.5e8, 20.0  # multiplications of the search among some rows that cannot be separated
# A margin that no line asks for is looked for up to so many rows a column, and where no more of them are wrong, a
# column and as a share.
FEW_A_COLUMN, WRONG_A_COLUMN, FEW_WRONG = 4, 2, 0.02
SOME = 256, 1024  # rows of larger ones that it looks at then, so many at least and at most
UNKNOWN = f"{OPEN}those that were looked at can{DEEPER}"
WIDE = f"{OPEN}the few that would be looked at mostly can, so many columns they have{DEEPER}"


def with_signs(question: Question, rounds: Rounds, target: int) -> Iterator[tuple[Batch, Array]]:
    """Rounds with the signs of one target."""
    for batch, codes in rounds():
        yield batch, signed(codes, target, question.state.targets)


def worth_a_margin(question: Question, batch: Batch, rays: list[Ray]) -> bool:
    """Whether to look for a margin where no ray has one: a line says why there is none, or rows are so few, or so few
    of them wrong, that there may well be one: machines of a small margin leave about one wrong a column."""
    return (
        any(SEPARATES[0] in dict(one.assumes) for one in question.theorems)
        or len(batch) <= FEW_A_COLUMN * batch.columns
        or (
            question.entries_of(batch) <= MOST_WHOLE
            and min(ray.errors for ray in rays) <= min(WRONG_A_COLUMN * batch.columns, FEW_WRONG * len(batch))
        )
    )


def find_margin(
    question: Question, batch: Batch, signs: Array, rays: list[Ray], separated: bool
) -> tuple[str, Array, float] | str:
    """The vector of the largest margin, as far as it is looked for; or why there is none."""
    fewest = min(rays, key=lambda ray: ray.errors)
    if not (question.deep or separated or question.entries_of(batch) <= MOST_WHOLE):
        return _why_inseparable(question, batch, signs, fewest)
    budget, toward = question.budget(batch.entries, separated), (fewest.direction.vector, fewest.direction.bias)
    return margin_direction(batch, signs, question.rules.intercept, budget, question.call, toward, separated)


def margin_directions(question: Question, target: int) -> tuple[list[Direction], str | None]:
    """The direction of the largest margin of rounds that are all in memory, or why there is none."""
    for batch, signs in with_signs(question, question.rounds, target):
        if batch.columns:
            margin = margin_direction(
                batch, signs, question.rules.intercept, question.budget(batch.entries), question.call
            )
            if isinstance(margin, str):
                return [], margin
            named = with_its_length(question, margin)
            return directions_along(question, target, unit_length(question.sums(target)), [named]), None
    return [], None


def with_its_length(question: Question, margin: tuple[str, Array, float]) -> tuple[str, Array, float]:
    """The vector whose name says by which length its margin is the largest, where theorems measure by another."""
    name, vector, bias = margin
    return name + question.geometry.OF_MARGIN, vector, bias


def _why_inseparable(question: Question, batch: Batch, signs: Array, ray: Ray) -> str:
    """Whether some of the rows cannot be separated, and thus all."""
    direction = ray.direction
    vector = Vector(direction.name, direction.vector, direction.bias)
    budget = proof_budget(batch.entries, question.state.targets)
    return why_inseparable(batch, signs, question.rules.intercept, vector, budget, question.call, ray.margins)


def proof_budget(entries: int, parts: int = 1) -> Budget:
    """What `why_inseparable` may cost of rows with so many entries, as one of some parts."""
    return Budget(work=(PROOF_WORK + PROOF_AN_ENTRY * entries) / parts, more=DEEPER)


def why_inseparable(
    batch: Batch,
    signs: Array,
    intercept: float,
    vector: Vector,
    budget: Budget,
    call: CallRows,
    margins: Array | None = None,
) -> str:
    """Whether some of the rows cannot be separated, and thus all: those that a vector has most wrong, and others.

    None are looked at where they would be fewer than twice the columns: half of all labels of so few can be separated
    (Cover 1965).

    Parameters
    ----------
    batch, signs, intercept, budget, call
        As for `margin_direction`.
    vector : Vector
    margins : ndarray, shape (rows,), optional
        Those of the vector, where they are known.

    Returns
    -------
    str
        Which begins with `INSEPARABLE` where that is proved.
    """
    fewest, most = SOME
    count = min(len(batch), max(fewest, min(2 * batch.columns, most)))
    if count < 2 * batch.columns:
        return WIDE
    random = np.random.default_rng(0)
    numbers = np.arange(len(batch))
    if len(batch) > MOST_LOOKED_AT:
        numbers = np.sort(random.integers(0, len(batch), MOST_LOOKED_AT))
    if margins is not None:
        margins = margins[numbers]
    else:
        margins = signs[numbers] * scores_of(batch.take(numbers), vector, intercept)
    some = np.full(len(numbers), count == len(numbers))
    some[np.argpartition(margins, count // 2)[: count // 2]] = True
    some[random.integers(0, len(numbers), count // 2)] = True
    numbers = numbers[some]
    margin = margin_direction(
        batch.take(numbers), signs[numbers], intercept, budget, lambda places: call(numbers[places])
    )
    return margin if isinstance(margin, str) else UNKNOWN
