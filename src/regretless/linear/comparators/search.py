"""Finding comparators in hindsight: good directions first, then the best scale along each, read against the same
rounds.

Any vector gives a valid certificate; the search only makes the numbers small. Directions come from the run itself, from
more passes over the rounds (support vector machines of some penalties, all at once; where rows of more classes than two
are many, or not at hand, the averaged perceptron, and gradient descent in balls, whose averages follow the path of such
machines), from scikit-learn's LinearSVC when the rounds are at hand and it is wanted, from the maximum margin when they
can be separated, and from the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2, sqrt
from typing import Any, TypeVar

import numpy as np

from ... import _core
from ...certificate import Certificate, summed
from ...comparator import Comparator
from ...data.batch import Array, Batch
from ...ledger import Ledger
from ...rows.state import Rules, length, length_of
from ...theory.facts import SEPARATES, LinearFacts
from ...theory.margin_losses import MARGIN_LOSSES
from ..separation.budget import Budget
from ..separation.result import INSEPARABLE, CallRows
from ..state import Geometry
from .candidates import Plan, margin_direction, svm_directions
from .evaluate import (
    MOST_TOGETHER,
    Exact,
    Vector,
    VectorLosses,
    scores_of,
    signed,
    table_of,
)
from .line_search import Best, best_on
from .question import FEW_TARGETS, Question, Rounds
from .rays import Direction, Ray, Sight

MOST_WHOLE = 200_000  # entries of rows that a quick search goes over though nothing seems to separate them
MOST_LOOKED_AT = 1 << 14  # of the rows of larger ones, among which are those that seem to be wrong
PROOF_WORK, PROOF_AN_ENTRY = 1.5e8, 20.0  # multiplications of the search among some rows that cannot be separated
# A margin that no line asks for is looked for up to so many rows a column, and where no more of them are wrong, a
# column and as a share.
FEW_A_COLUMN, WRONG_A_COLUMN, FEW_WRONG = 4, 2, 0.02
SOME = 256, 1024  # rows of larger ones that it looks at then, so many at least and at most
UNKNOWN = "it was not found out whether the rounds can be separated: those that were looked at can"
WIDE = "it was not found out whether the rounds can be separated: as many as would be looked at mostly can, so wide"
YOURS = "yours, scaled"
BALLS = (0.125, 0.25, 0.5, 1.0)  # radii, as shares of the largest that can matter
BALLS_OF_MANY = (0.125, 0.5)  # where there are more targets than few
MOST_WEIGHTS = 1 << 22  # of all classes, where a deep search has several machines of each against the rest
OFTEN = 0.2  # the share of updates from which on fewer passes over many rows say as much

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
        if certificate.why == SEPARATES[0] and best.inseparable is not None:
            certificate = replace(certificate, why=best.inseparable)
        certificates.append(certificate)
    return certificates


def _choices(best: list[Best | None], rays: list[Ray]) -> list[Best]:
    """The best comparator of the best ray for each theorem. When no ray has any, one that separates the rows, or else
    v = 0: its certificate says what is missing."""
    separating = ((one, ray) for ray in rays if (one := ray.separating()) is not None)
    otherwise = next(separating, (rays[0].zero(), rays[0]))
    return [one or otherwise for one in best]


def _signed(question: Question, rounds: Rounds, target: int) -> Iterator[tuple[Batch, Array]]:
    """Rounds with the signs of one target."""
    for batch, codes in rounds():
        yield batch, signed(codes, target, question.state.targets)


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


# ---- directions


def all_directions(question: Question) -> list[list[Direction]]:
    """Where to look for the comparators of each target: along vectors of the run and of more passes, or along the
    user's own alone."""
    columns, targets = question.state.columns, question.state.targets
    if question.against is not None:
        candidates, machines = [(YOURS, *question.against)], []
    else:
        final = question.state.coefficients(), question.state.biases()
        candidates, machines = [("final weights", *final), *question.other], extra_passes(question)
    each = []
    for c in range(targets):
        unit = unit_length(question.sums(c))
        its = _along(question, c, unit, [(n, v[:columns, c], float(b[c])) for n, v, b in candidates])
        its += _along_machines(question, c, unit, [(n, v[:columns, c], float(b[c])) for n, v, b in machines])
        its += _along_machines(question, c, unit, _machines_of(question, c))
        # Somewhere to look when there is nowhere better: even v = 0 gives a bound, the number of rounds.
        each.append(its or [Direction("first axis", unit * np.eye(1, max(columns, 1))[0, :columns], 0.0, unit, unit)])
    return each


