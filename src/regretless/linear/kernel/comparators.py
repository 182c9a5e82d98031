"""Comparators in the space of a kernel: functions v = sum of b K(x, .), read against the same rounds.

Any function gives a valid certificate. Candidates are what the run ended with, its average, and, where the rounds are
few enough for their Gram matrix, the average of more passes, the function of the largest margin, and scikit-learn's
support vector machines if they are wanted. Along each the best scale is sought. All values at the rounds are kept,
which is little beside the support.

Where rounds are nearly alike a function may have huge coefficients that all but cancel, and what is left is rounding.
So every function is taken to be longer, and its values to be worse, by as much as rounding may have changed them.

Values that come from outside are those of a kernel only if some positive semidefinite one is near them on the rows that
the run and its comparators are made of. It is looked for (see `doubt_of`), and where each of its values is within a
part e of sqrt(K(x, x) K(z, z)) of theirs, what holds in its space is read from them with an allowance for e: for the
values and the length of a comparator as for rounding; for the length of the function that was learned, of which the
proofs only need |f|^2 <= sum of K(x, x) + e (sum of sqrt(K(x, x)))^2, both over the M updates. Its root is at most that
of the first sum and sqrt(M) / 2 times e times the sum of sqrt(K(x, x)), and as much the margins of v give way, times
|v|.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf, sqrt
from typing import cast

import numpy as np

from ...certificate import Certificate, summed
from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...ledger import Ledger
from ...theorem import Theorem
from ...theory.facts import SEPARATES, SHORTEST2, LinearFacts
from ...theory.perceptron import KernelFacts
from ..comparators.candidates import svms_are_there
from ..comparators.question import Question
from ..separation.result import INSEPARABLE, OPEN
from .player import DualPlayer, DualState
from .state import TIMES, KernelRules

MOST_GRAM = 2000  # rows of a Gram matrix that is worth its time
ROUNDED = f"{OPEN}by the kernel's values they cannot, and those are rounded"
UNKNOWN = "its kernel is not known to be positive semidefinite: "
INDEFINITE = UNKNOWN + "its values on these rows, as they were given, are not"
TOO_MANY = UNKNOWN + "that would ask for its values on {0:,} rows, and at most {1:,} are looked at"
GONE = UNKNOWN + "what the budget took is not at hand"
EPOCHS = 10
SVM_EXPONENTS = range(-2, 3)  # of C in units of 1 / r^2
MOST_SVM_STEPS = 20_000
SCALES, STRIDE = 160, 8
UNIT = 2.0**-52
GOLDEN = (sqrt(5) - 1) / 2

Bound = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Line:
    """All multiples of a function: its values times the labels, ascending, how often each counts, and its length."""

    name: str
    margins: Array
    times: Array
    below: Array  # (rounds + 1, 3): of the first so many margins, how many count, their sum, and that of their squares
    norm: float
    seen: tuple[float, float, float]  # rounds, largest K(x, x), sum of K(x, x)

    @classmethod
    def of(cls, name: str, margins: Array, times: Array, norm: float, seen: tuple[float, float, float]) -> Line:
        """The line through a function."""
        order = np.argsort(margins, kind="stable")
        margins, times = margins[order], times[order]
        sums = np.cumsum(np.column_stack([times, times * margins, times * margins**2]), axis=0)
        return cls(name, margins, times, np.concatenate([np.zeros((1, 3)), sums]), norm, seen)

    def near(self, scale: float) -> Comparator:
        """The function times a scale, from the sums."""
        edge = self.margins.searchsorted(1 / scale) if scale > 0 else len(self.margins)
        count, total, squares = self.below[edge].tolist()
        hinge, squared = count - scale * total, count - 2 * scale * total + scale * scale * squares
        return self._comparator(scale, max(hinge, 0.0), max(squared, 0.0))

    def at(self, scale: float) -> Comparator:
        """The same, read from each value."""
        short = np.maximum(0, 1 - scale * self.margins)
        return self._comparator(scale, float(self.times @ short), float(self.times @ short**2))

    def _comparator(self, scale: float, hinge: float, squared: float) -> Comparator:
        rounds, longest, total = self.seen
        least = scale * float(self.margins[0]) if len(self.margins) else inf
        return Comparator(self.name, scale * self.norm, hinge, squared, None, least, rounds, longest, total)

    def best(self, theorem: Theorem, ledger: Ledger, facts: LinearFacts) -> Comparator:
        """The multiple that serves a theorem best; along a line the bounds are quasi-convex in the scale."""

        def bound(scale: float) -> float:
            return theorem.slack(ledger, self.near(scale), facts)

        scales = self._scales()
        place = _least_place(bound, scales)
        low, high = scales[max(place - 1, 0)], scales[min(place + 1, len(scales) - 1)]
        candidates = [scales[place], _golden(bound, low, high), 0.0]
        if len(self.margins) and self.margins[0] > SHORTEST2:
            candidates.append(1 / float(self.margins[0]))
        return self.at(min(candidates, key=bound))

    def _scales(self) -> list[float]:
        positive = self.margins[self.margins > 0]
        if not len(positive) or not self.norm > 0 or not SHORTEST2 < positive[-1] < 1 / SHORTEST2:
            return [0.0]
        first, last = float(positive[0]) / 64, float(positive[-1]) * 64
        return [0.0, *(1 / np.geomspace(last, max(first, last * 1e-12), SCALES)).tolist()]


def _least_place(bound: Bound, scales: list[float]) -> int:
    """Where among some scales a quasi-convex function is least: between the neighbours of the least of every eighth."""
    rough = min(range(0, len(scales), STRIDE), key=lambda k: bound(scales[k]))
    near = range(max(rough - STRIDE, 0), min(rough + STRIDE + 1, len(scales)))
    if bound(scales[rough]) == inf:  # the theorem may apply at few scales
        near = range(len(scales))
    return min(near, key=lambda k: bound(scales[k]))


def _golden(bound: Bound, low: float, high: float) -> float:
    """Where a quasi-convex function of the scale is least, between two scales."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = bound(left), bound(right)
    for _ in range(40):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = bound(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = bound(right)
    return left if at_left <= at_right else right


@dataclass(frozen=True, slots=True)
class Function:
    """A comparator before it is scaled: its values at all rounds, and its length.

    Attributes
    ----------
    name : str
    values : ndarray, shape (rounds,)
    norm : float
        No less than its length.
    doubt : float
        Its value at x is wrong by no more than this times sqrt(K(x, x)).
    """

    name: str
    values: Array
    norm: float
    doubt: float

    def margins(self, signs: Array, reach: Array) -> Array:
        """No more than its values times the labels; `reach` are the roots of K(x, x)."""
        margins: Array = signs * self.values
        return margins - self.doubt * reach if self.doubt > 0 else margins


def certify(question: Question) -> list[Certificate]:
    """One certificate a theorem; with several classes, both of its sides summed over the one-against-rest problems."""
    reading = _KernelReading.of(question)
    obstacle = reading.settle_doubt()
    if obstacle is not None:
        return [Certificate(theorem, None, None, None, obstacle) for theorem in question.theorems]
    per_target = [_certify_target(question, reading, target) for target in range(question.state.targets)]
    return per_target[0] if len(per_target) == 1 else [summed(parts) for parts in zip(*per_target, strict=True)]


def _certify_target(question: Question, reading: _KernelReading, target: int) -> list[Certificate]:
    ledger, facts = question.state.ledgers()[target], reading.facts(target)
    span = question.span(target)
    times = np.full(reading.rows, float(span.passes))
    times[: span.skip] -= 1
    played = times > 0
    seen = (float(times.sum()), float(reading.own[played].max(initial=0.0)), float(times @ reading.own))
    signs = reading.signs(target, question.state.targets)
    functions, obstacle = reading.functions(target, signs, times)
    reach, lost = np.sqrt(reading.own), reading.doubt * sqrt(ledger.updates) / 2
    functions = [replace(f, doubt=f.doubt + lost * f.norm) for f in functions]
    margins = {f.name: f.margins(signs, reach)[played] for f in functions if f.norm > 0}
    lines = [Line.of(f.name, margins[f.name], times[played], f.norm, seen) for f in functions if f.norm > 0]
    lines = lines or [Line.of("v = 0", np.zeros(int(played.sum())), times[played], 0.0, seen)]
    certificates = []
    for theorem in question.theorems:
        certificate = theorem.certify(ledger, [line.best(theorem, ledger, facts) for line in lines], facts)
        if certificate.why == SEPARATES[0] and obstacle is not None:
            certificate = replace(certificate, why=obstacle)
        certificates.append(certificate)
    return certificates


class _KernelReading:
    """The rounds, read once: values of the functions that the run left behind, and K(x, x)."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.state, self.rules = cast(DualState, question.state), cast(KernelRules, question.rules)
        self.player = DualPlayer(self.state, self.rules)
        self.batch: Batch | None = None
        self.codes = np.zeros(0, np.int32)
        self.own = np.zeros(0)
        self.last, self.mean = np.zeros((0, self.state.targets)), np.zeros((0, self.state.targets))
        self.doubt = 0.0  # how far off values are, as a part of sqrt(K(x, x) K(z, z)), besides rounding
        self.mixed: Array | None = None  # coefficients of more passes over the rows, averaged
        self._everything: DualPlayer | None = None
        self._gram: Array | None = None

    @classmethod
    def of(cls, question: Question) -> _KernelReading:
        """Read the rounds."""
        reading = cls(question)
        targets, support = reading.state.targets, reading.state.support
        both = np.hstack([support.coefficients[: support.count], reading.state.averages()])
        values, owns, codes = [np.zeros((0, 2 * targets))], [np.zeros(0)], [np.zeros(0, np.int32)]
        for batch, numbers in question.rounds():
            out = np.zeros((len(batch), 2 * targets))
            row, why = reading.player.evaluate(batch, out, both)
            if why is not None:
                raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
            values.append(out)
            owns.append(reading.player.own(batch))
            codes.append(numbers)
            reading.batch = batch if question.in_memory else None
        reading.codes, reading.own = np.concatenate(codes), np.concatenate(owns)
        reading.last, reading.mean = np.hsplit(np.concatenate(values), 2)
        return reading

    @property
    def rows(self) -> int:
        """How many rounds there are in one reading."""
        return len(self.own)

    def settle_doubt(self) -> str | None:
        """Compute how far values from outside are from those of a kernel, or why that is not known."""
        if not self.rules.external:
            return None
        whole = self.batch is not None and len(self.batch) <= MOST_GRAM
        removals = bool(self.state.removed[:, TIMES].any())
        if removals and (not whole or self.rules.removal == "projection"):
            return GONE  # of a projection it is not known how long its terms were
        count = self.rows if whole or self.question.against is not None else self.state.support.count
        if count > MOST_GRAM:
            return TOO_MANY.format(count, MOST_GRAM)
        self.doubt = doubt_of(self._all_values() if whole else self._values_of_support())
        return None if self.doubt < inf else INDEFINITE

    def facts(self, target: int) -> LinearFacts:
        """What theorems may ask of a target: of values that were given, lengths in the space of a kernel near them."""
        facts = cast(KernelFacts, self.question.target_facts[target])
        if not self.rules.external:
            return facts
        norm, _ = self._of_run(target)[0]
        return replace(facts, norm=max(norm, facts.norm), removed=facts.removed * (1 + self.doubt))

    def signs(self, target: int, targets: int) -> Array:
        """+1 for a target's own rounds, -1 for the rest."""
        return self.codes.astype(np.float64) if targets == 1 else np.where(self.codes == target, 1.0, -1.0)

    def functions(self, target: int, signs: Array, times: Array) -> tuple[list[Function], str | None]:
        """Candidates for a target, and why none of them separates its rounds, if that is known."""
        if self.question.against is not None:
            weights = np.ascontiguousarray(self.question.against[0][:, target : target + 1])
            if self.batch is None or len(weights) != len(self.batch):
                raise RegretlessError(
                    f"a comparator needs one coefficient for each of the {self.rows:,} rows, in memory"
                )
            return [self._over_rows("yours", weights)], None
        ended, average = self._of_run(target)
        functions = [Function("final function", self.last[:, target], *ended)]
        functions.append(Function("perceptron, averaged", self.mean[:, target], *average))
        if self.batch is None or not 0 < len(self.batch) <= MOST_GRAM or not np.isfinite(self.own).all():
            return functions, None
        functions.append(
            self._over_rows("perceptron, averaged over more passes", self._more_passes()[:, target : target + 1])
        )
        if self.question.svm:
            functions += self.question.fitted_once(target, partial(self._svms, signs))
        if not times.all():  # of a class that came late, the rounds before it do not count
            return functions, None
        margin = self._margin(signs)
        return (functions, margin) if isinstance(margin, str) else ([*functions, margin], None)

    def _of_run(self, target: int) -> list[tuple[float, float]]:
        """Lengths and doubts of the last function and of the average, from the rows that they are made of."""
        support = self.state.support
        coefficients = np.column_stack(
            [support.coefficients[: support.count, target], self.state.averages()[:, target]]
        )
        if not len(coefficients):
            return [(0.0, 0.0)] * 2
        if self.rules.kernel == "precomputed":
            columns = support.column[: support.count]
            values, own = self.player.gram(cast(Batch, self.batch))[columns] @ coefficients, self.own[columns]
        else:
            values = np.empty(coefficients.shape)
            self.player.evaluate(support.batch(), values, coefficients)
            own = self.player.own(support.batch())
        return [self._length(ones, its, own) for ones, its in zip(coefficients.T, values.T, strict=True)]

    def _length(self, coefficients: Array, values: Array, own: Array) -> tuple[float, float]:
        """What the length of a function is at most, by its values at the rows it is made of; and its doubt.

        A value is a sum of b K(x_i, x), each of which is no more than b sqrt(K(x_i, x_i) K(x, x)): rounding changes it
        by no more than that, summed, times some units in the last place.
        """
        used = coefficients != 0
        size = float(np.abs(coefficients[used]) @ np.sqrt(own[used]))
        doubt = self._units(int(used.sum())) * size
        return sqrt(max(float(coefficients @ values), 0.0) + doubt * size), doubt

    def _units(self, terms: int) -> float:
        """By what part of its largest possible value rounding may change a value of a function of so many terms."""
        rules, state = self.rules, self.state
        steps = terms + 16
        if rules.kernel == "callable":  # nothing is known of it; a sum over the features, say
            steps += state.columns
        elif rules.kernel != "precomputed":
            support = state.support
            longest = int(support.length[: support.count].max(initial=0)) if len(support.length) else state.columns
            steps += longest * (rules.degree if rules.kernel == "poly" else 1)
        if rules.kernel == "rbf":  # distances are differences of lengths
            steps += round(8 * state.gamma * float(state.support.norm2[: state.support.count].max(initial=0.0)))
        return UNIT * steps + self.doubt

    def _over_rows(self, name: str, weights: Array) -> Function:
        """The function with these coefficients of the kernel at each of the rounds."""
        if self._gram is not None:
            values = self._gram @ weights
        else:
            values = np.empty((self.rows, 1))
            self._everywhere().evaluate(cast(Batch, self.batch), values, np.ascontiguousarray(weights))
        return Function(name, values[:, 0], *self._length(weights[:, 0], values[:, 0], self.own))

    def _everywhere(self) -> DualPlayer:
        """A player whose support is all of the rounds."""
        if self._everything is None:
            self._everything = self.player.beside(cast(Batch, self.batch))
        return self._everything

    def _all_values(self) -> Array:
        """K(x, z) of all rows, as they were given."""
        return self._everywhere().gram(cast(Batch, self.batch))

    def _values_of_support(self) -> Array:
        """The same of the rows that the functions are made of."""
        support = self.state.support
        if self.rules.kernel == "precomputed":
            return self.player.gram(cast(Batch, self.batch))[support.column[: support.count]]
        return self.player.gram(support.batch())

    def _all_pairs(self) -> Array:
        if self._gram is None:
            gram = self._all_values()
            self._gram = np.ascontiguousarray(gram / 2 + gram.T / 2)
        return self._gram

    def _more_passes(self) -> Array:
        """Coefficients of the average of some more passes, shape (rows, targets)."""
        if self.mixed is None:
            gram, targets = self._all_pairs(), self.state.targets
            state = DualState(self.rows, targets, gamma=1.0, period=self.rows)
            rules = replace(self.rules, kernel="precomputed", function=None, intercept=0.0, budget=0, average=None)
            player, random = DualPlayer(state, rules), np.random.default_rng(0)
            for _ in range(EPOCHS):
                if player.play(gram, None, None, self.codes, None, random.permutation(self.rows))[1] is not None:
                    break
            self.mixed = np.zeros((self.rows, targets))
            self.mixed[state.support.column[: state.support.count]] = state.averages()
        return self.mixed

    def _svms(self, signs: Array) -> list[Function]:
        """A short path of support vector machines, whose thresholds are left out."""
        if not svms_are_there():
            return []
        from sklearn.svm import SVC  # type: ignore[import-untyped, unused-ignore]

        gram, machines = self._all_pairs(), []
        unit = 1 / max(float(np.diagonal(gram).max()), 1e-300)
        if len(np.unique(signs)) < 2 or not np.isfinite(unit):
            return []
        for exponent in SVM_EXPONENTS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of those that have not converged: any function will do
                svm = SVC(kernel="precomputed", C=10.0**exponent, max_iter=MOST_SVM_STEPS).fit(gram * unit, signs)
            weights = np.zeros((self.rows, 1))
            weights[svm.support_, 0] = svm.dual_coef_[0]
            machines.append(self._over_rows(f"SVM, C = {10.0**exponent:g}/r^2", weights))
        return machines

    def _margin(self, signs: Array) -> Function | str:
        """The function of the largest margin: that of the rows of a root of the Gram matrix; or why there is none."""
        from ..separation.margin import max_margin_signed
        from ..separation.signed_rows import SignedRows

        budget, call = self.question.budget(self.rows**2), self.question.call
        # Equal rows are one point of any kernel's space; a constant feature, that no row is taken for zero.
        equal = SignedRows(cast(Batch, self.batch), signs, 1.0).obvious(call)
        if equal is not None:
            return f"{INSEPARABLE}: {equal[1]}"
        solution = max_margin_signed(_root(self._all_pairs()), signs, budget=budget, call=call)
        if solution.weights is None:
            return ROUNDED if solution.separable is False else str(solution.obstacle)
        rows, multipliers = solution.support
        weights = np.zeros((self.rows, 1))
        weights[rows, 0] = multipliers * signs[rows]
        return self._over_rows("maximum margin" if solution.converged else "a margin, not yet the largest", weights)


def _root(gram: Array) -> Array:
    """Rows whose products are the Gram matrix, by Cholesky's method with the largest pivots first."""
    from scipy.linalg.lapack import dpstrf  # type: ignore[import-untyped, unused-ignore]

    factor, pivots, rank, _ = dpstrf(gram, lower=1)
    rows = np.zeros((len(gram), max(int(rank), 1)))
    rows[pivots - 1] = np.tril(factor)[:, : max(int(rank), 1)]
    return rows


# ---- whether values of a kernel are inner products, as theorems about kernels assume: a proof from the rows at hand
#
# With D the diagonal of a Gram matrix G of n rows, let H = D^-1/2 G D^-1/2. Should Cholesky's method run through on
# H + s I in floating point, then R'R = H + s I + E, where no entry of E is above about (n + 1) u for the unit roundoff
# u, in whatever order the sums are taken (Higham 2002, Thm 10.3). So H + (s + |E|) I is positive semidefinite, |E|
# being at most n times that, and G is as near to values of a kernel. Where G is not, s at least |E| makes the method
# stop (Thm 10.7), so that no matrix which is positive semidefinite is refused for rounding alone.

ROUNDOFF = 2.0**-53
SHIFTS = (0.0, 1e-10, 1e-8, 1e-6)  # the last for values that were rounded to single precision


def doubt_of(gram: Array) -> float:
    """The least part of sqrt(K(x, x) K(z, z)), of some that are tried, by which each value need be changed at most to
    make these finite numbers the values of a positive semidefinite kernel; infinite if none of them will do.
    """
    diagonal = np.diagonal(gram)
    if (diagonal < 0).any():
        return inf
    used = diagonal > 0
    if gram[~used].any() or gram[:, ~used].any():  # what has no length has no product
        return inf
    lengths, rows = np.sqrt(diagonal[used]), int(used.sum())
    with np.errstate(over="ignore"):
        scaled = (gram if used.all() else gram[np.ix_(used, used)]) / lengths[:, None] / lengths
    lopsided = float(np.abs(scaled - scaled.T).max(initial=0.0)) / 2
    if not lopsided <= SHIFTS[-1]:
        return inf
    scaled = scaled / 2 + scaled.T / 2
    rounding = 2 * ROUNDOFF * rows * (rows + 20)  # twice what is proven; the 20 are for scaling
    for shift in SHIFTS:
        shift = max(shift, rounding)
        np.fill_diagonal(scaled, 1 + shift)
        try:
            np.linalg.cholesky(scaled)
        except np.linalg.LinAlgError:
            continue
        return lopsided + shift + rounding
    return inf
