"""SquareCB: probabilities by the inverse of how much more than the best an arm is expected to lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..bandits.validation import tangible
from ..checks import one_of, positive
from ..info import ContextualInfo
from ..theorem import Theorem
from ..theory.contextual import OF_SQUARE_CB
from .base import ContextualBandit

SCHEDULES = ("root", "theorem")


@dataclass(kw_only=True, eq=False)
class SquareCB(ContextualBandit):
    """Draw arm a with probability 1 / (lambda + 2 gamma (f_a - min f)), f what each arm is expected to lose.

    lambda, between 1 and the number K of arms, is such that they add up to 1. Whatever the mean losses f* are, the
    expected regret of a draw is at most (2 K - 1 - lambda) / (4 gamma) + gamma sum p_a (f_a - f*_a)^2, and there are
    mean losses for which it is as much. So a regression with small errors makes a small regret.

    gamma = `scale` sqrt(t) in decision t, decisions of others counted that it learned from. This is the practice, and
    not what the theorem asks for, which explores far more: the theorem's bound stands, but is a large one. With the
    scale 10 K all other arms together are drawn about as often whatever K is, and trials on real data bear it out;
    Vowpal Wabbit has 10. The schedule "theorem" makes the bound small: gamma is the root of (K - 1) t over what the
    squared errors exceed the least penalised ones by so far, with K + ln(1 / delta), and never falls.

    Parameters
    ----------
    scale : float, optional
        > 0; of the schedule "root". By default 10 times the number of arms.
    schedule : {"root", "theorem"}
    n_arms, arms, regressor, shared, hash_bits, value_range, rewards, seed, norm, delta, policies
        As for `ContextualBandit`.

    References
    ----------
    Foster and Rakhlin 2020; the constants are those of `theory.contextual`.

    Examples
    --------
    >>> from regretless.contextual import SquareCB
    >>> bandit = SquareCB(3, seed=0)
    >>> bandit.probabilities([1.0, 2.0]).round(3).tolist()
    [0.333, 0.333, 0.333]
    """

    info: ClassVar[ContextualInfo] = ContextualInfo(
        name="square-cb",
        default_of="",
        summary="inverse gap weighting: the less, the more an arm is expected to lose than the best",
        twin="square_cb",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = OF_SQUARE_CB

    scale: float | None = None
    schedule: str = "root"

    def _amount(self) -> float:
        return 10.0 * self.n_arms_ if self.scale is None else tangible("scale", positive("scale", self.scale))

    def _tuned(self) -> bool:
        return bool(one_of("schedule", self.schedule, SCHEDULES) == SCHEDULES[1])
