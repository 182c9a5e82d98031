"""FastCB: probabilities by the ratio of what arms are expected to lose, from a regression by the log loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from .. import _core
from ..bandits.validation import tangible
from ..certificate import Certificate
from ..checks import positive
from ..errors import ParameterError
from ..info import ContextualInfo, RegressionInfo
from ..regression.aggregated import member_names, places
from ..regression.base import OnlineRegressor
from ..regression.certificates import Rounds
from ..regression.state import MOST, SUMS, RegressionRules, RegressionState
from ..rows.estimator import with_constructor
from ..rows.mixture_state import RATES
from ..theorem import Theorem
from ..theory.contextual import OF_FAST_CB, ContextualFacts
from .base import ContextualBandit
from .certificates import facts_of

LIMIT = float(_core.LOGISTIC_LIMIT)  # of scores
LARGEST_LOSS = 8.001  # of a forecast, above ln(1 + e^8)
STEPS = (0.1, 0.4, 1.6, 6.4)  # of the dual averagings, times the slope sums over their metric


@dataclass(kw_only=True, eq=False)
class FastCB(ContextualBandit):
    """Draw arm a with probability f_b / (K f_b + gamma (f_a - f_b)), f what each arm is expected to lose, b the least.

    The arm b has the rest. Where the best arm is expected to lose next to nothing, little is explored. Forecasts are
    f = 1 / (1 + exp(-<w, x>)), learned by the log loss -l ln f - (1 - l) ln(1 - f) of losses l between 0 and 1:
    four dual averagings an arm, mixed, with scores within 8 of 0. Whatever the mean losses f* are, the expected
    regret of a draw is at most a price, of the order K f_b / gamma, plus gamma sum p_a (f_a - f*_a)^2 / (f_a + f*_a).

    gamma = `scale` sqrt(t) in decision t, decisions of others counted that it learned from, and at least 2. As with
    `SquareCB` that is the practice, and the theorem's bound stands, but is a large one. The regression takes features
    one by one: where they are far from centred, `SquareCB` with its full matrices learns much more from few rows.

    Parameters
    ----------
    scale : float
        > 0.
    n_arms, arms, shared, hash_bits, value_range, rewards, seed, delta, policies
        As for `ContextualBandit`.
    regressor
        None: there is only the one described above.
    norm : float
        As for `ContextualBandit`, of the logarithms of the odds of mean losses.

    References
    ----------
    Foster and Krishnamurthy 2021; the constants are those of `theory.contextual`.

    Examples
    --------
    >>> from regretless.contextual import FastCB
    >>> bandit = FastCB(arms=["red", "blue"], seed=0)
    >>> for day in range(200):
    ...     ticket = bandit.act([day % 2])
    ...     bandit.learn(ticket, float(ticket.action != day % 2))
    >>> bandit.act([1]).name
    'blue'
    """

    info: ClassVar[ContextualInfo] = ContextualInfo(
        name="fast-cb",
        default_of="",
        summary="the less, the larger the ratio of what an arm and the best are expected to lose",
        twin="fast_cb",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = OF_FAST_CB

    scale: float = 10.0

    def _amount(self) -> float:
        return tangible("scale", positive("scale", self.scale))

    def _most_error(self) -> float:
        return LARGEST_LOSS

    def _regression(self) -> OnlineRegressor:
        if self.regressor is not None:
            raise ParameterError("regressor", repr(self.regressor), "fast-cb has one of its own, by the log loss", ": ")
        own: Any = LogOdds
        return cast(OnlineRegressor, own())

    def facts(self) -> ContextualFacts:
        """What a theorem may know of the learner besides its ledger."""
        return facts_of(self, sum(least_of(model.state_, self.norm) for model in self._models))


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
