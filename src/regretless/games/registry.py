"""The closed table of methods that solve a zero-sum game, in words: what documents print."""

from __future__ import annotations

METHODS = {
    "simplex": "condensed tableau, compiled, that cannot cycle; ends at a vertex. For small games",
    "interior-point": "feasible primal-dual steps, then a polish on the supports. For games up to some thousands",
    "linear-programming": "HiGHS. For large sparse games, and as an independent check",
    "rm+": "self-play of RM+, alternating, quadratic averages. For coarse tolerances and games without a limit",
    "prm+": "self-play of predictive RM+, alternating, quadratic averages",
    "rm": "self-play of regret matching",
    "optimistic-hedge": "self-play of Hedge that expects the last payoffs again; a gap of order 1/T",
    "hedge": "self-play of Hedge: the proof of von Neumann's theorem, played. For teaching",
}
"""How each method that ``MatrixGame.solve`` may be asked for finds strategies."""
