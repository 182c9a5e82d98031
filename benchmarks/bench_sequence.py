"""Games in sequence form: self-play against linear programming by size and tolerance, and rounds against OpenSpiel's.

The games are dealt and bet: each player gets one of so many cards, then both act in turn in public, and what is won in
the end is random, or goes by the cards as in poker. Tolerances are shares of the range of expected payoffs.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import timing
from regretless.games.extensive_form.sequence import SequenceGame, plan
from regretless.games.play import TreePlay
from regretless.games.solution import SolveError

GAMES = ((5, 2, 4), (10, 3, 4), (60, 2, 4), (30, 3, 4), (10, 3, 6))  # cards, actions, turns
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9)
METHODS = ("cfr+", "pcfr+", "linear-programming")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the smaller games alone")
    parser.add_argument("--seconds", type=float, default=20.0, help="after which a method is given up")
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    options = parser.parse_args()
    dealt(2, 2, 2).solve()  # so that nobody's imports count
    with threadpool_limits(1):
        for shape, poker in product(GAMES[: 2 if options.quick else None], (False, True)):
            _crossover(
                dealt(*shape, poker=poker), "{} cards, {} actions, {} turns".format(*shape), poker, options.seconds
            )
        for name, rounds in (("kuhn_poker", 300), ("leduc_poker", 30)) if options.data else ():
            _rounds(name, Path(options.data) / "games" / f"seqform_{name}.npz", rounds)


def dealt(cards: int, actions: int, turns: int, *, poker: bool = False) -> SequenceGame:
    """A game of one card each and public turns."""
    random = np.random.default_rng(cards + actions + turns)
    sides = [_sequences(cards, actions, turns, player) for player in (0, 1)]
    better = np.sign(np.subtract.outer(np.arange(cards), np.arange(cards)))
    rows, columns, values = [], [], []
    for way in product(range(actions), repeat=turns):
        won = better * (1.0 + sum(way)) + random.normal() / 2 if poker else random.uniform(-1, 1, (cards, cards))
        rows.append(np.repeat([sides[0][1][card, way] for card in range(cards)], cards))
        columns.append(np.tile([sides[1][1][card, way] for card in range(cards)], cards))
        values.append(won.ravel() / cards**2)
    constraints = [side[0] for side in sides]
    shape = constraints[0][3][1], constraints[1][3][1]
    triplets = np.concatenate(rows), np.concatenate(columns), np.concatenate(values), shape
    return SequenceGame(triplets, constraints[0], constraints[1])


def _sequences(
    cards: int, actions: int, turns: int, player: int
) -> tuple[tuple[list[int], list[int], list[float], tuple[int, int]], dict[tuple[int, tuple[int, ...]], int]]:
    """E of a player, and the sequence that each card and way through the turns belong to."""
    rows, columns, values = [0], [0], [1.0]
    last: dict[tuple[int, tuple[int, ...]], int] = {(card, ()): 0 for card in range(cards)}
    sets, count = 1, 1
    for turn in range(turns):
        for card, way in product(range(cards), product(range(actions), repeat=turn)):
            parent = last[card, way]
            for action in range(actions):
                last[card, (*way, action)] = count + action if turn % 2 == player else parent
            if turn % 2 == player:
                rows += [sets] * (actions + 1)
                columns += [parent, *range(count, count + actions)]
                values += [-1.0] + [1.0] * actions
                sets, count = sets + 1, count + actions
    return (rows, columns, values, (sets, count)), last


def _crossover(game: SequenceGame, name: str, poker: bool, seconds: float) -> None:
    kind = "as in poker" if poker else "random payoffs"
    print(f"\n{name}, {kind}: {game.shape[0]} x {game.shape[1]} sequences, {game.payoffs.nnz} payoffs; CPU seconds")
    print("  " + " ".join(f"{head:>20}" for head in ("tolerance", *METHODS, "auto begins with")))
    given_up: set[str] = set()
    for tolerance in TOLERANCES:
        shown = []
        for method in METHODS:
            taken = None if method in given_up else _taken(game, method, tolerance * game.spread, seconds)
            if taken is None:
                given_up.add(method)
            shown.append("-" if taken is None else f"{taken:.4f}")
        first = plan(game, tolerance * game.spread)[0]
        print("  " + " ".join(f"{cell:>20}" for cell in (f"{tolerance:.0e}", *shown, first)), flush=True)


def _taken(game: SequenceGame, method: str, tolerance: float, seconds: float) -> float | None:
    """How long a method takes; None if it is given up."""
    began = time.process_time()
    try:
        solution = game.solve(method, tolerance, stop=lambda: time.process_time() - began > seconds)
    except SolveError:
        return None
    return None if solution.stopped else time.process_time() - began


def _rounds(name: str, path: Path, rounds: int) -> None:
    """A round of CFR+ on the same game: OpenSpiel's on its tree, ours on its sequence form."""
    with np.load(path) as arrays:
        play = TreePlay(SequenceGame.from_arrays(arrays), "cfr+")
    contest: dict[str, Callable[[], object]] = {"regretless": lambda: play.play(100 * rounds)}
    shares = {"regretless": 100 * rounds}
    if importlib.util.find_spec("pyspiel"):
        import pyspiel

        other = pyspiel.CFRPlusSolver(pyspiel.load_game(name))
        contest["OpenSpiel CFRPlusSolver"] = lambda: [other.evaluate_and_update_policy() for _ in range(rounds)]
        shares["OpenSpiel CFRPlusSolver"] = rounds
    best = timing.in_process(contest)
    figures = {what: taken / shares[what] * 1e6 for what, taken in best.items()}
    timing.show(f"a round of CFR+, {name}", figures, "us", "regretless")


if __name__ == "__main__":
    main()
