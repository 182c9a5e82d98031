"""Zero-sum games, random payoffs in [-1, 1]: ours beside HiGHS, quantecon, nashpy, OpenSpiel, pygambit and PDLP.

``python -m benchmarks.bench_games`` takes turns in one process and prints CPU seconds, how many times ours, and the gap
that each answer has, and at last a table of it all in Markdown. ``--quick`` leaves out large games, ``--large`` adds
3,000; ``--memory`` solves 10,000 in a process of its own; ``--crossovers`` measures where our own methods cross, which
is what ``auto`` chooses by.

One thread for everybody: an idle BLAS thread that waits for work counts as CPU time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from math import floor, log10
from time import process_time

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from benchmarks import timing
from benchmarks.game_players import OURS, Matrix, Player, coarse_players, exact_players, missing
from regretless.games import MatrixGame
from regretless.games.methods import EXACT_METHODS

# A player that would take longer than this for one game, as its last one and the growth of the game say, sits out.
PATIENCE = 60.0
# How much longer a player takes for a game of twice the size, at least, once games are large.
GROWTH = 2.5
# A measurement takes so many seconds at least, by repetition; a game of more than the second is played once.
LEAST, LONG = 0.02, 2.0


def uniform(*shape: int, seed: int = 0) -> Matrix:
    """A random game."""
    return np.random.default_rng(seed).uniform(-1, 1, shape)


Times = dict[str, dict[int, float]]  # CPU seconds by player and size, as far as they were measured


def race(title: str, players: dict[str, Player], sizes: list[int], patience: float = PATIENCE) -> Times:
    """Games of growing sizes; who has become too slow sits out."""
    last: dict[str, tuple[int, float]] = {}
    times: Times = {name: {} for name in players}
    for size in sizes:
        matrix = uniform(size, size)
        playing = {name: player for name, player in players.items() if _bearable(last.get(name), size, patience)}
        figures, gaps = timed(matrix, playing)
        last.update({name: (size, seconds) for name, seconds in figures.items()})
        for name, taken in figures.items():
            times[name][size] = taken
        timing.show(f"{title}, n = {size}", figures, "s", OURS)
        print("  gaps: " + ", ".join(f"{name} {gap:.1e}" for name, gap in gaps.items()))
        for name in players.keys() - playing.keys():
            print(f"  {name:42} would take more than {patience:.0f} s")
    return times


def _bearable(last: tuple[int, float] | None, size: int, patience: float) -> bool:
    return last is None or last[1] * (size / last[0]) ** GROWTH <= patience


def timed(matrix: Matrix, players: dict[str, Player]) -> tuple[dict[str, float], dict[str, float]]:
    """Best CPU seconds of each player for one game, and the gap of its answer."""
    figures: dict[str, float] = {}
    gaps: dict[str, float] = {}
    counts: dict[str, int] = {}
    for name, player in players.items():
        before = process_time()
        row, column = player(matrix)
        figures[name] = process_time() - before
        gaps[name] = MatrixGame(matrix).gap(row / np.sum(row), column / np.sum(column))
        if figures[name] < LONG:
            # The first time, things are compiled and imported.
            before = process_time()
            player(matrix)
            counts[name] = max(1, int(LEAST / max(1e-7, process_time() - before)))
    best = timing.in_process({name: _often(players[name], matrix, count) for name, count in counts.items()})
    return figures | {name: seconds / counts[name] for name, seconds in best.items()}, gaps


def _often(player: Player, matrix: Matrix, count: int) -> Callable[[], None]:
    def play() -> None:
        for _ in range(count):
            player(matrix)

    return play


def table(head: list[str], lines: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines))


def peers(races: dict[str, Times], sizes: list[int], patience: float) -> str:
    """The table of docs/games.md: a row for each player of each race, the fastest of a race in bold."""
    lines = []
    for suffix, times in races.items():
        best = {size: min(taken.get(size, float("inf")) for taken in times.values()) for size in sizes}
        for name, taken in times.items():
            values = {size: seconds(taken.get(size), patience) for size in sizes}
            bold = (f"**{values[size]}**" if taken.get(size) == best[size] else values[size] for size in sizes)
            lines.append([name + suffix, *bold])
    return table(["", *(f"n = {size}" for size in sizes)], lines)


def seconds(taken: float | None, patience: float = PATIENCE) -> str:
    """Seconds in two digits, or that it takes longer than anybody waits."""
    if taken is None:
        return f"more than {patience:.0f}"
    return f"{taken:.{max(0, 1 - floor(log10(taken)))}f}"


def milliseconds(matrix: Matrix, method: str, relative: float | None = None) -> float:
    """Best CPU milliseconds of one of our methods, or infinity if it does not get there."""

    def solve() -> None:
        MatrixGame(matrix).solve(method, None if relative is None else 2 * relative)

    try:
        before = process_time()
        solve()
        taken = process_time() - before
    except ValueError:
        return float("inf")
    return 1e3 * (taken if taken > 0.3 else min(timing.in_process({method: solve}, 3).values()))


def row_of(label: str, figures: dict[str, float]) -> list[str]:
    """A line of a table, the smallest figure in bold."""
    best = min(figures.values())
    return [label, *(f"**{value:.3g}**" if value == best else f"{value:.3g}" for value in figures.values())]


def crossovers(quick: bool = False) -> str:
    """Tables of CPU milliseconds by method: by shape, by tolerance, and of sparse games."""
    shapes = [(50, 50), (100, 100), (150, 150), (200, 200), (250, 250), (300, 300), (2000, 50), (50, 2000), (100, 3000)]
    shapes += [] if quick else [(500, 500), (10_000, 20), (20, 10_000)]
    by_shape = [
        row_of(f"{rows} × {columns}", {name: milliseconds(uniform(rows, columns), name) for name in EXACT_METHODS})
        for rows, columns in shapes
    ]
    size = 300 if quick else 1000
    by_gap = [
        row_of(f"{gap:.0e}", {name: milliseconds(uniform(size, size), name, gap) for name in ("rm+", "interior-point")})
        for gap in (1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 3e-6)
    ]
    side = 400 if quick else 1000
    by_density = []
    for density in (0.002, 0.005, 0.01, 0.03):
        draw = np.random.default_rng(1)
        sparse = csr_array(np.where(draw.random((side, side)) < density, draw.random((side, side)), 0.0))
        figures = {name: milliseconds(sparse, name) for name in ("linear-programming", "interior-point", "simplex")}
        by_density.append(row_of(f"{100 * density:g} %", figures))
    return "\n\n".join(
        (
            "CPU milliseconds to an equilibrium, by shape:\n\n" + table(["", *EXACT_METHODS], by_shape),
            f"CPU milliseconds to a gap, as a share of the range, n = {size}:\n\n"
            + table(["", "rm+", "interior-point"], by_gap),
            f"CPU milliseconds of sparse games of {side} × {side}, by the share of payoffs that are not zero:\n\n"
            + table(["", "linear-programming", "interior-point", "simplex"], by_density),
        )
    )


def memory() -> None:
    """Ten thousand strategies each, to a gap of 1e-3, in a process of its own."""
    program = (
        "import numpy as np\nfrom regretless.games import MatrixGame\n"
        "A = np.random.default_rng(0).random((10_000, 10_000)); A *= 2; A -= 1\n"
    )
    commands = {
        "the matrix alone": [sys.executable, "-c", program],
        OURS: [sys.executable, "-c", program + "print(MatrixGame(A).solve(tolerance=1e-3))"],
    }
    print("\nn = 10000 to a gap of 1e-3, whole processes")
    for name, (seconds, megabytes) in timing.fresh(commands, 1).items():
        print(f"  {name:42} {seconds:8.2f} s {megabytes:8.0f} MB")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="games of up to 300 strategies")
    parser.add_argument("--large", action="store_true", help="also games of 3,000 strategies")
    parser.add_argument("--memory", action="store_true", help="also a game of 10,000 strategies")
    parser.add_argument("--crossovers", action="store_true", help="where our own methods cross, and nothing else")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds that a peer may take for one game")
    options = parser.parse_args()
    with threadpool_limits(1):
        if options.crossovers:
            print(crossovers(options.quick))
            return
        sizes = [10, 100, 300] if options.quick else [10, 100, 1000]
        sizes += [3000] if options.large else []
        races = {"": race("exact", exact_players(), sizes, options.patience)}
        for gap, short in ((1e-6, "1e-6"), (1e-3, "1e-3")):
            races[f", {short}"] = race(f"gap of {short}", coarse_players(gap), sizes, options.patience)
    print("\nCPU seconds:\n\n" + peers(races, sizes, options.patience))
    if options.memory:
        memory()
    if missing():
        print(f"\nnot installed: {', '.join(missing())}")


if __name__ == "__main__":
    main()
