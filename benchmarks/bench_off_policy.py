"""How often intervals from logs hold, and how wide they are, beside the bootstrap of the Open Bandit Pipeline (obp).

``python -m benchmarks.bench_off_policy`` counts runs in which the interval is left at some of many looks, with weights
of up to 1,000 and with logging policies that learn. ``python -m benchmarks.bench_off_policy FOLDER`` does that and then
draws logs anew from public data, whose truth is known; FOLDER holds ``bandits`` and ``dense``. obp's intervals are the
2.5 and 97.5 % quantiles of means of terms that are drawn with replacement, as its version 0.4.1 computes them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from regretless.bandits import evaluate_policy
from regretless.data.logged import Log, read_log
from regretless.theory.confidence import log_mean
from regretless.theory.off_policy import RATES

Array = np.ndarray[Any, np.dtype[Any]]
RUNS, LOOKS, RESAMPLES, BOOTSTRAP = 2000, 10_000, 1000, 200

# ---- At some of many looks.


def heavy(rng: np.random.Generator, rounds: int) -> tuple[Array, Array, Array]:
    """An action of a propensity of 0.00025 that the policy takes with 0.25: a weight of 1,000."""
    chances, policy, means = np.array([0.00025, 0.3, 0.69975]), np.array([0.25, 0.5, 0.25]), np.array([0.8, 0.4, 0.4])
    actions = rng.choice(3, rounds, p=chances)
    return (policy / chances)[actions], (rng.random(rounds) < means[actions]).astype(float), np.full(rounds, 0.5)


def learning(rng: np.random.Generator, rounds: int) -> tuple[Array, Array, Array]:
    """A logging policy that draws what was rewarded more and more, down to a propensity of 0.001 of the other action,
    and rewards whose means swing; the policy takes either action alike, so that weights reach 500."""
    share, weights, rewards = 0.5, np.empty(rounds), np.empty(rounds)
    swing = 0.3 * np.sin(np.arange(rounds) / 300.0)
    u, v = rng.random((2, rounds))
    for t in range(rounds):
        first = u[t] < share
        rewards[t] = v[t] < (0.6 + swing[t] if first else 0.4 - swing[t])
        weights[t] = 0.5 / (share if first else 1 - share)
        step = 0.02 * rewards[t] * (1 if first else -1)
        share = min(max(share + step * (1 - share if first else share), 0.001), 0.999)
    return weights, rewards, np.full(rounds, 0.5)


def lognormal(rng: np.random.Generator, rounds: int) -> tuple[Array, Array, Array]:
    """A continuum of actions: weights between 0.01 and 1,000 whose mean is 1, and rewards that fall with them."""
    logs = np.clip(rng.normal(-2.0, 2.0, rounds), np.log(0.01), np.log(1000))
    weights = np.exp(logs) / MEAN_WEIGHT
    chance = 1 / (1 + weights / 20)
    return weights, (rng.random(rounds) < chance).astype(float), np.full(rounds, MEAN_LOGNORMAL)


_GRID = np.exp(np.clip(np.random.default_rng(1).normal(-2.0, 2.0, 1 << 23), np.log(0.01), np.log(1000)))
MEAN_WEIGHT = float(_GRID.mean())
MEAN_LOGNORMAL = float((_GRID / MEAN_WEIGHT / (1 + _GRID / MEAN_WEIGHT / 20)).mean())
STREAMS: dict[str, Callable[[np.random.Generator, int], tuple[Array, Array, Array]]] = {
    "an action of a weight of 1,000": heavy,
    "a logging policy that learns, weights up to 500, means that move": learning,
    "weights of 0.01 to 1,000, of a continuum": lognormal,
}


def ever_left(weights: Array, rewards: Array, means: Array, alpha: float) -> bool:
    """Whether the average of the means is outside the interval after any number of rounds."""
    times = np.arange(1, len(weights) + 1)[:, None]
    average = np.cumsum(means)[:, None] / times
    for good, mean in ((rewards, average), (1 - rewards, 1 - average)):
        sums = np.cumsum(np.log1p(RATES * (weights * good)[:, None]), axis=0)
        if (log_mean(sums - times * np.log1p(RATES * mean)) >= -np.log(alpha / 2)).any():
            return True
    return False


def coverage(runs: int, looks: int) -> None:
    """The share of runs in which the interval is left."""
    for name, stream in STREAMS.items():
        for alpha in (0.05, 0.2):
            rng = np.random.default_rng(0)
            left = sum(ever_left(*stream(rng, looks), alpha) for _ in range(runs))
            print(f"{name}: left at some of {looks:,} looks in {left} of {runs:,} runs at {alpha:g}", flush=True)


# ---- Public logs.


def bootstrap(terms: Array, rng: np.random.Generator, draws: int = BOOTSTRAP) -> tuple[float, float]:
    """obp's interval."""
    means = [float(rng.choice(terms, len(terms)).mean()) for _ in range(draws)]
    return float(np.percentile(means, 2.5)), float(np.percentile(means, 97.5))


def doubly_robust_terms(log: Log, table: Array) -> Array:
    """Those of obp with the mean reward of each action in each situation as its model."""
    cells = log.contexts.astype(np.int64) * table.shape[1] + log.actions
    counts = np.bincount(cells, minlength=table.size).reshape(table.shape)
    sums = np.bincount(cells, weights=log.rewards, minlength=table.size).reshape(table.shape)
    model = (sums + log.rewards.mean()) / (counts + 1)
    here = log.contexts, log.actions
    expected = (table * model).sum(axis=1)[log.contexts]
    terms: Array = expected + table[here] / log.propensities * (log.rewards - model[here])
    return terms


