"""How often do the margin perceptron and ALMA move, and what margin does the former hand over?

It moves when y <w, x> < theta |w| with theta = (1 - epsilon) gamma, so |w|^2 grows by at most 2 theta |w| + r^2: after
M updates |w| <= g_M, where g_0 = 0 and g_{n+1} = sqrt(g_n^2 + 2 theta g_n + r^2). On the other side <v, w> >= M - H(v)
for every v, with H(v) the sum of its hinge losses over all rounds. Both together bound M, which counts the first
update, the one that sets w to y x. Only theta is the learner's: v may have any margin above it, gamma or another.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from math import floor, inf

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, SEPARATES, UNTIL_CLEAN, LinearFacts, count_updates, sqrt
from .perceptron import posterior

EXACT = 1 << 14  # updates up to which the recursion is followed step by step
STRIDE = 1 << 12  # beyond them n is passed n / STRIDE at a time, which costs one part in 16,000
FARTHEST = 1 << 62
# The running |w|^2 of a long run and the square roots below are right to far more digits than this.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class MarginFacts(LinearFacts):
    """One target of a margin perceptron.

    Attributes
    ----------
    threshold : float
        (1 - epsilon) gamma: below this distance from the wrong side a row makes the weights move.
    quiet : float
        How many rounds were played since the last update.
    rows : float
        How many rounds one pass has.
    """

    threshold: float = 0.0
    quiet: float = 0.0
    rows: float = inf


def _asked(_: Ledger, comparator: Comparator) -> float:
    """The comparator's own length is the score that this learner asks of it, theta |v|."""
    return comparator.own / comparator.least if comparator.own > 0 < comparator.least else inf


def _wide(_: Ledger, comparator: Comparator, learner: MarginFacts) -> bool:
    return comparator.margin > learner.threshold


def _clean(_: Ledger, __: Comparator, learner: MarginFacts) -> bool:
    return learner.quiet >= learner.rows


WIDE = ("no vector was found whose margin is above (1 - epsilon) gamma, below which this learner moves", _wide)
CLEAN = ("the last pass still had an update: more passes are needed, or a smaller gamma", _clean)


@lru_cache(maxsize=16)
def growth(threshold: float) -> tuple[list[int], list[float]]:
    """How long the weights may be after n updates, for rows of length 1: places n and upper bounds of g_n.

    Exact up to n = EXACT. The steps g_{n+1} - g_n tend to the threshold, from above if it is at most 1 and else from
    below, so that many of them are at most that many times the first or the last.
    """
    places, lengths = [0], [0.0]
    n, g = 0, 0.0
    while n < FARTHEST:
        longer = sqrt(g * g + 2 * threshold * g + 1)
        stride = 1 if n < EXACT else n // STRIDE
        g = longer if stride == 1 else g + stride * max(longer - g, threshold)
        n += stride
        places.append(n)
        lengths.append(g)
    return places, lengths


def most_updates(hinge: float, norm: float, longest: float, threshold: float) -> float:
    """The largest whole M <= hinge + norm * g_M, where g_M is the most that M updates let the weights grow.

    All M up to the largest satisfy it: M - norm * g_M, 0 at M = 0, is convex while the threshold is at most `longest`,
    and increases otherwise.

    Parameters
    ----------
    hinge, norm : float
        Sum of the hinge losses of the comparator, and its length.
    longest : float
        Length of the longest row.
    threshold : float
        The margin below which the learner moves; infinite if norm * threshold is 1 or more.
    """
    if norm == 0 or longest == 0:
        return float(floor(hinge * (1 + ROUNDING)))
    if not norm * threshold < 1:
        return inf
    reach, hinge = norm * longest * (1 + ROUNDING), hinge * (1 + ROUNDING)
    places, lengths = growth(threshold * (1 + ROUNDING) / longest)
    beyond = bisect_right(range(len(places)), False, key=lambda i: places[i] > hinge + reach * lengths[i])
    if beyond == len(places):
        return inf
    last, first = places[beyond - 1], places[beyond]
    if first - last == 1:
        return float(last)
    slope = reach * (lengths[beyond] - lengths[beyond - 1]) / (first - last)
    return last + floor((hinge + reach * lengths[beyond - 1] - last) / (1 - slope)) if slope < 1 else float(first)


