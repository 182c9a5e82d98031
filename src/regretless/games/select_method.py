"""Which method solves which zero-sum game fastest."""

from __future__ import annotations

from .payoffs import Payoffs

# Where the methods cross, as benchmarks/bench_games.py --crossovers measures it. The simplex method is the fastest one
# where rows times columns times the fewer of them are no more than the first; self-play where a gap of the second, as a
# share of the range, is enough; HiGHS where no more than the third share of the payoffs is not zero.
SIMPLEX_WORK = 10**7
COARSE = 5e-5
SPARSE = 0.005
# How large the fewer strategies may be for the matrix of an interior point, and games for an array at all.
LARGEST_SIDE = 12_000
LARGEST_ARRAY = 200_000_000


def choose(payoffs: Payoffs, tolerance: float | None) -> str:
    """The method that ``"auto"`` begins with.

    Parameters
    ----------
    payoffs : Payoffs
    tolerance : float or None
        In payoffs.

    Returns
    -------
    str
    """
    if payoffs.kind == "operator":
        # The range may be NaN.
        return "prm+" if tolerance is not None and tolerance < COARSE * payoffs.spread else "rm+"
    rows, columns = payoffs.values.shape
    fewer = min(rows, columns)
    if rows * columns * fewer <= SIMPLEX_WORK:
        return "simplex"
    if tolerance is not None and tolerance >= COARSE * payoffs.spread:
        return "rm+"
    if payoffs.kind == "sparse" and (payoffs.values.nnz <= SPARSE * rows * columns or rows * columns > LARGEST_ARRAY):
        return "linear-programming"
    return "interior-point" if fewer <= LARGEST_SIDE else "rm+"


def otherwise(payoffs: Payoffs, first: str) -> list[str]:
    """What is tried after the method that ``"auto"`` began with, in order."""
    if payoffs.kind == "operator":
        return []
    rows, columns = payoffs.shape
    held = payoffs.kind == "dense" or rows * columns <= LARGEST_ARRAY
    possible = {
        "interior-point": held and min(rows, columns) <= LARGEST_SIDE,
        "linear-programming": True,
        "simplex": held,
    }
    return [name for name, can in possible.items() if can and name != first]
