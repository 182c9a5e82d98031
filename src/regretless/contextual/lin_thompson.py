"""Linear Thompson sampling: each arm as likely as it would be the best, were its mean drawn from a normal law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..bandits.validation import tangible
from ..checks import positive
from ..info import ContextualInfo
from .intervals import ByIntervals


@dataclass(kw_only=True, eq=False)
class LinThompson(ByIntervals):
    """Draw each arm with the probability that it would lose least, were their means independent normal numbers.

    The mean of an arm has the expectation <w, x>, w ridge regression on the losses of the arm, and the standard
    deviation width sqrt(x' A^-1 x). Probabilities are computed, by sums over 64 parts of the line, and then drawn from:
    those of tickets are the ones that were drawn with.

    Parameters
    ----------
    width : float
        > 0.
    size : float, optional
        The largest size that a feature may have, for the theorem.
    n_arms, arms, regressor, shared, hash_bits, value_range, rewards, seed, norm, delta, policies
        As for `ContextualBandit`; the regressor is to keep one full matrix.

    References
    ----------
    Agrawal and Goyal 2013; what is certified is the ellipsoid of Abbasi-Yadkori, Pal and Szepesvari 2011, Thm 2.

    Examples
    --------
    >>> from regretless.contextual import LinThompson
    >>> bandit = LinThompson(2, seed=0)
    >>> bandit.probabilities([1.0]).round(6).tolist()
    [0.5, 0.5]
    """

    info: ClassVar[ContextualInfo] = ContextualInfo(
        name="lin-thompson",
        default_of="",
        summary="as likely as it would be the best, were its mean drawn around its regression",
        twin="lin_thompson",
    )

    width: float = 0.03

    def _amount(self) -> float:
        return tangible("width", positive("width", self.width))
