"""Contextual bandits beside the explorers of Vowpal Wabbit, nothing chosen: class labels as bandit feedback.

``python -m benchmarks.bench_contextual --data DATA`` plays the first rows of each set, tables in one random order: an
action a class, which costs 1 where it is not the label; the cost of the action drawn alone is learned. Printed is the
mean cost over the seeds of the draws, the least in bold, and on how many sets the default is below the best of the
peers. Vowpal Wabbit has one line an action, crossed with the features (``--cb_explore_adf -q sa``), and is left out
where it is not installed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.default_data import load
from regretless.catalogue import CONTEXTUAL_BANDITS, DEFAULT_CONTEXTUAL, class_of

Array = np.ndarray[Any, np.dtype[Any]]
Player = Callable[[Array, Array, int], float]
ROWS, SEEDS = 3000, 5
SETS = ("vehicle", "soybean", "keystroke", "usps", "phoneme", "spambase", "elec2", "banknote", "pima")


def rows_of(name: str, folder: Path, rows: int) -> tuple[Array, Array]:
    """The first rows of a set, dense, and what each action costs in them."""
    X, y = load(name, folder)
    dense = np.ascontiguousarray(X[:rows].toarray())
    costs = np.ones((len(dense), int(y.max()) + 1))
    costs[np.arange(len(dense)), y[:rows]] = 0
    return dense, costs


def ours(name: str, X: Array, costs: Array, seed: int) -> float:
    """The mean cost of a learner of this library with its defaults."""
    learner = class_of("contextual", name)(costs.shape[1], seed=seed)
    return float(learner.play(X, costs).total / len(costs))


def wabbit(options: str, X: Array, costs: Array, seed: int) -> float:
    """The mean cost of Vowpal Wabbit, whose probabilities are drawn from here."""
    from vowpalwabbit import Workspace

    workspace, draw = Workspace(f"--cb_explore_adf -q sa {options} --random_seed {seed + 1} --quiet"), _draws(seed)
    arms = [f"|a k{arm}" for arm in range(costs.shape[1])]
    total = 0.0
    for x, each in zip(X, costs, strict=True):
        shared = "shared |s " + " ".join(f"{place}:{value!r}" for place, value in enumerate(x.tolist()) if value)
        shares = np.array(workspace.predict([shared, *arms]))
        arm = int(draw.choice(len(shares), p=shares / shares.sum()))
        total += each[arm]
        values = list(arms)
        values[arm] = f"0:{each[arm]}:{shares[arm]} {arms[arm]}"
        workspace.learn([shared, *values])
    workspace.finish()
    return total / len(costs)


def _draws(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def constant(X: Array, costs: Array, seed: int) -> float:
    """The mean cost of the best single action, known in hindsight."""
    return float(costs.mean(axis=0).min())


PEERS: dict[str, Player] = {
    "VW epsilon": partial(wabbit, "--epsilon 0.05"),
    "VW squarecb": partial(wabbit, "--squarecb"),
    "VW bag 5": partial(wabbit, "--bag 5"),
    "VW cover 5": partial(wabbit, "--cover 5"),
}
OURS: dict[str, Player] = {name: partial(ours, name) for name in CONTEXTUAL_BANDITS}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    parser.add_argument("--rows", type=int, default=ROWS, help="of each set, the first so many")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of the draws")
    parser.add_argument("--ours", action="store_true", help="the learners of this library alone")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data: the folder of the data is needed")
    peers = {} if arguments.ours or find_spec("vowpalwabbit") is None else PEERS
    players = OURS | peers | {"best single action": constant}
    print(f"| | {' | '.join(players)} |\n|{' --- |' * (len(players) + 1)}")
    below = 0
    sets = arguments.sets.split(",")
    for name in sets:
        X, costs = rows_of(name, arguments.data, arguments.rows)
        means = {}
        for player, play in players.items():
            print(f"{name}: {player}", file=sys.stderr, flush=True)
            means[player] = float(np.mean([play(X, costs, seed) for seed in range(arguments.seeds)]))
        least = min(means[player] for player in (*OURS, *peers))
        cells = [f"**{mean:.3f}**" if mean == least else f"{mean:.3f}" for mean in means.values()]
        head = f"{name}, {len(X):,} rows, {costs.shape[1]} actions, {X.shape[1]} features"
        print(f"| {head} | {' | '.join(cells)} |", flush=True)
        below += bool(peers) and means[DEFAULT_CONTEXTUAL] < min(means[peer] for peer in peers)
    if peers:
        print(f"\n{DEFAULT_CONTEXTUAL} is below the best of Vowpal Wabbit on {below} of {len(sets)}")


if __name__ == "__main__":
    main()