def judged(name: str, draw: Callable[[np.random.Generator], Log], table: Array, truth: float, resamples: int) -> None:
    """How many intervals of resampled logs hold the truth, and their mean width."""
    rng, seconds = np.random.default_rng(0), 0.0
    holds: dict[str, list[bool]] = {}
    widths: dict[str, list[float]] = {}
    for _ in range(resamples):
        log = draw(rng)
        started = process_time()
        ends = {}
        for what, one in (("", log), (", weights bounded", log.declaring(log.least))):
            estimates = evaluate_policy(one, table).estimates
            ends[f"at any time{what}"] = (estimates["anytime"].low, estimates["anytime"].high)
        seconds += process_time() - started
        ends["however few rounds"] = estimates["ips"].cautious or (0.0, 1.0)
        ends |= {f"{which}, normal": (estimates[which].low, estimates[which].high) for which in ("ips", "dr")}
        weighted = table[log.contexts, log.actions] / log.propensities * log.rewards
        ends |= {"ips, obp": bootstrap(weighted, rng), "dr, obp": bootstrap(doubly_robust_terms(log, table), rng)}
        for what, (low, high) in ends.items():
            holds.setdefault(what, []).append(low <= truth <= high)
            widths.setdefault(what, []).append(high - low)
    print(f"{name}: truth {truth:.4g}, {resamples:,} logs, {500 * seconds / resamples:.0f} ms a log")
    for what, each in holds.items():
        print(f"  {what:<28} holds in {100 * np.mean(each):5.1f} %, mean width {np.mean(widths[what]):.4g}", flush=True)


def of_fashion(folder: Path, what: str, resamples: int) -> None:
    """Thompson sampling on logs that are drawn from the uniform one of Open Bandit; its own log knows the truth."""
    columns: dict[str, Any] = {"action": "item_id", "reward": "click", "propensity": "propensity_score"}
    uniform, thompson = (
        read_log(folder / "bandits" / f"obd_{what}_{policy}.csv.xz", context="position", **columns)
        for policy in ("random", "bts")
    )
    counts, sums = np.zeros((2, len(thompson.situations), len(thompson.names)))
    np.add.at(counts, (thompson.contexts, thompson.actions), 1)
    np.add.at(sums, (thompson.contexts, thompson.actions), 1 / thompson.propensities)
    means = np.divide(counts, sums, out=np.zeros_like(counts), where=counts > 0)

    def draw(rng: np.random.Generator) -> Log:
        return _rows(uniform, rng.integers(0, len(uniform), len(uniform)))

    table = means / means.sum(axis=1, keepdims=True)
    judged(f"obd_{what}, Thompson sampling", draw, table, float(thompson.rewards.mean()), resamples)


def _rows(log: Log, rows: Array) -> Log:
    from dataclasses import replace

    each = {name: getattr(log, name)[rows] for name in ("actions", "propensities", "rewards", "contexts")}
    return replace(log, **each)


def of_classes(folder: Path, what: str, resamples: int) -> None:
    """Labels as actions: a model that learned the first half, on logs of a policy that follows another one nine times
    of ten; rows are drawn from the second half, where the truth is its accuracy."""
    import pandas as pd

    from regretless.linear import AROW, MulticlassPerceptron

    frame = pd.read_csv(folder / "dense" / f"{what}.csv.xz")
    labels, features = frame["label"].astype(str), frame.drop(columns="label").select_dtypes("number").fillna(0.0)
    order = np.random.default_rng(3).permutation(len(frame))
    X = ((features - features.mean()) / features.std().replace(0, 1)).to_numpy()[order]
    y = labels.to_numpy()[order]
    half = len(y) // 2
    judge, logger = (one.fit(X[:half], y[:half]) for one in (AROW(), MulticlassPerceptron()))
    names = sorted(set(y))
    picked, logged = (np.array([names.index(str(one)) for one in model.predict(X[half:])]) for model in (judge, logger))
    true = np.array([names.index(one) for one in y[half:]])
    k = len(names)

    def draw(rng: np.random.Generator) -> Log:
        rows = rng.integers(0, len(true), 4 * len(true))
        chances = np.full((len(rows), k), 0.1 / k)
        chances[np.arange(len(rows)), logged[rows]] += 0.9
        actions = (rng.random(len(rows))[:, None] > chances.cumsum(axis=1)[:, :-1]).sum(axis=1)
        each = chances[np.arange(len(rows)), actions], (actions == true[rows]).astype(float)
        contexts = picked[rows].astype(np.int32)
        situations = [str(one) for one in range(k)]
        least = float(0.1 / k)
        return Log("log", actions.astype(np.int32), names, *each, (0.0, 1.0), False, contexts, situations, least)

    judged(f"{what}, a model of its labels", draw, np.eye(k), float((picked == true).mean()), resamples)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    options = parser.parse_args()
    coverage(options.runs, LOOKS)
    if options.folder is None:
        return
    for what in ("men", "women"):
        of_fashion(options.folder, what, options.resamples)
    for what in ("vehicle", "soybean"):
        of_classes(options.folder, what, options.resamples)


if __name__ == "__main__":
    main()
