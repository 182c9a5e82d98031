"""Solves public games, and prints the tables of docs/games.md.

``python docs/solves.py DATA`` prints them, with ``--write`` it puts them in their place. DATA is a folder with the
files that the document names; a test compares where there is one, but for the times, which no two runs have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from math import ceil, log10
from pathlib import Path
from time import perf_counter

import numpy as np
import public_tables

from regretless.games import MatrixGame, SequenceGame, Solution, SolveError
from regretless.report.game_page import valued

PAGE = Path(__file__).resolve().parent / "games.md"
GAP = 1e-3
REPEATS = 5
MOST_ROUNDS = 100_000
GAMES = {
    "blotto_5_4": "5 soldiers, 4 fields",
    "blotto_5_5": "5 soldiers, 5 fields",
    "blotto_10_3": "10 soldiers, 3 fields",
    "roshambo_bots": "programs that play rock, paper, scissors",
    "sscait_2016": "programs that play StarCraft",
    "pokemon_types": "attack against defence",
    "atari_agent57": "8 agents against 57 tasks",
    "atari_muesli11": "4 agents against 57 tasks",
}
TURNS = {
    "seqform_kuhn_poker": "Kuhn's poker",
    "seqform_leduc_suit_isomorphic": "Leduc's poker, suits alike",
    "seqform_leduc_poker": "Leduc's poker",
}
SELF_PLAY = ("hedge", "optimistic-hedge", "rm", "rm+", "prm+")
IN_TURNS = ("cfr", "cfr+", "pcfr+")


def read(folder: Path, name: str) -> MatrixGame:
    """A matrix game."""
    with np.load(folder / "games" / f"{name}.npz") as file:
        return MatrixGame(file["A"])


def read_in_turns(folder: Path, name: str) -> SequenceGame:
    """A game in sequence form."""
    with np.load(folder / "games" / f"{name}.npz") as file:
        return SequenceGame.from_arrays(dict(file))


def games(folder: Path) -> str:
    """A row for each matrix game: what it is worth, and how many strategies each player mixes."""
    rows: list[tuple[str, ...]] = [("game", "what", "size", "value", "gap within", "rows played", "columns played")]
    for name, what in GAMES.items():
        game = read(folder, name)
        solution = game.solve()
        size = " x ".join(map(str, game.shape))
        played = [str(len(support)) for support in (solution.row_support(), solution.column_support())]
        rows.append((f"`{name}`", what, size, value_text(solution), power(solution.gap), *played))
    return public_tables.table(rows)


def rounds(folder: Path) -> str:
    """After how many rounds of each self-play the gap was small enough."""
    rows: list[tuple[str, ...]] = [("game", *SELF_PLAY)]
    for name in GAMES:
        game = read(folder, name)
        rows.append((f"`{name}`", *(f"{game.solve(method, GAP).iterations:,}" for method in SELF_PLAY)))
    return public_tables.table(rows)


def turns(folder: Path) -> str:
    """A row for each game in turns: its value by linear programming, and the rounds that self-play needed."""
    rows: list[tuple[str, ...]] = [("game", "what", "sequences", "information sets", "value", *IN_TURNS)]
    for name, what in TURNS.items():
        game = read_in_turns(folder, name)
        value = f"{game.solve('linear-programming', 1e-7).value:.6f}"
        sets = " and ".join(str(len(player.sets)) for player in (game.row, game.column))
        sizes = " x ".join(f"{size:,}" for size in game.shape)
        needed = (_needed(game, method) for method in IN_TURNS)
        rows.append((f"`{name}`", what, sizes, sets, value.replace("-", "−"), *needed))
    return public_tables.table(rows)


def _needed(game: SequenceGame, method: str) -> str:
    try:
        return f"{game.solve(method, GAP, rounds=MOST_ROUNDS).iterations:,}"
    except SolveError:
        return f"more than {MOST_ROUNDS:,}"


def times(folder: Path) -> str:
    """How long each method takes on this machine, the fastest of some runs."""
    methods = (("simplex", None), ("interior-point", None), ("linear-programming", None), ("prm+", GAP), ("rm+", GAP))
    heads = (f"{method}, gap {GAP:g}" if gap else method for method, gap in methods)
    rows: list[tuple[str, ...]] = [("game", *heads)]
    for name in GAMES:
        game = read(folder, name)
        rows.append((f"`{name}`", *(_timed(partial(game.solve, method, gap)) for method, gap in methods)))
    return public_tables.table(rows)


def value_text(solution: Solution) -> str:
    """The value to as many digits as the gap allows, six at most."""
    return valued(solution.value, max(solution.gap, 1e-5))


def power(gap: float) -> str:
    """The power of ten that the gap is within."""
    return f"1e{ceil(log10(gap))}" if gap > 0 else "0"


def _timed(solve: Callable[[], object]) -> str:
    best = float("inf")
    for _ in range(REPEATS):
        begun = perf_counter()
        solve()
        best = min(best, perf_counter() - begun)
    return f"{1e6 * best:,.0f} µs" if best < 1e-3 else f"{1e3 * best:,.3g} ms"


MAKERS = {"games": games, "rounds": rounds, "turns": turns}
TIMED = {"times": times}


@cache
def filled(folder: Path) -> str:
    """The document with its tables as they should be, the times as they are."""
    return public_tables.filled(PAGE, MAKERS, folder)


if __name__ == "__main__":
    public_tables.run(PAGE, {**MAKERS, **TIMED}, __doc__)
