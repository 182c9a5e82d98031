"""Finding comparators in hindsight: good directions first, then the best scale along each, read against the same
rounds.

Any vector gives a valid certificate; the search only makes the numbers small. Directions come from the run itself, from
extra passes of our own learners (the averaged perceptron, and gradient descent in balls of several sizes, whose
averages follow the path of linear SVMs), from scikit-learn's LinearSVC when the rounds are at hand and it is wanted,
from the maximum margin when they can be separated, and from the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from ..comparator import Comparator
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..theorem import Certificate, Theorem, summed
from ..theory.standing import Standing
from .rays import Direction, Ray, Span, look
from .state import Rules, State

Rounds = Callable[[], Iterator[tuple[Batch, Array]]]
BALLS = (0.125, 0.25, 0.5, 1.0)  # radii, as shares of the largest that can matter


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
        How long the search for a maximum margin may take.
    """

    state: State
    rules: Rules
    standings: list[Standing]
    theorems: tuple[Theorem, ...]
    rounds: Rounds
    in_memory: bool
    rows: int
    svm: bool = False
    against: tuple[Array, Array] | None = None
    seconds: float = 5.0

    def span(self, target: int) -> Span:
        """Which of the rounds a target played."""
        return Span.of(self.rows, self.state.ledgers()[target].rounds)


def certify(question: Question) -> list[Certificate]:
    """One certificate a theorem; with several classes, both of its sides summed over the one-against-rest problems."""
    targets = question.state.targets
    directions = _directions(question)
    per_target = [_certify_target(question, target, directions[target]) for target in range(targets)]
    if targets == 1:
        return per_target[0]
    return [summed(parts) for parts in zip(*per_target, strict=True)]


def _certify_target(question: Question, target: int, directions: list[Direction]) -> list[Certificate]:
    ledger, standing = question.state.ledgers()[target], question.standings[target]
    exact: list[Comparator] = []
    rays: list[Ray] = []
    if question.against is not None:
        vectors, biases = question.against
        exact = read(question, target, [("yours", vectors[:, target], float(biases[target]))])
    if directions:
        rays = look(
            _signed(question, target),
            directions,
            intercept=question.rules.intercept,
            span=question.span(target),
            loss_name=standing.loss,
        )
    certificates = []
    for theorem in question.theorems:
        chosen = [found for ray in rays if (found := ray.best(theorem, ledger, standing)) is not None]
        if standing.loss == "logistic" and chosen:
            vectors = [(u.name, u.vector, u.bias) for u in chosen if u.vector is not None]
            chosen = read(question, target, vectors)
        elif not chosen and rays:
            chosen = [rays[0].zero() if rays[0].separating() is None else rays[0].at(0)]
        certificates.append(theorem.certify(ledger, [*exact, *chosen], standing))
    return certificates


def _signed(question: Question, target: int) -> Iterator[tuple[Batch, Array]]:
    """The rounds with the signs of one target."""
    for batch, codes in question.rounds():
        if question.state.targets == 1:
            yield batch, codes
        else:
            yield batch, np.where(codes == target, 1, -1).astype(np.int32)


def read(question: Question, target: int, vectors: list[tuple[str, Array, float]]) -> list[Comparator]:
    """Read given vectors against the rounds of one target, exactly as they are."""
    intercept, loss = question.rules.intercept, question.standings[target].loss
    state = State(question.state.columns, len(vectors))
    for k, (_, vector, bias) in enumerate(vectors):
        state.weights[: len(vector), k] = vector
        state.memory[k, 2] = bias
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
        norms = _norms2(batch) + intercept**2
        rounds += times * len(batch)
        total += times * float(norms.sum())
        longest = max(longest, float(norms.max(initial=0.0)))
    return [
        Comparator(
            name=name,
            norm=sqrt(float(vector @ vector) + bias * bias),
            hinge=float(sums[k, 0]),
            squared_hinge=float(sums[k, 1]),
            loss=None if loss == "perceptron" else float(sums[k, 2]),
            least=float(least[k]),
            rounds=float(rounds),
            max_norm2=longest,
            total_norm2=total,
            vector=vector,
            bias=bias,
        )
        for k, (name, vector, bias) in enumerate(vectors)
    ]


