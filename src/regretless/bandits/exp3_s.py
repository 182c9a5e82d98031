"""EXP3.S: a share of the weight is dealt out again, for the best arm that changes."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Any, ClassVar

from ..checks import positive, share
from ..errors import ParameterError, ParameterMissing
from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandit_weights import EXP3_S
from .base import Bandit
from .kinds import implicit
from .state import BanditRules
from .validation import LONGEST, at_most, tangible


@dataclass(kw_only=True, eq=False)
class EXP3S(Bandit):
    """Exp3 with a fixed share: small regret in expectation against every sequence of arms that switches seldom.

    In each round draw arm I with probability w_I and see its loss l alone. Multiply w_I by exp(-rate * l / w_I), scale
    the weights to sum to one, and deal the share out again: w = (1 - share) w + share / K.

    The expected regret against any sequence with m switches is at most
    [ln K + m ln(K / share) + (T - m - 1) ln(1 / (1 - share))] / rate + rate K T / 2.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    horizon, switches : int, optional
        The number T of rounds to come, and of switches m to keep up with: the share is m / (T - 1), from 1 / T to 1/2,
        and the rate is the best one for the bound.
    rate, share : float, optional
        Both of them, instead.
    arms, value_range, rewards, seed, run, delta
        As for `Bandit`.

    References
    ----------
    Auer, Cesa-Bianchi, Freund and Schapire 2002, section 8; Herbster and Warmuth 1998, for the share.

    Examples
    --------
    >>> from regretless.bandits import EXP3S, simulate
    >>> from regretless.environments import Switching
    >>> environment = Switching([[0.2, 0.6], [0.6, 0.2]], starts=[0, 5000])
    >>> pulls = simulate(EXP3S(2, horizon=10_000, switches=1, seed=0), environment, rounds=10_000, runs=20)
    >>> print(str(pulls.certificates()[0]).partition(", against")[0])
    Pseudo-regret against a sequence: pseudo-regret against the sequence 200.45 ± 5.8 <= 666.39
    """

    horizon: int | None = None
    switches: int | None = None
    rate: float | None = None
    share: float | None = None

    info: ClassVar[BanditInfo] = BanditInfo(
        name="exp3-s",
        default_of="",
        summary="fixed share; regret against the best sequence of arms that switches seldom",
        draws=True,
        advised=False,
        informed=False,
        needs_horizon=True,
        twin="exp3_s",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = EXP3_S

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        tuned, explicit = (self.horizon, self.switches), (self.rate, self.share)
        if None not in tuned and explicit == (None, None):
            rounds = at_most(LONGEST, "horizon", self.horizon)
            return self._tuned(arms, rounds, _switches(self.switches, rounds))
        if None not in explicit and tuned == (None, None):
            rate = tangible("rate", positive("rate", self.rate))
            return BanditRules(
                self.name, "constant", rate, rate / 2, share=tangible("share", share("share", self.share))
            )
        raise ParameterMissing(
            "horizon", "exp3-s asks how often the best arm changes: give horizon= and switches=, or rate= and share="
        )

    def _tuned(self, arms: int, rounds: int, switches: int) -> BanditRules:
        dealt = min(max(switches / max(rounds - 1, 1), 1 / rounds), 0.5)
        nats = (switches + 1) * log(arms) - switches * log(dealt) - (rounds - switches - 1) * log1p(-dealt)
        rate = sqrt(2 * nats / (arms * rounds)) if arms > 1 else 1.0
        return BanditRules(self.name, "constant", rate, implicit(arms, arms, rounds), share=dealt)


def _switches(switches: Any, rounds: int) -> int:
    if isinstance(switches, bool) or not hasattr(switches, "__index__") or not 0 <= switches < rounds:
        raise ParameterError("switches", repr(switches), "it must be a whole number from 0, below the horizon")
    return int(switches)
