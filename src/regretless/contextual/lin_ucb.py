"""LinUCB: the arm that may lose least, by a confidence ellipsoid of its regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..bandits.validation import tangible
from ..checks import positive
from ..info import ContextualInfo
from .intervals import ByIntervals


@dataclass(kw_only=True, eq=False)
class LinUCB(ByIntervals):
    """Draw the arm with the least <w, x> - width sqrt(x' A^-1 x): what it would lose if it were as good as it may be.

    w is ridge regression on the losses of the arm. Draws are no matter of chance but for arms that are alike. Where
    mean losses are linear in the features with weights of a known length, and the width is that of the ellipsoid which
    then holds the weights at all times with probability 1 - delta, the mean regret of a decision is at most the widths
    of the intervals. Where they are not, nothing holds.

    Parameters
    ----------
    width : float
        > 0, the same for all decisions; 0: that of the theorem, which is mostly a large one.
    size : float, optional
        The largest size that a feature may have, for the theorem.
    n_arms, arms, regressor, shared, hash_bits, value_range, rewards, seed, norm, delta, policies
        As for `ContextualBandit`; the regressor is to keep one full matrix.

    References
    ----------
    Li, Chu, Langford and Schapire 2010; Abbasi-Yadkori, Pal and Szepesvari 2011, Thm 2 and 3.

    Examples
    --------
    >>> from regretless.contextual import LinUCB
    >>> bandit = LinUCB(arms=["red", "blue"], seed=0)
    >>> for day in range(200):
    ...     ticket = bandit.act([day % 2])
    ...     bandit.learn(ticket, float(ticket.action != day % 2))
    >>> bandit.act([1]).name
    'blue'
    """

    info: ClassVar[ContextualInfo] = ContextualInfo(
        name="lin-ucb",
        default_of="",
        summary="the arm that may lose least, by a confidence ellipsoid of its regression",
        twin="lin_ucb",
    )

    width: float = 0.03

    def _amount(self) -> float:
        width = positive("width", self.width, or_zero=True)
        return tangible("width", width) if width else width
