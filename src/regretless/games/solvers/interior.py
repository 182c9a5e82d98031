"""An interior-point method for games: from near the answer of self-play to an equilibrium, where supports are clear."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..payoffs import Payoffs
from ..play.self_play import self_play
from ..raw_solution import RawSolution
from .central_path import EXACT, Walk
from .polish import Array, Pair

# Where to begin by default: RM+ down to this share of the range, in at most so many rounds, of games of so many
# cells that it pays.
WARM, WARM_ROUNDS, WARM_CELLS = 1e-4, 400, 20_000


def interior_point(
    payoffs: Payoffs,
    tolerance: float,
    *,
    start: Pair | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RawSolution:
    """Strategies whose duality gap is below the tolerance, optimal ones where their supports are clear.

    Parameters
    ----------
    payoffs : Payoffs
        Not all equal, and more than products.
    tolerance : float
        In payoffs.
    start : pair of ndarray, optional
        Strategies to begin near; by default RM+ finds some.
    on_progress : callable, optional
        Called after every step with its number and the gap.
    stop : callable, optional
        Asked after every step.

    Returns
    -------
    RawSolution
    """
    spread = payoffs.spread
    swapped = payoffs.shape[0] < payoffs.shape[1]
    begun = ""
    if start is None and payoffs.shape[0] * payoffs.shape[1] >= WARM_CELLS:
        played = self_play(payoffs, "rm+", rounds=WARM_ROUNDS, tolerance=WARM * spread, stop=stop)
        start, begun = (played.row, played.column), f", from {played.iterations} rounds of RM+"
        if played.stopped is not None:
            return RawSolution(*start, "interior-point", 0, note="interrupted", stopped=played.stopped)
    walk = Walk(_scaled(payoffs, swapped), start[::-1] if swapped and start is not None else start)
    stopped = None
    while not walk.arrived(tolerance / spread) and walk.step():
        if on_progress is not None:
            on_progress(walk.steps, walk.best_gap * spread)
        if stop is not None and stop():
            stopped = "asked to stop"
            break
    else:
        if tolerance <= EXACT * spread:
            walk.last_resort()
    column, row = walk.best if swapped else walk.best[::-1]
    note = (walk.note or f"{len(row)} x {len(column)}, as begun") + begun
    return RawSolution(row, column, "interior-point", walk.steps, walk.claim * spread, note, stopped=stopped)


def _scaled(payoffs: Payoffs, swapped: bool) -> Array:
    """The game with payoffs from -1/2 to 1/2 and no fewer rows than columns: if swapped, seen by the other player."""
    scaled = np.subtract(payoffs.dense(), payoffs.low / 2 + payoffs.high / 2, dtype=np.float64)
    scaled /= payoffs.spread
    return np.ascontiguousarray(-scaled.T) if swapped else scaled
