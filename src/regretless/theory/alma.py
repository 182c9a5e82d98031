"""How often does ALMA move?

Let R_k be the length of the longest row up to the k-th update, w_k the weights before it, and r = R_M. With
B = sqrt(8) / alpha and C = sqrt(2), an update adds C y x / (sqrt(k) R_k) to w_k when y <w_k, x> <= (1 - alpha) B R_k /
sqrt(k), and divides by N_k >= 1 where the weights would leave the unit ball. As |w_k| <= 1 and |x| <= R_k,

    N_k^2 <= 1 + A / k,        A = C^2 + 2 (1 - alpha) B C = 8 / alpha - 6 >= 2.

Let u be a unit vector and a_k = <u, w_k>, so that a_1 = 0 and |a_k| <= 1.

**A margin.** If y <u, x> >= rho in every round, a_{k+1} >= (a_k + C rho / (r sqrt(k))) / sqrt(1 + A / k). By induction
a_{k+1} >= s sqrt(k) for s = C (rho / r) / max((A + 1) / 2, sqrt(A + 1)), because sqrt(k) (sqrt(k + A) - sqrt(k - 1)) is
at most that maximum for k >= 1. Now a_{M+1} <= 1 gives M <= 1 / s^2.

**Any vector.** With p_k = R_k sqrt(k), which grows, the sum of y <u, x> over the updates is

    (p_M N_M a_{M+1} + sum over k = 2..M of (p_{k-1} N_{k-1} - p_k) a_k) / C.

With D_k = p_k - p_{k-1}, p_{k-1} (N_{k-1} - 1) <= A sqrt(k / (k - 1)) D_k. So no term exceeds (A sqrt(k / (k - 1)) - 1)
D_k, and as the sum of (sqrt(k / (k - 1)) - 1) D_k is below 0.96 r, the whole is at most (r A / C) (sqrt(M) + 3/2). For
v = |v| u the sum of y <v, x> is at least M - H, with H the hinge losses of v over all rounds.

Gentile divides each row by its own length and has other constants; these hold for rows of any lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, SEPARATES, LinearFacts


@dataclass(frozen=True, slots=True)
class AlmaFacts(LinearFacts):
    """One target of ALMA.

    Attributes
    ----------
    alpha : float
        Which share of the margin it may lose.
    """

    alpha: float = 1.0

    @property
    def growth(self) -> float:
        """A: no update multiplies the squared length of the weights by more than 1 + A / k before it is cut to 1."""
        return 8 / self.alpha - 6


def _updates(ledger: Ledger, _: Comparator) -> float:
    return ledger.updates


@theorem(
    title="ALMA, separable data",
    quantity="updates",
    counts=_updates,
    formula=r"M \le \max\left(\frac{(A + 1)^2}{8}, \frac{A + 1}{2}\right) \frac{r^2}{\rho^2},\quad"
    r"\ A = \frac{8}{\alpha} - 6",
    source="Gentile 2001, Thm 3, its recursion solved for rows of any lengths",
    assumes=(*PLAYED, SEPARATES),
)
def alma_separable(ledger: Ledger, comparator: Comparator, learner: AlmaFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round, in whatever order and over any number of passes, ALMA
    makes at most max((A + 1)^2 / 8, (A + 1) / 2) (r / rho)^2 updates, with A = 8 / alpha - 6."""
    more = learner.growth + 1
    return max(more * more / 8, more / 2) * ledger.max_norm2 / comparator.margin**2


@theorem(
    title="ALMA, hinge bound",
    quantity="updates",
    counts=_updates,
    formula=r"M \le \left(\frac{b + \sqrt{b^2 + 4H + 6b}}{2}\right)^2,\quad b = \frac{A r \lVert v \rVert}{\sqrt{2}},"
    r"\ A = \frac{8}{\alpha} - 6,\ H = \sum_t \max(0, 1 - y_t \langle v, x_t \rangle)",
    source="Gentile 2001, Thm 3, by summation by parts, with the hinge losses of all rounds",
    assumes=PLAYED,
)
def alma_hinge(ledger: Ledger, comparator: Comparator, learner: AlmaFacts) -> float:
    """For every vector v, M <= H + b (sqrt(M) + 3/2), where H is the sum of the hinge losses of v over all rounds,
    b = A r |v| / sqrt(2) and A = 8 / alpha - 6; so M is at most the square of the larger root."""
    b = learner.growth * sqrt(ledger.max_norm2) * comparator.norm / sqrt(2)
    return ((b + sqrt(b * b + 4 * comparator.hinge + 6 * b)) / 2) ** 2


ALMA_THEOREMS = (alma_separable, alma_hinge)
