"""The perceptron of several classes at once."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import Any, ClassVar

import numpy as np

from ..certificate import Certificate
from ..checks import positive
from ..comparator import Comparator
from ..data.batch import Array, Batch, norms2
from ..data.sample import one_in
from ..errors import RegretlessError
from ..info import Cost, LinearInfo, LinearWords
from ..ledger import FIELDS, Ledger
from ..rows.estimator import with_constructor
from ..rows.state import BaseState, Rules, length
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from ..theory.perceptron import CLASSES_SEPARATE, MULTICLASS, classes_clean_pass
from .base import OnlineClassifier
from .comparators.candidates import MOST_SVM_ENTRIES, Plan, matrix_of, with_constant, with_int32
from .comparators.evaluate import Charged, Tally
from .comparators.line_search import Best, best_on
from .comparators.question import MOST_PLAYED, Question, epochs
from .comparators.rays import Direction, Ray, RaySums, Sight
from .comparators.search import OFTEN, extra_plans, unit_length
from .state import BIAS, State

TWICE = [FIELDS.index(name) for name in ("loss", "slope2", "step2", "reach2")]


class DirectState(State):
    """The weights of all classes, one long vector; those of two classes are one another's opposite, and one is kept."""

    def make_player(self, rules: Rules) -> Any:
        """The loop for several classes; for two it is the perceptron's."""
        return super().make_player(replace(rules, loss="perceptron") if self.targets == 1 else rules)

    def plain(self, columns: int) -> State:
        """Another of these."""
        return DirectState(columns, self.targets)

    def ledger(self) -> Ledger:
        """What was observed, a round being one update, though it moves two classes."""
        return Ledger.read(self.books[-1])


class AllInOne(OnlineClassifier):
    """All classes are one long vector, and theorems are about matrices."""

    def looks_at_classes(self) -> str:
        """A class that is still to come may be the rival that is pushed back."""
        return "classes"

    def new_state(self, columns: int, targets: int) -> BaseState:
        """Weights of all classes."""
        return DirectState(columns, targets)

    def extended(self, classes: Array) -> BaseState:
        """The state for one class more; what two classes were charged as one another's opposite counts for both."""
        grown = super().extended(classes)
        if self.state_.targets == 1 and grown.targets > 1:
            grown.books[-1, TWICE] *= 2
        return grown

    def judge(self, question: Question) -> list[Certificate]:
        """One certificate a theorem, against matrices."""
        return certify(question)


@with_constructor
class MulticlassPerceptron(AllInOne):
    """The perceptron of several classes (Duda & Hart 1973; Collins 2002; Crammer & Singer 2003): when another class
    scores as high as the right one, move the one away from the row and the other towards it.

    ::

        predict   the class c with the largest <w_c, x>
        suffer    max(0, <w_r, x> - <w_y, x>)          where r is the best of the other classes
        update    w_y <- w_y + rate * x,  w_r <- w_r - rate * x    when <w_y, x> <= <w_r, x>

    If some matrix V puts the class of every round above all others, <v_y, x> - <v_c, x> >= rho |V| for all c but y, it
    makes at most 2 (max |x| / rho)^2 updates, in whatever order. For any V, M updates satisfy M <= H(V) + sqrt(2) max
    |x| |V| sqrt(M), where H(V) is the sum over all rounds of max(0, 1 - that difference at the best other class).

    The other learners play one class against the rest, each class by itself; here one bound covers all of them, and a
    row is an update only if its class is not ranked first. With two classes it is the perceptron.

    Parameters
    ----------
    rate : float, default=1.0
        Length of the steps, > 0; it changes the size of the weights and, but for rounding, no prediction.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`; an update is a round that moved two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import MulticlassPerceptron
    >>> X, y = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [1.0, 0.5]]), ["a", "b", "c", "a"]
    >>> learner = MulticlassPerceptron(until_clean=True).fit(X, y)
    >>> learner.predict(X).tolist(), int(learner.ledger_.updates)
    (['a', 'b', 'c', 'a'], 3)
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="multiclass-perceptron",
        task="classification",
        default_of="",
        charged="max(0, best other score - score)",
        geometry="euclidean, all classes in one",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="",
        by_sums=True,
        constant=True,
        twin="multiclass_perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="⟨w_y, x⟩ ≤ ⟨w_r, x⟩",
        update="w_y ← w_y + η x, w_r ← w_r − η x, r the best rival",
        costs=(Cost("", "n for each class", "d", "n"),),
        small_if="as `perceptron`, v being the matrix of all classes",
        at_most="2 (r₂ / ρ)²",
    )
    theorems = MULTICLASS

    rate: float = 1.0
    intercept: float = 0.0

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about mixed weights."""
        from ..theory.mixing import MIXED_MULTICLASS

        return MIXED_MULTICLASS

    def multiplies_rows(self) -> bool:
        """A row of weight c is c times the row."""
        return True

    def rules(self) -> Rules:
        """The loss of the best other class, Euclidean steps of constant rate."""
        return Rules(
            loss="direct",
            eta=positive("rate", self.rate),
            intercept=positive("intercept", self.intercept, or_zero=True),
        )

    def proven(self) -> tuple[Theorem, ...]:
        """Only a run that goes on until a pass is clean has a bound on its length."""
        return self.theorems if self.until_clean else tuple(t for t in self.theorems if t is not classes_clean_pass)


