"""Finding comparators in hindsight: good directions first, then the best scale along each, read against the same
rounds.

Any vector gives a valid certificate; the search only makes the numbers small. Directions come from the run itself, from
extra passes of our own learners (the averaged perceptron, and gradient descent in balls of several sizes, whose
averages follow the path of linear SVMs), from scikit-learn's LinearSVC when the rounds are at hand and it is wanted,
from the maximum margin when they can be separated, and from the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from ..comparator import Comparator
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import Ledger
from ..theorem import Certificate, Theorem, summed
from ..theory.mistakes import separable
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
    if standing.loss == "logistic":
        # Rays know this loss only nearly, which is enough to choose by. What is printed is read exactly.
        places = {id(u): place for place, u in enumerate(u for several in chosen for u in several)}
        vectors = [(u.name, u.vector, u.bias) for several in chosen for u in several if u.vector is not None]
        exact = read(question, target, vectors)
        chosen = [[exact[places[id(u)]] for u in several] for several in chosen]
    if question.against is not None:
        weights, biases = question.against
        yours = read(question, target, [("yours", weights[:, target], float(biases[target]))])
        chosen = [yours + several for several in chosen]
    certificates = []
    for theorem, several in zip(question.theorems, chosen, strict=True):
        certificate = theorem.certify(ledger, several, standing)
        if theorem is separable and not certificate.applies and leads.inseparable is not None:
            certificate = replace(certificate, why=leads.inseparable)
        certificates.append(certificate)
    return certificates


def _chosen(rays: list[Ray], theorem: Theorem, ledger: Ledger, standing: Standing) -> list[Comparator]:
    """The best comparator of the best ray; v = 0, whose certificate says what is missing, when no ray has any."""
    found = [best for ray in rays if (best := ray.best(theorem, ledger, standing)) is not None]
    best = theorem.certify(ledger, found, standing).comparator
    return [rays[0].zero() if best is None else best]


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
        candidates = [("yours, scaled", *question.against)]
    else:
        final = question.state.coefficients(), question.state.biases()
        candidates = [("final weights", *final), *_extra_passes(question)]
    leads = []
    for c in range(targets):
        along = [Direction.along(name, vectors[:columns, c], float(biases[c])) for name, vectors, biases in candidates]
        lead = Leads([d for d in along if d is not None])
        if question.in_memory and question.against is None:
            more, lead.inseparable = _from_memory(question, c)
            lead.directions += more
        lead.directions = lead.directions or [_first_axis(columns)]
        leads.append(lead)
    return leads


def _first_axis(columns: int) -> Direction:
    """Somewhere to look when there is nowhere better: even v = 0 gives a bound, the number of rounds."""
    return Direction("first axis", np.eye(1, max(columns, 1))[0, :columns], 0.0)


def _extra_passes(question: Question) -> list[tuple[str, Array, Array]]:
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
    epochs = 3 if question.in_memory else 1
    for _ in range(epochs):
        for batch, codes in question.rounds():
            for state, (_, rules) in zip(states, plans, strict=True):
                played, why = state.player(rules).play(batch.values, batch.indices, batch.starts, codes)
                if why is not None:
                    raise RegretlessError(f"row {played} of the rounds to certify against is {why}")
    return [(name, *state.average()) for state, (name, _) in zip(states, plans, strict=True)]


def _from_memory(question: Question, target: int) -> tuple[list[Direction], str | None]:
    """Directions that need all rounds at hand, and why no margin separates them, if that is known."""
    from .batch_directions import margin_direction, svm_directions

    intercept, ledger = question.rules.intercept, question.state.ledgers()[target]
    found: list[Direction] = []
    obstacle = None
    for batch, signs in _signed(question, target):  # in memory, all rounds are one batch
        margin = margin_direction(batch, signs, intercept, question.seconds / question.state.targets)
        if isinstance(margin, str):
            obstacle = margin
        elif margin is not None:
            found.append(margin)
        if question.svm:
            found += svm_directions(batch, signs, intercept, ledger.max_norm2)
    return found, obstacle
