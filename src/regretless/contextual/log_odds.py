"""A regression of losses from 0 to 1 by the log loss: scores are logarithms of odds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .. import _core
from ..certificate import Certificate
from ..info import RegressionInfo
from ..regression.aggregated import member_names, places
from ..regression.base import OnlineRegressor
from ..regression.comparators import Rounds
from ..regression.state import MOST, SUMS, RegressionRules, RegressionState
from ..rows.estimator import with_constructor
from ..rows.mixture_state import RATES

LIMIT = float(_core.LOGISTIC_LIMIT)  # of scores
LARGEST_LOSS = 8.001  # of a forecast, above ln(1 + e^8)
STEPS = (0.1, 0.4, 1.6, 6.4)  # of the dual averagings, times the slope sums over their metric


@with_constructor
class LogOdds(OnlineRegressor):
    """Dual averagings of four rates, mixed by their own log losses: p = 1 / (1 + exp(-s)), s linear in the features.

    An outcome is a number l from 0 to 1, and costs -l ln p - (1 - l) ln(1 - p). Scores are kept within 8 of 0. It is
    the regression of `FastCB`; as `AggregatedRegressor` but for its loss.
    """

    info: ClassVar[RegressionInfo] = RegressionInfo(
        name="log-odds",
        task="regression",
        default_of="",
        twin="",
        charged="-y ln p - (1 - y) ln(1 - p)",
        geometry="diagonal, mixed by AdaHedge",
        rate="four rates",
        unit_free=True,
        adds_up=False,
    )
    theorems = ()
    matrix: ClassVar[str] = "diagonal"

    def rules(self) -> RegressionRules:
        """The members; the kernel multiplies rates by the width of the range of scores."""
        return RegressionRules(loss="logistic", intercept=1.0, rates=tuple(step / (2 * LIMIT) for step in STEPS))

    def new_state(self, columns: int) -> RegressionState:
        """An empty state."""
        return RegressionState(columns, 1, members=places(RATES, 0), limit=0)

    def certify_rounds(self, rounds: Rounds, against: Any = None) -> list[Certificate]:
        """None: what is proved of it, `least_of`, is a part of the theorem about `FastCB`."""
        return []

    def _names(self) -> list[str]:
        return member_names(self.played_rules())


def least_of(state: RegressionState, norm: float) -> float:
    """What the log loss of no vector u is below, where sum (M u)^2 <= norm^2, M the largest size of each feature.

    The loss is convex in the score: that of u is at least that of a member with the score s and the slope g, plus
    g (<u, x> - s). Summed that is the member's loss, less the sum of g s, less <u, -sum g x>, which is at most `norm`
    times the root of the sum of (sum g x / M)^2. The best of the four members counts.
    """
    cells = state.all_cells()
    seen = cells[:, MOST] > 0
    sums = cells[seen][:, SUMS] / cells[seen][:, MOST, None]
    dual = np.sqrt((sums * sums).sum(axis=0))
    best: Any = (state.part("loss")[:RATES] - state.part("linear")[:RATES] - norm * dual).max()
    return float(best)
