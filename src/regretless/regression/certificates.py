"""How a learner of numbers has its theorems read against the rounds that it played.

Comparators in hindsight are the members, the best constant, ridge regression and least squares. Every vector gives a
valid certificate, so that a sample of the rows is good enough to choose them by. What is printed is read on all rows.
Outcomes are measured from the first one, whose round is not among those that are charged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any, ClassVar

import numpy as np

from ..blas import one_thread
from ..certificate import NOT_REPRODUCED, Certificate, Certificates
from ..data.batch import Array, Batch, norms2
from ..data.sample import joined
from ..errors import RegretlessError
from ..ledger import Ledger
from ..rows.mixture_state import FULL, LANES, RATES
from ..rows.narrowed import Wide, few_columns, widened
from ..rows.state import dot
from ..rows.validation import read_rows
from ..theorem import Theorem
from ..theory.aggregated import MemberComparator
from ..theory.regression import RegressionFacts, against_all, by_a_full_matrix
from .hindsight import ridge_regressions, scorer
from .state import MOST, SUMS, RegressionRules, RegressionState
from .validation import read_outcomes


class CertifiedRegressor(ABC):
    """What a learner of numbers offers of certificates.

    Attributes
    ----------
    theorems : tuple of Theorem
        About the learner, whatever its parameters.
    """

    theorems: ClassVar[tuple[Theorem, ...]]

    state_: RegressionState

    @abstractmethod
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values."""

    @abstractmethod
    def observe(self, batch: Batch) -> None:
        """Play a batch of a stream, whose columns may be new."""

    @abstractmethod
    def played_rules(self) -> RegressionRules:
        """The rules of the rounds played last."""

    @property
    @abstractmethod
    def ledger_(self) -> Ledger:
        """What was observed so far."""

    @abstractmethod
    def _require_fitted(self) -> None:
        """Refuse a learner that has learned nothing."""

    @abstractmethod
    def _names(self) -> list[str]:
        """What the eight places of members are called."""

    def facts(self) -> RegressionFacts:
        """What theorems may ask."""
        state, rules = self.state_, self.played_rules()
        width = state.one("high") - state.one("low")
        least, energy = nan, nan
        if state.full:
            members = [place for place in range(FULL, len(state.present)) if state.present[place]]
            best = min(members, key=lambda place: state.part("least")[place] + state.part("energy")[place])
            least, energy = float(state.part("least")[best]), float(state.part("energy")[best])
        determinant, least = (energy, nan) if rules.newton else (nan, least)
        return RegressionFacts(
            members=float(state.played.sum()),
            share=rules.share,
            eta=state.one("eta"),
            gap=state.one("gap"),
            width=width,
            worst=rules.worst(state.one("low"), state.one("high"), state.one("origin")),
            least=least,
            energy=nan if rules.newton else energy,
            determinant=determinant,
            steady=state.steady,
            square=rules.charged.squares,
            diagonal=rules.diagonal,
        )

    def proven(self) -> tuple[Theorem, ...]:
        """The theorems about this learner with its parameters."""
        return self.theorems

    def declined(self, why: str) -> list[Certificate]:
        """Certificates that do not apply, all for the same reason; but for those that no row is read again for."""
        return [
            self._alone(theorem) or Certificate(theorem, None, None, None, why)
            for theorem in self._without_repetition()
        ]

    def _alone(self, theorem: Theorem) -> Certificate | None:
        """The certificate of a theorem that compares with nothing."""
        return None if theorem.compares else theorem.certify(self.ledger_, [None], self.facts())

    def certify(self, X: Any, y: Any, *, against: Any = None) -> list[Certificate]:
        """Read every theorem of this learner against the rounds that it played.

        Parameters
        ----------
        X, y
            The rounds, as they were given to `fit` or, all together, to `partial_fit`.
        against : array-like, shape (features,), optional
            Your own comparator, instead of those found in hindsight; it may have one number more, for the weight of the
            constant feature.

        Returns
        -------
        list of Certificate
            One a theorem.
        """
        self._require_fitted()
        rows = read_rows(X, learner=self, reset=False, text="known")
        batch = replace(rows, labels=read_outcomes(y, len(rows)))
        few = None if against is not None or self.state_.full else few_columns(batch)
        some = batch if few is None else replace(few.rows, labels=batch.labels)
        state = None if few is None else self._played_in(some, few.which.used)
        if state is None and not self.gives(partial(iter, [batch])):
            return Certificates(self.declined(NOT_REPRODUCED.format(name="X")))
        if few is None:
            return Certificates(self.certify_rounds(partial(iter, [batch]), against))
        learner, made = copy(self), dict[int, Wide]()
        learner.state_ = state or self.state_.of_columns(few.which)
        certificates = learner.certify_rounds(partial(iter, [some]))
        return Certificates(widened(one, few.which, made) for one in certificates)

    def _played_in(self, batch: Batch, used: Array) -> RegressionState | None:
        """What is learned from rows in the columns that they have, if that is what was learned; else None."""
        if not self.state_.steady:
            return None
        twin = type(self)(**self.get_params())
        twin.state_ = self.state_.without_matrices(len(used))
        try:
            twin.observe(batch)
        except RegretlessError:
            return None
        return twin.state_ if self.state_.same_within(twin.state_, used) else None

    def certify_rounds(self, rounds: Rounds, against: Any = None) -> list[Certificate]:
        """One certificate a theorem, of rounds that are known to be those that were played."""
        read, ledger, facts = self._comparators(rounds, against), self.ledger_, self.facts()
        theorems = self.proven() if against is not None else self._without_repetition()
        return [self._alone(theorem) or theorem.certify(ledger, read, facts) for theorem in theorems]

    def _comparators(self, rounds: Rounds, against: Any) -> list[MemberComparator]:
        run = PlayedRun(self.state_, self.played_rules(), self._names(), self.ledger_.rounds)
        return comparators_of(run, rounds, None if against is None else self.against(against))

    def _without_repetition(self) -> list[Theorem]:
        """What bounds the loss beside all vectors at once has no need of the same for one that was looked for."""
        at_once = self._alone(against_all)
        idle = at_once is not None and at_once.applies
        return [one for one in self.proven() if not (idle and one is by_a_full_matrix)]

    def gives(self, rounds: Rounds) -> bool:
        """Whether the rounds, played from the start, give the same state, bit for bit."""
        if not self.state_.steady:
            return True
        twin = type(self)(**self.get_params())
        try:
            for batch in rounds():
                twin.observe(batch)
        except RegretlessError:
            return False
        return hasattr(twin, "state_") and self.state_.same(twin.state_)

    def against(self, vector: Any) -> Array:
        """A user's comparator, the weight of the constant feature first, of outcomes measured from the first one.

        Raises
        ------
        RegretlessError
            If it has another shape.
        """
        vector = np.asarray(vector, dtype=np.float64).ravel()
        columns, size = self.state_.columns, self.played_rules().intercept
        widths = (columns, columns + 1) if size else (columns,)
        if vector.size not in widths or not np.isfinite(vector).all():
            wanted = " or ".join(str(width) for width in widths)
            raise RegretlessError(
                f"the comparator has {vector.size:,} numbers; it must have {wanted}, all of them finite"
            )
        bias = vector[columns] if vector.size > columns else 0.0
        origin = self.state_.one("origin") / size if size else 0.0
        return np.append(bias - origin, vector[:columns])


