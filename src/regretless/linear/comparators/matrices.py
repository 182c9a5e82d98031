"""Certificates against matrices, a vector for each class: by how much the class of a round is above the best other.

As for single vectors, directions come first and then the best scale along each: the leads of s * V are s times those of
V, so that all scales are read from one table of leads.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, isfinite, sqrt
from typing import Any

import numpy as np

from ... import _core
from ...certificate import Certificate
from ...comparator import Comparator
from ...data.batch import Array, Batch, norms2
from ...data.sample import one_in
from ...errors import RegretlessError
from ...rows.state import Rules, length
from ...theory.facts import LinearFacts
from ...theory.perceptron import CLASSES_SEPARATE
from ..separation.budget import DEEPER
from ..separation.classes import max_margin_of_classes, most_confused
from ..separation.nearest_point import FEW_COLUMNS
from ..separation.result import INSEPARABLE
from ..separation.signed_rows import SignedRows
from ..state import BIAS, State
from .candidates import MOST_SVM_ENTRIES, Plan, margin_direction, matrix_of, with_constant, with_int32
from .directions import OFTEN, extra_plans, unit_length
from .evaluate import Charged, Exact, Tally, Vector
from .line_search import Best, best_on
from .machines import NOT_YET
from .margins import FEW_WRONG, Nearest, find_margin, may_be_obvious, proof_budget, why_inseparable
from .question import PIECE, Question, epochs
from .rays import Direction, Ray, RaySums, Sight

SVM_EXPONENTS = (-1, 0, 1, 2, 3)  # of C in units of 1 / r^2
MOST_LOOKED_AT = 2_000_000  # entries times classes of the rows that scales are looked for on
BALL = (0.5,)  # of gradient descent on many rows, as a share of the largest that can matter
MOST_MARGIN_ENTRIES = 4_000_000  # of the rows that the maximum margin of all classes is found from
MOST_DIRECTIONS = 16  # of two classes
BOTH = (1, 0)  # of two classes, the one that a positive margin is for first
INSEPARABLE_CLASSES = "the classes cannot be separated"
INSEPARABLE_TWO = f"{INSEPARABLE_CLASSES}, as two of them cannot"
ZERO = "zero"
UNKNOWN = (
    "the classes may or may not be separable: no matrix that was looked along has few of the rounds wrong" + DEEPER
)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A vector for each class, shape (columns, classes), with their weights of the constant feature."""

    name: str
    vectors: Array
    biases: Array

    @property
    def size(self) -> float:
        """Root of the sum of all squares."""
        return length(self.vectors.ravel(), length(self.biases))

    def centred(self) -> Matrix:
        """The same leads from the smallest matrix: what all classes have in common is no lead."""
        means = self.vectors.mean(axis=1, keepdims=True), self.biases.mean()
        return Matrix(self.name, self.vectors - means[0], self.biases - means[1])

    def rows(self, intercept: float) -> Array:
        """A row for each class, with its weight of the constant feature at the end if there is one."""
        return np.column_stack([self.vectors.T, self.biases]) if intercept else self.vectors.T

    def times(self, factor: float) -> Matrix:
        """A multiple of it."""
        return Matrix(self.name, self.vectors * factor, self.biases * factor)


def certify(question: Question) -> list[Certificate]:
    """One certificate a theorem, each against the matrix that serves it best."""
    ledger, facts = question.ledger(), _facts(question)
    unit = unit_length(question.sums())
    directions = _directions(question, unit)
    sampled = _sampled(question)
    rays = _rays(sampled, directions, unit)
    if sampled is not question and any(ray.least > 0 for ray in rays):
        rays, sampled = _rays(question, directions, unit), question  # what separates the sample may separate all
    inseparable = None
    if question.in_memory and question.against is None:
        more, inseparable = _from_memory(question, directions, rays)
        if sampled is not question and more:
            rays, sampled = _rays(question, directions, unit), question
        more = _of_length(more, unit)
        rays, directions = rays + _rays(sampled, more, unit), directions + more
    best = best_on(rays, question.theorems, ledger, facts)
    chosen = [_chosen(directions, rays, one) for one in best]
    if rays and all(ray.margins is not None for ray in rays):
        comparators = [_of_margins(question, *its, rays[0]) for its in zip(chosen, best, strict=True)]
    else:
        yours = [] if question.against is None else [_pair(Matrix("yours", *question.against))]
        comparators = read(question, yours + [matrix or _zero(question) for matrix in chosen])
    certificates = [theorem.certify(ledger, comparators, facts) for theorem in question.theorems]
    return [
        replace(one, why=inseparable) if inseparable and one.why == CLASSES_SEPARATE[0] else one for one in certificates
    ]


