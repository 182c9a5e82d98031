"""Comparators of an aggregated learner in hindsight: its members, the best constant, and vectors near ridge logistic
regression.

Every vector gives a valid certificate, so that a sample of the rows is good enough to choose them by. What is printed
is read on all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log
from typing import Any

import numpy as np

from ...certificate import NO_LIMIT, Certificate, Most, summed
from ...data.batch import Array, Batch
from ...ledger import Ledger
from ...rows.mixture_state import FULL, LANES, RATES
from ...theorem import Theorem
from ...theory.aggregated import REACHES, AggregatedFacts, MemberComparator, switching
from ..comparators.evaluate import norms2, signed
from ..comparators.search import Question
from .sequence import best_sequence, by_blocks
from .state import COIN, COIN_SUM, MOST, STACK, STACK_PRIOR, SUMS, AggregatedRules, AggregatedState, MixtureMember

ENTRIES = 4_000_000  # of a sample by which vectors are chosen, or a tenth of all
FEW_TARGETS = 20  # for which vectors are chosen by more than the run
STEPS = 60  # of L-BFGS
LIGHT = 0.1  # a penalty, beside that of a rate
NEARLY, STIFF = 0.97, 10.0  # from where on, of a reach, scores are held back, and how much
BLOCK = 4096  # rows whose scores are made at once


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
class Sample:
    """Some of the rows, by which vectors are chosen.

    Attributes
    ----------
    rows : csr_array, shape (rows, 1 + columns)
        The constant feature first.
    codes : ndarray of int, shape (rows,)
        What the kernel plays.
    part : float
        Which part of all rows they are.
    above : ndarray, shape (targets,)
        How many of all rows are of each target.
    total : int
        How many rows there are.
    """

    rows: Any
    codes: Array
    part: float
    above: Array
    total: int


@dataclass(slots=True)
class Problem:
    """One target, with all that its theorems need."""

    question: Question
    target: int
    ledger: Ledger
    facts: AggregatedFacts
    members: list[MixtureMember]
    sample: Sample

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
    problems = [
        Problem(question, target, ledgers[target], facts, members, sample)  # type: ignore[arg-type]
        for target, facts in enumerate(question.target_facts)
    ]
    candidates = [_candidates(problem) for problem in problems]
    charge(question, candidates)
    shrunk = [_within_reach(problem, some) for problem, some in zip(problems, candidates, strict=True)]
    if any(shrunk):
        charge(question, shrunk)
    sequences = _sequences(problems)
    theorems = [one for one in question.theorems if sequences or one is not switching]
    per_target = []
    for problem, some, more in zip(problems, candidates, shrunk, strict=True):
        comparators = [*_members(problem, some[0]), *(c for one in [*some, *more] for c in _read(problem, one))]
        if sequences:
            sequence = sequences[problem.target]
            comparators.append(replace(sequence, rounds=some[0].rounds, total_norm2=some[0].norm2))
        per_target.append([theorem.certify(problem.ledger, comparators, problem.facts) for theorem in theorems])
    if len(per_target) == 1:
        return per_target[0]
    # What is bounded is the log loss of the class that came, which the sum of the targets' is not below.
    whole: Any = question.ledger()
    together = [summed(parts) for parts in zip(*per_target, strict=True)]
    return [
        replace(
            one, observed=theorem.counts(whole, None), parts=1, each=(), most=_limit(whole, theorem, len(per_target))
        )
        if one.applies
        else one
        for one, theorem in zip(together, theorems, strict=True)
    ]


def _limit(whole: Any, theorem: Theorem, classes: int) -> Most:
    """What any prediction of several classes could be held to."""
    if theorem.whole:
        return Most(whole.rounds, "the number of rounds")
    if whole.weighted:
        return NO_LIMIT
    return Most(whole.rounds * log(classes), f"ln {classes} for each round, which a uniform guess loses")


def _sequences(problems: list[Problem]) -> list[MemberComparator]:
    """The best sequence of members of each target; none if all are single members, or there is no use in a look.

    Where the mixture lost no less than its best member, a sequence could have a bound that is smaller by the price of
    the mixture at most, which is not worth a reading of the rounds.
    """
    question = problems[0].question
    if question.against is not None or not any(problem.tracks for problem in problems):
        return []
    blocks = by_blocks(question)
    if blocks is None:
        return []
    best = [best_sequence(blocks, problem.target, problem.facts, problem.members) for problem in problems]
    return best if any(one.switches for one in best) else []


def _members(problem: Problem, read: Candidate) -> list[MemberComparator]:
    """The members, of the rounds that were read."""
    losses, prior = problem.member("loss"), problem.member("prior")
    return [
        MemberComparator(
            "member", f"the member {one.name}", read.rounds, float(loss), read.norm2, member=one.name, kind=one.kind
        )
        for one, loss, present in zip(problem.members, losses, prior > 0, strict=True)
        if present
    ]


def _read(problem: Problem, one: Candidate) -> Iterator[MemberComparator]:
    """The comparator that a vector is to each member."""
    state, prior = problem.state, problem.member("prior") > 0
    linear, energy = problem.member("linear"), problem.member("energy")
    cells, metric = state.cells_of(problem.target), state.metric(problem.target)
    square = one.vector * one.vector
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
            regularised = float(metric[:, place] @ square) / (2 * rate)
            against = float(linear[place] + cells[:, SUMS][:, place] @ one.vector)
            yield replace(member, regularised=regularised, energy=rate / 2 * float(energy[place]), linear=against)
        elif its.kind == "coins":
            yield replace(member, linear=float(linear[place] + cells[:, COIN_SUM] @ one.vector))
        elif its.kind == "stacked":
            if not square[1:].any():  # of its features, vectors of rows have the constant alone
                regularised = STACK_PRIOR * float(square[0]) * rules.intercept**2
                yield replace(member, regularised=regularised, energy=float(energy[place]), reach=its.reach)
        else:
            regularised = rules.full_prior * float((cells[:, MOST] ** 2) @ square)
            label = f"{one.label}, scores within {its.reach:g}"
            yield replace(member, label=label, regularised=regularised, energy=float(energy[place]), reach=its.reach)


# ---- which vectors


def _candidates(problem: Problem) -> list[Candidate]:
    question, state, target = problem.question, problem.state, problem.target
    if question.against is not None:
        weights, biases = question.against
        return [Candidate("yours", "yours", np.append(biases[target], weights[:, target]))]
    weights, prior = state.member_weights(target), problem.member("prior") > 0
    some = [
        Candidate("final weights", f"the final weights of {problem.members[place].name}", weights[:, place])
        for place in range(LANES)
        if prior[place] and np.isfinite(weights[:, place]).all()
    ]
    some.append(Candidate("zero", "a coin", np.zeros(1 + state.columns)))
    if (constant := _constant(problem)) is not None:
        some.append(constant)
    if state.targets <= FEW_TARGETS and question.rows:
        some += _ridge(problem)
    return some


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
        wanted.append((state.metric(target)[:, place] / rules.rates[place], inf))
    if prior[FULL:STACK].any():
        most = state.cells_of(target)[:, MOST]
        best = REACHES[int(np.where(prior[FULL:STACK], losses[FULL:STACK], inf).argmin())]
        wanted.append((2 * rules.full_prior * most * most, NEARLY * best))
    signs = signed(sample.codes, target, state.targets).astype(float)
    label, part = "ridge logistic regression", sample.part / problem.question.span(target).passes
    ridge = [
        Candidate("ridge", label, ridge_regression(sample.rows, signs, part, penalty, reach))
        for penalty, reach in wanted
    ]
    return ridge + _for_slopes(problem, signs, part)


def _for_slopes(problem: Problem, signs: Array, part: float) -> list[Candidate]:
    """The vector whose linearised bound by the best member without a matrix is about the smallest: the minimiser of
    L(u) + <G, u>, which is bounded below since no bound is violated. A light penalty holds columns that the sample
    lacks."""
    losses, prior = problem.member("loss")[:FULL], problem.member("prior")[:FULL] > 0
    if not prior.any():
        return []
    place = int(np.where(prior, losses, inf).argmin())
    metric, cells = problem.state.metric(problem.target), problem.state.cells_of(problem.target)
    sums = cells[:, COIN_SUM] if place == COIN else cells[:, SUMS][:, place]
    penalty = LIGHT * metric[:, min(place, RATES - 1)] / (problem.rules.rates[place] if place < COIN else 1.0)
    vector = ridge_regression(problem.sample.rows, signs, part, penalty, slopes=sums)
    return [Candidate("slopes", f"the best vector for {problem.members[place].name}", vector)]


def sample_rows(question: Question) -> Sample:
    """A sample of the rows, and how many of all are of each target, in one reading.

    Parameters
    ----------
    question : Question
        Its rounds are read once.

    Returns
    -------
    Sample
        All rows where they are few; else a part of them, drawn at random with the same seed every time.
    """
    from scipy.sparse import csr_array, hstack, vstack  # type: ignore[import-untyped, unused-ignore]

    targets, columns = question.state.targets, question.state.columns
    draw, part, total = np.random.default_rng(0), 1.0, 0
    share = targets if targets == 1 else 4 * targets  # each of several targets is a search of its own
    above, matrices, chosen = np.zeros(targets), [csr_array((0, columns))], [np.zeros(0, dtype=np.int32)]
    for batch, codes in question.rounds():
        if total == 0 and len(batch):
            entries = question.rows * batch.entries / len(batch)
            part = min(1.0, max(ENTRIES, entries / 10) / share / max(entries, 1))
        total += len(batch)
        above += np.bincount(codes, minlength=targets) if targets > 1 else int((codes > 0).sum())
        rows: Any = np.flatnonzero(draw.random(len(batch)) < part) if part < 1 else slice(None)
        matrix = csr_array(_matrix(batch)[rows])
        matrix.resize((matrix.shape[0], columns))
        matrices.append(matrix)
        chosen.append(codes[rows])
    X = vstack(matrices, format="csr")
    constant = np.full((X.shape[0], 1), question.rules.intercept)
    X = hstack([constant, X], format="csr")
    return Sample(X, np.concatenate(chosen), X.shape[0] / total if total else 1.0, above, total)


def ridge_regression(
    X: Any, signs: Array, part: float, penalty: Array, reach: float = inf, slopes: Array | None = None
) -> Array:
    """The minimiser of the log loss of all rows plus sum penalty u^2 / 2, from a sample of the rows.

    Parameters
    ----------
    X : csr_array, shape (rows, columns)
        The sample.
    signs : ndarray, shape (rows,)
        Labels, -1 or 1.
    part : float
        Which part of all rows the sample is, above 0 and at most 1.
    penalty : ndarray, shape (columns,)
        Of each column, >= 0; where it is 0, the column was never met.
    reach : float, default=inf
        Scores whose size is above it cost a steep square besides.
    slopes : ndarray, shape (columns,), optional
        <slopes, u> is added.

    Returns
    -------
    ndarray, shape (columns,)
        The vector after at most 60 steps of L-BFGS; 0 where the penalty is.
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped, unused-ignore]
    from scipy.sparse import diags_array

    known = penalty > 0
    unit = np.zeros(len(penalty))
    unit[known] = 1 / np.sqrt(penalty[known])
    scaled = X @ diags_array(unit)
    turned, tilt = scaled.T.tocsr(), unit * (0.0 if slopes is None else slopes)

    def objective(v: Array) -> tuple[float, Array]:
        scores = scaled @ v
        margins, beyond = signs * scores, np.maximum(np.abs(scores) - reach, 0)
        rises = STIFF * beyond * np.sign(scores) - signs * np.exp(-np.logaddexp(0, margins))
        loss = np.logaddexp(0, -margins).sum() + STIFF / 2 * (beyond * beyond).sum()
        return float(loss / part + tilt @ v + v @ v / 2), turned @ rises / part + tilt + v

    result = minimize(objective, np.zeros(len(penalty)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return np.asarray(result.x * unit)


def _within_reach(problem: Problem, candidates: list[Candidate]) -> list[Candidate]:
    """Vectors whose scores go beyond the reach of a full member, shortened so that they do not."""
    prior = problem.member("prior") > 0
    reaches = [reach for reach, there in zip(REACHES, prior[FULL:STACK], strict=True) if there]
    if problem.question.against is not None or not reaches:
        return []
    return [
        Candidate(one.name, one.label, one.vector * (reach / one.largest * (1 - 1e-12)))
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
    vectors = [np.array([one.vector for one in some]).T for some in candidates]
    intercept, targets = question.rules.intercept, question.state.targets
    spans, done = [question.span(target) for target in range(targets)], 0
    for batch, codes in question.rounds():
        matrix, norms = _matrix(batch), norms2(batch) + intercept * intercept
        times = [span.times(done, len(batch)) for span in spans]
        done += len(batch)
        for begin in range(0, len(batch), BLOCK):
            block = matrix[begin : begin + BLOCK]
            for target, some in enumerate(candidates):
                if not some:
                    continue
                signs = signed(codes[begin : begin + BLOCK], target, targets)
                scores = block @ vectors[target][1 : 1 + batch.columns] + intercept * vectors[target][0]
                often = times[target][begin : begin + BLOCK]
                losses = often @ np.logaddexp(0, -signs[:, None] * scores)
                sizes = np.abs(scores[often > 0]).max(axis=0, initial=0)
                rounds, norm2 = float(often.sum()), float(often @ norms[begin : begin + BLOCK])
                for one, loss, size in zip(some, losses, sizes, strict=True):
                    one.rounds += rounds
                    one.norm2 += norm2
                    one.loss += float(loss)
                    one.largest = max(one.largest, float(size))


def _matrix(batch: Batch) -> Any:
    """The rows as a matrix of double precision, whose products are exact enough for what is printed."""
    from scipy.sparse import csr_array

    if batch.starts is None:
        return batch.values.astype(np.float64)
    values = batch.values.astype(np.float64)
    return csr_array((values, batch.indices, batch.starts), shape=(len(batch), batch.columns))