WIDE = 600  # features, the constant one included, up to which all products of two of them are summed
ENTRIES = 1_000_000  # of a sample by which vectors are chosen where there are more, or where the loss is not square
LOWEST = -50.0  # logarithm of the best constant mean of counts, where there was none
EXPONENT = 300.0  # of a mean in the search for a vector, at most
STEPS = 60  # of a search on a sample
HALVINGS = 200  # of the range of the outcomes, at most, in the search for the best constant
BEST_CONSTANT = "the best constant"
DAMPS = (1e-4, 1e-2, 1.0)  # penalties of ridge regressions on a sample, in units of the squared sizes of features
BLOCK = 4096  # rows whose scores are made at once
LAST_BITS = 2.0**-50  # of a logarithm of a mean of counts, absolutely

Rounds = Callable[[], Iterator[Batch]]


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """A run of a learner of numbers.

    Attributes
    ----------
    state : RegressionState
    rules : RegressionRules
        By which all rounds were played.
    names : list of str
        Of the members, by place.
    rounds : float
        That were played.
    """

    state: RegressionState
    rules: RegressionRules
    names: list[str]
    rounds: float


@dataclass(slots=True)
class VectorLoss:
    """A vector, the constant feature first, and its loss."""

    name: str
    label: str
    vector: Array
    loss: float = 0.0


