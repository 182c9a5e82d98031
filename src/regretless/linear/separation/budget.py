"""How much a search may still cost: processor time, or multiplications, which are the same on every machine."""

from __future__ import annotations

import time
from math import inf
from typing import Any

STEP, SPARSE_STEP = 5e5, 1e7  # what a step costs besides its multiplications
DEEPER = "; a deep search, deep=True in Python and --deep on the command line, looks further"
SPARSE = 10.0  # multiplications of full matrices in the time of one of sparse ones


class Budget:
    """What is left of a limit.

    Parameters
    ----------
    seconds : float, optional
        Of processor time, from now on.
    work : float, optional
        Multiplications, about.
    more : str, default=""
        What allows for more, in words that follow on why the search ended.
    """

    def __init__(self, seconds: float | None = None, work: float | None = None, more: str = "") -> None:
        self._ends = None if seconds is None else time.process_time() + seconds
        self.left = inf if work is None else work
        self._more = more
        self.limited, self.counted = seconds is not None or work is not None, work is not None

    def spend(self, work: float) -> None:
        """Count work that was done."""
        self.left -= work

    def late(self, ahead: float = 0.0) -> bool:
        """Whether nothing is left, or less than the work ahead; what was refused once is not done later."""
        if ahead > self.left:
            self.left = 0.0
        return self.left <= 0 or (self._ends is not None and time.process_time() > self._ends)

    @property
    def seconds(self) -> float | None:
        """Processor time that is left; None where it is not limited."""
        return None if self._ends is None else max(0.0, self._ends - time.process_time())

    @property
    def why(self) -> str:
        """What ended the search, in words."""
        return ("the work that it may cost is done" if self.left <= 0 else "the time is up") + self._more


def entries_of(matrix: Any) -> int:
    """How many values a matrix holds, dense or sparse."""
    return int(matrix.nnz if hasattr(matrix, "nnz") else matrix.size)


def newton_work(active: Any) -> float:
    """About how many multiplications a step of Newton's method takes for these rows."""
    return step_work(min(active.shape), entries_of(active), hasattr(active, "nnz"))


def step_work(small: int, entries: int, sparse: bool) -> float:
    """The same for so many rows or columns, whichever are fewer, that hold so many values."""
    step, each = (SPARSE_STEP, SPARSE) if sparse else (STEP, 1.0)
    return float(step + 2 * each * small * entries + small**3 / 3 + small**2)
