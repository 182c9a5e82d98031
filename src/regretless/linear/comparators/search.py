"""Finding comparators in hindsight: good directions first, then the best scale along each, read against the same
rounds.

Any vector gives a valid certificate; the search only makes the numbers small. Directions come from the run itself, from
more passes over the rounds, from scikit-learn's LinearSVC when the rounds are at hand and it is wanted, from the
maximum margin when they can be separated, and from the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from ...certificate import Certificate, summed
from ...comparator import Comparator
from ...data.batch import Array
from ...rows.state import length
from ...theory.facts import SEPARATES, LinearFacts
from ...theory.margin_losses import MARGIN_LOSSES
from ..separation.budget import DEEPER
from ..separation.result import INSEPARABLE
from ..state import Geometry
from .candidates import svm_directions
from .directions import all_directions, directions_along, unit_length
from .evaluate import MOST_TOGETHER, Exact, Vector, VectorLosses
from .line_search import Best, best_on
from .margins import Nearest, find_margin, with_its_length, with_signs, worth_a_margin
from .question import FEW_TARGETS, Question
from .rays import Direction, Ray, Sight

T = TypeVar("T")


def certify(question: Question) -> list[Certificate]:
    """One certificate a theorem; with several classes, both of its sides summed over the one-against-rest problems."""
    chosen = _all_chosen(question, all_directions(question))
    per_target = _certified(question, chosen)
    return per_target[0] if len(per_target) == 1 else [summed(parts) for parts in zip(*per_target, strict=True)]


@dataclass(frozen=True, slots=True)
class BestChoices:
    """The comparators that serve the theorems of one target best, one each, with the rays that they are on; and why
    none separates its rounds."""

    choices: list[Best]
    inseparable: str | None


def _all_chosen(question: Question, directions: list[list[Direction]]) -> list[BestChoices]:
    """What one reading of the rounds says is best for each target."""
    chosen: list[BestChoices] = []
    ledgers, careful = question.ledgers(), len(directions) <= FEW_TARGETS
    inseparable = None
    for target, rays in enumerate(_all_rays(question, directions)):
        if question.in_memory and question.against is None:
            more, inseparable = _from_memory(question, target, rays, inseparable)
            rays = rays + more
        facts = question.target_facts[target]
        best = best_on(rays, question.theorems, ledgers[target], facts, careful)
        chosen.append(BestChoices(_choices(best, rays), inseparable))
    return chosen


def _from_memory(
    question: Question, target: int, rays: list[Ray], inseparable: str | None
) -> tuple[list[Ray], str | None]:
    """Rays along vectors that need all rounds at hand, and why no margin separates them, if that is known.

    Of several targets none is searched after the first that cannot be separated, as far as is known: together they have
    no margin then.
    """
    intercept, ledger = question.rules.intercept, question.sums(target)
    candidates: list[tuple[str, Array, float]] = []
    obstacle = inseparable
    for batch, signs in with_signs(question, question.rounds, target):  # in memory, all rounds are one batch
        if not batch.columns:
            continue
        nearest = Nearest.of(rays)
        margin: tuple[str, Array, float] | str | None = obstacle
        if question.deep or (margin is None and worth_a_margin(question, batch, nearest)):
            margin = find_margin(question, batch, signs, nearest)
        if isinstance(margin, str):
            obstacle = obstacle if nearest.separates else margin  # other targets may have none
        elif margin is not None:
            candidates.append(with_its_length(question, margin))
        if question.svm:
            fit = partial(svm_directions, batch, signs, intercept, ledger.max_norm2)
            candidates += question.fitted_once(target, fit)
        some = question.rounds if question.deep or nearest.separates or question.sample is None else question.sample
        separable: bool | None = question.deep or nearest.separates or None
        if inseparable is None and isinstance(margin, str) and margin.startswith(INSEPARABLE):
            separable = False  # what is known of another target says nothing of this one
        for part, its in with_signs(question, some, target):
            budget = question.budget(part.entries, bool(separable))
            candidates += question.geometry.directions(part, its, target, separable=separable, budget=budget)
    directions = directions_along(question, target, unit_length(ledger), candidates)
    if not directions:
        return [], obstacle
    (seen,) = question.look([_sight(question, directions, [target] * len(directions))])
    return seen.rays(directions, question.target_facts[target].loss), obstacle


def _all_rays(question: Question, directions: list[list[Direction]]) -> Iterator[list[Ray]]:
    """Those of each target, from one reading of the rounds for as many targets as there is room for."""
    group: list[int] = []
    for target, its in enumerate(directions):
        if group and sum(len(directions[t]) for t in group) + len(its) > MOST_TOGETHER:
            yield from _rays_of(question, directions, group)
            group = []
        group.append(target)
    yield from _rays_of(question, directions, group)


def _rays_of(question: Question, directions: list[list[Direction]], group: list[int]) -> Iterator[list[Ray]]:
    """Those of some targets, from one reading of the rounds."""
    along = [(target, direction) for target in group for direction in directions[target]]
    whose, flat = [target for target, _ in along], [direction for _, direction in along]
    (seen,) = question.look([_sight(question, flat, whose)])
    rays = iter(seen.rays(flat, question.target_facts[group[0]].loss))
    for target in group:
        yield [next(rays) for _ in directions[target]]


def _sight(question: Question, directions: list[Direction], whose: list[int]) -> Sight:
    written = question.writes_margins(len(directions))
    return Sight(directions, question.rules.intercept, whose, question.state.targets, written)


def _certified(question: Question, chosen: list[BestChoices]) -> list[list[Certificate]]:
    # Bins are for choosing, and nearly right. What is printed is read from the margins of the rows, or from the vectors
    # themselves.
    choices = [its.choices for its in chosen]
    if question.against is None and all(ray.margins is not None for its in choices for _, ray in its):
        comparators = [_made_once(its, lambda one, ray: ray.read(one)) for its in choices]
    else:
        vectors = [_made_once(its, _vector) for its in choices]
        if question.against is not None:
            weights, biases = question.against
            yours = [Vector("yours", weights[:, target], float(biases[target])) for target in range(len(chosen))]
            vectors = [[first, *others] for first, others in zip(yours, vectors, strict=True)]
        comparators = read_all(question, vectors)
    each = zip(question.ledgers(), question.target_facts, chosen, comparators, strict=True)
    return [_of_target(question, *its) for its in each]


def _vector(comparator: Comparator, ray: Ray) -> Vector:
    return Vector(comparator.name, ray.vector_of(comparator), comparator.bias)


def _made_once(choices: list[Best], make: Callable[[Comparator, Ray], T]) -> list[T]:
    """What is made of choices, one for all that are the same."""
    keys = [(id(ray), comparator.norm) for comparator, ray in choices]
    made = {key: make(*choice) for key, choice in dict(zip(keys, choices, strict=True)).items()}
    return [made[key] for key in keys]


def _of_target(
    question: Question, ledger: Any, facts: LinearFacts, best: BestChoices, comparators: list[Comparator]
) -> list[Certificate]:
    certificates = []
    # Of those that are the same the first counts; and the last one says what is missing where none serves.
    once = list({id(one): one for one in comparators}.values())
    each = once if not once or once[-1] is comparators[-1] else [*once, comparators[-1]]
    for theorem in question.theorems:
        # Each count has its best comparator, but there is one regret: against the first theorem's.
        own = each if not theorem.quantity.endswith("regret") else each[:1]
        certificate = theorem.certify(ledger, own, facts)
        if certificate.why in dict(theorem.assumes):
            nearest = theorem.nearest_obstacle(ledger, own, facts)  # none where all hold, but numbers are none
            certificate = replace(certificate, why=nearest or certificate.why)
        if certificate.why == SEPARATES[0]:
            # A margin in Euclid's length may be none of the vectors that are allowed.
            further = "" if question.deep or question.against is not None or not question.at_hand() else DEEPER
            why = best.inseparable or SEPARATES[0] + further
            certificate = replace(certificate, why=why)
        certificates.append(certificate)
    return certificates


def _choices(best: list[Best | None], rays: list[Ray]) -> list[Best]:
    """The best comparator of the best ray for each theorem. When no ray has any, one that separates the rows, or else
    v = 0: its certificate says what is missing."""
    separating = ((one, ray) for ray in rays if (one := ray.separating()) is not None)
    otherwise = next(separating, (rays[0].zero(), rays[0]))
    return [one or otherwise for one in best]


def read(question: Question, target: int, vectors: list[Vector]) -> list[Comparator]:
    """Read vectors against the rounds of one target, exactly as they are.

    Parameters
    ----------
    question : Question
    target : int
    vectors : list of Vector

    Returns
    -------
    list of Comparator
        One a vector, in their order.

    Raises
    ------
    RegretlessError
        If a row cannot be used.
    """
    return next(_read(question, [(target, vector) for vector in vectors], [vectors]))


def read_all(question: Question, vectors: list[list[Vector]]) -> list[list[Comparator]]:
    """`read` for the vectors of every target, in one reading of the rounds; one that is there again is read once."""
    once = [list({id(vector): vector for vector in its}.values()) for its in vectors]
    flat = [(target, vector) for target, its in enumerate(once) for vector in its]
    each = zip(vectors, once, _read(question, flat, once), strict=True)
    read = [({id(v): one for v, one in zip(some, made, strict=True)}, its) for its, some, made in each]
    return [[made[id(vector)] for vector in its] for made, its in read]


def _read(
    question: Question, flat: list[tuple[int, Vector]], vectors: list[list[Vector]]
) -> Iterator[list[Comparator]]:
    """The comparators that vectors with their targets are, in as many parts as the vectors come in."""
    state, loss = question.state, question.target_facts[0].loss
    (exact,) = question.gather([Exact(flat, state.columns, question.rules.intercept, loss, state.targets)])
    places = iter(range(len(flat)))
    for its in vectors:
        yield [_comparator(question, *flat[k], k, exact) for _, k in zip(its, places, strict=False)]


def _comparator(question: Question, target: int, v: Vector, k: int, exact: VectorLosses) -> Comparator:
    geometry, loss, norm = question.geometry, question.target_facts[target].loss, length(v.vector, v.bias)
    own, divergence = (norm, 0.0) if type(geometry) is Geometry else geometry.measure(v.vector, v.bias, target)
    comparator = exact.comparator(
        k,
        v.name,
        norm,
        loss=float(exact.losses[k, 2]) if loss in MARGIN_LOSSES else None,
        vector=v.vector,
        bias=v.bias,
        own=own,
        divergence=divergence,
        product=geometry.product(v.vector, v.bias, target),
    )
    if question.joined == 1:
        return comparator
    played = question.sums(target)  # rows that are shorter now
    return replace(comparator, max_norm2=played.max_norm2, total_norm2=played.total_norm2)