def _charged(loss: str, margins: Array) -> Array:
    short = np.maximum(0, 1 - margins)
    if loss == "hinge":
        return np.asarray(short)
    if loss == "squared-hinge":
        return np.asarray(short**2)
    if loss == "square":
        return np.asarray((1 - margins) ** 2)
    return np.asarray(np.logaddexp(0, -margins))


def _norms2(batch: Batch) -> Array:
    if batch.starts is None:
        return np.asarray(np.einsum("ij,ij->i", batch.values, batch.values, dtype=np.float64))
    squares = np.concatenate([[0.0], np.cumsum(batch.values.astype(np.float64) ** 2)])
    return np.asarray(squares[batch.starts[1:]] - squares[batch.starts[:-1]])


# ---- directions


def _directions(question: Question) -> list[list[Direction]]:
    """For each target, the directions worth a look."""
    columns, targets = question.state.columns, question.state.targets
    if question.against is not None:
        vectors, biases = question.against
        made = [[Direction.along("yours, scaled", vectors[:, c], float(biases[c]))] for c in range(targets)]
        return [[d for d in found if d is not None] for found in made]
    candidates: list[tuple[str, Array, Array]] = [
        ("final weights", question.state.coefficients(), question.state.biases())
    ]
    candidates += _extra_passes(question)
    found: list[list[Direction]] = []
    for c in range(targets):
        along = [Direction.along(name, vectors[:columns, c], float(biases[c])) for name, vectors, biases in candidates]
        found.append([d for d in along if d is not None])
        if question.in_memory:
            found[c] += _from_memory(question, c)
    return found


def _extra_passes(question: Question) -> list[tuple[str, Array, Array]]:
    """Averages of our own learners over the same rounds: the perceptron's, and gradient descent's in four balls."""
    intercept, columns, targets = question.rules.intercept, question.state.columns, question.state.targets
    ledger = question.state.ledger()
    longest = sqrt(ledger.max_norm2)
    if longest == 0 or ledger.rounds == 0:
        return []
    # No vector longer than sqrt(updates) / r beats v = 0 with less than all rounds as its bound.
    largest = sqrt(max(1.0, ledger.updates / targets)) / longest
    plans = [("averaged perceptron", Rules(intercept=intercept))]
    plans += [
        (
            f"averaged gradient descent, |u| <= {share * largest:.3g}",
            Rules("ball", "hinge", "self-tuned", share * largest, share * largest * sqrt(2), 0.0, intercept),
        )
        for share in BALLS
    ]
    states = [State(columns, targets, average=True) for _ in plans]
    epochs = 3 if question.in_memory else 1
    for _ in range(epochs):
        for batch, codes in question.rounds():
            for state, (_, rules) in zip(states, plans, strict=True):
                played, why = state.player(rules).play(batch.values, batch.indices, batch.starts, codes)
                if why is not None:
                    raise RegretlessError(f"row {played} of the rounds to certify against is {why}")
    return [(name, *state.average()) for state, (name, _) in zip(states, plans, strict=True)]


def _from_memory(question: Question, target: int) -> list[Direction]:
    from .batch_directions import margin_direction, svm_directions

    intercept, ledger = question.rules.intercept, question.state.ledgers()[target]
    found: list[Direction] = []
    for batch, signs in _signed(question, target):  # in memory, all rounds are one batch
        margin = margin_direction(batch, signs, intercept, question.seconds / question.state.targets)
        if margin is not None:
            found.append(margin)
        if question.svm:
            found += svm_directions(batch, signs, intercept, ledger.max_norm2)
    return found
