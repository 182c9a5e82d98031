"""The theorems of learners with experts, read on ledgers that the slow textbook algorithms fill."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from itertools import product
from math import ceil, exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from regretless.comparator import ExpertComparator
from regretless.experts.losses import Loss
from regretless.experts.state import RULES
from regretless.ledger import ExpertLedger
from regretless.textbook import experts as rules
from regretless.textbook.experts import aggregating, ridge, weighted_majority
from regretless.theory.expert_facts import ExpertFacts, divergence, lower_bound
from regretless.theory.experts import (
    ADAHEDGE,
    EG,
    FIXED_SHARE,
    HEDGE,
    adahedge_posterior,
    adahedge_spreads,
    hedge_posterior,
    hedge_prior,
    hedge_tuned,
    share_posterior,
    share_prior,
)
from regretless.theory.majority import (
    DOUBLING,
    RANDOMIZED_MAJORITY,
    WEIGHTED_MAJORITY,
    doubling_printed,
    doubling_sharp,
    randomized_beta,
    randomized_majority,
    randomized_majority_simple,
    randomized_regret,
    sampled_loss,
)
from regretless.theory.mixable import AGGREGATING, RIDGE, constant_regret, ridge_posterior
from regretless.theory.second_order import (
    BOA,
    ML_POLY,
    ML_PROD,
    SQUINT,
    prod_log_potential,
)

POINTS = 30
VECTORS = ("losses", "faced", "spoke", "regrets", "delays", "squares", "drags")


def ledger_of(experts, **values) -> ExpertLedger:
    """A ledger of zeros but for these values."""
    numbers = {name: 0.0 for name in (one.name for one in fields(ExpertLedger)) if name not in VECTORS}
    return ExpertLedger(**(numbers | {name: np.zeros(experts) for name in VECTORS} | values))


@dataclass
class Run:
    """What a play left behind."""

    ledger: ExpertLedger
    facts: ExpertFacts
    own: np.ndarray  # of each settled round, in order of arrival; nan where silent
    paid: np.ndarray
    order: list[int]


def play(make, advice, outcomes, loss, *, rule="hedge", linear=False, settle=None, **facts) -> Run:
    """Play a rule, anew from its history whenever its weights are asked for, and keep the books."""
    rounds, n = advice.shape
    settle = settle or [[t] for t in range(rounds)]
    prior = facts.pop("prior")
    history: list[Any] = []
    sums = {name: np.zeros(n) for name in VECTORS}
    total = dict.fromkeys(("loss", "expected", "charge", "delay", "spread", "spread2", "drag", "gap"), 0.0)
    played, predictions, order, owns, paids, etas = {}, {}, [], [], [], []
    largest = (facts.get("span") or 0.0) ** 2
    by_regret = RULES[rule].by_regret  # of what was played, however late

    def state():
        textbook = make()
        next(textbook)
        for event in history:
            textbook.send(event[0])
            textbook.send(event[1])
        return textbook

    for t in range(rounds):
        played[t] = state().send(~np.isnan(advice[t]))
        predictions[t] = float(played[t] @ np.nan_to_num(advice[t]))
        for late in settle[t]:
            a, y = advice[late], outcomes[late]
            speaks = ~np.isnan(a)
            own = loss.of(a, y)
            c = np.nan_to_num(loss.slope(predictions[late], y) * (a - predictions[late]) if linear else own)
            textbook = state()
            q = textbook.send(speaks)
            etas.append(textbook.gi_frame.f_locals.get("eta", 0.0))
            late_cost = float((played[late] - q) @ c)
            charge = float(q @ c)
            h = charge + late_cost if by_regret else charge
            r = np.where(speaks, h - c, 0.0)
            mixed = float(played[late] @ np.nan_to_num(own))
            paid = mixed if loss.name in ("table", "zero-one") else float(loss.of(predictions[late], y))
            charged = c[speaks]
            slack = largest + sums["squares"]
            ahead = np.where(speaks, prior * np.maximum(sums["regrets"], 0) / np.where(slack > 0, slack, 1), 0)
            total["drag"] += 2 * float(ahead.sum()) * late_cost
            largest = max(largest, float((r * r).max()))
            if (np.maximum(sums["regrets"], 0) == 0).all():
                slack = largest + sums["squares"]
            total["drag"] += float((prior * np.where(r != 0, r * r / np.where(slack > 0, slack, 1), 0)).sum())
            total["loss"] += paid
            total["expected"] += mixed
            total["charge"] += charge
            total["delay"] += late_cost
            total["spread"] = max(total["spread"], float(np.ptp(charged)))
            total["spread2"] += float(np.ptp(charged)) ** 2
            for name, value in (
                ("losses", own),
                ("faced", paid),
                ("spoke", 1.0),
                ("regrets", r),
                ("delays", 0.0 if by_regret else late_cost),
                ("squares", r * r),
            ):
                sums[name] = sums[name] + np.where(speaks, value, 0.0)
            history.append((speaks, (np.where(speaks, c, h), h)))
            order.append(late)
            owns.append(own)
            paids.append(paid)
    end = state().gi_frame.f_locals
    known = {"convex": loss.convex, "loss": loss.name, "linear": linear, "delayed": order != list(range(rounds))}
    known["exponential"] = RULES[rule].exponential
    learner = ExpertFacts(n, prior, **(known | facts))
    total["gap"] = end.get("gaps", 0.0)
    if rule in ("prod", "boa"):
        rates = end["rates"]() if end["largest"] > 0 else np.ones(n)
        sums["drags"] = sums["regrets"] - end["gains"]
        learner = replace(learner, rates=rates, log_potential=log(prior @ np.exp(rates * end["gains"])))
    if rule == "poly":
        learner = replace(learner, rates=1 / (largest + sums["squares"]) if largest > 0 else np.ones(n))
    if rule == "squint" and end["first"] > 0:
        grid, j = 0.5 ** np.arange(POINTS) / (2 * end["first"]), np.arange(POINTS)
        active = grid * 2 * end["largest"] <= 1
        assume(active.any())  # else charges grew by more than all rates of the grid
        masses = (1 / ((j + 1.0) * (j + 2.0)))[active]
        power = np.outer(end["regret"], grid[active]) - np.outer(end["squares"], grid[active] ** 2)
        learner = replace(learner, grid=(grid[active], masses), log_potential=log(prior @ np.exp(power) @ masses))
    ledger = ledger_of(
        n,
        **total,
        **sums,
        rounds=float(len(order)),
        first_rate=etas[0],
        last_rate=etas[-1],
        lowest=float(np.nanmin(owns)),
        highest=float(np.nanmax(owns)),
        absent=float(np.isnan(owns).sum()),
    )
    return Run(ledger, learner, np.array(owns), np.array(paids), order)


def single(run: Run, i: int) -> ExpertComparator:
    """Expert i over the rounds in which it spoke."""
    book = run.ledger
    rarity = -log(run.facts.prior[i])
    return ExpertComparator(
        "expert", f"expert {i}", book.losses[i], book.faced[i], book.spoke[i], expert=i, divergence=rarity
    )


def convex(run: Run, advice, outcomes, loss, u) -> ExpertComparator:
    """A convex combination over all rounds."""
    lost = float(sum(loss.of(float(advice[t] @ u), outcomes[t]) for t in run.order))
    rarity = divergence(u, run.facts.prior)
    return ExpertComparator(
        "convex", "u", lost, run.ledger.loss, run.ledger.rounds, weights=u, divergence=rarity, norm2=float(u @ u)
    )


def sequence(run: Run, path) -> ExpertComparator:
    """A sequence of experts, one for each settled round."""
    lost = float(sum(own[i] for own, i in zip(run.own, path, strict=True)))
    switches = int((np.diff(path) != 0).sum())
    return ExpertComparator("best_shifting", "sequence", lost, run.ledger.loss, run.ledger.rounds, switches=switches)


def holds(theorems, run: Run, comparators) -> set[str]:
    """Every theorem against every comparator alone; the names of those that applied."""
    applied = set()
    for theorem, comparator in product(theorems, comparators):
        certificate = theorem.certify(run.ledger, [comparator], run.facts)
        assert not certificate.violated, str(certificate)
        assert certificate.bound is None or not np.isnan(certificate.bound)
        if certificate.applies:
            applied.add(theorem.name)
    return applied


LOSSES = {
    "absolute": Loss("absolute", low=0.0, high=1.0),
    "square": Loss("square", low=0.0, high=1.0),
    "pinball": Loss("pinball", tau=0.8, low=0.0, high=1.0),
    "table": Loss("table", low=0.0, high=1.0),
    "zero-one": Loss("zero-one", low=0.0, high=1.0),
    "log": Loss("log", low=0.0, high=1.0),
    "wealth": Loss("wealth"),
}


@st.composite
def games(draw, losses=tuple(LOSSES), linear=None, missing=True, late=True, most=4):
    """Forecasts, outcomes, a loss, a prior, an order of arrival."""
    rounds, n = draw(st.integers(1, 14)), draw(st.integers(1, most))
    name = draw(st.sampled_from(losses))
    seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cells = draw(st.sampled_from(["binary", "uniform", "drift"]))
    advice = seed.random((rounds, n)) if cells == "uniform" else np.round(seed.random((rounds, n)))
    if cells == "drift":
        advice = np.tile(np.arange(n) % 2.0, (rounds, 1))
    outcomes = np.round(seed.random(rounds)) if draw(st.booleans()) else seed.random(rounds)
    if draw(st.booleans()):
        advice = advice * seed.choice([1.0, 1e-3, 1e-6], size=(rounds, 1))
    if name == "log":
        advice = 0.02 + 0.96 * advice
    if name == "wealth":
        advice = 0.5 + advice
    if name == "zero-one":
        advice, outcomes = np.round(advice), np.round(outcomes)
    if missing and draw(st.booleans()):
        gone = seed.random((rounds, n)) < 0.4
        gone[gone.all(1), seed.integers(n)] = False
        advice[gone] = np.nan
    prior = np.full(n, 1 / n) if draw(st.booleans()) else seed.dirichlet(np.ones(n)) * 0.9 + 0.1 / n
    settle = [[t] for t in range(rounds)]
    if late and draw(st.booleans()):
        arrival = np.minimum(np.arange(rounds) + seed.integers(0, 4, rounds), rounds - 1)
        settle = [[int(s) for s in seed.permutation(np.flatnonzero(arrival == t))] for t in range(rounds)]
    tricks = name not in ("table", "zero-one") and (linear if linear is not None else draw(st.booleans()))
    tricks = tricks or name == "wealth"
    declared = draw(st.booleans())
    span = LOSSES[name].span(tricks) if declared else None
    u = seed.dirichlet(np.ones(n)) if draw(st.booleans()) else np.eye(n)[0]
    return {
        "advice": advice,
        "outcomes": outcomes,
        "loss": LOSSES[name],
        "linear": tricks,
        "settle": settle,
        "prior": prior,
        "span": span,
        "u": u,
        "seed": seed,
    }


def against(game, run):
    """Every expert that spoke, and a convex combination where there is nobody silent."""
    results = [single(run, i) for i in range(run.facts.experts) if run.ledger.spoke[i]]
    if game["linear"] and not np.isnan(game["advice"]).any():
        results.append(convex(run, game["advice"], game["outcomes"], game["loss"], game["u"]))
    return results


def rules_of(game):
    return {name: game[name] for name in ("linear", "settle", "prior", "span")}


def rate_of(game, schedule, eta, numerator):
    n, span = len(game["prior"]), game["span"] or 0.0
    made = {
        "constant": lambda: rules.constant(eta),
        "anytime": lambda: rules.anytime(n, span),
        "self-tuned": lambda: rules.self_tuned(numerator),
    }
    return made[schedule]()


@given(games(), st.sampled_from(["constant", "anytime", "self-tuned"]), st.sampled_from([0.01, 0.5, 3.0, 40.0]))
def test_no_game_breaks_a_bound_of_exponential_weights(game, schedule, eta):
    """Every loss, rate, silence, lateness and prior keeps the regret against every expert and mixture within bounds."""
    n = len(game["prior"])
    run = play(
        lambda: rules.hedge(game["prior"], rate_of(game, schedule, eta, log(n))),
        game["advice"],
        game["outcomes"],
        game["loss"],
        schedule=schedule,
        rate=eta if schedule == "constant" else float("nan"),
        **rules_of(game),
    )
    applied = holds((*HEDGE, *ADAHEDGE, *AGGREGATING), run, against(game, run))
    assert "hedge_posterior" in applied
    assert ("adahedge_spreads" in applied) == (schedule == "self-tuned")
    beforehand = game["span"] is not None and not run.facts.delayed
    assert ("hedge_prior" in applied) == (schedule != "self-tuned" and beforehand)
    assert ("hedge_largest_spread" in applied) == (schedule == "anytime" and game["span"] is None)


@given(
    games(),
    st.sampled_from(["constant", "anytime", "self-tuned"]),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.sampled_from([0.02, 0.3, 1.0]),
)
def test_no_sequence_of_experts_breaks_a_bound_of_fixed_share(game, schedule, eta, alpha):
    """Sequences of those who speak, drawn at random or led by hindsight, stay within both bounds at every schedule."""
    n = len(game["prior"])
    run = play(
        lambda: rules.fixed_share(game["prior"], rate_of(game, schedule, eta, log(n / alpha)), alpha),
        game["advice"],
        game["outcomes"],
        game["loss"],
        rule="share",
        schedule=schedule,
        rate=eta if schedule == "constant" else float("nan"),
        alpha=alpha,
        **rules_of(game),
    )
    speaks = [np.flatnonzero(~np.isnan(own)) for own in run.own]
    paths = [[int(game["seed"].choice(who)) for who in speaks] for _ in range(3)]
    paths.append([int(np.nanargmin(own)) for own in run.own])
    singles = [single(run, i) for i in range(n) if run.ledger.spoke[i]]
    sequences = [sequence(run, path) for path in paths]
    applied = holds(FIXED_SHARE, run, [*sequences, *singles])
    assert ("share_prior" in applied) == (game["span"] is not None and not run.facts.delayed)
    if run.facts.delayed:
        assert "came late" in str(share_posterior.certify(run.ledger, sequences, run.facts).why)
        run.facts = replace(run.facts, delayed=False)  # these were counted as they came
        holds(FIXED_SHARE, run, sequences)


@given(games(), st.sampled_from(["poly", "prod", "boa", "squint"]))
def test_no_game_breaks_a_second_order_bound(game, rule):
    """ML-Poly, ML-Prod, BOA and Squint keep their regret within posterior, second-order and prior bounds."""
    prior, span = game["prior"], game["span"] or 0.0
    make = {
        "poly": lambda: rules.ml_poly(prior, span),
        "prod": lambda: rules.ml_prod(prior, span),
        "boa": lambda: rules.boa(prior, span),
        "squint": lambda: rules.squint(prior, span, points=POINTS),
    }[rule]
    theorems = {"poly": ML_POLY, "prod": ML_PROD, "boa": BOA, "squint": SQUINT}[rule]
    run = play(make, game["advice"], game["outcomes"], game["loss"], rule=rule, schedule="", **rules_of(game))
    applied = holds(theorems, run, against(game, run))
    quiet = rule == "squint" and run.facts.grid is None
    assert len(applied) == (0 if quiet else 3 if game["span"] is not None and not run.facts.delayed else 1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.1, 1.0, 7.0]), st.booleans())
def test_the_potential_of_falling_rates_grows_no_more_than_derived(seed, n, span, prod):
    """ln W of ML-Prod and BOA stays below the bound that the prior theorem uses, on random and one-sided charges."""
    rng = np.random.default_rng(seed)
    charges = rng.choice([0.0, span], size=(60, n)) if seed % 2 else np.tile(np.arange(n) % 2 * span, (60, 1))
    rule = rules.ml_prod(np.full(n, 1 / n), span) if prod else rules.boa(np.full(n, 1 / n), span)
    next(rule)
    for t, c in enumerate(charges):
        p = rule.send(np.ones(n, bool))
        rule.send((c, float(p @ c)))
        frame = rule.gi_frame.f_locals
        potential = np.exp(frame["rates"]() * frame["gains"]).mean()
        assert log(potential) <= prod_log_potential(t + 1, n) + 1e-12


# Worked cases.


def case(oracles, name) -> dict[str, Any]:
    return next(c for c in oracles if c["id"] == name)


def number(value) -> float:
    """A number that may be written as a quotient."""
    top, _, bottom = str(value).partition("/")
    return float(top) / float(bottom or 1)


def majority_book(mistakes, rounds, own) -> tuple[ExpertLedger, list[ExpertComparator]]:
    n = len(own)
    book = ledger_of(n, rounds=rounds, mistakes=mistakes, loss=mistakes, losses=own, spoke=np.full(n, rounds))
    book = replace(book, faced=np.full(n, mistakes))
    best = int(np.argmin(own))
    return book, [ExpertComparator("best_expert", "best", own[best], mistakes, rounds, expert=best, divergence=log(n))]


def test_weighted_majority_at_worked_cases(oracles):
    """Mistakes and bounds are those worked out by hand; with beta = 0 three mistakes of eight experts attain log2 8."""
    count = 0
    for worked in (c for c in oracles if c["topic"] == "weighted majority" and "advice" in c["input"]):
        game, expected = worked["input"], worked["expected"]
        advice, labels = np.array(game["advice"]), np.array(game["labels"])
        beta, n = number(game["beta"]), advice.shape[1]
        mistakes = weighted_majority(advice, labels, beta, game["update"] == "always")[0]
        own = (advice != labels[:, None]).sum(0).astype(float)
        book, best = majority_book(float(mistakes), float(len(labels)), own)
        facts = ExpertFacts(n, np.full(n, 1 / n), schedule="", loss="zero-one", convex=False, beta=beta)
        certificate = WEIGHTED_MAJORITY[0].certify(book, best, facts)
        assert mistakes == expected["mistakes"]
        assert certificate.bound == pytest.approx(number(expected["bound"]))
        assert certificate.holds
        if worked["id"] == "wm/beta0 N8 attains log2N":
            assert certificate.shown_bound == mistakes == 3
        count += 1
    assert count == 4


def test_weighted_majority_in_numbers(oracles):
    """N, m* and beta give the bound; beta = 0 promises log2 N against a perfect expert and nothing against others."""
    worked = case(oracles, "wm/bound values")
    for (n, best, beta), bound in zip(worked["input"]["N_mstar_beta"], worked["expected"]["bounds"], strict=True):
        book, comparators = majority_book(0.0, 1e9, np.full(n, float(best)))
        facts = ExpertFacts(n, np.full(n, 1 / n), schedule="", loss="zero-one", convex=False, beta=beta)
        certificate = WEIGHTED_MAJORITY[0].certify(book, comparators, facts)
        if number(bound) == inf:
            assert not certificate.applies
        else:
            assert certificate.bound == pytest.approx(number(bound))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8])
def test_weighted_majority_attains_its_bound_against_a_perfect_expert(n):
    """At beta = 1/10 an adversary forces as many mistakes as the bound, rounded down, allows."""
    alive, rows = np.ones(n, bool), []
    while alive.sum() > 1:  # the larger half of those who never erred, and all others, say 1 and are wrong
        alive[np.flatnonzero(alive)[: ceil(alive.sum() / 2)]] = False
        rows.append(~alive)
    advice, labels = np.array(rows, int), np.zeros(len(rows), int)
    mistakes = weighted_majority(advice, labels, 0.1)[0]
    book, best = majority_book(float(mistakes), float(len(rows)), advice.sum(0).astype(float))
    facts = ExpertFacts(n, np.full(n, 1 / n), schedule="", loss="zero-one", convex=False, beta=0.1)
    certificate = WEIGHTED_MAJORITY[0].certify(book, best, facts)
    assert certificate.shown_bound == mistakes


def table_run(losses, make, **facts) -> Run:
    losses = np.asarray(losses, float)
    n = losses.shape[1]
    facts = {"prior": np.full(n, 1 / n), "span": 1.0} | facts
    return play(make, losses, np.zeros(len(losses)), LOSSES["table"], **facts)


def best_of(run: Run) -> ExpertComparator:
    return single(run, int(np.argmin(run.ledger.losses)))


def test_randomised_majority_at_worked_cases(oracles):
    """Expected losses and both bounds are those worked out by hand, and the sharp one is never the larger."""
    count = 0
    for worked in (c for c in oracles if c["topic"] == "randomized weighted majority" and "losses" in c["input"]):
        beta, expected = number(worked["input"]["beta"]), worked["expected"]
        n = len(worked["input"]["losses"][0])
        prior = np.full(n, 1 / n)
        run = table_run(
            worked["input"]["losses"],
            lambda prior=prior, beta=beta: rules.hedge(prior, rules.constant(-log(beta))),
            rate=-log(beta),
            beta=beta,
        )
        sharp = randomized_majority.certify(run.ledger, [best_of(run)], run.facts)
        printed = randomized_majority_simple.certify(run.ledger, [best_of(run)], run.facts)
        assert sharp.observed == pytest.approx(number(expected["expected_loss"]))
        assert sharp.bound == pytest.approx(expected["bound_sharp"])
        assert printed.bound == pytest.approx(expected["bound_74"])
        assert sharp.holds
        assert sharp.bound <= printed.bound + 1e-12
        assert holds(RANDOMIZED_MAJORITY, run, [best_of(run)]) == {
            "randomized_majority",
            "randomized_majority_simple",
        }
        count += 1
    assert count >= 3


def test_randomised_majority_tuned(oracles):
    """The beta for N and T, and the regret that it allows."""
    worked = case(oracles, "rwm/tuning")
    for (n, horizon), beta, bound in zip(
        worked["input"]["N_T"], worked["expected"]["beta"], worked["expected"]["regret_bound"], strict=True
    ):
        assert randomized_beta(n, horizon) == pytest.approx(beta)
        assert randomized_regret(n, horizon) == pytest.approx(bound)


def worst_of_two(eta, rounds) -> float:
    """The largest regret of two experts of which one loses 1 in every round, by a search over all sequences.

    After a sequence the weights depend on how much more the first lost, d; and on that count alone the best one's loss.
    """
    paid = {0: 0.0}
    for _ in range(rounds):
        after: dict[int, float] = {}
        for d, loss in paid.items():
            p = 1 / (1 + exp(min(700.0, eta * d)))
            for step, charge in ((1, p), (-1, 1 - p)):
                after[d + step] = max(after.get(d + step, -inf), loss + charge)
        paid = after
    return max(loss - (rounds - abs(d)) / 2 for d, loss in paid.items())


def game_of(rounds, n, regret, **facts) -> tuple[ExpertLedger, list[ExpertComparator], ExpertFacts]:
    """Losses in [0, 1] of which only the regret is known."""
    book = ledger_of(n, rounds=float(rounds), loss=regret, faced=np.full(n, regret), spoke=np.full(n, float(rounds)))
    comparator = ExpertComparator("best_expert", "best", 0.0, regret, float(rounds), expert=0, divergence=log(n))
    return book, [comparator], ExpertFacts(n, np.full(n, 1 / n), span=1.0, **facts)


def test_the_exact_worst_case_of_two_experts_is_within_the_tuned_bound(oracles):
    """The worst of all sequences of T rounds, T up to 50, is the number found exactly, and 85 to 96 % of the bound."""
    worked = case(oracles, "ewa/exact worst regret N=2 tuned")
    expected = worked["expected"]
    for rounds, worst, bound in zip(worked["input"]["T"], expected["worst"], expected["bound"], strict=True):
        eta = sqrt(8 * log(2) / rounds)
        regret = worst_of_two(eta, rounds)
        assert regret == pytest.approx(worst)
        for theorem in (hedge_prior, hedge_tuned):
            certificate = theorem.certify(*game_of(rounds, 2, regret, rate=eta, horizon=rounds))
            assert certificate.bound == pytest.approx(bound)
            assert certificate.holds
            assert regret > 0.78 * certificate.bound


def test_exponential_weights_at_worked_cases(oracles):
    """Losses and bounds of worked runs; a single expert has no regret and is promised none."""
    for name in ("ewa/abs N3 eta=ln2", "ewa/abs N1", "ewa/abs N2 T1"):
        worked = case(oracles, name)
        advice, labels = np.array(worked["input"]["advice"], float), np.array(worked["input"]["labels"], float)
        eta, n = worked["input"]["eta"], len(advice[0])
        prior = np.full(n, 1 / n)
        run = play(
            lambda prior=prior, eta=eta: rules.hedge(prior, rules.constant(eta)),
            advice,
            labels,
            LOSSES["absolute"],
            prior=prior,
            rate=eta,
            span=1.0,
        )
        certificate = hedge_prior.certify(run.ledger, [best_of(run)], run.facts)
        assert run.ledger.loss == pytest.approx(worked["expected"]["total_loss"])
        assert certificate.observed == pytest.approx(worked["expected"]["regret"], abs=1e-12)
        assert certificate.bound == (pytest.approx(worked["expected"]["bound"]) if n > 1 else 0)
        assert certificate.holds


def test_a_rate_tuned_for_another_horizon_gets_the_bound_of_that_rate():
    """Ten experts tuned for 100 rounds and played for 400: 26.8, not the 21.5 of a rate that was tuned for 400."""
    eta = sqrt(8 * log(10) / 100)
    game = game_of(400, 10, 0.0, rate=eta, horizon=100)
    assert hedge_prior.certify(*game).bound == pytest.approx(26.8, abs=0.05)
    assert "tuned" in str(hedge_tuned.certify(*game).why)


def test_the_bound_of_a_tuned_rate_is_false_at_a_rate_tuned_for_fewer_rounds():
    """Tuned for one round and played for 100, two experts that err in turn cost more than sqrt(T ln N / 2)."""
    eta = sqrt(8 * log(2))
    run = table_run(
        [[t % 2, 1 - t % 2] for t in range(100)],
        lambda: rules.hedge(np.full(2, 0.5), rules.constant(eta)),
        rate=eta,
        horizon=1,
    )
    certificate = hedge_prior.certify(run.ledger, [best_of(run)], run.facts)
    assert certificate.observed > sqrt(100 * log(2) / 2)
    assert certificate.holds
    assert not hedge_tuned.certify(run.ledger, [best_of(run)], run.facts).applies


def doubled(rounds, losses=None, n=2) -> Run:
    """Exponential weights begun anew after 1, 2, 4, ... rounds."""
    losses = np.zeros((rounds, n)) if losses is None else losses
    blocks, begin, k = [], 0, 0
    while begin < rounds:
        eta = sqrt(8 * log(n) / 2**k)
        part = table_run(
            losses[begin : min(rounds, begin + 2**k)],
            lambda eta=eta: rules.hedge(np.full(n, 1 / n), rules.constant(eta)),
            rate=eta,
        )
        blocks.append(part)
        begin, k = begin + 2**k, k + 1
    ledger = blocks[0].ledger
    for part in blocks[1:]:
        ledger = ledger + part.ledger
    facts = replace(blocks[-1].facts, blocks=tuple((part.ledger, part.facts) for part in blocks))
    return Run(ledger, facts, losses, np.zeros(0), list(range(rounds)))


def test_doubling_in_numbers(oracles):
    """The printed and the sharp bound of two experts for T up to 1000, equal at T = 1 alone."""
    worked = case(oracles, "doubling/bounds")
    expected = worked["expected"]
    for rounds, printed, sharp in zip(worked["input"]["T"], expected["printed"], expected["sharp"], strict=True):
        if rounds > 100:
            continue
        run = doubled(rounds)
        assert doubling_printed.certify(run.ledger, [single(run, 0)], run.facts).bound == pytest.approx(printed)
        assert doubling_sharp.certify(run.ledger, [single(run, 0)], run.facts).bound == pytest.approx(sharp)


@given(st.integers(1, 40), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_no_game_breaks_a_bound_of_doubling(rounds, n, seed):
    """Random and drifting losses in [0, 1] stay within all three bounds of doubling."""
    rng = np.random.default_rng(seed)
    losses = np.round(rng.random((rounds, n))) if seed % 2 else np.tile(np.arange(n) % 2.0, (rounds, 1))
    run = doubled(rounds, losses, n)
    assert len(holds(DOUBLING, run, [single(run, i) for i in range(n)])) == 3
    blocks = tuple((book, replace(block, exponential=False)) for book, block in run.facts.blocks)
    other = replace(run.facts, blocks=blocks)
    assert not any(theorem.certify(run.ledger, [single(run, 0)], other).applies for theorem in DOUBLING)


def test_a_stretch_cut_short_may_cost_more_than_its_rounds_suggest(oracles):
    """Two rounds at the rate for 2^20 cost .9994, above the sqrt(2 ln 2 / 2) that a printed proof has for them."""
    worked = case(oracles, "doubling/intermediate line is false")
    eta = sqrt(8 * log(2) / worked["input"]["block_length"])
    run = table_run(
        [[1.0, 0.0], [1.0, 0.0]], lambda: rules.hedge(np.full(2, 0.5), rules.constant(eta)), rate=eta, horizon=2**20
    )
    certificate = hedge_prior.certify(run.ledger, [best_of(run)], run.facts)
    assert certificate.observed == pytest.approx(worked["expected"]["block_regret"])
    assert certificate.observed > sqrt(2 * log(2) / 2)
    assert certificate.holds


def test_adahedge_at_a_worked_run(oracles):
    """Gaps, regret and twice the gaps are those of the worked run; the bound by the spreads holds too."""
    worked = case(oracles, "adahedge/N3 T6")
    third = np.full(3, 1 / 3)
    run = table_run(
        worked["input"]["losses"],
        lambda: rules.hedge(third, rules.self_tuned(log(3))),
        schedule="self-tuned",
        span=None,
    )
    certificate = adahedge_posterior.certify(run.ledger, [best_of(run)], run.facts)
    assert certificate.observed == pytest.approx(worked["expected"]["regret"])
    assert 2 * run.ledger.gap == pytest.approx(worked["expected"]["certificate_2Delta"])
    assert certificate.observed <= certificate.bound <= 2 * run.ledger.gap
    by_spreads = adahedge_spreads.certify(run.ledger, [best_of(run)], run.facts)
    assert certificate.bound <= by_spreads.bound
    assert by_spreads.bound <= sqrt(run.ledger.spread2 * log(3)) + run.ledger.spread * (4 / 3 * log(3) + 2)


def test_a_leader_by_the_last_digit_hides_no_regret():
    """At an infinite rate rounding picks a leader among equals; what that costs is a gap like any other."""
    advice = np.array([[1, 1, 1, np.nan], [1, 0, 1, 0], [np.nan, np.nan, 1, 0], [0, 1, np.nan, 0]])
    outcomes = np.array([0.450339366649287, 0.7963242702872942, 0.23064220899374743, 0.05202130106440961])
    quarter = np.full(4, 0.25)
    run = play(
        lambda: rules.hedge(quarter, rules.self_tuned(log(4))),
        advice,
        outcomes,
        LOSSES["pinball"],
        prior=quarter,
        schedule="self-tuned",
    )
    assert len(holds(ADAHEDGE, run, [single(run, i) for i in range(4)])) == 2


def test_fixed_share_at_a_worked_run(oracles):
    """The loss is the worked one; the bound for one switch is smaller by what is dealt back to those who had it."""
    worked = case(oracles, "fixed_share/N3 T6")
    third = np.full(3, 1 / 3)
    run = table_run(
        worked["input"]["losses"],
        lambda: rules.fixed_share(third, rules.constant(1.0), 0.2),
        rule="share",
        rate=1.0,
        alpha=0.2,
    )
    once = sequence(run, [1, 0, 1, 0, 1, 0])
    once = replace(once, switches=1, loss=worked["expected"]["best_with_1_switch"])
    assert run.ledger.loss == pytest.approx(worked["expected"]["total"])
    certificate = share_prior.certify(run.ledger, [once], run.facts)
    assert certificate.holds
    stays = 4 * (log(1 / 0.8) - log(1 / (1 - 0.2 * 2 / 3)))  # by which staying is likelier than 1 - alpha
    assert certificate.bound == pytest.approx(worked["expected"]["bound_1_switch"] - stays)


def test_the_lower_bound_is_exact_for_two_experts():
    """One half, one half, three quarters, ...: at least sqrt(T / 8), equal to it at T = 2; more experts cost more."""
    assert [lower_bound(t, 2) for t in range(1, 7)] == [0.5, 0.5, 0.75, 0.75, 0.9375, 0.9375]
    assert lower_bound(2, 2) == pytest.approx(sqrt(2 / 8))
    assert lower_bound(5, 1) == lower_bound(0, 5) == 0
    for rounds in (1, 2, 3, 10, 999, 1000, 1001, 1002, 5000):
        assert lower_bound(rounds, 2) >= sqrt(rounds / 8) * (1 - 1e-9)
        assert lower_bound(rounds, 2) <= lower_bound(rounds, 3) + 1e-9 <= lower_bound(rounds, 4) + 1e-9
        assert lower_bound(rounds, 2) <= sqrt(rounds * log(2) / 2)


def test_the_lower_bound_of_four_experts_is_what_fair_coins_cost():
    """All falls of two coins over four rounds, each with its opposite, cost on average what the function says."""
    falls = [sum(coin) for coin in product((0, 1), repeat=4)]
    average = np.mean([max(abs(a - 2), abs(b - 2)) for a, b in product(falls, falls)])
    assert lower_bound(4, 4) == pytest.approx(average)


# Mixable losses.


@given(st.integers(1, 25), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([(0.0, 1.0), (-2.0, 5.0)]))
def test_no_game_breaks_the_constant_regret_of_the_aggregating_algorithm(rounds, n, seed, ends):
    """Numbers of a range, corners among them, leave a regret of at most ln N (b - a)^2 / 2 against every expert."""
    rng = np.random.default_rng(seed)
    low, high = ends
    scale = np.round if seed % 2 else np.asarray
    advice = low + (high - low) * scale(rng.random((rounds, n)))
    outcomes = low + (high - low) * scale(rng.random(rounds))
    paid = float(((aggregating(advice, outcomes, low, high)[0] - outcomes) ** 2).sum())
    own = (advice - outcomes[:, None]) ** 2
    book = ledger_of(
        n,
        rounds=float(rounds),
        loss=paid,
        faced=np.full(n, paid),
        losses=own.sum(0),
        spoke=np.full(n, float(rounds)),
        highest=float(own.max()),
    )
    span = (high - low) ** 2
    facts = ExpertFacts(n, np.full(n, 1 / n), substitutes=True, rate=2 / span, span=span, loss="square")
    run = Run(book, facts, own, np.zeros(0), [])
    assert holds(AGGREGATING, run, [single(run, i) for i in range(n)]) == {"constant_regret"}
    mean = replace(facts, substitutes=False)
    assert "curved" in str(constant_regret.certify(book, [single(run, 0)], mean).why)


def test_the_log_loss_attains_its_constant_regret():
    """At rate 1, when one of N is certain and right and the others certain and wrong, the regret is ln N to the
    digit."""
    advice = np.array([[1 - 1e-12, 1e-12, 1e-12, 1e-12]] * 3)
    quarter = np.full(4, 0.25)
    run = play(
        lambda: rules.hedge(quarter, rules.constant(1.0)), advice, np.ones(3), LOSSES["log"], prior=quarter, rate=1.0
    )
    certificate = constant_regret.certify(run.ledger, [single(run, 0)], run.facts)
    assert certificate.holds
    assert certificate.observed == pytest.approx(certificate.bound, rel=1e-9)
    assert certificate.bound == pytest.approx(log(4))


@given(st.integers(1, 30), st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 20.0]))
def test_no_game_breaks_the_bounds_of_the_ridge_forecaster(rounds, n, seed, a):
    """Against random weights both bounds hold; against the best ridge weights the posterior one is attained."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(rounds, n)), rng.normal(size=rounds)
    forecasts = ridge(x, y, a)[0]
    paid, gap, gram = float(((forecasts - y) ** 2).sum()), 0.0, a * np.eye(n)
    for row, outcome, forecast in zip(x, y, forecasts, strict=True):
        gram = gram + np.outer(row, row)
        s = row @ np.linalg.solve(gram, row)
        gap += outcome**2 * s - forecast**2 * s / (1 - s)
    book = ledger_of(n, rounds=float(rounds), loss=paid, gap=gap, max_outcome2=float((y * y).max()))
    log_det = float(np.linalg.slogdet(gram / a)[1])
    facts = ExpertFacts(n, np.full(n, 1 / n), loss="square", ridge=a, log_det=log_det, start=np.zeros(n))
    run = Run(book, facts, x, y, [])
    best = np.linalg.solve(gram, x.T @ y)
    results = []
    for u in (best, rng.normal(size=n), np.zeros(n)):
        lost = float(((x @ u - y) ** 2).sum())
        results.append(ExpertComparator("best_linear", "u", lost, paid, float(rounds), weights=u, norm2=float(u @ u)))
    assert len(holds(RIDGE, run, results)) == 2
    certificate = ridge_posterior.certify(book, results[:1], run.facts)
    assert certificate.bound == pytest.approx(certificate.observed, rel=1e-6, abs=1e-7)


