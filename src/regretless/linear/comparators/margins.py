"""The largest margin of the rounds of one target, where it is worth its search, or why no vector separates them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.batch import Array, Batch
from ...theory.facts import SEPARATES
from ...theory.perceptron import CLASSES_SEPARATE
from ..separation.budget import DEEPER, Budget
from ..separation.margin import work_to_begin
from ..separation.result import OPEN, CallRows
from .candidates import margin_direction
from .directions import directions_along, unit_length
from .evaluate import Vector, scores_of, signed
from .machines import climb_to_margin
from .question import Question, Rounds, orders_of
from .rays import Direction, Ray

MOST_WHOLE = 200_000  # entries of rows that a quick search goes over though nothing separates them
MOST_LOOKED_AT = 1 << 14  # of the rows of larger ones, among which are those that seem to be wrong
PROOF_WORK, PROOF_AN_ENTRY = 1.5e8, 20.0  # multiplications of the search among some rows that cannot be separated
# A margin that no line asks for is looked for up to so many rows a column, and where no more of them are wrong, a
# column and as a share.
FEW_A_COLUMN, WRONG_A_COLUMN, FEW_WRONG = 4, 2, 0.03
# Rows of which the first step of a search costs more multiplications: a machine of no penalty climbs to a margin of
# them, if they are no more than their columns or the step costs more an entry too. Up to how many passes, and entries
# looked at, which are cheaper of dense rows; and after how many passes it is looked at the margin.
DEAR, DEAR_AN_ENTRY = 3e7, 1000.0
MOST_PASSES, MOST_ENTRIES, MOST_OF_DENSE, SOME_PASSES = 50, 1_000_000, 10_000_000, 10
SOME = 512, 1024  # rows of larger ones that it looks at then, so many at least and at most
UNKNOWN = f"{OPEN}those that were looked at can{DEEPER}"
WIDE = f"{OPEN}the few that would be looked at mostly can, so many columns they have{DEEPER}"


def with_signs(question: Question, rounds: Rounds, target: int) -> Iterator[tuple[Batch, Array]]:
    """Rounds with the signs of one target."""
    for batch, codes in rounds():
        yield batch, signed(codes, target, question.state.targets)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The vector that has the fewest rounds wrong: how many these are, whether it or another one has none, and the
    margins of all rows, if they were written down."""

    vector: Vector
    errors: float
    separates: bool
    margins: Array | None = None

    @classmethod
    def of(cls, rays: Sequence[Ray]) -> Nearest:
        """That of some rays."""
        ray, separates = min(rays, key=lambda ray: ray.errors), any(ray.least > 0 for ray in rays)
        along = ray.direction
        return cls(Vector(along.name, along.vector, along.bias), ray.errors, separates, ray.margins)

    def is_near(self, batch: Batch) -> bool:
        """Whether it has so few wrong that there may well be a margin: machines of a small one leave about one wrong a
        column."""
        return self.separates or self.errors <= min(WRONG_A_COLUMN * batch.columns, FEW_WRONG * len(batch))


def worth_a_margin(question: Question, batch: Batch, nearest: Nearest) -> bool:
    """Whether to look for a margin: a line says why there is none, or rows are so few, or so few of them wrong, that
    there may well be one; not where no line asks and margins serve no theorem."""
    if not (question.geometry.LIKES_MARGINS or _is_asked(question)):
        return False
    return (
        nearest.separates
        or _is_asked(question)
        or len(batch) <= FEW_A_COLUMN * batch.columns
        or (question.entries_of(batch) <= MOST_WHOLE and nearest.is_near(batch))
    )


def _is_asked(question: Question) -> bool:
    """Whether a line says why there is no margin, of two classes or of several."""
    assumed = {words for one in question.theorems for words, _ in one.assumes}
    return not assumed.isdisjoint((SEPARATES[0], CLASSES_SEPARATE[0]))


def find_margin(
    question: Question, batch: Batch, signs: Array, nearest: Nearest, most: int = MOST_WHOLE
) -> tuple[str, Array, float] | str:
    """The vector of the largest margin, as far as it is looked for; or why there is none. Where it is not likely that
    there is one, and of more entries, some of the rows are asked first, and all of up to so many entries if these can
    be separated."""
    if not (question.deep or nearest.separates):
        entries, few = question.entries_of(batch), len(batch) <= FEW_A_COLUMN * batch.columns
        if entries > MOST_WHOLE or not (few or nearest.is_near(batch)):
            why = _why_inseparable(question, batch, signs, nearest)
            likely = why == UNKNOWN or (few and why == WIDE)
            if not likely or entries > max(most, MOST_WHOLE):
                return why
    budget, toward = question.budget(batch.entries, nearest.separates), (nearest.vector.vector, nearest.vector.bias)
    work = work_to_begin(batch)
    dear = work > DEAR_AN_ENTRY * batch.entries
    if not question.deep and work > DEAR and (dear or len(batch) <= batch.columns):
        climbed, near = _climbed_margin(question, batch, signs, nearest)
        if climbed is not None and (near or dear):
            return climbed
        if dear:
            budget = Budget(work=0.0, more=DEEPER)
            scores = None if nearest.margins is None else signs * nearest.margins
            asked = _is_asked(question) and not nearest.separates
            if not asked or not may_be_obvious(batch, signs, question.rules.intercept, scores):
                return budget.why if nearest.separates else OPEN + budget.why
    return margin_direction(batch, signs, question.rules.intercept, budget, question.call, toward, nearest.separates)


def _climbed_margin(
    question: Question, batch: Batch, signs: Array, nearest: Nearest
) -> tuple[tuple[str, Array, float] | None, bool]:
    """The vector that a machine climbs to, and whether its margin is nearly the largest; None where rows are many, or
    many of more rows than columns are wrong, or it does not separate them."""
    most = MOST_ENTRIES if batch.sparse else MOST_OF_DENSE
    passes = min(MOST_PASSES, most // max(1, batch.entries * question.state.targets))
    if passes < SOME_PASSES or nearest.errors > FEW_WRONG * len(batch) > FEW_WRONG * batch.columns:
        return None, False
    orders, longest2 = orders_of(len(batch), SOME_PASSES), question.sums().max_norm2
    return climb_to_margin(batch, signs, question.rules.intercept, longest2, orders, passes)


def may_be_obvious(batch: Batch, labels: Array, intercept: float, scores: Array | None = None) -> bool:
    """Whether a row may be zero, or two equal ones of different labels, by scores, by default random ones, that equal
    rows have alike. To look closer, scipy's matrices must be imported, which takes as long as the rest of a search
    among few rows."""
    if scores is None:
        random = np.random.default_rng(0).standard_normal(batch.columns)
        scores = scores_of(batch, Vector("", random, 0.0), 0.0)
    values = np.sort(scores)  # in a fraction of the time that their order takes
    if not np.isfinite(values[[0, -1]]).all() or not (intercept or scores.all()):
        return True
    if (values[1:] != values[:-1]).all():
        return False
    order = np.argsort(scores, kind="stable")
    labels, scores = labels[order], scores[order]
    return bool(((scores[1:] == scores[:-1]) & (labels[1:] != labels[:-1])).any())


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


def _why_inseparable(question: Question, batch: Batch, signs: Array, nearest: Nearest) -> str:
    """Whether some of the rows cannot be separated, and thus all."""
    budget = proof_budget(batch.entries, question.state.targets)
    return why_inseparable(
        batch, signs, question.rules.intercept, nearest.vector, budget, question.call, nearest.margins
    )


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
        numbers = np.arange(MOST_LOOKED_AT) * len(batch) // MOST_LOOKED_AT
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
