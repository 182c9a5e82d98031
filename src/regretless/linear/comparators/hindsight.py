"""Finding comparators in hindsight: good directions first, then the best scale along each, read against the same
rounds.

Any vector gives a valid certificate; the search only makes the numbers small. Directions come from the run itself, from
extra passes of our own learners (the averaged perceptron, and gradient descent in balls of several sizes, whose
averages follow the path of linear SVMs), from scikit-learn's LinearSVC when the rounds are at hand and it is wanted,
from the maximum margin when they can be separated, and from the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import log2, nan, sqrt
from typing import ClassVar

import numpy as np

from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...ledger import Ledger
from ...theorem import Certificate, Theorem, summed
from ...theory.standing import SEPARATES, Standing
from ..state import BIAS, BaseState, Rules, State, length
from .rays import Direction, Ray, Span, look

Rounds = Callable[[], Iterator[tuple[Batch, Array]]]
MOST_PLAYED = 3_000_000  # entries that the extra passes of one learner look at, when rounds are few
YOURS = "yours, scaled"
BALLS = (0.125, 0.25, 0.5, 1.0)  # radii, as shares of the largest that can matter


class Geometry:
    """How a learner's theorems measure a comparator, and which ones they allow: any vector, by its Euclidean length."""

    PART: ClassVar[str] = "what is allowed of yours"  # the name of what `admissible` makes of a user's vector

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """The length of a vector in the learner's own geometry, of degree 1, and its divergence, of degree 0."""
        return length(vector, bias), 0.0

    def product(self, vector: Array, bias: float, target: int) -> float:
        """Inner product of a vector with the learner's dual coordinates; NaN where no theorem asks for it."""
        return nan

    def admissible(self, vector: Array, bias: float) -> tuple[Array, float]:
        """The vector itself if it is allowed, or what is near it and is."""
        return vector, bias

    def directions(self, batch: Batch, signs: Array, target: int) -> Sequence[tuple[str, Array, float]]:
        """More comparators to try when all rounds are at hand, as (name, vector, weight of the constant feature)."""
        return ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be certified.

    Attributes
    ----------
    state : State
        Of the learner, after its run.
    rules : Rules
        What it played by.
    standings : list of Standing
        One a target.
    theorems : tuple of Theorem
    rounds : callable
        ``rounds()`` reads the same rounds again: batches with the numbers the kernel plays (signs, or places of
        classes).
    in_memory : bool
        Whether all rounds are at hand, as one batch, so that exact margins and linear SVMs may be tried.
    rows : int
        How many rounds there are in one reading.
    svm : bool
        Whether scikit-learn may be asked.
    against : tuple of (ndarray, float) or None
        The user's own comparators, shape (columns, targets), with their weights of the constant feature.
    seconds : float
        How much CPU time the search for maximum margins may take.
    geometry : Geometry
        How the learner's theorems measure a comparator.
    """

    state: BaseState
    rules: Rules
    standings: list[Standing]
    theorems: tuple[Theorem, ...]
    rounds: Rounds
    in_memory: bool
    rows: int
    svm: bool = False
    against: tuple[Array, Array] | None = None
    seconds: float = 10.0
    geometry: Geometry = field(default_factory=lambda: Geometry())

    def span(self, target: int) -> Span:
        """Which of the rounds a target played."""
        return Span.of(self.rows, self.state.ledgers()[target].rounds)


def certify(question: Question) -> list[Certificate]:
    """One certificate a theorem; with several classes, both of its sides summed over the one-against-rest problems."""
    targets = question.state.targets
    leads = _leads(question)
    per_target = [_certify_target(question, target, leads[target]) for target in range(targets)]
    if targets == 1:
        return per_target[0]
    return [summed(parts) for parts in zip(*per_target, strict=True)]


def _certify_target(question: Question, target: int, leads: Leads) -> list[Certificate]:
    ledger, standing = question.state.ledgers()[target], question.standings[target]
    rays = look(
        _signed(question, target),
        leads.directions,
        intercept=question.rules.intercept,
        span=question.span(target),
        loss_name=standing.loss,
    )
    chosen = [_chosen(rays, theorem, ledger, standing) for theorem in question.theorems]
    # Rays are for choosing, and nearly right. What is printed is read from the vector itself.
    comparators = read(question, target, chosen)
    if question.against is not None:
        weights, biases = question.against
        yours = read(question, target, [Vector("yours", weights[:, target], float(biases[target]))])
        comparators = yours + comparators
    certificates = []
    for theorem in question.theorems:
        # Each count has its best comparator, but there is one regret: against the first theorem's.
        own = comparators if theorem.quantity != "regret" else comparators[:1]
        certificate = theorem.certify(ledger, own, standing)
        if certificate.why == SEPARATES[0] and leads.inseparable is not None:
            certificate = replace(certificate, why=leads.inseparable)
        certificates.append(certificate)
    return certificates


@dataclass(frozen=True, slots=True)
class Vector:
    name: str
    vector: Array
    bias: float


def _chosen(rays: list[Ray], theorem: Theorem, ledger: Ledger, standing: Standing) -> Vector:
    """The best comparator of the best ray; v = 0, whose certificate says what is missing, when no ray has any."""
    found = [best for ray in rays if (best := ray.best(theorem, ledger, standing)) is not None]
    best = theorem.certify(ledger, found, standing).comparator or rays[0].zero()
    vector = np.zeros(len(rays[0].direction.vector)) if best.vector is None else best.vector
    return Vector(best.name, vector, best.bias)


def _signed(question: Question, target: int) -> Iterator[tuple[Batch, Array]]:
    """The rounds with the signs of one target."""
    for batch, codes in question.rounds():
        if question.state.targets == 1:
            yield batch, codes
        else:
            yield batch, np.where(codes == target, 1, -1).astype(np.int32)


def read(question: Question, target: int, vectors: list[Vector]) -> list[Comparator]:
    """Read given vectors against the rounds of one target, exactly as they are."""
    intercept, loss = question.rules.intercept, question.standings[target].loss
    state = State(question.state.columns, len(vectors))
    for k, v in enumerate(vectors):
        state.weights[: len(v.vector), k] = v.vector
        state.memory[k, BIAS] = v.bias
    rules = Rules(intercept=intercept)
    sums = np.zeros((len(vectors), 3))
    least, rounds, longest, total = np.full(len(vectors), np.inf), 0, 0.0, 0.0
    for times, batch, signs in question.span(target).parts(_signed(question, target)):
        scores, (row, why) = state.scores(batch, rules)
        if why is not None:
            raise RegretlessError(f"row {row} of the rounds to certify against is {why}")
        margins = signs[:, None] * scores
        hinge = np.maximum(0, 1 - margins)
        sums += times * np.column_stack([hinge.sum(0), (hinge**2).sum(0), _charged(loss, margins).sum(0)])
        least = np.minimum(least, margins.min(0, initial=np.inf))
        norms = norms2(batch) + intercept**2
        rounds += times * len(batch)
        total += times * float(norms.sum())
        longest = max(longest, float(norms.max(initial=0.0)))
    measured = [question.geometry.measure(v.vector, v.bias, target) for v in vectors]
    return [
        Comparator(
            name=v.name,
            norm=length(v.vector, v.bias),
            hinge=float(sums[k, 0]),
            squared_hinge=float(sums[k, 1]),
            loss=float(sums[k, 2]) if loss in CHARGED else None,
            least=float(least[k]),
            rounds=float(rounds),
            max_norm2=longest,
            total_norm2=total,
            vector=v.vector,
            bias=v.bias,
            own=measured[k][0],
            divergence=measured[k][1],
            product=question.geometry.product(v.vector, v.bias, target),
        )
        for k, v in enumerate(vectors)
    ]


CHARGED: dict[
    str, Callable[[Array], Array]
] = {  # what is charged to a fixed vector, for losses that charge it anything
    "hinge": lambda margins: np.asarray(np.maximum(0, 1 - margins)),
    "squared-hinge": lambda margins: np.asarray(np.maximum(0, 1 - margins) ** 2),
    "square": lambda margins: np.asarray((1 - margins) ** 2),
    "logistic": lambda margins: np.asarray(np.logaddexp(0, -margins)),
}


def _charged(loss: str, margins: Array) -> Array:
    return CHARGED[loss](margins) if loss in CHARGED else np.zeros_like(margins)


def norms2(batch: Batch) -> Array:
    if batch.starts is None:
        return np.asarray(np.einsum("ij,ij->i", batch.values, batch.values, dtype=np.float64))
    norms2, filled = np.zeros(len(batch)), batch.starts[:-1] < batch.starts[1:]
    if filled.any():
        norms2[filled] = np.add.reduceat(batch.values.astype(np.float64) ** 2, batch.starts[:-1][filled])
    return norms2


# ---- directions


@dataclass(slots=True)
class Leads:
    """Where to look for the comparators of one target, and why none separates its rounds, if that is known."""

    directions: list[Direction]
    inseparable: str | None = None


def _leads(question: Question) -> list[Leads]:
    columns, targets = question.state.columns, question.state.targets
    if question.against is not None:
        candidates = [(YOURS, *question.against)]
    else:
        final = question.state.coefficients(), question.state.biases()
        candidates = [("final weights", *final), *extra_passes(question)]
    leads = []
    for c in range(targets):
        unit = unit_length(question.state.ledgers()[c])
        lead = Leads(_along(question, c, unit, [(n, v[:columns, c], float(b[c])) for n, v, b in candidates]))
        if question.in_memory and question.against is None:
            more, lead.inseparable = _from_memory(question, c)
            lead.directions += _along(question, c, unit, more)
        # Somewhere to look when there is nowhere better: even v = 0 gives a bound, the number of rounds.
        first = Direction("first axis", unit * np.eye(1, max(columns, 1))[0, :columns], 0.0, unit, unit)
        lead.directions = lead.directions or [first]
        leads.append(lead)
    return leads


def _along(
    question: Question, target: int, unit: float, vectors: Sequence[tuple[str, Array, float]]
) -> list[Direction]:
    """Directions along these vectors, or along what is near them and allowed, each measured."""
    found = []
    for name, vector, bias in vectors:
        allowed, its_bias = question.geometry.admissible(vector, bias)
        if name == YOURS and (its_bias != bias or not np.array_equal(allowed, vector)):
            name = question.geometry.PART
        direction = Direction.along(name, allowed, its_bias, unit)
        if direction is not None:
            own, divergence = question.geometry.measure(direction.vector, direction.bias, target)
            product = question.geometry.product(direction.vector, direction.bias, target)
            found.append(replace(direction, own=own, divergence=divergence, product=product))
    return found


def unit_length(ledger: Ledger) -> float:
    """A length, a power of two, that brings the margins of the rows to about 1."""
    longest = sqrt(ledger.max_norm2)
    return 2.0 ** -round(log2(longest)) if longest > 0 else 1.0


def extra_passes(question: Question) -> list[tuple[str, Array, Array]]:
    """Averages of our own learners over the same rounds: the perceptron's, and gradient descent's in four balls."""
    intercept, columns, targets = question.rules.intercept, question.state.columns, question.state.targets
    ledger = question.state.ledger()
    longest = sqrt(ledger.max_norm2)
    if longest == 0 or ledger.rounds == 0:
        return []
    # The bounds are at least (r |v|)^2, so no vector longer than sqrt(rounds) / r says more than v = 0 does.
    largest = sqrt(ledger.rounds) / longest
    plans = [("perceptron, averaged", Rules(intercept=intercept))]
    plans += [
        (
            f"gradient descent in a ball of {share * largest:.3g}, averaged",
            Rules("ball", "hinge", "self-tuned", share * largest, share * largest * sqrt(2), 0.0, intercept),
        )
        for share in BALLS
    ]
    states = [State(columns, targets, average=True) for _ in plans]
    fit = [True] * len(plans)
    random = np.random.default_rng(0)
    for _ in range(epochs(question)):
        for batch, codes in question.rounds():
            # In an order of their own, if it is free: what comes sorted by label would be learned badly.
            order = random.permutation(len(batch)) if question.in_memory else None
            for k, (state, (_, rules)) in enumerate(zip(states, plans, strict=True)):
                if fit[k]:
                    player = state.player(rules)
                    fit[k] = player.play(batch.values, batch.indices, batch.starts, codes, None, order)[1] is None
    return [(name, *state.average()) for state, (name, _), good in zip(states, plans, fit, strict=True) if good]


def epochs(question: Question) -> int:
    """Few rounds are worth more passes."""
    if not question.in_memory:
        return 1
    entries = sum(batch.entries for batch, _ in question.rounds())
    return min(30, max(3, MOST_PLAYED // max(entries, 1)))


def _from_memory(question: Question, target: int) -> tuple[list[tuple[str, Array, float]], str | None]:
    """Vectors that need all rounds at hand, and why no margin separates them, if that is known."""
    from .batch_directions import margin_direction, svm_directions

    intercept, ledger = question.rules.intercept, question.state.ledgers()[target]
    found: list[tuple[str, Array, float]] = []
    obstacle = None
    for batch, signs in _signed(question, target):  # in memory, all rounds are one batch
        if not batch.columns:
            continue
        margin = margin_direction(batch, signs, intercept, question.seconds / question.state.targets)
        if isinstance(margin, str):
            obstacle = margin
        else:
            found.append(margin)
        if question.svm:
            found += svm_directions(batch, signs, intercept, ledger.max_norm2)
        found += question.geometry.directions(batch, signs, target)
    return found, obstacle
