"""Certificates against matrices, a vector for each class: what leads the right class of a round has over the best
other.

As for single vectors, directions come first and then the best scale along each: the leads of s * V are s times those of
V, so that all scales are read from one table of leads.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite, nan, sqrt
from typing import Any

import numpy as np

from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...ledger import Ledger
from ...theorem import Certificate, Theorem
from ...theory.multiclass import SEPARATES
from ...theory.standing import Standing
from ..state import BIAS, Rules, State, length
from .batch_directions import MOST_SVM_ENTRIES, augmented, matrix_of, narrowed
from .hindsight import Question, epochs, extra_passes, norms2, unit_length
from .rays import Direction, Ray, Span, look

SVM_EXPONENTS = (-1, 0, 1, 2, 3)  # of C in units of 1 / r^2
MOST_MARGIN_ENTRIES = 4_000_000  # of the rows that the maximum margin of all classes is found from


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

    def times(self, factor: float) -> Matrix:
        """A multiple of it."""
        return Matrix(self.name, self.vectors * factor, self.biases * factor)


def certify(question: Question) -> list[Certificate]:
    """One certificate a theorem, each against the matrix that serves it best."""
    ledger, standing = question.state.ledger(), _standing(question)
    unit = unit_length(ledger)
    directions, inseparable = _directions(question, unit)
    rays = _rays(question, directions, unit, ledger) if directions else []
    chosen = [_chosen(directions, rays, theorem, ledger, standing) for theorem in question.theorems]
    if question.against is not None:
        chosen.insert(0, _pair(Matrix("yours", *question.against)))
    zero = Matrix("zero", np.zeros((question.state.columns, 1)), np.zeros(1))
    comparators = read(question, [matrix or zero for matrix in chosen])
    found = [theorem.certify(ledger, comparators, standing) for theorem in question.theorems]
    return [replace(one, why=inseparable) if inseparable and one.why == SEPARATES[0] else one for one in found]


def _standing(question: Question) -> Standing:
    """What theorems may ask of all classes together."""
    norms = question.state.norms()
    norm = sqrt(2) * norms[0] if len(norms) == 1 else length(np.array(norms))
    passes = question.state.ledger().rounds / question.rows if question.rows else nan
    return replace(question.standings[0], norm=norm, passes=passes if passes.is_integer() else nan)


def _pair(matrix: Matrix) -> Matrix:
    """The one vector of two classes as a matrix with the same leads."""
    if matrix.vectors.shape[1] > 1:
        return matrix
    half, bias = matrix.vectors[:, 0] / 2, float(matrix.biases[0]) / 2
    return Matrix(matrix.name, np.column_stack([-half, half]), np.array([-bias, bias]))


def _chosen(
    directions: list[Matrix], rays: list[Ray], theorem: Theorem, ledger: Ledger, standing: Standing
) -> Matrix | None:
    """The best multiple of the best direction; None when there is none, or nothing serves better than zero."""
    found = [best for ray in rays if (best := ray.best(theorem, ledger, standing)) is not None]
    best = theorem.certify(ledger, found, standing).comparator
    if best is None or best.vector is None or not best.vector.any():
        return None
    place = int(np.argmax(best.vector))
    return directions[place].times(float(best.vector[place]))


# ---- reading


class Leads:
    """By how much the score of each round's class is above the best other one, for one matrix."""

    def __init__(self, matrix: Matrix, intercept: float) -> None:
        columns, self._classes = matrix.vectors.shape
        self._state, self._rules = State(columns, self._classes), Rules(intercept=intercept)
        self._state.weights[:], self._state.memory[:, BIAS] = matrix.vectors, matrix.biases

    def of(self, batch: Batch, codes: Array) -> Array:
        """The leads in the rounds of a batch."""
        if self._classes == 1:
            return np.zeros(len(batch))
        scores, (row, why) = self._state.scores(batch, self._rules)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        rounds, labels = np.arange(len(batch)), (codes + 1) // 2 if self._classes == 2 else codes
        own = scores[rounds, labels]
        scores[rounds, labels] = -np.inf
        return np.asarray(own - scores.max(axis=1))


def read(question: Question, matrices: list[Matrix]) -> list[Comparator]:
    """Read given matrices against the rounds, exactly as they are."""
    intercept, sums = question.rules.intercept, np.zeros((len(matrices), 2))
    readers = [Leads(matrix, intercept) for matrix in matrices]
    least, rounds, longest, total = np.full(len(matrices), np.inf), 0, 0.0, 0.0
    for times, batch, codes in _span(question).parts(question.rounds()):
        for k, reader in enumerate(readers):
            each = reader.of(batch, codes)
            hinge = np.maximum(0, 1 - each)
            sums[k] += times * hinge.sum(), times * (hinge @ hinge)
            least[k] = min(least[k], each.min(initial=np.inf))
        squares = norms2(batch) + intercept**2
        rounds += times * len(batch)
        total += times * float(squares.sum())
        longest = max(longest, float(squares.max(initial=0.0)))
    return [
        Comparator(
            name=matrix.name,
            norm=matrix.size,
            hinge=float(sums[k, 0]),
            squared_hinge=float(sums[k, 1]),
            loss=None,
            least=float(least[k]),
            rounds=float(rounds),
            max_norm2=longest,
            total_norm2=total,
            vector=matrix.vectors.T,
        )
        for k, matrix in enumerate(matrices)
    ]


def _span(question: Question) -> Span:
    return Span.of(question.rows, question.state.ledger().rounds)