def _along(
    question: Question, target: int, unit: float, vectors: Sequence[tuple[str, Array, float]]
) -> list[Direction]:
    """Directions along these vectors, or along what is near them and allowed, each measured."""
    directions = []
    for name, vector, bias in vectors:
        allowed, its_bias = question.geometry.admissible(vector, bias)
        if name == YOURS and (its_bias != bias or not np.array_equal(allowed, vector)):
            name = question.geometry.PART
        direction = Direction.along(name, allowed, its_bias, unit)
        if direction is not None:
            directions.append(_measured(question.geometry, direction, target))
    return directions


def _along_machines(
    question: Question, target: int, unit: float, vectors: Sequence[tuple[str, Array, float]]
) -> list[Direction]:
    """The same of vectors that nobody else has: those that lie side by side are scaled where they lie."""
    directions, begin = [], 0
    while begin < len(vectors):
        table = table_of([vector for _, vector, _ in vectors[begin:]])
        its = []
        if table is not None:
            its = _along_table(question, target, unit, vectors[begin : begin + table.shape[1]], table)
        its = its or _along(question, target, unit, vectors[begin : begin + 1])
        begin += max(1, len(its))
        directions += its
    return directions


def _along_table(
    question: Question, target: int, unit: float, vectors: Sequence[tuple[str, Array, float]], table: Array
) -> list[Direction]:
    """Directions along vectors that are the columns of a table, which they take the place of; none if one of them has
    no length."""
    geometry = question.geometry
    biases = geometry.admit_columns(table, [bias for _, _, bias in vectors])
    lengths = [length_of(squares, b) for squares, b in zip(_core.column_squares(table), biases, strict=True)]
    norms = [length for length in lengths if length is not None]
    if len(norms) < len(lengths):
        return []
    _core.divide_columns(table, norms, unit)
    biases = [bias / norm * unit for bias, norm in zip(biases, norms, strict=True)]
    each = zip(vectors, biases, strict=True)
    directions = [Direction(name, vector, bias, unit) for (name, vector, _), bias in each]
    measured = geometry.measure_columns(table, biases, target)
    if measured is None:
        return [_measured(geometry, direction, target) for direction in directions]
    return [
        replace(one, own=own, divergence=divergence, product=product)
        for one, (own, divergence, product) in zip(directions, measured, strict=True)
    ]


def _measured(geometry: Geometry, direction: Direction, target: int) -> Direction:
    """The direction with what it measures, which in Euclid's geometry is its length."""
    if type(geometry) is Geometry:
        return direction
    own, divergence = geometry.measure(direction.vector, direction.bias, target)
    product = geometry.product(direction.vector, direction.bias, target)
    return replace(direction, own=own, divergence=divergence, product=product)


def unit_length(ledger: Ledger) -> float:
    """A length, a power of two, that brings the margins of the rows to about 1."""
    longest = sqrt(ledger.max_norm2)
    return 2.0 ** -round(log2(longest)) if longest > 0 else 1.0


def extra_plans(question: Question, shares: Sequence[float] = ()) -> list[Plan]:
    """Whose averages are looked along: the perceptron's, and gradient descent's in four balls, or in those of some
    radii, as shares of the largest that can matter."""
    intercept, ledger = question.rules.intercept, question.sums()
    longest = sqrt(ledger.max_norm2)
    if longest == 0 or ledger.rounds == 0:
        return []
    # The bounds are at least (r |v|)^2, so no vector longer than sqrt(rounds) / r says more than v = 0 does.
    largest = sqrt(ledger.rounds) / longest
    plans = [("perceptron, averaged", Rules(intercept=intercept))]
    return plans + [
        (
            f"gradient descent in a ball of {share * largest:.3g}, averaged",
            Rules("ball", "hinge", "self-tuned", share * largest, share * largest * sqrt(2), 0.0, intercept),
        )
        for share in shares or (BALLS if question.state.targets <= FEW_TARGETS else BALLS_OF_MANY)
    ]


def extra_passes(question: Question) -> list[tuple[str, Array, Array]]:
    """Means of support vector machines, or of our own learners, over the same rounds."""
    if question.state.targets == 1 and question.at_hand():
        return question.machines()
    plans = extra_plans(question)
    if not plans:
        return []
    if question.has_few():
        return question.machines_of_classes()
    if question.state.targets <= FEW_TARGETS or not question.has_many():
        return question.means(plans)
    if question.part_is_enough():
        return question.in_part().machines_of_classes()
    return question.means(_few_of(question, plans))


def _machines_of(question: Question, target: int) -> list[tuple[str, Array, float]]:
    """Those of one of several classes against the rest, which a deep search takes its time for."""
    state = question.state
    several = 1 < state.targets <= MOST_WEIGHTS // max(1, state.columns)
    if not (question.deep and several and question.at_hand() and question.against is None):
        return []
    return [(name, vectors[:, 0], float(biases[0])) for name, vectors, biases in question.machines(target)]