@one_thread()
@np.errstate(over="ignore", invalid="ignore")  # of vectors that are too long theorems claim nothing
def comparators_of(run: PlayedRun, rounds: Rounds, vector: Array | None) -> list[MemberComparator]:
    """The members, and what each vector is to each of them."""
    cells = run.state.all_cells()
    some = _candidates(run, rounds, vector, cells)
    rows, norm2 = _suffer(run, rounds, some)
    state, names = run.state, run.names
    members = [
        MemberComparator("member", f"the member {names[place]}", rows, float(loss), norm2, member=names[place])
        for place, loss in enumerate(state.part("loss"))
        if state.present[place]
    ]
    each = [*members, *(one for candidate in some for one in _to_members(run, candidate, rows, norm2, cells))]
    # The last bit of the logarithm of a mean is worth this part of the count.
    off = LAST_BITS * sum(float(z.sum()) for _, z in _blocks(run, rounds)) if run.rules.counts else 0.0
    return [replace(one, off=off) for one in each] if off else each


def _to_members(run: PlayedRun, one: VectorLoss, rows: float, norm2: float, cells: Array) -> Iterator[MemberComparator]:
    """What a vector is to each member, by the sums of slopes of each rate and the largest size of each feature."""
    state, rules, names = run.state, run.rules, run.names
    some = one.vector if one.vector[1:].any() else one.vector[:1]
    cells = cells[: len(some)]
    sized = cells[:, MOST] * some if state.full else np.zeros(0)
    square = dot(sized, sized)
    base = MemberComparator(
        one.name, one.label, rows, one.loss, norm2, vector=one.vector[1:], bias=float(one.vector[0])
    )
    for place in range(LANES):
        if not state.present[place]:
            continue
        member = replace(base, member=names[place])
        if place < RATES:
            yield replace(member, linear=float(state.part("linear")[place]) + dot(cells[:, SUMS][:, place], some))
        else:
            penalty = rules.priors[place - FULL] * square
            # Newton steps cost what their sum of lower bounds falls by.
            energy = -state.part("least")[place] if rules.newton else state.part("energy")[place]
            yield replace(member, regularised=penalty, energy=float(energy))


# ---- which vectors


def _candidates(run: PlayedRun, rounds: Rounds, vector: Array | None, cells: Array) -> list[VectorLoss]:
    if vector is not None:
        return [VectorLoss("yours", "yours", vector)]
    state, rules, names = run.state, run.rules, run.names
    weights, sizes = state.weights_from(cells), np.where(cells[:, MOST] > 0, cells[:, MOST], 1.0)
    some = [
        VectorLoss("final weights", f"the final weights of {names[place]}", weights[:, place])
        for place in range(LANES)
        if state.present[place] and np.isfinite(weights[:, place]).all()
    ]
    some.append(VectorLoss("zero", "the first outcome", np.zeros(1 + state.columns)))
    if rules.charged.squares and 1 + state.columns <= WIDE:
        return [*some, *_by_products(run, rounds, sizes)]
    return [*some, *_by_sample(run, rounds, sizes)]