@theorem(
    title="Separable data, the exact recursion",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \max\{M : \rho M \le g_M\},\quad g_0 = 0,\ g_{n+1} = \sqrt{g_n^2 + 2\theta g_n + r^2},"
    r"\ \theta = (1 - \varepsilon)\gamma",
    source="the proof of Blum's margin perceptron, its recursion followed step by step",
    assumes=(*PLAYED, SEPARATES, WIDE),
)
def margin_recursion(ledger: Ledger, comparator: Comparator, learner: MarginFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > theta in every round, theta being (1 - epsilon) gamma, then M updates, the
    first one counted, satisfy rho M <= g_M: no run can let its weights grow faster."""
    return most_updates(0.0, 1 / comparator.margin, sqrt(ledger.max_norm2), learner.threshold)


@theorem(
    title="Separable data, in closed form",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \frac{2 r^2}{(\rho - \theta)^2} + \frac{2 r}{\rho - \theta},\quad"
    r"\ 8k^2 + 4k \text{ for } \rho = \gamma = r/k,\ \varepsilon = \tfrac{1}{2}",
    source="Blum's lecture on the margin perceptron, Thm 2, for every epsilon",
    assumes=(*PLAYED, SEPARATES, WIDE),
)
def margin_closed(ledger: Ledger, comparator: Comparator, learner: MarginFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > theta in every round, theta being (1 - epsilon) gamma, then the updates are
    at most 2 (r / (rho - theta))^2 + 2 r / (rho - theta), which for rho = gamma is 2 (r / (epsilon gamma))^2 + 2 r /
    (epsilon gamma)."""
    longest = sqrt(ledger.max_norm2) / (comparator.margin - learner.threshold)
    return 2 * longest**2 + 2 * longest


@theorem(
    title="Hinge bound by the recursion",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le \max\{M : M \le H + \lVert v \rVert g_M\},\quad"
    r"\ H = \sum_t \max(0, 1 - y_t \langle v, x_t \rangle)",
    source="the same proof with <v, w> >= M - H, the hinge losses being those of all rounds",
    assumes=PLAYED,
)
def margin_hinge(ledger: Ledger, comparator: Comparator, learner: MarginFacts) -> float:
    """For every vector v, M updates satisfy M <= H + |v| g_M, where H is the sum of the hinge losses of v over all
    rounds and g_M the most that M updates let the weights grow; that says something when |v| < 1 / theta."""
    return most_updates(comparator.hinge, comparator.norm, sqrt(ledger.max_norm2), learner.threshold)


@theorem(
    title="Margin handed over",
    quantity="margin asked for over margin attained",
    counts=_asked,
    formula=r"\frac{(1 - \varepsilon)\gamma}{\rho(w)} \le 1,\quad"
    r"\ \rho(w) = \min_t \frac{y_t \langle w, x_t \rangle}{\lVert w \rVert}",
    source="a pass without an update has seen every row at that distance",
    assumes=(*PLAYED, CLEAN),
    whole=False,
)
def margin_attained(ledger: Ledger, comparator: Comparator, learner: MarginFacts) -> float:
    """Once a whole pass brings no update, every row is at least theta = (1 - epsilon) gamma on its right side of the
    final weights; what is observed is theta over the smallest such distance, as read from the rows."""
    return 1.0


@theorem(
    title="Rounds until clean, by the recursion",
    quantity="rounds",
    counts=lambda ledger, comparator: ledger.rounds,
    formula=r"T \le m \left(\max\{M : \rho M \le g_M\} + 1\right)",
    source="each pass over the m rows but the last has an update, and the exact recursion counts those",
    assumes=(UNTIL_CLEAN, *margin_recursion.assumes),
    whole=False,
)
def margin_clean_pass(ledger: Ledger, comparator: Comparator, learner: MarginFacts) -> float:
    """If some v has a margin rho > theta, theta being (1 - epsilon) gamma, a run that goes over m rows until a pass has
    no update ends after at most one pass more than the exact recursion allows updates."""
    return learner.rows * (margin_recursion.bound(ledger, comparator, learner) + 1)


MARGIN_PERCEPTRON = (margin_recursion, margin_closed, margin_hinge, posterior)
UNTIL_A_MARGIN = (margin_clean_pass, margin_attained)


# ---- How often does ALMA move?
#
# Let R_k be the length of the longest row up to the k-th update, w_k the weights before it, and r = R_M. With B =
# sqrt(8) / alpha and C = sqrt(2), an update adds C y x / (sqrt(k) R_k) to w_k when y <w_k, x> <= (1 - alpha) B R_k /
# sqrt(k), and divides by N_k >= 1 where the weights would leave the unit ball. As |w_k| <= 1 and |x| <= R_k,
#
#     N_k^2 <= 1 + A / k,        A = C^2 + 2 (1 - alpha) B C = 8 / alpha - 6 >= 2.
#
# Let u be a unit vector and a_k = <u, w_k>, so that a_1 = 0 and |a_k| <= 1.
#
# **A margin.** If y <u, x> >= rho in every round, a_{k+1} >= (a_k + C rho / (r sqrt(k))) / sqrt(1 + A / k). By
# induction a_{k+1} >= s sqrt(k) for s = C (rho / r) / max((A + 1) / 2, sqrt(A + 1)), because sqrt(k) (sqrt(k + A) -
# sqrt(k - 1)) is at most that maximum for k >= 1. Now a_{M+1} <= 1 gives M <= 1 / s^2.
#
# **Any vector.** With p_k = R_k sqrt(k), which grows, the sum of y <u, x> over the updates is
#
#     (p_M N_M a_{M+1} + sum over k = 2..M of (p_{k-1} N_{k-1} - p_k) a_k) / C.
#
# With D_k = p_k - p_{k-1}, p_{k-1} (N_{k-1} - 1) <= A sqrt(k / (k - 1)) D_k. So no term exceeds (A sqrt(k / (k - 1)) -
# 1) D_k, and as the sum of (sqrt(k / (k - 1)) - 1) D_k is below 0.96 r, the whole is at most (r A / C) (sqrt(M) +
# 3/2). For v = |v| u the sum of y <v, x> is at least M - H, with H the hinge losses of v over all rounds.
#
# Gentile divides each row by its own length and has other constants; these hold for rows of any lengths.


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


@theorem(
    title="ALMA, separable data",
    quantity="updates",
    counts=count_updates,
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
    counts=count_updates,
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
