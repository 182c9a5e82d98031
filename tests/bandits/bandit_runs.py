"""Many runs of a bandit at once, each array a row per run: the rules again, in another way than the textbook's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import signature
from math import log, nan, sqrt
from typing import Any

import numpy as np

from regretless.bandits.certificates import certificates
from regretless.bandits.kinds import Tuned
from regretless.catalogue import BANDITS, bandit_class
from regretless.certificate import Certificate
from regretless.comparator import BanditComparator
from regretless.ledger import BanditLedger
from regretless.theorem import Theorem
from regretless.theory.bandit_estimates import tuned_parameters
from regretless.theory.bandit_facts import BanditFacts, epoch_starts

Array = np.ndarray[Any, Any]
BY_RULE: dict[str, tuple[Theorem, ...]] = {name: bandit_class(name).theorems for name in BANDITS}


def facts_of(arms: int, comparators: int, rule: str, schedule: str = "constant", **more: Any) -> BanditFacts:
    """The facts of the bandit of that name, with the rates that it has if they fall."""
    scale = sqrt(log(comparators) / arms)
    if rule == "hedge":
        scale = 2 * sqrt(log(arms))
    if rule == "tsallis-inf":
        schedule, scale = "every-round", 4.0 if more.get("estimator") == "reduced" else 2.0
    falls = {} if schedule == "constant" else {"scale": scale}
    return BanditFacts(arms, comparators, rule == "exp4", BY_RULE[rule], schedule, **(falls | more))


def held(scale: float, rounds: int) -> Array:
    """The rates scale / sqrt(t), each held for an epoch."""
    starts = np.array(epoch_starts(rounds))
    first = starts[np.searchsorted(starts, np.arange(1, rounds + 1), side="right") - 1]
    return scale / np.sqrt(first)


@dataclass
class Setting:
    """A rule with its parameters; rates and gammas are of each round."""

    rule: str
    rates: Array
    gammas: Array
    facts: BanditFacts
    advice: Array | None = None  # (rounds, experts, arms)


def setting(
    rule, arms, rounds, *, anytime=False, rate=None, gamma=None, experts=None, advice=None, **parameters
) -> Setting:
    """The setting that is tuned for so many rounds, or falls, or has the rate that is given."""
    n = experts or (advice.shape[1] if advice is not None else arms)
    k = log(n)
    tuned = {"hedge": sqrt(8 * k / rounds)}.get(rule, sqrt(2 * k / (arms * rounds)))
    falls = 2 * sqrt(k) if rule == "hedge" else sqrt(k / arms)
    t = np.arange(1, rounds + 1)
    horizon = None
    if rule == "tsallis-inf":
        rates, anytime = (2.0 if parameters.get("estimator") != "reduced" else 4.0) / np.sqrt(t), True
    elif anytime:
        rates = held(falls, rounds)
    else:
        rates, horizon = np.full(rounds, rate or tuned), None if rate else rounds
    if rule == "exp3-ix":
        gammas = rates / 2
    elif anytime:
        gammas = held(sqrt(k / arms) / 2, rounds)
    else:
        gammas = np.full(rounds, gamma or (rate / 2 if rate else sqrt(k / (2 * arms * rounds))))
    constant = not anytime
    known = {
        "schedule": "constant" if constant else "anytime",
        "rate": float(rates[0]) if constant else nan,
        "gamma": float(gammas[0]) if constant else nan,
        "horizon": horizon,
    }
    return Setting(rule, rates, gammas, facts_of(arms, n, rule, **(known | parameters)), advice)


def p_setting(arms, rounds, delta, horizon=None):
    """Exp3.P, tuned."""
    beta, rate, explore = tuned_parameters(arms, horizon or rounds, delta)
    made = setting("exp3-p", arms, rounds, rate=rate, beta=beta, explore=explore, delta=delta)
    return replace(made, facts=replace(made.facts, horizon=horizon or rounds))


def a_setting(name, arms, rounds, delta=0.05, **parameters):
    """One of each kind of learner."""
    if name == "exp3-p":
        return p_setting(arms, rounds, delta)
    rule, _, how = name.partition(" ")
    options = {"anytime": how == "anytime"} if how != "reduced" else {"estimator": "reduced"}
    if rule == "exp3-s":
        options["share"] = 1 / rounds
    if rule == "exp4":
        rng = np.random.default_rng(7)
        options["advice"] = np.concatenate(
            [rng.dirichlet(np.ones(arms), (rounds, 4)), np.tile(np.eye(arms)[0], (rounds, 1, 1))], axis=1
        )
    return setting(rule, arms, rounds, delta=delta, **options, **parameters)


def kinds_of(name: str) -> Iterator[str]:
    """A bandit as it is, with a rate that falls and with other estimates, as far as its class has them."""
    yield name
    if issubclass(bandit_class(name), Tuned):
        yield f"{name} anytime"
    if "estimator" in signature(bandit_class(name)).parameters:
        yield f"{name} reduced"


RULES = {"exp3", "exp3-ix", "exp3-p", "tsallis-inf", "exp3-s", "hedge", "exp4"}  # that `play` has
EVERY = tuple(kind for name in BANDITS if name in RULES for kind in kinds_of(name))
SLEEPERS = tuple(kind for kind in EVERY if not BANDITS[kind.partition(" ")[0]].info.advised)


@dataclass
class Runs:
    """What the runs left behind; `table` is what the arms lost in each, (runs or 1, rounds, arms)."""

    facts: BanditFacts
    setting: Setting
    table: Array
    draws: Array  # (runs, rounds)
    p: Array  # probability of each draw
    mixed: Array
    estimates: Array
    implicit: Array
    settled: Array  # (runs, rounds)
    late: int = 0
    reach: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def count(self) -> int:
        return len(self.draws)

    @cached_property
    def own(self) -> Array:
        """What each draw lost, (runs, rounds)."""
        rows = np.broadcast_to(self.table, (self.count, *self.table.shape[1:]))
        return np.nan_to_num(np.take_along_axis(rows, self.draws[:, :, None], 2)[:, :, 0])

    def ledger(self, r: int) -> BanditLedger:
        table = self.table[r if len(self.table) > 1 else 0]
        asleep = np.isnan(table)
        own = self.own[r] * self.settled[r]
        rounds, arms = table.shape
        rates = self.setting.rates
        return BanditLedger(
            rounds=float(rounds),
            settled=float(self.settled[r].sum()),
            loss=float(own.sum()),
            mixed=float(self.mixed[r]),
            swing=float(rates @ self.reach),
            rates=float(rates.sum()),
            reach=float(self.reach.sum()),
            first_rate=float(rates[0]),
            last_rate=float(rates[-1]),
            last_gamma=float(self.setting.gammas[-1]),
            restricted=float(asleep.any(1).sum()),
            late=float(self.late),
            lost=float(rounds - self.settled[r].sum()),
            width=self.facts.width,
            draws=np.bincount(self.draws[r], minlength=arms).astype(float),
            losses=np.bincount(self.draws[r], own, minlength=arms),
            missed=own @ asleep,
            asleep=asleep.sum(0).astype(float),
            estimates=self.estimates[r],
            implicit=self.implicit[r],
        )

    def arm(self, r: int, place: int | None = None) -> BanditComparator:
        """An arm, or the one that is regretted most."""
        table = self.table[r if len(self.table) > 1 else 0]
        own = self.own[r]
        awake = ~np.isnan(table)
        faced, lost = own @ awake, np.nansum(table, axis=0)
        named = "best_arm" if place is None else "arm"
        which = int(np.argmax(np.where(awake.any(0), faced - lost, -np.inf))) if place is None else place
        return BanditComparator(named, f"arm {which}", lost[which], faced[which], float(awake[:, which].sum()), which)

    def expert(self, r: int, place: int | None = None) -> BanditComparator:
        """An expert, or the best."""
        assert self.setting.advice is not None
        lost = np.einsum("tnk,tk->n", self.setting.advice, self.table[r if len(self.table) > 1 else 0])
        which = int(np.argmin(lost)) if place is None else place
        name = "best_expert" if place is None else "expert"
        return BanditComparator(
            name, f"expert {which}", lost[which], self.own[r].sum(), float(len(self.table[0])), which
        )

    def sequence(self, r: int, path: Array) -> BanditComparator:
        """A sequence of arms."""
        table = self.table[r if len(self.table) > 1 else 0]
        lost = float(table[np.arange(len(path)), path].sum())
        switches = int((np.diff(path) != 0).sum())
        return BanditComparator(
            "best_sequence", "a sequence", lost, self.own[r].sum(), float(len(path)), switches=switches
        )

    def regrets(self) -> Array:
        """Against each arm or expert over its own rounds, (runs, comparators)."""
        if self.setting.advice is not None:
            lost = np.einsum("tnk,rtk->rn", self.setting.advice, self.table)
            return self.own.sum(1)[:, None] - lost
        awake = ~np.isnan(self.table)
        faced = np.einsum("rt,rtk->rk", self.own, np.broadcast_to(awake, (self.count, *awake.shape[1:])).astype(float))
        return faced - np.nansum(self.table, axis=1)


def tsallis(eta: float, sums: Array) -> Array:
    """Its weights, a row per run."""
    above = sums - sums.min(1, keepdims=True)
    x = np.full((len(sums), 1), -2 / eta)
    for _ in range(100):
        w = 4 / (eta * (above - x)) ** 2
        step = (w.sum(1, keepdims=True) - 1) / (eta * (w**1.5).sum(1, keepdims=True))
        x -= step
        if np.abs(step).max() < 1e-14:
            break
    return w / w.sum(1, keepdims=True)


def softmax(scores: Array) -> Array:
    w = np.exp(scores - scores.max(1, keepdims=True))
    return w / w.sum(1, keepdims=True)


def play(
    made: Setting,
    table: Any,
    runs: int,
    seed: int = 0,
    *,
    lost: Array | None = None,
    delay: int = 0,
    forced: Array | None = None,
) -> Runs:
    """Play the rounds of a table, or of an adversary: ``table(t, p, draws)`` is asked what each run's arms lose.

    `lost` says of each round and arm whether its loss never comes; `delay` how many rounds later it comes; `forced`
    what is drawn, whatever its probability.
    """
    rng = np.random.default_rng(seed)
    facts, advice = made.facts, made.advice
    rounds, arms = len(made.rates), facts.arms
    sums, implicit = np.zeros((runs, facts.comparators)), np.zeros((runs, facts.comparators))
    w = np.full((runs, arms), 1 / arms)
    draws, ps, settled = np.zeros((runs, rounds), int), np.zeros((runs, rounds)), np.ones((runs, rounds), bool)
    mixed, reach, rows, waiting = np.zeros(runs), np.zeros(rounds), [], []
    every = np.arange(runs)
    for t in range(rounds):
        eta, gamma = made.rates[t], made.gammas[t]
        if made.rule == "tsallis-inf":
            mass = tsallis(eta, sums)
        elif made.rule == "exp3-s":
            mass = w
        elif made.rule == "exp4":
            mass = softmax(-eta * sums) @ advice[t]
        elif made.rule == "exp3-p":
            mass = (1 - facts.explore) * softmax(eta * sums) + facts.explore / arms
        else:
            mass = softmax(-eta * sums)
        row = table(t, mass, draws[:, :t]) if callable(table) else table[t]
        row = np.broadcast_to(row, (runs, arms)) if callable(table) else np.asarray(row)[None]
        rows.append(np.array(row))
        awake = ~np.isnan(row[0])
        if made.rule in ("exp3", "exp3-ix", "hedge"):  # so that the masses of those awake cannot all vanish
            mass = softmax(np.where(awake, -eta * sums, -np.inf))
        p = np.where(awake, mass, 0.0)
        p = p / p.sum(1, keepdims=True)
        arm = (rng.random((runs, 1)) >= np.cumsum(p, axis=1)[:, :-1]).sum(1) if forced is None else forced[:, t]
        draws[:, t], ps[:, t] = arm, p[every, arm]
        reach[t] = advice[t].max(0).sum() if advice is not None else awake.sum()
        waiting.append((t, p, arm, row, awake, eta, gamma))
        if made.rule == "exp3-p":
            sums += np.where(awake, facts.beta / np.where(p > 0, p, 1), 0.0)
        while waiting and (waiting[0][0] <= t - delay or t == rounds - 1):
            s, p, arm, row, awake, eta, gamma = waiting.pop(0)
            units = np.broadcast_to(np.where(np.isnan(row), 0.0, row), (runs, arms))
            loss, drawn = units[every, arm], p[every, arm]
            drawn = np.where(drawn > 0, drawn, 1.0)  # forced against all odds: it counts for nothing
            known = np.ones(runs, bool) if lost is None else ~lost[s, arm]
            settled[:, s] = known
            loss = np.where(known, loss, 0.0)
            mixed += (p * units).sum(1)
            counts = np.zeros((runs, arms))
            counts[every, arm] = loss / drawn
            low = np.zeros((runs, arms))
            low[every, arm] = loss / (drawn + gamma)
            implicit += low if advice is None else low @ advice[s].T
            if made.rule == "exp4":
                sums += counts @ advice[s].T
            elif made.rule == "exp3-p":
                sums[every, arm] += known * (1 - loss) / drawn
            elif made.rule == "tsallis-inf":
                guess = np.where(awake & (p >= eta**2), 0.5, 0.0) if facts.estimator == "reduced" else np.zeros_like(p)
                sums += guess * known[:, None]
                sums[every, arm] += known * (loss - guess[every, arm]) / drawn
            else:
                charge = {"exp3-ix": low, "hedge": units}.get(made.rule, counts)
                change = np.where(awake, charge - (p * charge).sum(1, keepdims=True), 0.0)
                sums += change
                if made.rule == "exp3-s":
                    shared = w * np.exp(-eta * (change - change.min(1, keepdims=True)))
                    shared = shared / shared.sum(1, keepdims=True)
                    shared = (1 - facts.share) * shared + facts.share / arms
                    w = np.where(known[:, None], shared, w)
    whole = np.stack(rows, 1)
    late = 0 if delay == 0 else runs * rounds
    return Runs(facts, made, whole, draws, ps, mixed, sums, implicit, settled, late, reach)


def every_path(made: Setting, tables: Array) -> tuple[Runs, Array]:
    """Each table, (tables, rounds, arms), met by all sequences of draws, and how probable each sequence was."""
    count, rounds, arms = tables.shape
    paths = np.stack(np.meshgrid(*[np.arange(arms)] * rounds, indexing="ij"), -1).reshape(-1, rounds)
    rows = np.repeat(tables, len(paths), axis=0)
    forced = np.tile(paths, (count, 1))
    runs = play(made, lambda t, p, draws: rows[:, t], len(rows), forced=forced)
    return runs, runs.p.prod(1).reshape(count, -1)


def binary_tables(arms: int, rounds: int) -> Array:
    """All tables of zeros and ones."""
    cells = arms * rounds
    bits = (np.arange(2**cells)[:, None] >> np.arange(cells)) & 1
    return bits.reshape(-1, rounds, arms).astype(float)


def read(theorem: Theorem, runs: Runs, r: int = 0, comparator: BanditComparator | None = None) -> Certificate:
    """The certificate of one run."""
    return theorem.certify(runs.ledger(r), [comparator or runs.arm(r)], runs.facts)


def comparators(runs, *places):
    make = runs.expert if runs.setting.advice is not None else runs.arm
    return [[make(r), *(make(r, place) for place in places)] for r in range(runs.count)]


def judged(runs, *places):
    """Each theorem over all runs, by its name, against the best arm or expert and those that are asked for."""
    books = [runs.ledger(r) for r in range(runs.count)]
    lines = certificates(BY_RULE[runs.setting.rule], runs.facts, books, comparators(runs, *places))
    return {one.theorem.name: one for one in lines}


def one_arm(rule, rounds):
    """A learner with a single arm: its rate is 1."""
    made = setting(rule, 2, rounds, rate=1.0, gamma=0.5, beta=0.1, explore=0.0, share=0.1, delta=0.05)
    return replace(made, facts=replace(made.facts, arms=1, comparators=1))


def a_run(name="exp3-ix", **parameters):
    made = a_setting(name, 3, 300, **parameters)
    return play(made, np.random.default_rng(0).random((300, 3)), 1)