def _constant(run: PlayedRun, value: float, label: str = BEST_CONSTANT) -> list[VectorLoss]:
    """A constant forecast, which takes an intercept."""
    size = run.rules.intercept
    if not size:
        return []
    vector = np.zeros(1 + run.state.columns)
    vector[0] = value / size
    return [VectorLoss("constant", label, vector)]


def _mean(run: PlayedRun) -> float:
    """Of all outcomes that were charged, measured from the first one; of counts the logarithm of the mean."""
    state = run.state
    if run.rules.counts:
        mean = state.one("second") + state.one("mean")
        return (float(np.log(mean)) if mean > 0 else LOWEST) - state.one("origin")
    return state.one("second") - state.one("origin") + state.one("mean")


def least_constant(z: Array, rules: RegressionRules) -> float:
    """The constant of the least loss, which is not squared, on these outcomes: a quantile, or the zero of the sum of
    slopes, which rises with the constant."""
    slope = rules.charged.slope
    if slope is None:
        return float(np.quantile(z, rules.level, method="inverted_cdf"))
    low, high = float(z.min()), float(z.max())
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        if middle in (low, high):
            break
        if slope(middle - z, rules.tau).sum() < 0:
            low = middle
        else:
            high = middle
    return high


def _by_products(run: PlayedRun, rounds: Rounds, sizes: Array) -> Iterator[VectorLoss]:
    """Ridge regressions and least squares from the sums of all products of two features, in units of their sizes."""
    rules = run.rules
    products, with_z, rows = np.zeros((len(sizes), len(sizes))), np.zeros(len(sizes)), 0
    for part, z in _blocks(run, rounds):
        scaled = _dense(run, part) / sizes
        products += scaled.T @ scaled
        with_z += scaled.T @ z
        rows += len(z)
    if not rows:
        return
    yield from _constant(run, _mean(run))
    for prior in sorted({*rules.priors, *DAMPS}):
        try:
            solved = np.linalg.solve(products + prior * np.eye(len(sizes)), with_z)
        except np.linalg.LinAlgError:
            continue
        yield VectorLoss("ridge", f"ridge regression, prior {prior:g}", solved / sizes)
    solved = np.linalg.lstsq(products, with_z, rcond=1e-12)[0]
    yield VectorLoss("least squares", "least squares", solved / sizes)


def _by_sample(run: PlayedRun, rounds: Rounds, sizes: Array) -> Iterator[VectorLoss]:
    """Regressions on the first rows, as many as fit, in units of the features' largest sizes."""
    rules, parts, entries = run.rules, [], 0
    for part, z in _blocks(run, rounds):
        parts.append((part, z))
        entries += (part.entries if part.sparse else int(np.count_nonzero(part.values))) + len(z)
        if entries >= ENTRIES:
            break
    if not parts:
        return
    ((batch, z),) = joined(parts)
    scaled = _matrix(run, batch)
    scaled.data /= sizes[scaled.indices]
    if rules.counts:
        yield from _constant(run, _mean(run))
        for damp in DAMPS:
            solved = _of_counts(scaled, z, damp, run.state.one("origin"))
            yield VectorLoss("regression of counts", f"Poisson regression, prior {damp:g}", solved / sizes)
        return
    if rules.charged.squares:
        yield from _constant(run, _mean(run))
        for damp, solved in zip(DAMPS, ridge_regressions(scaled, z, DAMPS), strict=True):
            yield VectorLoss("ridge", f"ridge regression, prior {damp:g}", solved / sizes)
        return
    all_rows = len(z) + 1 >= run.rounds
    label = BEST_CONSTANT if all_rows else f"a constant chosen on the first {len(z) + 1:,} rows"
    yield from _constant(run, least_constant(z, rules), label)
    for damp in DAMPS:
        label = f"quantile regression, prior {damp:g}"
        yield VectorLoss("quantile regression", label, _of_quantile(scaled, z, rules.level, damp) / sizes)


