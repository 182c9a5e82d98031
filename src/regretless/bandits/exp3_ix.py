"""Exp3-IX: implicit exploration, for regret that is small with high probability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log, sqrt
from typing import ClassVar

from ..info import BanditInfo
from ..theorem import Theorem
from ..theory.bandit_weights import EXP3_IX
from .kinds import Tuned, of_one_loss
from .state import BanditRules


@dataclass(kw_only=True, eq=False)
class Exp3IX(Tuned):
    """Exp3 with implicit exploration: small regret with high probability, in the very run that is played.

    In each round draw arm I with probability p_I, where p_i is in proportion to exp(-rate * L_i), and see its loss l
    alone. L_I += l / (p_I + gamma), with gamma half the rate: estimates that are a little too small, and therefore
    unlikely to be much too large.

    With probability 1 - delta the regret against the best arm is at most
    2 sqrt(2 K T ln K) + (sqrt(2 K T / ln K) + 1) ln(2 / delta) by the rate for the horizon; delta is no part of the
    algorithm, so this holds for each of them. What was observed bounds it more sharply: the losses suffered, less the
    least of the L_i, plus ln(K / delta) / rate where the rate is constant.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are.
    delta : float or None
        The probability with which the bounds may fail.
    rate : float, optional
        A constant learning rate.
    horizon : int, optional
        The number T of rounds to come, for the rate sqrt(2 ln K / (K T)). With neither, the rate of round t is
        sqrt(ln K / (K t)).
    epochs : bool
        Whether that rate is held on epochs that grow by a tenth, so that a draw takes O(log K) steps, or is that of
        each round, which takes O(K).
    arms, value_range, rewards, seed, run
        As for `Bandit`.

    References
    ----------
    Neu 2015, Thm 1; Kocak, Neu, Valko and Munos 2014.

    Examples
    --------
    >>> from regretless.bandits import Exp3IX, simulate
    >>> from regretless.environments import Bernoulli
    >>> arms = Bernoulli([0.3, 0.5, 0.5, 0.5, 0.5])
    >>> pulls = simulate(Exp3IX(5, horizon=10_000, seed=0), arms, rounds=10_000, runs=20)
    >>> pulls.best_arm
    '0'
    >>> print(str(pulls.certificates()[0]).partition("  [")[0])
    Regret of Exp3-IX: regret 334 <= 1,180.33, of each run with probability 95% at any time, against best arm 0
    """

    info: ClassVar[BanditInfo] = BanditInfo(
        name="exp3-ix",
        default_of="pull",
        summary="Exp3 with implicit exploration; regret bounded with high probability",
        draws=True,
        advised=False,
        informed=False,
        needs_horizon=False,
        twin="exp3_ix",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = EXP3_IX

    def _best(self, arms: int, comparators: int, rounds: int) -> float:
        return sqrt(2 * log(arms) / (arms * rounds))

    def _falling(self, arms: int, comparators: int) -> float:
        return of_one_loss(arms, comparators)

    def _rules(self, arms: int, comparators: int) -> BanditRules:
        rules = super()._rules(arms, comparators)
        # Here the certificate's estimates are the learner's own.
        return replace(rules, gamma=rules.rate / 2)
