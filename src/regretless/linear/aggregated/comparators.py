"""Comparators of an aggregated learner in hindsight: its members, the best constant, and vectors near ridge logistic
regression.

Every vector gives a valid certificate, so that a sample of the rows is good enough to choose them by. What is printed
is read on all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, log
from typing import Any

import numpy as np

from ...certificate import NO_LIMIT, Certificate, Most, summed
from ...data.batch import Array, Batch
from ...ledger import Ledger
from ...rows.mixture_state import FULL, LANES, RATES
from ...rows.narrowed import MANY_COLUMNS
from ...rows.state import dot
from ...theorem import Theorem
from ...theory.aggregated import ADDED_UP, LN2, REACHES, AggregatedFacts, MemberComparator, mixture, switching
from ..comparators.evaluate import Exact, Vector, read_tallies, signed
from ..comparators.question import Question
from .ridge import SampledRows, ridge_regression, sample_rows
from .sequence import BlockPlay, best_sequence
from .state import COIN, COIN_SUM, MOST, STACK, STACK_PRIOR, SUMS, AggregatedRules, AggregatedState, MixtureMember

FEW_TARGETS = 20  # for which vectors are chosen by more than the run
FEWER_TARGETS = 4  # and for which the linearised bound is made small too
LIGHT = 0.1  # a penalty, beside that of a rate
NEARLY = 0.97  # from where on, of a reach, scores are held back


@dataclass(slots=True)
class Candidate:
    """A vector, the constant feature first, and what it is charged.

    Attributes
    ----------
    name, label : str
    vector : ndarray, shape (1 + columns,)
    loss, largest : float
        Its log loss, and the largest of its scores in size.
    rounds, norm2 : float
        How many rounds it was read on, and the sum of the squared lengths of their rows.
    """

    name: str
    label: str
    vector: Array
    loss: float = 0.0
    largest: float = 0.0
    rounds: float = 0.0
    norm2: float = 0.0


@dataclass(slots=True)
class Problem:
    """One target, with all that its theorems need."""

    question: Question
    target: int
    ledger: Ledger
    facts: AggregatedFacts
    members: list[MixtureMember]
    sample: SampledRows
    sides: Callable[[int], tuple[Array, Array]]  # the cells and the metric of a target

    @property
    def state(self) -> AggregatedState:
        """Of the learner."""
        state = self.question.state
        assert isinstance(state, AggregatedState)
        return state

    @property
    def rules(self) -> AggregatedRules:
        """That it played by."""
        rules = self.question.rules
        assert isinstance(rules, AggregatedRules)
        return rules

    def member(self, name: str) -> Array:
        """One number of each member."""
        return np.asarray(self.state.part(name)[self.target])

    @property
    def tracks(self) -> bool:
        """Whether the mixture lost less than any of its members."""
        return bool(self.ledger.loss < self.member("loss")[self.member("prior") > 0].min())


def judge(question: Question, members: list[MixtureMember]) -> list[Certificate]:
    """One certificate a theorem; with several classes both sides are summed over one against the rest."""
    ledgers = question.ledgers()
    sample = sample_rows(question)
    sides = _sides_of(question, sample)
    problems = [
        Problem(question, target, ledgers[target], facts, members, sample, sides)  # type: ignore[arg-type]
        for target, facts in enumerate(question.target_facts)
    ]
    candidates = [_candidates(problem) for problem in problems]
    watched = _watched(question, problems)
    shrunk = _charged(watched, problems, candidates)
    sequences = _sequences(watched, problems)
    theorems = [one for one in question.theorems if sequences or one is not switching]
    per_target = []
    for problem, some, more in zip(problems, candidates, shrunk, strict=True):
        comparators = _members(problem.state, problem.target, problem.members, some[0].rounds, some[0].norm2)
        comparators += [read for one in [*some, *more] for read in _read(problem, one, *sides(problem.target))]
        if sequences:
            sequence = sequences[problem.target]
            comparators.append(replace(sequence, rounds=some[0].rounds, total_norm2=some[0].norm2))
        per_target.append([theorem.certify(problem.ledger, comparators, problem.facts) for theorem in theorems])
    return _of_all_targets(question.ledger(), ledgers, theorems, per_target)


def _all_are_looked_for(question: Question, sample: SampledRows) -> bool:
    """Whether vectors are looked for on all rows, in very many columns: they are about the best then, and others take
    long to read."""
    state = question.state
    few = state.targets <= FEW_TARGETS and question.against is None
    return few and question.rows > 0 and sample.part == 1 and state.columns > MANY_COLUMNS


def _sides_of(question: Question, sample: SampledRows) -> Callable[[int], tuple[Array, Array]]:
    """What gives the cells and the metric of a target, which take long to make, and has those that it gave last."""

    @lru_cache(maxsize=1)
    def sides(target: int) -> tuple[Array, Array]:
        state = question.state
        assert isinstance(state, AggregatedState)
        if not state.full and _all_are_looked_for(question, sample):
            return state.slopes_of(target)
        cells = state.cells_of(target)
        return cells, state.metric_of(cells)

    return sides


def judge_members(state: AggregatedState, facts: list[AggregatedFacts], members: list[MixtureMember]) -> Certificate:
    """The mixture beside its members, by the sums that it has: no round is read again."""
    per_target = [
        [mixture.certify(ledger, _members(state, target, members, ledger.rounds, ledger.total_norm2), known)]
        for target, (ledger, known) in enumerate(zip(state.ledgers(), facts, strict=True))
    ]
    return _of_all_targets(state.ledger(), state.ledgers(), [mixture], per_target)[0]


def _of_all_targets(
    whole: Any, ledgers: Sequence[Ledger], theorems: Sequence[Theorem], per_target: list[list[Certificate]]
) -> list[Certificate]:
    """The certificates of one against the rest, summed; those of the only target as they are."""
    if len(per_target) == 1:
        return per_target[0]
    together = [summed(parts) for parts in zip(*per_target, strict=True)]
    gain = sum(ledger.loss for ledger in ledgers) - whole.loss
    return [
        _of_all(one, theorem, whole, gain, len(per_target)) if one.applies else one
        for one, theorem in zip(together, theorems, strict=True)
    ]


def _of_all(one: Certificate, theorem: Theorem, whole: Any, gain: float, classes: int) -> Certificate:
    """A sum over the targets as a certificate of the log loss of the class that came, which is below the sum of their
    losses by what that sum counts beyond it: what dividing the odds by their sum gained, and each round before a third
    class came twice. It is known only after the run."""
    comparator: Any = one.comparator
    gained = f" less the {gain:,.6g} nats that their losses add up to beyond the log loss, known only after the run"
    label = comparator.label.replace(ADDED_UP, ADDED_UP + gained)
    comparator = replace(comparator, label=label, detail={**comparator.detail, "gain": gain})
    bound = (one.bound or 0.0) - (gain / LN2 if theorem.whole else gain)
    limit = _limit(whole, theorem, classes)
    observed = theorem.counts(whole, None)
    return replace(one, observed=observed, bound=bound, comparator=comparator, parts=1, each=(), most=limit)


def _limit(whole: Any, theorem: Theorem, classes: int) -> Most:
    """What any prediction of several classes could be held to."""
    if theorem.whole:
        return Most(whole.rounds, "the number of rounds")
    if whole.weighted:
        return NO_LIMIT
    return Most(whole.rounds * log(classes), f"ln {classes} for each round, which a uniform guess loses")


def _watched(question: Question, problems: list[Problem]) -> Question:
    """The question with rounds that are played once more while they are read first, where a sequence of members may
    have a smaller bound.

    Where the mixture lost no less than its best member, a sequence could have one that is smaller by the price of the
    mixture at most, which is not worth a play of the rounds.
    """
    if question.against is not None or not any(problem.tracks for problem in problems):
        return replace(question, replayed=None)
    play = question.replayed or BlockPlay(problems[0].state, question.rules)

    def rounds() -> Iterator[tuple[Batch, Array]]:
        first = not play.begun
        for batch, codes in question.rounds():
            if first:
                play.play(batch, codes)
            yield batch, codes

    return replace(question, rounds=rounds, replayed=play)


def _sequences(question: Question, problems: list[Problem]) -> list[MemberComparator]:
    """The best sequence of members of each target; none if all are single members, or the rounds were not watched."""
    blocks = question.replayed.blocks(question.rounds) if question.replayed else None
    if blocks is None:
        return []
    best = [best_sequence(blocks, problem.target, problem.facts, problem.members) for problem in problems]
    return best if any(one.switches for one in best) else []


def _members(
    state: AggregatedState, target: int, members: list[MixtureMember], rounds: float, norm2: float
) -> list[MemberComparator]:
    """The members, of so many rounds."""
    losses, prior = state.part("loss")[target], state.part("prior")[target]
    return [
        MemberComparator("member", f"the member {one.name}", rounds, float(loss), norm2, member=one.name, kind=one.kind)
        for one, loss, present in zip(members, losses, prior > 0, strict=True)
        if present
    ]


def _read(problem: Problem, one: Candidate, cells: Array, metric: Array) -> Iterator[MemberComparator]:
    """The comparator that a vector is to each member."""
    prior, linear, energy = problem.member("prior") > 0, problem.member("linear"), problem.member("energy")
    some = one.vector if one.vector[1:].any() else one.vector[:1]
    cells, metric, square = cells[: len(some)], metric[: len(some)], some * some
    along = {place: dot(cells[:, place], some) for place in (*range(SUMS.start, SUMS.stop), COIN_SUM)}
    lengths = [dot(metric[:, place], square) for place in range(RATES)]
    base = MemberComparator(
        one.name,
        one.label,
        one.rounds,
        one.loss,
        one.norm2,
        largest=one.largest,
        vector=one.vector[1:],
        bias=float(one.vector[0]),
    )
    rules = problem.rules
    for place, its in enumerate(problem.members):
        if not prior[place]:
            continue
        member = replace(base, member=its.name, kind=its.kind)
        if its.kind == "rate":
            rate = rules.rates[place]
            regularised = lengths[place] / (2 * rate)
            against = float(linear[place] + along[SUMS.start + place])
            yield replace(member, regularised=regularised, energy=rate / 2 * float(energy[place]), linear=against)
        elif its.kind == "coins":
            yield replace(member, linear=float(linear[place] + along[COIN_SUM]))
        elif its.kind == "stacked":
            if not square[1:].any():  # of its features, vectors of rows have the constant alone
                regularised = STACK_PRIOR * float(square[0]) * rules.intercept**2
                yield replace(member, regularised=regularised, energy=float(energy[place]), reach=its.reach)
        else:
            regularised = problem.state.full_prior(rules) * dot(cells[:, MOST] ** 2, square)
            regularised += problem.state.sketched_away(problem.target, place - FULL, one.vector)
            label = f"{one.label}, scores within {its.reach:g}"
            yield replace(member, label=label, regularised=regularised, energy=float(energy[place]), reach=its.reach)


# ---- which vectors


def _candidates(problem: Problem) -> list[Candidate]:
    question, state, target = problem.question, problem.state, problem.target
    if question.against is not None:
        weights, biases = question.against
        return [Candidate("yours", "yours", np.append(biases[target], weights[:, target]))]
    some = [] if _all_are_looked_for(question, problem.sample) else _final_weights(problem)
    some.append(Candidate("zero", "a coin", np.zeros(1 + state.columns)))
    if (constant := _constant(problem)) is not None:
        some.append(constant)
    return some + _ridge(problem) if state.targets <= FEW_TARGETS and question.rows else some


def _final_weights(problem: Problem) -> list[Candidate]:
    target, prior = problem.target, problem.member("prior") > 0
    weights = problem.state.weights_from(target, *problem.sides(target))
    return [
        Candidate("final weights", f"the final weights of {problem.members[place].name}", weights[:, place])
        for place in range(LANES)
        if prior[place] and np.isfinite(weights[:, place]).all()
    ]


def _constant(problem: Problem) -> Candidate | None:
    """A constant probability, which takes an intercept and rounds of both classes."""
    intercept, total = problem.question.rules.intercept, problem.sample.total
    above = int(problem.sample.above[problem.target])
    if not intercept or not 0 < above < total:
        return None
    vector = np.zeros(1 + problem.state.columns)
    vector[0] = log(above / (total - above)) / intercept
    return Candidate("constant", "the best constant", vector)


def _ridge(problem: Problem) -> list[Candidate]:
    """Ridge logistic regressions in the metric of the best rate, and in that of the full members."""
    state, target, rules, sample = problem.state, problem.target, problem.rules, problem.sample
    losses, prior = problem.member("loss"), problem.member("prior") > 0
    wanted: list[tuple[Array, float]] = []
    if prior[:RATES].any():
        place = int(np.where(prior[:RATES], losses[:RATES], inf).argmin())
        wanted.append((problem.sides(target)[1][:, place] / rules.rates[place], inf))
    if prior[FULL:STACK].any():
        most = problem.sides(target)[0][:, MOST]
        lane = int(np.where(prior[FULL:STACK], losses[FULL:STACK], inf).argmin())
        wanted.append((2 * state.full_prior(rules) * most * most + state.shed(target, lane), NEARLY * REACHES[lane]))
    signs = signed(sample.codes, target, state.targets)
    label, part = "ridge logistic regression", sample.part / problem.question.span(target).passes
    ridge = [
        Candidate("ridge", label, ridge_regression(sample, signs, penalty, rules.intercept, part, reach))
        for penalty, reach in wanted
    ]
    return ridge + (_for_slopes(problem, signs, part) if state.targets <= FEWER_TARGETS else [])


def _for_slopes(problem: Problem, signs: Array, part: float) -> list[Candidate]:
    """The vector whose linearised bound by the best member without a matrix is about the smallest: the minimiser of
    L(u) + <G, u>, which is bounded below since no bound is violated. A light penalty holds columns that the sample
    lacks."""
    losses, prior = problem.member("loss")[:FULL], problem.member("prior")[:FULL] > 0
    if not prior.any():
        return []
    place = int(np.where(prior, losses, inf).argmin())
    cells, metric = problem.sides(problem.target)
    sums = cells[:, COIN_SUM] if place == COIN else cells[:, SUMS][:, place]
    penalty = LIGHT * metric[:, min(place, RATES - 1)] / (problem.rules.rates[place] if place < COIN else 1.0)
    intercept = problem.rules.intercept
    vector = ridge_regression(problem.sample, signs, penalty, intercept, part, slopes=sums)
    return [Candidate("slopes", f"the best vector for {problem.members[place].name}", vector)]


def _charged(question: Question, problems: list[Problem], candidates: list[list[Candidate]]) -> list[list[Candidate]]:
    """Charge the candidates, and those of them that are shortened for full members, which are given back.

    By how much is known of the scores of all rows, or, if these are not in memory, about known of those of a sample:
    then all rows are read once and not twice.
    """
    if question.sample is None:
        charge(question, candidates)
        shrunk = [_within_reach(problem, some, 1 - 1e-12) for problem, some in zip(problems, candidates, strict=True)]
        if any(shrunk):
            charge(question, shrunk)
        return shrunk
    tried = [[replace(one) for one in some] for some in candidates]
    charge(replace(question, rounds=question.sample), tried)
    shrunk = [_within_reach(problem, some, NEARLY) for problem, some in zip(problems, tried, strict=True)]
    charge(question, [some + more for some, more in zip(candidates, shrunk, strict=True)])
    return shrunk


def _within_reach(problem: Problem, candidates: list[Candidate], nearly: float) -> list[Candidate]:
    """Vectors whose scores go beyond the reach of a full member, shortened so that they do not."""
    prior = problem.member("prior") > 0
    reaches = [reach for reach, there in zip(REACHES, prior[FULL:STACK], strict=True) if there]
    if problem.question.against is not None or not reaches:
        return []
    return [
        Candidate(one.name, one.label, one.vector * (reach / one.largest * nearly))
        for one in candidates
        for reach in reaches
        if one.name != "constant" and reach < one.largest < inf
    ]


# ---- what they are charged


def charge(question: Question, candidates: list[list[Candidate]]) -> None:
    """Read all rows once, and add up what each candidate of each target loses in the rounds that were played.

    Parameters
    ----------
    question : Question
        Its rounds are read once.
    candidates : list of list of Candidate
        Of each target, those whose rounds, losses, squared lengths and largest scores are added up in place.
    """
    flat = [(target, one) for target, some in enumerate(candidates) for one in some]
    vectors = [(target, Vector(one.name, one.vector[1:], float(one.vector[0]))) for target, one in flat]
    state, spans = question.state, [question.span(target) for target in range(question.state.targets)]
    exact = Exact(vectors, state.columns, question.rules.intercept, "logistic", state.targets)
    (sums,) = read_tallies([exact], question.rounds(), spans)
    for k, (_, one) in enumerate(flat):
        one.rounds += float(sums.rounds[k])
        one.norm2 += float(sums.total[k])
        one.loss += float(sums.losses[k, 2])
        one.largest = max(one.largest, float(sums.largest[k]))
