"""Reports on a log of draws: its estimates, and the bets of its policies, computed again from the rows.

A learner is not replayed: of it the log's own numbers are computed again, and each bound by its formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..textbook import off_policy as book
from .certificates import Again, at_once, idle, whole
from .checks import THE_RUN, Check, Malformed, Number, Verdict, differing, elsewhere, headline

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]
THE_LOG = "the policy of the log"
VALUE, EXCESS = "gains", "sums"  # facts that a certificate of the value of a policy has, and one of a comparison
NEAREST = "that is nearest: "
COINS = 0x7265706C  # of the replay
ENOUGH, RARE = 30, 10  # rounds in effect for a normal interval, and of the rarer of two outcomes
LOOKS = sorted({int(np.ceil(2.0 ** (k / 4) - 1e-9)) for k in range(8, 240)})
NOT_REPLAYED = "the learner was not replayed"


class LoggedRows(Protocol):
    """What is read of a log, as a reader has it."""

    def __len__(self) -> int: ...
    @property
    def actions(self) -> Array: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def propensities(self) -> Array: ...
    @property
    def rewards(self) -> Array: ...
    @property
    def value_range(self) -> tuple[float, float]: ...
    @property
    def losses(self) -> bool: ...
    @property
    def contexts(self) -> Array: ...
    @property
    def least(self) -> float: ...
    @property
    def declared(self) -> bool: ...


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """A policy that does not learn.

    Attributes
    ----------
    name : str
        As certificates call it.
    log : LoggedRows
        Perhaps with actions that only the policy takes.
    table : ndarray of shape (situations, actions), or None
        Its probabilities in each situation.
    chosen : ndarray of int, shape (rounds,), or None
        What it takes in each round.
    stated : ndarray, shape (rounds,), or None
        How probable the actions of the log were to it.
    each : ndarray of shape (rounds, actions), or None
        Its probabilities in each round; one of the four is there.
    """

    name: str
    log: LoggedRows
    table: Array | None = None
    chosen: Array | None = None
    stated: Any = None
    each: Array | None = None

    @property
    def chances(self) -> Array:
        """Of the actions of the log."""
        if self.each is not None:
            return np.asarray(self.each[np.arange(len(self.log)), self.log.actions])
        if self.table is not None:
            return np.asarray(self.table[self.log.contexts, self.log.actions])
        if self.chosen is not None:
            return np.asarray(self.chosen == self.log.actions, dtype=np.float64)
        return np.asarray(self.stated)

    @property
    def most(self) -> float:
        """What none of its probabilities exceeds."""
        if self.chosen is not None:
            return 1.0
        return float(np.max(next(one for one in (self.table, self.each, self.stated) if one is not None)))

    @property
    def always(self) -> str | None:
        """The action that it takes in all rounds."""
        for place, name in enumerate(self.log.names):
            if self.table is not None and (self.table[:, place] == 1).all():
                return name
            if self.each is not None and (self.each[:, place] == 1).all():
                return name
            if self.chosen is not None and (self.chosen == place).all():
                return name
        return None

    def expected(self, t: int, values: Array) -> float:
        """The mean in round t of what has a value by action."""
        if self.table is not None:
            return float(self.table[self.log.contexts[t]] @ values)
        if self.each is not None:
            return float(self.each[t] @ values)
        return float("nan") if self.chosen is None else float(values[self.chosen[t]])


def check(report: Fields, log: LoggedRows, policies: Sequence[Policy]) -> list[Check]:
    """One check a certificate, and one of the run.

    Parameters
    ----------
    report : mapping
        What ``evaluate --json`` printed, of one policy or learner, or of several policies.
    log : LoggedRows
        Read as the report says.
    policies : sequence of Policy
        In the order of the report; none for a learner.
    """
    if not 0 < report["confidence"] < 1:
        raise Malformed(f"confidence is {report['confidence']}; a number between 0 and 1 was expected")
    if "policies" not in report:
        return _check(report, log, policies[0] if policies else None, 1)
    delta = 1 - report["confidence"]
    again = {"anytime_confidence": 1 - delta / len(policies)}
    checks, taken = [], []
    numbers = list(headline({name: report[name] for name in again}, again).numbers)
    for one, policy in zip(report["policies"], policies, strict=True):
        *each, run = _check(one, log, policy, len(policies))
        checks += [replace(line, theorem=f"{line.theorem} of {one['policy']}") for line in each]
        same = Number("confidence", one["confidence"], report["confidence"])
        numbers += [replace(number, whose=one["policy"]) for number in (same, *run.numbers)]
        taken += [name for name in run.taken if name not in taken]
    wrong = [one for one in numbers if not one.agrees]
    verdict: Verdict = "differs" if wrong else "agrees"
    return [*checks, Check(THE_RUN, verdict, differing(wrong), tuple(numbers), tuple(taken))]


def _check(report: Fields, log: LoggedRows, policy: Policy | None, together: int) -> list[Check]:
    if len(log) != report["rounds"]:
        return elsewhere(report, Number("rounds", report["rounds"], len(log)))
    delta, width = 1 - report["confidence"], log.value_range[1] - log.value_range[0]
    wider = log if policy is None else policy.log
    again: dict[str, Any] = {
        "rounds": len(log), "arms": len(wider.names), "quantity": "loss" if log.losses else "reward",
        **_estimate("logged", log, log.rewards, delta, len(log), wilson=True),
    }  # fmt: skip
    facts: dict[str, Any] = {"rounds": len(log), "width": width}
    bets = None
    if policy is not None:
        bets = _Bets(policy, delta / together)
        again |= _estimates(report, policy, bets, delta)
        again["course"] = bets.course()
    else:
        again |= _said_interval(report, log, delta / together)
    checks = [_line(one, facts, delta / together, bets, report, again) for one in report["certificates"]]
    return [*checks, headline(report, again, note=NOT_REPLAYED if policy is None else "")]


def _line(certificate: Fields, facts: Fields, delta: float, bets: _Bets | None, report: Fields, again: Fields) -> Check:
    """Of a certificate: what bets say, or what is true of the rounds that a learner played."""
    if (nothing := idle(certificate)) is not None:
        return nothing
    name, comparator = str(certificate["theorem"]), certificate["comparator"]
    known = (certificate["constants"] or {"ledger": {}})["ledger"]
    once, other = at_once(name, report["parameters"]), comparator.get("second")
    if VALUE not in known and EXCESS not in known:  # of the rounds that a learner played
        return whole(certificate, [Again(at_once=once)])
    ledger, shown = dict(facts), {}
    if bets is not None and VALUE in known:
        estimate = bets.scaled(again["estimates/anytime/value"])
        ledger |= {"gains": bets.gains[-1], "losses": bets.falls[-1], "estimate": estimate, "weights": bets.weighed}
        shown = {"policy": bets.policy.name}
    elif bets is None:  # the sums are the report's
        ledger["others"] = 1 if other == THE_LOG else report["arms"]
    elif other == THE_LOG:
        ledger |= {"sums": bets.over_log[-1], "others": 1}
        shown = {"first": bets.policy.name}
    else:
        second, sums, others = bets.over_actions(str(other))
        ledger |= {"sums": sums, "others": others}
        shown = {"first": bets.policy.name, "second": second}
    own = {fact: value for fact, value in ledger.items() if fact in known}
    sides = {"ledger": own, "comparator": {}, "learner": {"delta": delta}}
    return whole(certificate, [Again(sides, shown, most=facts["width"], at_once=once)])


class _Bets:
    """The capitals of a policy after each round, by the textbook.

    Parameters
    ----------
    policy : Policy
    delta : float
        Its own part.
    """

    def __init__(self, policy: Policy, delta: float) -> None:
        log = policy.log
        self.policy, self.delta = policy, delta
        self.weights = policy.chances / log.propensities
        self.scaled_rewards = self.scaled(log.rewards)
        earned, missed = self.weights * self.scaled_rewards, 1 - self.scaled_rewards
        self.guesses = None if policy.stated is not None else _guesses(policy)
        gain: tuple[Any, ...] = ()
        loss: tuple[Any, ...] = ()
        self.most_weight = policy.most / log.least
        if self.guesses is not None and log.declared:
            _, _, *six = self.guesses.T
            gain, loss = ((e - self.weights * g, most, self.most_weight) for e, g, most in (six[:3], six[3:]))
        self.gains = book.log_capitals(earned, *gain)
        self.falls = book.log_capitals(self.weights * missed, *loss)
        self.over_log = book.log_capitals(earned + missed, *gain)
        self.weighed = book.log_capitals(self.weights)[-1, ::3]

    def scaled(self, reward: Any) -> Any:
        """From 0, the worst, to 1."""
        (low, high), losses = self.policy.log.value_range, self.policy.log.losses
        return np.clip((high - reward if losses else reward - low) / (high - low), 0.0, 1.0)

    def ends(self, rounds: int) -> tuple[float, float]:
        """Of the interval after so many rounds."""
        return _ends(self.policy.log, self.gains[rounds - 1], self.falls[rounds - 1], rounds, self.delta)

    def course(self) -> list[list[float]]:
        """The interval at the rounds of a report."""
        rounds = len(self.gains)
        looks = sorted({*(look for look in LOOKS if look <= rounds), rounds})
        return [[float(look), *self.ends(look)] for look in looks]

    def plain_actions(self) -> Array:
        """The sums of bets against always taking each action, without a guess."""
        log, rewards, actions = self.policy.log, self.scaled_rewards, self.policy.log.actions
        earned, missed = self.weights * rewards, (1 - rewards) / log.propensities
        sums = np.empty((len(log.names), len(book.RATES)))
        for place, u in enumerate(book.RATES):
            plain, both = np.log1p(u * earned), np.log1p(u * (earned + missed))
            sums[:, place] = plain.sum() + np.bincount(actions, both - plain, minlength=len(sums))
        return sums

    def controlled_actions(self) -> Array:
        """The same with guesses, one action after the other."""
        log, missed = self.policy.log, 1 - self.scaled_rewards
        earned, n = self.weights * self.scaled_rewards, np.arange(1, len(log) + 1)
        guess = (np.concatenate([[0.0], np.cumsum(missed)[:-1]]) + 0.5) / n
        centred, most = np.zeros(len(log)), guess / log.least
        if self.guesses is not None:
            centred = self.guesses[:, 2] - self.weights * self.guesses[:, 3]
            most = most + self.most_weight * self.guesses[:, 4]
        sums = np.empty((len(log.names), len(book.RATES)))
        for action in range(len(sums)):
            v = (log.actions == action) / log.propensities
            first = np.full(int(log.contexts.max()) + 1, len(log))
            np.minimum.at(first, log.contexts[log.actions == action], np.flatnonzero(log.actions == action))
            known = np.where(np.arange(len(log)) > first[log.contexts], 1.0, 0.0)
            control = known * (centred + guess - v * guess)
            sums[action] = book.log_capitals(earned + v * missed, control, most, 1.0)[-1]
        return sums

    def over_actions(self, label: str) -> tuple[str, Array, int]:
        """With which action the policy is compared, the sums, and of how many it is one; where several are alike, as
        the report says."""
        log, always = self.policy.log, self.policy.always
        sums = self.controlled_actions() if log.declared else self.plain_actions()
        others = [place for place, name in enumerate(log.names) if name != always]
        least = [book.mean_refused(sums[k], len(log), 2.0, self.delta / len(others)) for k in others]
        alike = [k for k, one in zip(others, least, strict=True) if one <= min(least) + 1e-9]
        which = "the same action" if always is None else "another action"
        names = {f"always {which} ({NEAREST}{log.names[k]})": k for k in alike}
        name = label if label in names else next(iter(names))
        return name, sums[names[name]], len(others)


def _ends(log: LoggedRows, gains: Array, falls: Array, rounds: int, delta: float) -> tuple[float, float]:
    """Of the interval at any time, by the sums of logarithms."""
    low = book.mean_refused(gains, rounds, 1.0, delta / 2)
    high = 1 - book.mean_refused(falls, rounds, 1.0, delta / 2)
    bottom, top = log.value_range
    if log.losses:
        return top - (top - bottom) * high, top - (top - bottom) * low
    return bottom + (top - bottom) * low, bottom + (top - bottom) * high


def _said_interval(report: Fields, log: LoggedRows, delta: float) -> dict[str, Any]:
    """The interval of a learner at any time, by the sums that the report has."""
    for one in report["certificates"]:
        sums = one["constants"]["ledger"] if one["applies"] else {}
        if VALUE in sums:
            first, last = sorted(_ends(log, sums["gains"], sums["losses"], len(log), delta))
            return {"estimates/anytime/low": first, "estimates/anytime/high": last}
    return {}


def _guesses(policy: Policy) -> Array:
    log = policy.log
    rounds = list(zip(log.actions.tolist(), log.rewards.tolist(), log.contexts.tolist(), strict=True))
    return np.asarray(book.guesses(rounds, len(log.names), log.value_range, policy.expected, losses=log.losses))


# Estimates.


def _estimates(report: Fields, policy: Policy, bets: _Bets, delta: float) -> dict[str, Any]:
    """All of a policy, and the draws of the replay, by the same coins."""
    log, weights, n = policy.log, bets.weights, len(policy.log)
    (low, high), worst = log.value_range, log.value_range[1 if log.losses else 0]
    odds = np.minimum(weights / (weights.max() or 1.0), 1.0)
    accepted = np.random.default_rng([COINS, report["seed"]]).binomial(report["runs"], odds)
    again: dict[str, Any] = {"effective_rounds": _effective(weights), "largest_weight": float(weights.max())}
    terms = worst + weights * (log.rewards - worst)
    again |= _estimate("estimates/ips", log, terms, delta, n, enough_of=weights)
    ends = book.bernstein_ends(weights * bets.scaled_rewards, bets.most_weight, delta)
    unscaled = [worst + (low + high - 2 * worst) * end for end in ends]
    again["estimates/ips/cautious"] = _holding(again["estimates/ips/value"], unscaled, log)
    if weights.any():
        again |= _estimate("estimates/snips", log, log.rewards, delta, n, weights=weights)
    if accepted.any():
        played = round(accepted.sum() / report["runs"])
        again |= _estimate("estimates/replay", log, log.rewards, delta, played, weights=accepted, wilson=True)
    draws = np.bincount(log.actions, accepted, minlength=len(log.names)) / max(accepted.sum(), 1)
    again |= {f"draws/{name}": float(one) for name, one in zip(log.names, draws, strict=True)}
    value = again["estimates/ips/value"]
    if bets.guesses is not None:
        model, guessed, *_ = bets.guesses.T
        terms = model + weights * (log.rewards - guessed)
        again |= _estimate("estimates/dr", log, terms, delta, n, enough_of=weights)
        value = again["estimates/dr/value"]
    first, last = sorted(bets.ends(n))
    where = "estimates/anytime/"
    again |= {f"{where}value": min(max(value, first), last), f"{where}low": first, f"{where}high": last, f"{where}n": n}
    return again


def _estimate(
    where: str, log: LoggedRows, terms: Array, delta: float, n: int, *, weights: Array | None = None,
    wilson: bool = False, enough_of: Array | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The mean of terms, perhaps by weights, and its interval, cut to the range; Wilson's where there are two rewards,
    or else a normal one, for which the rounds, by the weights of `enough_of`, may be too few."""
    (low, high), value = log.value_range, float(np.average(terms, weights=weights))
    counts = np.ones(len(terms)) if weights is None else weights
    two = bool(np.isin(log.rewards, log.value_range).all())
    if wilson and two:
        ends = book.wilson_ends((value - low) / (high - low), _effective(counts), delta)
        ends = low + (high - low) * ends[0], low + (high - low) * ends[1]
    else:
        ends = book.normal_ends(value, book.deviation_of_mean(terms, weights), delta)
    first, last = _holding(value, ends, log)
    enough = (wilson and two) or _enough(log, counts if enough_of is None else enough_of, two)
    each = {"value": value, "low": first, "high": last, "n": n, "enough": enough}
    return {f"{where}/{name}": one for name, one in each.items()}


def _holding(value: float, ends: Sequence[float], log: LoggedRows) -> list[float]:
    """The ends, cut to the range, but for what it takes to hold the value."""
    cut = [min(max(end, log.value_range[0]), log.value_range[1]) for end in ends]
    return [min(*cut, value), max(*cut, value)]


def _effective(weights: Array) -> float:
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def _enough(log: LoggedRows, weights: Array, two: bool) -> bool:
    if _effective(weights) < ENOUGH:
        return False
    higher = log.rewards == log.value_range[1]
    return not two or min(_effective(weights[higher]), _effective(weights[~higher])) >= RARE