def _zero(question: Question) -> Matrix:
    return Matrix(ZERO, np.zeros((question.state.columns, 1)), np.zeros(1))


def _of_margins(question: Question, matrix: Matrix | None, best: Best | None, any_ray: Ray) -> Comparator:
    """What a matrix that was chosen is charged, by the leads that were written down."""
    if matrix is None or best is None:
        return replace(any_ray.zero(), name=ZERO, vector=_zero(question).rows(question.rules.intercept))
    comparator, ray = best
    rows = matrix.rows(question.rules.intercept)
    return replace(ray.read(comparator), vector=rows, bias=0.0)


def _sampled(question: Question) -> Question:
    """The question with a sample of its rows where these are many, on which scales are looked for, unless their margins
    are written down."""
    if question.sample is not None or not question.in_memory or question.deep or question.against is not None:
        return question
    if question.state.targets == 1 and question.writes_margins(MOST_DIRECTIONS):
        return question
    for batch, codes in question.rounds():
        many = batch.entries * max(question.state.targets, 2) // MOST_LOOKED_AT
        if many > 1:
            return replace(question, sample=one_in(many, batch, codes, PIECE))
    return question


def _facts(question: Question) -> LinearFacts:
    """What theorems may ask of all classes together."""
    norms = question.state.norms()
    facts: LinearFacts = question.whole_facts(sqrt(2) * norms[0] if len(norms) == 1 else length(np.array(norms)))
    return facts


def _pair(matrix: Matrix) -> Matrix:
    """The one vector of two classes as a matrix with the same leads."""
    if matrix.vectors.shape[1] > 1:
        return matrix
    half, bias = matrix.vectors[:, 0] / 2, float(matrix.biases[0]) / 2
    return Matrix(matrix.name, np.column_stack([-half, half]), np.array([-bias, bias]))


def _chosen(directions: list[Matrix], rays: list[Ray], best: Best | None) -> Matrix | None:
    """The best multiple of the best direction; None when there is none, or nothing serves better than zero."""
    if best is None or not best[0].norm > 0:
        return None
    comparator, ray = best
    place = next(k for k, one in enumerate(rays) if one is ray)
    return directions[place].times(comparator.norm / ray.direction.size)


# ---- reading