# ---- certificates against matrices, a vector for each class: by how much the right class of a round is above the best
# other. As for single vectors, directions come first and then the best scale along each: the leads of s * V are s times
# those of V, so that all scales are read from one table of leads.

SVM_EXPONENTS = (-1, 0, 1, 2, 3)  # of C in units of 1 / r^2
MOST_LOOKED_AT = 2_000_000  # entries times classes of the rows that scales are looked for on
BALL = (0.5,)  # of gradient descent on many rows, as a share of the largest that can matter
PIECE = 64  # rows that are looked at together, or not
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
    directions, inseparable = _directions(question, unit)
    sampled = _sampled(question)
    rays = _rays(sampled, directions, unit) if directions else []
    if sampled is not question and any(ray.least > 0 for ray in rays):
        rays = _rays(question, directions, unit)  # what separates the sample may separate all
    chosen = [_chosen(directions, best) for best in best_on(rays, question.theorems, ledger, facts)]
    if question.against is not None:
        chosen.insert(0, _pair(Matrix("yours", *question.against)))
    zero = Matrix("zero", np.zeros((question.state.columns, 1)), np.zeros(1))
    comparators = read(question, [matrix or zero for matrix in chosen])
    certificates = [theorem.certify(ledger, comparators, facts) for theorem in question.theorems]
    return [
        replace(one, why=inseparable) if inseparable and one.why == CLASSES_SEPARATE[0] else one for one in certificates
    ]


def _sampled(question: Question) -> Question:
    """The question with a sample of its rows where these are many, on which scales are looked for."""
    if question.sample is not None or not question.in_memory or question.deep or question.against is not None:
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


def _chosen(directions: list[Matrix], best: Best | None) -> Matrix | None:
    """The best multiple of the best direction; None when there is none, or nothing serves better than zero."""
    vector = np.zeros(1) if best is None else best[1].vector_of(best[0])
    place = int(np.argmax(vector))
    return directions[place].times(float(vector[place])) if vector[place] > 0 else None


# ---- reading


class Leads:
    """By how much the score of each round's class is above the best other one, for one matrix."""

    def __init__(self, matrix: Matrix, intercept: float) -> None:
        columns, self._classes = matrix.vectors.shape
        self._state, self._rules = State(columns, self._classes), Rules(intercept=intercept)
        self._state.weights[:], self._state.memory[:, BIAS] = matrix.vectors, matrix.biases

    def fresh(self) -> Leads:
        """Another one of the same matrix."""
        other = copy(self)
        other._state = copy(self._state)  # without its player, which keeps notes
        return other

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