# Assumptions.
#


def simple_run(**changes) -> Run:
    half = np.full(2, 0.5)
    known = {"prior": half, "rate": 0.5, "span": 1.0} | changes
    return play(
        lambda: rules.hedge(half, rules.constant(0.5)),
        np.array([[0.0, 1.0], [0.2, 0.4]]),
        np.array([0.0, 1.0]),
        LOSSES["absolute"],
        **known,
    )


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"span": None}, "value_range"),
        ({"span": 0.5}, "declared range"),
        ({"convex": False}, "convex"),
        ({"schedule": "self-tuned"}, "number of rounds"),
    ],
)
def test_an_assumption_that_fails_gives_words_and_no_number(changes, word):
    """A prior bound says which of its assumptions failed."""
    run = simple_run(**changes)
    certificate = hedge_prior.certify(run.ledger, [single(run, 0)], run.facts)
    assert word in str(certificate.why)
    assert certificate.bound is None


def test_a_combination_is_refused_where_charges_are_not_linearised():
    """Losses charged as they are reach no combination; other rounds and lone sequences are refused as well."""
    run = simple_run()
    mixed = ExpertComparator("best_convex", "u", 0.1, run.ledger.loss, 2.0, weights=np.full(2, 0.5), divergence=0.0)
    assert "linearize=True" in str(hedge_posterior.certify(run.ledger, [mixed], run.facts).why)
    shifted = ExpertComparator("best_shifting", "s", 0.1, run.ledger.loss, 2.0, switches=1)
    assert "for all rounds" in str(hedge_posterior.certify(run.ledger, [shifted], run.facts).why)
    assert share_posterior.certify(run.ledger, [shifted], replace(run.facts, exponential=False, alpha=0.1)).applies
    elsewhere = replace(single(run, 0), rounds=3.0)
    assert "others" in str(hedge_posterior.certify(run.ledger, [elsewhere], run.facts).why)