def _rays(question: Question, directions: list[Matrix], unit: float, ledger: Ledger) -> list[Ray]:
    """All multiples of some matrices: the table of their leads is read along its columns."""

    readers = [Leads(matrix, question.rules.intercept) for matrix in directions]

    def table() -> Iterator[tuple[Batch, Array]]:
        for batch, codes in question.rounds():
            each = [reader.of(batch, codes) for reader in readers]
            yield Batch(np.column_stack(each), None, len(directions)), np.ones(len(batch), dtype=np.int32)

    axes = np.eye(len(directions))
    along = [Direction(m.name, axis, 0.0, unit, unit) for m, axis in zip(directions, axes, strict=True)]
    rays = look(table(), along, intercept=0.0, span=_span(question), loss_name="direct")
    return [replace(ray, max_norm2=ledger.max_norm2, total_norm2=ledger.total_norm2) for ray in rays]


# ---- directions


def _directions(question: Question, unit: float) -> tuple[list[Matrix], str | None]:
    """Matrices of length `unit` to look along, and why none separates the classes, if that is known."""
    state, inseparable = question.state, None
    if question.against is not None:
        found = [Matrix("yours, scaled", *question.against)]
    else:
        found = [Matrix("final weights", state.coefficients(), state.biases())]
        found += [Matrix(f"one against rest, {name}", *mean) for name, *mean in extra_passes(question)]
        found += _averaged(question)
        if question.in_memory:
            more, inseparable = _from_memory(question)
            found += more
    pairs = [_pair(matrix).centred() for matrix in found]
    return [m.times(unit / m.size) for m in pairs if m.size > 0 and isfinite(unit / m.size)], inseparable


def _averaged(question: Question) -> list[Matrix]:
    """The mean weights of the same learner over some passes in other orders."""
    state = question.state.blank(question.state.columns, question.state.targets)
    mean = State(state.columns, state.targets, average=True)
    loss = question.rules.loss if state.targets > 1 else "perceptron"
    player, random = mean.player(Rules(loss=loss, intercept=question.rules.intercept)), np.random.default_rng(0)
    for _ in range(epochs(question)):
        for batch, codes in question.rounds():
            order = random.permutation(len(batch)) if question.in_memory else None
            if player.play(batch.values, batch.indices, batch.starts, codes, None, order)[1] is not None:
                return []
    return [Matrix("multiclass perceptron, averaged", *mean.average())]


def _from_memory(question: Question) -> tuple[list[Matrix], str | None]:
    """The largest margin of all classes and linear SVMs of all classes, from rounds at hand."""
    found: list[Matrix] = []
    obstacle = None
    for batch, codes in question.rounds():  # in memory, all rounds are one batch
        if not batch.columns:
            continue
        classes = max(question.state.targets, 2)
        labels = (codes + 1) // 2 if classes == 2 else codes
        rows = augmented(matrix_of(narrowed(batch)), question.rules.intercept)
        margin = _margin(question, rows, labels, classes)
        if isinstance(margin, str):
            obstacle = margin
        elif margin is not None:
            found.append(margin)
        if question.svm and batch.entries <= MOST_SVM_ENTRIES:
            found += _svms(question, rows, labels, classes)
    return found, obstacle


def _margin(question: Question, rows: Any, labels: Array, classes: int) -> Matrix | str | None:
    """The matrix of the largest margin: that of the differences between the right class and each other one."""
    from scipy.sparse import coo_array, csr_array, vstack  # type: ignore[import-untyped, unused-ignore]

    from ..separation.margin import max_margin_signed

    entries = coo_array(rows)
    if 2 * entries.nnz * (classes - 1) > MOST_MARGIN_ENTRIES:
        return None
    width, (row, column) = rows.shape[1], entries.coords
    blocks = []
    for other in range(classes):
        kept = labels[row] != other
        places = np.concatenate([labels[row[kept]] * width + column[kept], other * width + column[kept]])
        values = np.concatenate([entries.data[kept], -entries.data[kept]]).astype(np.float64)
        table = csr_array((values, (np.tile(row[kept], 2), places)), shape=(rows.shape[0], classes * width))
        blocks.append(table[np.flatnonzero(labels != other)])
    found = max_margin_signed(vstack(blocks, format="csr"), max_seconds=question.seconds)
    if found.weights is None:
        known = "cannot be separated" if found.separable is False else "may or may not be separable"
        return f"the classes {known}: {found.why}"
    name = "maximum margin" if found.converged else "a margin, not yet the largest"
    return _of_rows(question, name, found.weights.reshape(classes, width))


def _svms(question: Question, rows: Any, labels: Array, classes: int) -> list[Matrix]:
    """A short path of linear SVMs of all classes (Crammer & Singer 2001), which minimise |V|^2 / 2 + C H(V)."""
    longest2 = question.state.ledger().max_norm2
    if classes == 2 or longest2 <= 0 or len(np.unique(labels)) < classes:
        return []
    try:
        from sklearn.svm import LinearSVC  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return []
    found = []
    for exponent in SVM_EXPONENTS:
        svm = LinearSVC(
            multi_class="crammer_singer", C=10.0**exponent / longest2, fit_intercept=False, random_state=0, max_iter=300
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # not converged: any direction is good enough to look along
            svm.fit(rows, labels)
        found.append(_of_rows(question, f"multiclass SVM, C = 1e{exponent}/r^2", svm.coef_))
    return found


def _of_rows(question: Question, name: str, weights: Array) -> Matrix:
    """A matrix from the weights (classes, columns), the constant feature's at the end."""
    columns = question.state.columns
    biases = weights[:, columns] if question.rules.intercept else np.zeros(len(weights))
    return Matrix(name, np.ascontiguousarray(weights[:, :columns].T, dtype=np.float64), np.asarray(biases))
