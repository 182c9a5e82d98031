"""FastCB: probabilities by the ratio of what arms are expected to lose, from a regression by the log loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from ..bandits.validation import tangible
from ..checks import positive
from ..errors import ParameterError
from ..info import ContextualInfo
from ..regression.base import OnlineRegressor
from ..theorem import Theorem
from ..theory.contextual import OF_FAST_CB, ContextualFacts
from .base import ContextualBandit
from .log_odds import LARGEST_LOSS, LogOdds, least_of


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
        return ContextualFacts(
            arms=self.n_arms_,
            delta=self.delta,
            width=self._scale.width,
            implicit=self._state.IMPLICIT,
            least=sum(least_of(model.state_, self.norm) for model in self._models),
        )