class Leads:
    """By how much the class of each round is above the best other, in the scores of some matrices."""

    def __init__(self, matrices: Sequence[Matrix], intercept: float) -> None:
        self._intercept, self._classes = intercept, max(matrix.vectors.shape[1] for matrix in matrices)
        # Of v = 0, which has one column, all scores are the same.
        each = [np.broadcast_to(matrix.vectors, (len(matrix.vectors), self._classes)) for matrix in matrices]
        self._vectors = np.concatenate(each, axis=1)
        self._biases = np.concatenate([np.broadcast_to(matrix.biases, self._classes) for matrix in matrices])

    def of(self, batch: Batch, codes: Array) -> Array:
        """The leads in the rounds of a batch, shape (rounds, matrices)."""
        leads = np.zeros((len(batch), len(self._biases) // self._classes))
        if self._classes == 1:
            return leads
        labels = (codes + 1) // 2 if self._classes == 2 else codes
        rows, matrices = (batch.values, batch.indices, batch.starts), (self._vectors, self._biases, self._classes)
        row, why = _core.leads(*rows, labels, self._intercept, *matrices, leads)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        return leads


class ExactLeads(Charged):
    """Reads given matrices, exactly as they are, against the rounds."""

    def __init__(self, matrices: list[Matrix], intercept: float) -> None:
        self.whose, self.intercept = np.zeros(len(matrices), dtype=int), intercept
        self._leads = Leads(matrices, intercept)
        self._begin()

    def fresh(self) -> ExactLeads:
        """One that has taken nothing yet."""
        other = copy(self)
        other._begin()
        return other

    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Charge some rounds to the matrices."""
        for k, each in enumerate(np.ascontiguousarray(self._leads.of(batch, codes).T)):
            hinge = np.maximum(0, 1 - each)
            self._losses[k, :2] += times[k] * np.array([hinge.sum(), (hinge * hinge).sum()])
            self._least[k] = min(self._least[k], each.min(initial=np.inf))
        squares = norms2(batch) + self.intercept**2
        self._count(times, len(batch), float(squares.max(initial=0.0)), float(squares.sum()))


class SightOfLeads(Tally):
    """Reads all multiples of some matrices: the table of their leads is read along its columns."""

    def __init__(self, matrices: list[Matrix], along: list[Direction], intercept: float, written: bool = False) -> None:
        self._leads = Leads(matrices, intercept)
        self._sight = Sight(along, 0.0, written=written)
        self.whose, self.tables = self._sight.whose, self._sight.tables

    def fresh(self) -> SightOfLeads:
        """One that has taken nothing yet."""
        other = copy(self)
        other._sight = self._sight.fresh()
        return other

    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Put the leads of some rounds into their bins."""
        table = Batch(self._leads.of(batch, codes), None, self.tables)
        self._sight.take(times, table, np.ones(len(batch), dtype=np.int32))

    def sums(self) -> RaySums:
        """The bins of all rounds."""
        return self._sight.sums()


def read(question: Question, matrices: list[Matrix]) -> list[Comparator]:
    """Read given matrices against the rounds, exactly as they are."""
    intercept = question.rules.intercept
    tally: Charged = ExactLeads(matrices, intercept)
    if question.state.targets == 1:
        vectors = [(0, Vector(matrix.name, *_apart(_pair(matrix), BOTH))) for matrix in matrices]
        tally = Exact(vectors, question.state.columns, intercept, question.rules.loss, 1)
    (exact,) = question.gather([tally], whole=True)
    return [
        exact.comparator(k, matrix.name, matrix.size, loss=None, vector=matrix.rows(intercept))
        for k, matrix in enumerate(matrices)
    ]


def _rays(question: Question, directions: list[Matrix], unit: float) -> list[Ray]:
    """All multiples of some matrices."""
    if not directions:
        return []
    axes, intercept = np.eye(len(directions)), question.rules.intercept
    along = [Direction(m.name, axis, 0.0, unit, unit) for m, axis in zip(directions, axes, strict=True)]
    written = question.writes_margins(len(directions))
    sight: Tally
    if question.state.targets == 1:  # the leads are the margins along one vector
        sight = Sight([Direction(m.name, *_apart(m, BOTH), unit) for m in directions], intercept, written=written)
    else:
        sight = SightOfLeads(directions, along, intercept, written)
    (seen,) = question.look([sight], whole=True)
    rays, rows = seen.rays(along, "direct"), question.sums()
    return [replace(ray, max_norm2=rows.max_norm2, total_norm2=rows.total_norm2) for ray in rays]


# ---- directions


def _directions(question: Question, unit: float) -> list[Matrix]:
    """Matrices of length `unit` to look along, from the run and from more passes."""
    if question.against is not None:
        return _of_length([Matrix("yours, scaled", *question.against)], unit)
    state = question.state
    return _of_length([Matrix("final weights", state.coefficients(), state.biases()), *_means(question)], unit)


def _of_length(matrices: list[Matrix], unit: float) -> list[Matrix]:
    """Those that have a length, with the same leads, at this one."""
    pairs = [_pair(matrix).centred() for matrix in matrices]
    return [m.times(unit / m.size) for m in pairs if m.size > 0 and isfinite(unit / m.size)]


def _means(question: Question) -> list[Matrix]:
    """What support vector machines of one class against the rest put together, and mean weights of the same learner
    over some passes."""
    if question.state.targets == 1 and question.at_hand():
        return [Matrix(*machine) for machine in question.machines()]
    loss = question.rules.loss if question.state.targets > 1 else "perceptron"
    own: Plan = "multiclass perceptron, averaged", Rules(loss=loss, intercept=question.rules.intercept)
    if question.has_few():  # beside machines half of the passes say about as much
        means = question.means([own], ceil(epochs(question) / 2))
        return [Matrix(*mean) for mean in [*_of_each_class(question.machines_of_classes()), *means]]
    plans = _of_each_class(extra_plans(question, () if epochs(question) > 1 else BALL)[1:])
    if not question.has_many() or not _is_often_wrong(question):
        return [Matrix(*mean) for mean in question.means([*plans, own])]
    # Where more rows are often wrong, a ball for each class would cost more than all else. It goes over a part of them
    # where that is enough for so many weights: without it, bounds are up to a quarter larger where columns are few. The
    # perceptron's own average comes within some 6 % of the ball where they are not.
    means = question.means([own])
    if question.part_is_enough():
        means += _of_each_class(question.in_part().machines_of_classes())
    return [Matrix(*mean) for mean in means]


def _of_each_class(named: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The same, with names that say that each class is looked at by itself."""
    return [(f"one against rest, {name}", *rest) for name, *rest in named]


def _is_often_wrong(question: Question) -> bool:
    ledger = question.sums()  # of learners that were mixed, the weighted sums
    return bool(ledger.updates >= OFTEN * ledger.rounds)


def _from_memory(question: Question, directions: list[Matrix], rays: list[Ray]) -> tuple[list[Matrix], str | None]:
    """The largest margin of all classes and linear SVMs of all classes, from rounds at hand; and why no matrix
    separates the classes, if that is known."""
    matrices: list[Matrix] = []
    obstacle = None
    for batch, codes in question.rounds():  # in memory, all rounds are one batch
        if not batch.columns:
            continue
        classes = max(question.state.targets, 2)
        if 2 * _numbers(question, batch) * (classes - 1) <= MOST_MARGIN_ENTRIES:
            margin = (_margin_of_two if classes == 2 else _margin)(question, batch, codes, directions, rays)
            if isinstance(margin, str):
                obstacle = margin
            else:
                matrices.append(margin)
        if question.svm and batch.entries <= MOST_SVM_ENTRIES:
            matrices += question.fitted_once("all", partial(_svms, question, batch, codes, classes))
    return matrices, obstacle


def _numbers(question: Question, batch: Batch) -> int:
    numbers = batch.entries if batch.sparse else int(np.count_nonzero(batch.values))
    return numbers + (len(batch) if question.rules.intercept else 0)


def _fewest(directions: list[Matrix], rays: list[Ray]) -> Matrix | None:
    """The direction with the fewest rounds wrong, if there is any."""
    errors = [ray.errors for ray in rays]
    return directions[errors.index(min(errors))] if errors else None


def _apart(matrix: Matrix, classes: tuple[int, int]) -> tuple[Array, float]:
    """The vector by which one class leads before another."""
    first, second = classes
    vector = matrix.vectors[:, first] - matrix.vectors[:, second]
    return np.ascontiguousarray(vector), float(matrix.biases[first] - matrix.biases[second])


def _margin_of_two(
    question: Question, batch: Batch, signs: Array, directions: list[Matrix], rays: list[Ray]
) -> Matrix | str:
    """The vector of the largest margin between two classes, or why there is none."""
    fewest, intercept = _fewest(directions, rays), question.rules.intercept
    margin: tuple[str, Array, float] | str
    if fewest is None:
        margin = margin_direction(batch, signs, intercept, question.budget(batch.entries), question.call)
    else:
        nearest = replace(Nearest.of(rays), vector=Vector("", *_apart(fewest, BOTH)))
        margin = find_margin(question, batch, signs, nearest, MOST_MARGIN_ENTRIES)
    if isinstance(margin, str):
        return margin.replace(INSEPARABLE, INSEPARABLE_CLASSES)
    name, vectors, bias = margin
    return Matrix(name, vectors[:, None], np.array([bias]))


def _is_near(question: Question, rays: list[Ray]) -> bool:
    """Whether some direction separates the rounds, or has so few wrong that there may well be a margin; or whether the
    search may cost more."""
    return question.deep or any(ray.least > 0 or ray.errors <= FEW_WRONG * ray.rounds for ray in rays)


def _margin(question: Question, batch: Batch, codes: Array, directions: list[Matrix], rays: list[Ray]) -> Matrix | str:
    """The matrix of the largest margin between more than two classes, or why there is none."""
    classes, intercept = question.state.targets, question.rules.intercept
    fewest = _fewest(directions, rays)
    if fewest is not None and not question.deep and all(ray.least <= 0 for ray in rays):
        why = _obvious(question, batch, codes) or _two_inseparable(question, batch, codes, fewest)
        if why is not None:
            return why
        if classes * batch.columns > FEW_COLUMNS and not _is_near(question, rays):
            return UNKNOWN
    numbers = 2 * _numbers(question, batch) * (classes - 1)
    budget = question.budget(numbers, _is_near(question, rays), together=True)
    plain = fewest is not None and not question.deep  # that none is obvious was seen, or some direction separates
    margin = max_margin_of_classes(batch, codes, classes, intercept, budget, question.call, plain=plain)
    if margin.weights is None:
        known = "cannot be separated" if margin.separable is False else "may or may not be separable"
        return f"the classes {known}: {margin.why}"
    name = "maximum margin" if margin.converged else NOT_YET
    return _of_rows(question, name, margin.weights.reshape(classes, -1))


def _obvious(question: Question, batch: Batch, codes: Array) -> str | None:
    """The row, or the two rows, for which no matrix separates the classes; None where there are none."""
    if not may_be_obvious(batch, codes, question.rules.intercept):
        return None
    rows = SignedRows(batch, np.ones(len(batch)), question.rules.intercept)
    obvious = rows.obvious(question.call, codes)
    return None if obvious is None else f"{INSEPARABLE_CLASSES}: {obvious[1]}"


def _two_inseparable(question: Question, batch: Batch, codes: Array, matrix: Matrix) -> str | None:
    """Why those two classes cannot be separated from one another that a matrix most often takes for one another; None
    if that is not proved."""
    intercept = question.rules.intercept
    predicted = _scores(matrix, batch, intercept).argmax(axis=1)
    two = most_confused(codes, predicted, question.state.targets, 2 * batch.columns)
    if two is None:
        return None
    rows = np.flatnonzero((codes == two[0]) | (codes == two[1]))
    part, signs = batch.take(rows), np.where(codes[rows] == two[0], 1, -1)
    vector = Vector("", *_apart(matrix, two))
    why = why_inseparable(
        part, signs, intercept, vector, proof_budget(part.entries), lambda places: question.call(rows[places])
    )
    return why.replace(INSEPARABLE, INSEPARABLE_TWO) if why.startswith(INSEPARABLE) else None


def _scores(matrix: Matrix, batch: Batch, intercept: float) -> Array:
    """What each class scores in rows that were read before, shape (rows, classes)."""
    state = State(*matrix.vectors.shape)
    state.weights[:], state.memory[:, BIAS] = matrix.vectors, matrix.biases
    return state.scores(batch, Rules(intercept=intercept))[0]


def _svms(question: Question, batch: Batch, labels: Array, classes: int) -> list[Matrix]:
    """A short path of linear SVMs of all classes (Crammer & Singer 2001), which minimise |V|^2 / 2 + C H(V)."""
    longest2 = question.sums().max_norm2
    if classes == 2 or longest2 <= 0 or len(np.unique(labels)) < classes:
        return []
    try:
        from sklearn.svm import LinearSVC  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return []
    rows = with_constant(matrix_of(with_int32(batch)), question.rules.intercept)
    matrices = []
    for exponent in SVM_EXPONENTS:
        svm = LinearSVC(
            multi_class="crammer_singer", C=10.0**exponent / longest2, fit_intercept=False, random_state=0, max_iter=300
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # not converged: any direction is good enough to look along
            svm.fit(rows, labels)
        matrices.append(_of_rows(question, f"multiclass SVM, C = 1e{exponent}/r^2", svm.coef_))
    return matrices


def _of_rows(question: Question, name: str, weights: Array) -> Matrix:
    """A matrix from the weights (classes, columns), the constant feature's at the end."""
    columns = question.state.columns
    biases = weights[:, columns] if question.rules.intercept else np.zeros(len(weights))
    return Matrix(name, np.ascontiguousarray(weights[:, :columns].T, dtype=np.float64), np.asarray(biases))
