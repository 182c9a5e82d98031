"""Certificates of `explore` from the rows and the costs in the file: what single actions cost, each bound by its
formula, and the run by the textbook, which draws by the seed of the report, or decides in each row of a log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..learner_table import CONTEXTUAL_BANDITS, REGRESSORS
from ..textbook import contextual as rules
from ..textbook import off_policy as bets
from ..textbook import regression as regressions
from .bandits import uniforms
from .certificates import RELATIVE, Again, at_once, idle, whole
from .checks import OR_SETTINGS, Check, Number, alike, at, elsewhere, has, headline, not_played

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]
Run = dict[str, Any]

# Rounds times actions, and these times squared columns, that the textbook is asked to play.
MOST_FORECASTS, MOST_STEPS = 80_000, 4_000_000
# The textbook inverts a matrix in every round and the kernel updates one: their digits part sooner than those of sums.
LOOSE = 10.0
NEAR = 1e-9  # by what part rows differ that must be decided alike, and how far a number must be from another draw
ALIKE = 1e-3  # how far their probabilities may be from each other
# Of the linear policy in hindsight: rounds times squared columns, what squares of weights are charged, as a part of the
# squares of their feature, and how far the two least forecasts of a row must be apart.
MOST_PRODUCTS, PRIOR, APART = 1_000_000_000, 1e-3, 1e-9
IMPLICIT = 2.0 ** -np.arange(1.0, 11.0)  # explorations that estimates of losses are made with
HALVES = 24  # probabilities are counted by how often 1 is halved to reach them, the last of these and all below it


@dataclass(frozen=True)
class Decided:
    """What a file has of decisions.

    Attributes
    ----------
    rows : ndarray or scipy sparse array, shape (rounds, features)
    costs : ndarray, shape (rounds, actions)
        Of each action, or its rewards where the report says so; of a log nan but for the action taken.
    chances : ndarray of shape (rounds,), or None
        Of a log, the probability with which it was.
    available : ndarray of bool, shape (rounds, actions), or None
        Of a log, which actions could be taken; None: all.
    """

    rows: Any
    costs: Array
    chances: Array | None = None
    available: Array | None = None

    @cached_property
    def taken(self) -> Array | None:
        """Of a log, which action was taken."""
        return None if self.chances is None else np.argmax(~np.isnan(self.costs), axis=1)

    @cached_property
    def awake(self) -> Array:
        """In how many rounds, up to each, every action could be taken."""
        there = np.ones(self.costs.shape, bool) if self.available is None else self.available
        return np.cumsum(there, axis=0)

    @cached_property
    def each(self) -> Array:
        """What each action cost up to each round, one row after the other; of a log by its probabilities."""
        weights = np.ones(len(self.costs)) if self.chances is None else 1 / self.chances
        return np.cumsum(np.nan_to_num(self.costs) * weights[:, None], axis=0)


def check(report: Fields, decided: Decided, actions: list[str]) -> list[Check]:
    """One check a certificate, and one of the run.

    Parameters
    ----------
    report : mapping
        What ``explore --json`` printed.
    decided : Decided
        What the file has.
    actions : list of str
    """
    if len(decided.costs) != report["rounds"]:
        return elsewhere(report, Number("rounds", report["rounds"], len(decided.costs)))
    again, scales = _of_actions(report, decided, actions)
    best = again[f"best_action_{_quantity(report)[0]}"]
    if decided.chances is None:
        again[f"hindsight_policy_{_quantity(report)[0]}"] = _policy(report, decided)
    run, why = _replayed(report, decided)
    if run is not None:
        numbers = _of_run(report, decided, run)
        again |= numbers
        scales |= _loose(numbers)
    checks = [_check(report, one, best, decided, run) for one in report["certificates"]]
    return [*checks, headline(report, again, scales, not_played(why))]


def _loose(numbers: Fields) -> dict[str, float]:
    """How large numbers count as whose digits part sooner."""
    return {name: LOOSE * float(np.abs(value).max(initial=0.0)) for name, value in numbers.items() if value is not None}


def _quantity(report: Fields) -> tuple[str, int]:
    """What the file holds, in a word, and the sign by which less is better."""
    return ("reward", -1) if report["parameters"].get("rewards") else ("cost", 1)


def _best(report: Fields, decided: Decided, rounds: int) -> tuple[float, Array]:
    """What the best single action cost in so many rounds, and what each did as if it had been there in all of them."""
    sign = _quantity(report)[1]
    each, awake = decided.each[rounds - 1], decided.awake[rounds - 1]
    known = awake > 0 if decided.taken is None else np.bincount(decided.taken[:rounds], minlength=len(each)) > 0
    costs = sign * np.where(known, each * (rounds / np.maximum(awake, 1)), sign * np.inf)
    return sign * float(costs.min()), costs


def _of_actions(report: Fields, decided: Decided, actions: list[str]) -> tuple[dict[str, Any], dict[str, float]]:
    """What single actions cost, and of a log what was logged; and how large these sums are."""
    word, rounds = _quantity(report)[0], len(decided.costs)
    each, awake = decided.each[-1], decided.awake[-1]
    best, costs = _best(report, decided, rounds)
    again: dict[str, Any] = {"rounds": rounds, "features": decided.rows.shape[1], f"best_action_{word}": best}
    again |= {f"awake/{name}": int(count) for name, count in zip(actions, awake, strict=True)}
    again |= {f"action_{word}s/{name}": float(cost) for name, cost in zip(actions, each, strict=True)}
    if np.ptp(np.sort(costs)[:2]) > RELATIVE * np.abs(each).sum():
        again["best_action"] = actions[int(costs.argmin())]
    if decided.chances is not None:
        again[f"logged_{word}"] = float(np.nansum(decided.costs))
        again |= _of_taken(report, decided.taken, decided.chances)
    return again, dict.fromkeys(again, float(np.abs(each).sum()))


def _policy(report: Fields, decided: Decided) -> float | None:
    """What the linear policy in hindsight costs: ridge regression of the costs of each action, and of each row the
    action of the least; None where that takes long, or rounding decides between two actions."""
    count, columns = decided.rows.shape
    if count * columns**2 > MOST_PRODUCTS or report[f"hindsight_policy_{_quantity(report)[0]}"] is None:
        return None
    dense = decided.rows.toarray() if hasattr(decided.rows, "toarray") else decided.rows
    X = np.column_stack([dense, np.ones(count)])
    squares = X.T @ X
    weights = np.linalg.lstsq(squares + np.diag(PRIOR * np.diag(squares)), X.T @ decided.costs, rcond=None)[0]
    scores = _quantity(report)[1] * (X @ weights)
    least = np.sort(scores, axis=1)
    if scores.shape[1] > 1 and (least[:, 1] - least[:, 0]).min() < APART * np.abs(scores).max():
        return None
    return float(np.cumsum(decided.costs[np.arange(count), scores.argmin(axis=1)])[-1])


def _of_taken(report: Fields, taken: Any, chances: Array) -> dict[str, Any]:
    """How often each action was taken, and with which probabilities."""
    counts = np.bincount(taken, minlength=len(report["actions"])).tolist()
    again = {f"taken/{name}": count for name, count in zip(report["actions"], counts, strict=True)}
    # Where rounding decides how often 1 is halved, what the report says is one of two counts.
    most, least = (_halvings(chances * (1 + part)) for part in (RELATIVE, -RELATIVE))
    stated = np.array([*report["halvings"], *[0] * HALVES])[:HALVES]
    halvings = _halvings(chances)
    if stated.sum() == len(chances):
        halvings = np.clip(stated, np.minimum(most, least), np.maximum(most, least)).astype(int)
    return again | {"least_probability": float(chances.min()), "halvings": np.trim_zeros(halvings, "b").tolist()}


def _halvings(chances: Array) -> Array:
    """How often 1 is halved to reach each probability, counted."""
    halved = np.floor(-np.log2(np.minimum(chances, 1.0))).astype(int)
    return np.bincount(np.minimum(halved, HALVES - 1), minlength=HALVES)


# The run once more, as the textbook has it.


def _replayed(report: Fields, decided: Decided) -> tuple[Run | None, str]:
    """The run, or why it was not played again."""
    entry, own = CONTEXTUAL_BANDITS.get(str(report["learner"])), report.get("regressor_parameters")
    twin = getattr(rules, entry.info.twin) if entry and entry.info.twin else None
    settings = report["parameters"] | {"columns": decided.rows.shape[1]}
    if twin not in rules.PLAYS or own is None or settings["shared"]:
        return None, "the report does not say all of its settings" if own is None else OR_SETTINGS
    theirs = REGRESSORS.get(str(report["regressor"]))
    foretold = getattr(regressions, theirs.info.twin or "", None) if theirs else None
    regression = rules.regression_of(twin, foretold, settings, own)
    if regression is None:
        return None, f"the textbook does not play {report['regressor']} with these settings one row at a time"
    if decided.costs.size > MOST_FORECASTS or decided.costs.size * (decided.rows.shape[1] + 1) ** 2 > MOST_STEPS:
        return None, "it is of too many rounds, actions or features"
    settings |= {"prior": float(own.get("prior", 0.0))}
    dense = decided.rows.toarray() if hasattr(decided.rows, "toarray") else decided.rows
    X = np.column_stack([np.full(len(dense), regression[1]), dense]) if regression[1] else dense
    rule = rules.PLAYS[twin](settings, decided.costs.shape[1])

    def play(rows: Array) -> Run:
        drawn: dict[str, Any] = {"taken": decided.taken, "there": decided.available}
        drawn |= {} if decided.taken is not None else {"numbers": uniforms(int(report["seed"]), 0, len(X))}
        run = rules.explored(rows, _units(report, decided.costs), rule, regression[0], **drawn)
        return run | {"penalty": settings["prior"] * float(settings["norm"]) ** 2 * decided.costs.shape[1]}

    run = play(X)
    return (None, OR_SETTINGS) if _by_rounding(report, decided, run, play, X) else (run, "")


def _by_rounding(report: Fields, decided: Decided, run: Run, play: Callable[[Array], Run], X: Array) -> bool:
    """Whether the report says otherwise, and rows that differ by nothing else than rounding are decided otherwise."""
    numbers = _of_run(report, decided, run)
    scales = _loose(numbers)
    pairs = [(path, mine) for path, mine in numbers.items() if mine is not None and has(report, path)]
    if all(one.agrees for path, mine in pairs for one in alike(path, at(report, path), mine, scales[path])):
        return False
    apart = NEAR * np.cos(np.arange(X.shape[1]))
    others = (play(X * near) for near in (1 + apart, 1 - apart))
    return bool(
        run["near"] < NEAR
        or any(
            (one["choices"] != run["choices"]).any() or np.abs(one["chances"] - run["chances"]).max() > ALIKE
            for one in others
        )
    )


def _units(report: Fields, costs: Array) -> Array:
    """Costs, or what is missing from the highest reward, on the scale from 0 to 1."""
    low, high = report["parameters"]["value_range"]
    return np.asarray(((high - costs) if _quantity(report)[1] < 0 else (costs - low)) / (high - low))


def _of_run(report: Fields, decided: Decided, run: Run) -> dict[str, Any]:
    """The numbers of the report that the run has."""
    word, rounds = _quantity(report)[0], np.arange(len(decided.costs))
    chances, costs = run["chances"][rounds, run["choices"]], decided.costs[rounds, run["choices"]]
    if decided.chances is None:
        totals = np.cumsum(costs)
        again = _of_taken(report, run["choices"], chances) | {"interval": _mean_ends(report, costs)}
    else:
        weights = chances / decided.chances
        totals = np.cumsum(weights * costs)
        again = _of_weights(report, run, weights, costs)
    again[word] = float(totals[-1])
    points = [min(max(int(point[0]), 1), len(rounds)) for point in report["curve"]]
    again["curve"] = [[point, float(totals[point - 1]), _best(report, decided, point)[0]] for point in points]
    return again


def _mean_sums(report: Fields, costs: Array) -> tuple[Array, float, float]:
    """Costs or rewards on the scale from 0 to 1, the squares of what a mean of those before missed each by, summed, and
    how far their mean may be from its expectation, times the rounds."""
    (low, high), delta = report["parameters"]["value_range"], float(report["parameters"]["delta"])
    x = (costs - low) / (high - low)
    guesses = (0.5 + np.cumsum(x) - x) / np.arange(1, len(x) + 1)
    variance = float(((x - guesses) ** 2).sum())
    return x, variance, bets.largest_excess(variance, delta / 2)


def _mean_ends(report: Fields, costs: Array) -> list[float]:
    """The interval around the mean of the expected costs."""
    low, high = report["parameters"]["value_range"]
    x, _, radius = _mean_sums(report, costs)
    ends = max((x.sum() - radius) / len(x), 0.0), min((x.sum() + radius) / len(x), 1.0)
    return [float(low + (high - low) * end) for end in ends]


def _of_weights(report: Fields, run: Run, weights: Array, costs: Array) -> dict[str, Any]:
    """Of a log: what the learner would have paid, and how much that is worth."""
    rounds = np.arange(len(weights))
    low, high = report["parameters"]["value_range"]
    units = 1 - run["forecasts"] if _quantity(report)[1] < 0 else run["forecasts"]
    forecasts = low + (high - low) * units
    robust = (run["chances"] * forecasts).sum(axis=1) + weights * (costs - forecasts[rounds, run["choices"]])
    squares, total = float((weights**2).sum()), float(weights.sum())
    again: dict[str, Any] = {
        "estimates/ips": float((weights * costs).mean()),
        "estimates/snips": float((weights * costs).sum()) / total if total else None,
        "estimates/dr": float(robust.mean()),
        "effective_rounds": total**2 / squares if squares else 0.0,
        "largest_weight": float(weights.max()),
    }
    shares = run["chances"].mean(axis=0).tolist()
    again |= {f"shares/{name}": share for name, share in zip(report["actions"], shares, strict=True)}
    if report["interval"] is None:  # the log refutes its propensities
        return again
    sums, half = _capitals(report, weights, costs), float(report["parameters"]["delta"]) / 2
    first = bets.mean_refused(sums["gains"], len(weights), 1.0, half)
    last = 1 - bets.mean_refused(sums["losses"], len(weights), 1.0, half)
    ends = (low + (high - low) * first, low + (high - low) * last)
    again["interval"] = list(ends if _quantity(report)[1] < 0 else (low + high - ends[1], low + high - ends[0]))
    return again


def _capitals(report: Fields, weights: Array, costs: Array) -> dict[str, Any]:
    """What the interval of a log is made of."""
    earned = 1 - _units(report, costs)
    return {
        "gains": bets.log_capitals(weights * earned)[-1],
        "losses": bets.log_capitals(weights * (1 - earned))[-1],
        "weights": bets.log_capitals(weights)[-1, ::3],
        "estimate": min(max(float((weights * earned).mean()), 0.0), 1.0),
    }


# Certificates.


def _facts(report: Fields, decided: Decided, run: Run | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What theorems read of the ledger and the learner."""
    parameters, rounds = report["parameters"], len(decided.costs)
    low, high = parameters["value_range"]
    learner = {"arms": len(report["actions"]), "width": float(high - low), "delta": float(parameters["delta"])}
    ledger: dict[str, Any] = {"rounds": rounds, "width": float(high - low)}
    if run is None:
        return ledger, learner
    drawn = run["choices"]
    p, costs = run["chances"][np.arange(rounds), drawn], decided.costs[np.arange(rounds), drawn]
    if decided.chances is not None:
        return ledger | _capitals(report, p / decided.chances, costs), learner
    lost, arms = _units(report, costs), len(report["actions"])
    ledger |= {name: run[name] for name in ("error", "price", "gamma", "reach")}
    ledger |= {"settled": rounds, "loss": float(lost.sum()), "missed": np.zeros(arms)}
    ledger["variance"] = _mean_sums(report, costs)[1]
    ledger["estimates"] = np.array([np.bincount(drawn, lost / (p + g), arms) for g in IMPLICIT])
    return ledger, learner | {"implicit": IMPLICIT, "least": run["least"], "penalty": run["penalty"]}


def _check(report: Fields, certificate: Fields, best: float, decided: Decided, run: Run | None) -> Check:
    if (nothing := idle(certificate)) is not None:
        return nothing
    rounds, (low, high) = int(report["rounds"]), report["parameters"]["value_range"]
    width = float(high - low)
    word, sign = _quantity(report)
    ledger, learner = _facts(report, decided, run)
    paid = float(report[word]) if run is None else float(decided.costs[np.arange(rounds), run["choices"]].sum())
    observed = sign * (paid - best) if certificate["observed"] is not None else None
    known: dict[str, dict[str, Any]] = {"ledger": ledger, "comparator": {}, "learner": learner}
    regret = "regret" in str(certificate["quantity"])
    once = at_once(str(certificate["theorem"]), report["parameters"])
    most = width * (rounds if regret else 1)
    scales = {} if run is None else _loose(ledger | learner) | {"bound": LOOSE * most}
    scales["observed"] = abs(paid) + abs(best)
    return whole(certificate, [Again(known, {}, observed, scales, most, at_once=once)])
