"""Names of the methods for games and of their options, for solvers, the command line and documents."""

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
"""How each method of ``MatrixGame.solve`` finds strategies."""
EXACT_METHODS = ("simplex", "interior-point", "linear-programming")
"""Those that end at an equilibrium."""
SELF_PLAY = tuple(name for name in METHODS if name not in EXACT_METHODS)
IN_TURNS = ("cfr", "cfr+", "pcfr+")
"""Self-play of games in turns."""
AVERAGES = ("uniform", "linear", "quadratic")
"""How much round t counts in an average, by the power of t."""
ENUMERATIONS = ("exact-enumeration", "support-enumeration", "vertex-enumeration", "lemke-howson")
"""Searches for Nash equilibria of two matrices."""
OBJECTIVES = ("welfare", "row", "column")
"""Payoffs by which a correlated equilibrium may be best: of both players together, or of one."""
