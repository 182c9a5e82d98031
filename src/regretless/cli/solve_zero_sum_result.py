"""What zero-sum games have in common once they are solved, be they given by a matrix or played in turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..games.formatting import written
from .formatting import certain, ends, figures
from .solve_result import Solved, fraction, row_of, steps

if TYPE_CHECKING:
    from ..games import Solution


class SolvedZeroSum(Solved):
    """A zero-sum game that is solved.

    Attributes
    ----------
    solution : Solution
    tolerance : float or None
        The gap that was asked for.
    """

    solution: Solution
    tolerance: float | None

    def arrays(self) -> dict[str, Any]:
        """The strategies and what they guarantee."""
        found = self.solution
        interval = {"lower": np.float64(found.lower), "upper": np.float64(found.upper)}
        names = {"rows": np.array(found.rows), "cols": np.array(found.columns)}
        return {"row": found.row, "column": found.column, **interval, **names}

    def interrupted(self) -> str:
        """What is left of a run that was stopped."""
        if self.solution.stopped is None:
            return super().interrupted()
        done = steps(self.solution.method, self.solution.iterations)
        return f"interrupted after {done}, with a gap of {self.solution.gap:.3g}"

    def how(self) -> str:
        """How it was solved, in a line."""
        found = self.solution
        note = f", {found.note}" if found.note else ""
        ended = "" if found.stopped is None else ", stopped before it was done"
        return f"{found.method}: {steps(found.method, found.iterations)}{note}{ended}"

    def value_lines(self, total: Any = None) -> Iterator[str]:
        """Whose numbers these are, the value, and the interval around it; `total` is what both players win together."""
        found = self.solution
        yield found.whose
        if found.exact is not None:
            yield row_of("value, exactly", fraction(found.exact.value))
        yield row_of("value", certain(found.value, found.gap))
        yield row_of("at least, at most", ends(found.lower, found.upper))
        yield row_of("duality gap", f"{found.gap:.3g}")
        if total is not None:
            other = certain(float(total) - found.value, found.gap)
            if found.exact is not None and not isinstance(total, float):
                other = written(total - found.exact.value)
            shown = figures(total) if isinstance(total, float) else str(total)
            yield row_of("value for the column player", f"{other}, for both win {shown} together")