def test_linearised_charges_reach_a_combination_that_beats_every_expert():
    """Exponentiated gradient is certified against the middle of two experts that err to both sides."""
    half = np.full(2, 0.5)
    advice, outcomes = np.tile([0.0, 1.0], (20, 1)), np.full(20, 0.5)
    run = play(
        lambda: rules.hedge(half, rules.constant(0.3)),
        advice,
        outcomes,
        LOSSES["square"],
        linear=True,
        prior=half,
        rate=0.3,
        span=2.0,
    )
    middle = convex(run, advice, outcomes, LOSSES["square"], half)
    assert middle.loss == 0 < run.ledger.losses.min()
    assert holds(EG, run, [middle]) == {theorem.name for theorem in EG}


def test_the_luck_of_the_draws_fails_as_seldom_as_it_says():
    """Over 2000 runs of 30 fair coins the drawn loss exceeds its bound in at most a tenth, the delta asked for."""
    rng = np.random.default_rng(4)
    failures = 0
    facts = ExpertFacts(2, np.full(2, 0.5), span=1.0, loss="zero-one", convex=False, sampled=True, delta=0.1)
    best = ExpertComparator("best_expert", "best", 15.0, 15.0, 30.0, expert=0, divergence=log(2))
    for drawn in rng.binomial(30, 0.5, 2000):
        book = ledger_of(2, rounds=30.0, expected=15.0, sampled=float(drawn), loss=15.0, spread=1.0)
        certificate = sampled_loss.certify(book, [best], facts)
        assert certificate.applies
        assert certificate.confidence == pytest.approx(0.9)
        assert not certificate.violated
        failures += not certificate.holds
    assert 0 < failures <= 200


def test_every_theorem_says_what_it_claims():
    """Each has a statement, a source and a formula, and names are unique within a learner."""
    for theorems in (
        HEDGE,
        ADAHEDGE,
        EG,
        FIXED_SHARE,
        ML_POLY,
        ML_PROD,
        BOA,
        SQUINT,
        WEIGHTED_MAJORITY,
        RANDOMIZED_MAJORITY,
        DOUBLING,
        AGGREGATING,
        RIDGE,
    ):
        assert len({theorem.name for theorem in theorems}) == len(theorems)
        for theorem in theorems:
            assert theorem.statement.endswith(".")
            assert not re.search(r"\\quad[a-zA-Z]", theorem.formula)
            assert theorem.source