class ExactLeads(Charged):
    """Reads given matrices, exactly as they are, against the rounds."""

    def __init__(self, matrices: list[Matrix], intercept: float) -> None:
        self.whose, self.intercept = np.zeros(len(matrices), dtype=int), intercept
        self._readers = [Leads(matrix, intercept) for matrix in matrices]
        self._begin()

    def fresh(self) -> ExactLeads:
        """One that has taken nothing yet."""
        other = copy(self)
        other._readers = [reader.fresh() for reader in self._readers]
        other._begin()
        return other

    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Charge some rounds to the matrices."""
        for k, reader in enumerate(self._readers):
            each = reader.of(batch, codes)
            hinge = np.maximum(0, 1 - each)
            self._losses[k, :2] += times[k] * np.array([hinge.sum(), (hinge * hinge).sum()])
            self._least[k] = min(self._least[k], each.min(initial=np.inf))
        squares = norms2(batch) + self.intercept**2
        self._count(times, len(batch), float(squares.max(initial=0.0)), float(squares.sum()))


class SightOfLeads(Tally):
    """Reads all multiples of some matrices: the table of their leads is read along its columns."""

    def __init__(self, matrices: list[Matrix], along: list[Direction], intercept: float) -> None:
        self._readers = [Leads(matrix, intercept) for matrix in matrices]
        self._sight = Sight(along, 0.0)
        self.whose, self.tables = self._sight.whose, self._sight.tables

    def fresh(self) -> SightOfLeads:
        """One that has taken nothing yet."""
        other = copy(self)
        other._readers, other._sight = [reader.fresh() for reader in self._readers], self._sight.fresh()
        return other

    def take(self, times: Array, batch: Batch, codes: Array) -> None:
        """Put the leads of some rounds into their bins."""
        each = [reader.of(batch, codes) for reader in self._readers]
        table = Batch(np.column_stack(each), None, self.tables)
        self._sight.take(times, table, np.ones(len(batch), dtype=np.int32))

    def sums(self) -> RaySums:
        """The bins of all rounds."""
        return self._sight.sums()


def read(question: Question, matrices: list[Matrix]) -> list[Comparator]:
    """Read given matrices against the rounds, exactly as they are."""
    (exact,) = question.gather([ExactLeads(matrices, question.rules.intercept)], whole=True)
    return [
        exact.comparator(k, matrix.name, matrix.size, loss=None, vector=matrix.rows(question.rules.intercept))
        for k, matrix in enumerate(matrices)
    ]


def _rays(question: Question, directions: list[Matrix], unit: float) -> list[Ray]:
    """All multiples of some matrices."""
    axes = np.eye(len(directions))
    along = [Direction(m.name, axis, 0.0, unit, unit) for m, axis in zip(directions, axes, strict=True)]
    (seen,) = question.look([SightOfLeads(directions, along, question.rules.intercept)], whole=True)
    rays, rows = seen.rays(along, "direct"), question.sums()
    return [replace(ray, max_norm2=rows.max_norm2, total_norm2=rows.total_norm2) for ray in rays]


# ---- directions


def _directions(question: Question, unit: float) -> tuple[list[Matrix], str | None]:
    """Matrices of length `unit` to look along, and why none separates the classes, if that is known."""
    state, inseparable = question.state, None
    if question.against is not None:
        matrices = [Matrix("yours, scaled", *question.against)]
    else:
        matrices = [Matrix("final weights", state.coefficients(), state.biases())]
        matrices += _means(question)
        if question.in_memory:
            more, inseparable = _from_memory(question)
            matrices += more
    pairs = [_pair(matrix).centred() for matrix in matrices]
    return [m.times(unit / m.size) for m in pairs if m.size > 0 and isfinite(unit / m.size)], inseparable


def _means(question: Question) -> list[Matrix]:
    """Mean weights of gradient descent for one class against the rest, and of the same learner over some passes."""
    # The perceptron's own average is about as good as those of each class, and of many rows one ball as several. Of
    # more rows that are often wrong it comes within 2 %, and a ball for each class would cost more than all else.
    balls = [] if _own_will_do(question) else extra_plans(question, () if epochs(question) > 1 else BALL)[1:]
    plans = [(f"one against rest, {name}", rules) for name, rules in balls]
    loss = question.rules.loss if question.state.targets > 1 else "perceptron"
    own: Plan = "multiclass perceptron, averaged", Rules(loss=loss, intercept=question.rules.intercept)
    return [Matrix(*mean) for mean in question.means([*plans, own])]


def _own_will_do(question: Question) -> bool:
    ledger = question.ledger()
    often = ledger.updates >= OFTEN * ledger.rounds
    return often and question.at_hand() and question.entries() > MOST_PLAYED


def _from_memory(question: Question) -> tuple[list[Matrix], str | None]:
    """The largest margin of all classes and linear SVMs of all classes, from rounds at hand."""
    matrices: list[Matrix] = []
    obstacle = None
    for batch, codes in question.rounds():  # in memory, all rounds are one batch
        if not batch.columns:
            continue
        classes = max(question.state.targets, 2)
        labels = (codes + 1) // 2 if classes == 2 else codes
        numbers = batch.entries if batch.sparse else int(np.count_nonzero(batch.values))
        numbers += len(batch) if question.rules.intercept else 0
        few, svm = (
            2 * numbers * (classes - 1) <= MOST_MARGIN_ENTRIES,
            question.svm and batch.entries <= MOST_SVM_ENTRIES,
        )
        if not few and not svm:
            continue  # to import scipy takes longer than most of the rest
        rows = with_constant(matrix_of(with_int32(batch)), question.rules.intercept)
        margin = _margin(question, rows, labels, classes) if few else None
        if isinstance(margin, str):
            obstacle = margin
        elif margin is not None:
            matrices.append(margin)
        if svm:
            matrices += _svms(question, rows, labels, classes)
    return matrices, obstacle


def _margin(question: Question, rows: Any, labels: Array, classes: int) -> Matrix | str:
    """The matrix of the largest margin: that of the differences between the right class and each other one."""
    from scipy.sparse import coo_array, csr_array, vstack  # type: ignore[import-untyped, unused-ignore]

    from .separation.margin import max_margin_signed

    entries = coo_array(rows)
    width, (row, column) = rows.shape[1], entries.coords
    blocks = []
    for other in range(classes):
        others = labels[row] != other
        places = np.concatenate([labels[row[others]] * width + column[others], other * width + column[others]])
        values = np.concatenate([entries.data[others], -entries.data[others]]).astype(np.float64)
        table = csr_array((values, (np.tile(row[others], 2), places)), shape=(rows.shape[0], classes * width))
        blocks.append(table[np.flatnonzero(labels != other)])
    owners = np.concatenate([np.flatnonzero(labels != other) for other in range(classes)])
    margin = max_margin_signed(
        vstack(blocks, format="csr"),
        budget=question.budget(2 * entries.nnz * (classes - 1), parts=1),
        call=lambda places: question.call(owners[places]),
    )
    if margin.weights is None:
        known = "cannot be separated" if margin.separable is False else "may or may not be separable"
        return f"the classes {known}: {margin.why}"
    name = "maximum margin" if margin.converged else "a margin, not yet the largest"
    return _of_rows(question, name, margin.weights.reshape(classes, width))


def _svms(question: Question, rows: Any, labels: Array, classes: int) -> list[Matrix]:
    """A short path of linear SVMs of all classes (Crammer & Singer 2001), which minimise |V|^2 / 2 + C H(V)."""
    longest2 = question.sums().max_norm2
    if classes == 2 or longest2 <= 0 or len(np.unique(labels)) < classes:
        return []
    try:
        from sklearn.svm import LinearSVC  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return []
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