def _of_counts(rows: Any, counts: Array, damp: float, origin: float) -> Array:
    """The least loss of the likelihood of counts, and a penalty in units of their mean."""
    from scipy.optimize import minimize

    unit = damp * max(float(counts.mean()), 1e-12)

    def loss(u: Array) -> tuple[float, Array]:
        logarithms = rows @ u + origin
        means = np.exp(np.minimum(logarithms, EXPONENT))
        total = float(means.sum() - counts @ logarithms + unit / 2 * u @ u)
        return total, rows.T @ (means - counts) + unit * u

    return np.asarray(
        minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    )


def _of_quantile(rows: Any, z: Array, tau: float, damp: float) -> Array:
    """The least pinball loss, its kink rounded off, and a penalty."""
    from scipy.optimize import minimize  # type: ignore[import-untyped, unused-ignore]

    width = max(float(np.subtract(*np.quantile(z, [0.75, 0.25]))) / 100, 1e-12)

    def loss(u: Array) -> tuple[float, Array]:
        missed = z - rows @ u
        inside = np.clip(missed / width, -1, 1)
        smooth = (tau - 0.5) * missed + 0.5 * np.where(
            np.abs(missed) < width, width / 2 * (inside**2 + 1), np.abs(missed)
        )
        slope = (tau - 0.5) + 0.5 * inside
        return float(smooth.sum() + damp / 2 * u @ u), damp * u - rows.T @ slope

    return np.asarray(
        minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    )


# ---- what they lose


def _suffer(run: PlayedRun, rounds: Rounds, some: list[VectorLoss]) -> tuple[float, float]:
    """Read all rounds once, and note what each vector loses; how many rounds there are, and their squared lengths."""
    rules, size, origin = run.rules, run.rules.intercept, run.state.one("origin")
    total, rows, norm2 = np.zeros(len(some)), 0, 0.0
    for batch in rounds():
        lengths = norms2(batch) + size * size
        norm2 += float(lengths[0 if rows else 1 :].sum())
        rows += len(batch)
    score = scorer([one.vector for one in some], size)
    for part, z in _blocks(run, rounds):
        total += rules.lost(score(part), z[:, None], origin).sum(axis=0)
    for one, loss in zip(some, total, strict=True):
        one.loss = float(loss)
    return float(rows), norm2


def _blocks(run: PlayedRun, rounds: Rounds) -> Iterator[tuple[Batch, Array]]:
    """The rounds that are charged, in blocks, and their outcomes, which are measured from the first one unless they are
    counts."""
    origin, first = 0.0 if run.rules.counts else run.state.one("origin"), True
    for batch in rounds():
        if batch.labels is None or not len(batch):
            continue
        for begin in range(int(first), len(batch), BLOCK):
            part = batch.slice(begin, min(begin + BLOCK, len(batch)))
            yield part, np.asarray(part.labels, dtype=np.float64) - origin
        first = False


def _matrix(run: PlayedRun, batch: Batch) -> Any:
    """Rows with the constant feature first, without zeros."""
    from scipy.sparse import csr_array, hstack  # type: ignore[import-untyped, unused-ignore]

    size, columns = run.rules.intercept, run.state.columns
    values, shape = batch.values.astype(np.float64), (len(batch), columns)
    if batch.starts is None:
        values = np.hstack([values, np.zeros((len(batch), columns - batch.columns))])
    rows = csr_array(values if batch.starts is None else (values, batch.indices, batch.starts), shape=shape)
    rows = hstack([csr_array(np.full((len(batch), 1), size)), rows], format="csr")
    rows.eliminate_zeros()
    return rows


def _dense(run: PlayedRun, batch: Batch) -> Array:
    """Rows with the constant feature first."""
    values = np.zeros((len(batch), 1 + run.state.columns))
    values[:, 0] = run.rules.intercept
    if batch.starts is None or batch.indices is None:
        values[:, 1 : 1 + batch.columns] = batch.values
    else:
        values[np.repeat(np.arange(len(batch)), np.diff(batch.starts)), 1 + batch.indices] = batch.values
    return values