def _few_of(question: Question, plans: list[Plan]) -> list[Plan]:
    """Those that are worth their passes over many rows of many classes and columns: the smallest ball says about what
    all say, where targets are often updated; where they are not, it and the perceptron's average do."""
    ledgers = [question.sums(target) for target in range(question.state.targets)]
    often = sum(one.updates for one in ledgers) >= OFTEN * sum(one.rounds for one in ledgers)
    return plans[1:2] if often else plans[:2]


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
    for batch, signs in _signed(question, question.rounds, target):  # in memory, all rounds are one batch
        if not batch.columns:
            continue
        separated = any(ray.least > 0 for ray in rays)
        margin: tuple[str, Array, float] | str | None = obstacle
        if question.deep or (margin is None and (separated or _worth_a_margin(question, batch, rays))):
            margin = _margin(question, batch, signs, rays, separated)
        if isinstance(margin, str):
            obstacle = margin
        elif margin is not None:
            candidates.append(_with_its_length(question, margin))
        if question.svm:
            candidates += svm_directions(batch, signs, intercept, ledger.max_norm2)
        some = question.rounds if question.deep or separated or question.sample is None else question.sample
        separable: bool | None = question.deep or separated or None
        if inseparable is None and isinstance(margin, str) and margin.startswith(INSEPARABLE):
            separable = False  # what is known of another target says nothing of this one
        for part, its in _signed(question, some, target):
            candidates += question.geometry.directions(part, its, target, separable=separable)
    directions = _along(question, target, unit_length(ledger), candidates)
    if not directions:
        return [], obstacle
    (seen,) = question.look([_sight(question, directions, [target] * len(directions))])
    return seen.rays(directions, question.target_facts[target].loss), obstacle


def _worth_a_margin(question: Question, batch: Batch, rays: list[Ray]) -> bool:
    """Whether to look for a margin where no ray has one: a line says why there is none, or rows are so few, or so few
    of them wrong, that there may well be one: machines of a small margin leave about one wrong a column."""
    return (
        any(SEPARATES[0] in dict(one.assumes) for one in question.theorems)
        or len(batch) <= FEW_A_COLUMN * batch.columns
        or (
            question.entries_of(batch) <= MOST_WHOLE
            and min(ray.errors for ray in rays) <= min(WRONG_A_COLUMN * batch.columns, FEW_WRONG * len(batch))
        )
    )


def _margin(
    question: Question, batch: Batch, signs: Array, rays: list[Ray], separated: bool
) -> tuple[str, Array, float] | str:
    """The vector of the largest margin, as far as it is looked for; or why there is none."""
    fewest = min(rays, key=lambda ray: ray.errors)
    if not (question.deep or separated or question.entries_of(batch) <= MOST_WHOLE):
        return _why_inseparable(question, batch, signs, fewest)
    budget, toward = question.budget(batch.entries, separated), (fewest.direction.vector, fewest.direction.bias)
    return margin_direction(batch, signs, question.rules.intercept, budget, question.call, toward, separated)


def margin_directions(question: Question, target: int) -> tuple[list[Direction], str | None]:
    """The direction of the largest margin of rounds that are all in memory, or why there is none."""
    for batch, signs in _signed(question, question.rounds, target):
        if batch.columns:
            margin = margin_direction(
                batch, signs, question.rules.intercept, question.budget(batch.entries), question.call
            )
            if isinstance(margin, str):
                return [], margin
            named = _with_its_length(question, margin)
            return _along(question, target, unit_length(question.sums(target)), [named]), None
    return [], None


def _with_its_length(question: Question, margin: tuple[str, Array, float]) -> tuple[str, Array, float]:
    """The vector whose name says by which length its margin is the largest, where theorems measure by another."""
    name, vector, bias = margin
    return name + question.geometry.OF_MARGIN, vector, bias


def _why_inseparable(question: Question, batch: Batch, signs: Array, ray: Ray) -> str:
    """Whether some of the rows cannot be separated, and thus all."""
    direction = ray.direction
    vector = Vector(direction.name, direction.vector, direction.bias)
    budget = proof_budget(batch.entries, question.state.targets)
    return why_inseparable(batch, signs, question.rules.intercept, vector, budget, question.call, ray.margins)


def proof_budget(entries: int, parts: int = 1) -> Budget:
    """What `why_inseparable` may cost of rows with so many entries, as one of some parts."""
    return Budget(work=(PROOF_WORK + PROOF_AN_ENTRY * entries) / parts)


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
    batch : Batch
        All rows.
    signs : ndarray, shape (rows,)
        Labels, -1 or 1.
    intercept : float
        Size of the constant feature; 0 for none.
    vector : Vector
    budget : Budget
        What the search may cost.
    call : callable
        What rows are called.
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
        numbers = np.sort(random.integers(0, len(batch), MOST_LOOKED_AT))
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
