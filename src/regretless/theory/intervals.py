"""How far is the share of misses from the one that was asked for, on any sequence?

A round's interval misses (m = 1) or does not (m = 0); a share alpha of misses is asked for. Nothing is assumed of
forecasts and outcomes: who picks them may see the interval first. Outcomes may come late: then t counts them in the
order in which they come, and when one comes, at most D other rounds wait for theirs. At once is D = 0.

**Adaptive intervals.** The level is a_{t+1} = a_t + gamma (alpha - m_t), and what is forecast while a <= 0 is the whole
line, which cannot miss, and while a >= 1 nothing, which must. The sum telescopes:

    sum_t (m_t - alpha) = (a_1 - a_{T+1}) / gamma.

Only a hit lifts the level, by gamma alpha, and only one that was forecast at a level below 1. From the last time that
the level was below 1 on, hits are the outcome that lifted it out and the D that waited then, at most: so a < 1 + gamma
alpha (1 + D), and by the same a > -gamma (1 - alpha) (1 + D). Therefore

    |sum_t (m_t - alpha)| <= (max(a_1, 1 - a_1) + gamma (1 + D)) / gamma.

How wide an interval is between the ends of the scale does not enter. With D = 0 it is Prop. 4.1 of Gibbs and Candes.

**Quantile tracker.** Intervals are p - q, p + q, or nothing while q < 0; with the scores S = |y - p| and the largest
so far, M_t = max_{s <= t} S_s, the step is e_t = c M_t, and q_{t+1} = q_t + e_t (m_t - alpha), q_1 = 0. A miss has
S > q and a hit S <= q at the time of its forecast, so that q >= 0 then.
- Below: from the last time that q was not below 0 on, hits are at most 1 + D, so that q_{t+1} >= -alpha (1 + D) e_t.
- Above: what is forecast while q >= M_t cannot be a miss by t. So from the last time that q was not above M_t on there
  are at most 1 + D misses, and q_{t+1} <= M_t + (1 - alpha) (1 + D) e_t.

Both are within K e_t, K = 1/c + 1 + D, and steps never shrink. Up to round z all scores are 0, so that there is no step
and no miss. After it, summing by parts, with q_{z+1} = 0,

    sum_{t>z} (m_t - alpha) = q_{T+1} / e_T + sum_{t>z+1} q_t (1 / e_{t-1} - 1 / e_t),

which is at most K (1 + G), G = sum_{t>z+1} (1 - e_{t-1} / e_t). The first z rounds add -alpha z. Without them, with
D = 0 and a step that was fixed beforehand for scores of at most B, it is (B + e) / e of Angelopoulos, Candes and
Tibshirani.

**Steps that fall** (Angelopoulos, Barber & Bates 2024). With any steps e_t > 0 after the z rounds whose scores are all
0, the same two arguments give -alpha (1 + D) E_t <= q_{t+1} <= M_t + (1 - alpha) (1 + D) E_t, E_t = max_{s <= t} e_s:
an interval around 0 of length K_t = M_t + (1 + D) E_t. Let s be the last round with e_s > e_{s-1}, the first with a
step if there is none. Summing by parts up to s, and after it with the differences to q_{T+1}, as steps only fall then,

    sum_{t>z} (m_t - alpha) = sum_{z+1<t<=s} q_t (1 / e_{t-1} - 1 / e_t) + q_{T+1} / e_s
        + sum_{t>s} (q_{T+1} - q_t) (1 / e_t - 1 / e_{t-1}),

of which the first is at most V = sum_{z+1<t<=s} K_{t-1} |1 / e_{t-1} - 1 / e_t|, and the others K_T / e_s + K_T
(1 / e_T - 1 / e_s) = K_T / e_T in size. Where no score exceeds the first and D = 0, that is the (B + e_1) / e_T
of that paper.

All speak of the share of misses over the rounds, not of each round: intervals of the whole line in nine rounds of ten
and nothing in the tenth cover nine tenths as well. So widths and the worst stretch are printed beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import nan

from ..certificate import Most
from ..facts import Facts
from ..ledger import IntervalLedger
from ..theorem import theorem


@dataclass(frozen=True, slots=True)
class IntervalFacts(Facts):
    """What theorems may ask of intervals besides their ledger.

    Attributes
    ----------
    start, gamma : float
        Of adaptive intervals: the level at the start, and its step.
    c : float
        Of a quantile tracker: its step in units of the largest score.
    reach, longest : float
        Of a tracker with steps that fall: the largest score and the largest step, in units of the last step.
    varied, late : float
        Of the same: V without the steps in K, and their part of it with D = 0.
    """

    start: float = nan
    gamma: float = nan
    c: float = nan
    reach: float = nan
    longest: float = nan
    varied: float = nan
    late: float = nan


def _played(ledger: IntervalLedger, comparator: None, learner: IntervalFacts) -> bool:
    return ledger.rounds > 0


PLAYED = ("no interval was ever followed by its outcome", _played)


def coverage_error(ledger: IntervalLedger, comparator: None = None) -> float:
    """How far the share of misses is from the one that was asked for."""
    return abs(ledger.misses / ledger.rounds - ledger.alpha)


def _most(ledger: IntervalLedger, comparator: None, learner: IntervalFacts) -> Most:
    return Most(max(ledger.alpha, 1 - ledger.alpha), "what misses alone, or hits alone, would give")


coverage = partial(  # what the theorems on intervals have in common
    theorem,
    title="Coverage on any sequence",
    quantity="coverage error",
    counts=coverage_error,
    assumes=(PLAYED,),
    whole=False,
    most=_most,
    compares=False,
)


@coverage(
    formula=r"\left|\tfrac{1}{T} \sum_t m_t - \alpha\right|"
    r" \le \frac{\max(a_1, 1 - a_1) + \gamma (1 + D)}{\gamma T}",
    source="Gibbs & Candes 2021, Prop. 4.1, extended to late outcomes",
)
def adaptive_coverage(ledger: IntervalLedger, comparator: None, learner: IntervalFacts) -> float:
    """The share of misses differs from alpha by at most the largest distance that the level can move, over its step and
    the rounds: by the larger of a_1 and 1 - a_1, and by gamma for the step beyond an end of [0, 1] and for each of the
    D outcomes that were outstanding then."""
    furthest = max(learner.start, 1 - learner.start)
    return (furthest + learner.gamma * (1 + ledger.outstanding)) / (learner.gamma * ledger.rounds)


@coverage(
    formula=r"\left|\tfrac{1}{T} \sum_t m_t - \alpha\right|"
    r" \le \frac{(1 / c + 1 + D) (1 + G) + \alpha z}{T},\quad G = \sum_t \left(1 - \frac{e_{t-1}}{e_t}\right)",
    source="Angelopoulos, Candes & Tibshirani 2023, extended to steps by the largest score and to late outcomes",
)
def tracker_coverage(ledger: IntervalLedger, comparator: None, learner: IntervalFacts) -> float:
    """The share of misses differs from alpha by at most 1 / c + 1 + D, for the D outcomes outstanding at once, times
    one more than how often the largest score grew (G, as shares of the new one), and alpha for each of the z rounds
    before a first forecast that was not exact, over the rounds."""
    reach = 1 / learner.c + 1 + ledger.outstanding
    return (reach * (1 + ledger.growth) + ledger.alpha * ledger.zero) / ledger.rounds


@coverage(
    formula=r"\left|\tfrac{1}{T} \sum_t m_t - \alpha\right|"
    r" \le \frac{K_T / e_T + V + \alpha z}{T},\quad K_t = M_t + (1 + D) E_t",
    source="Angelopoulos, Barber & Bates 2024, extended to steps by the largest score and to late outcomes",
)
def decaying_coverage(ledger: IntervalLedger, comparator: None, learner: IntervalFacts) -> float:
    """The share of misses differs from alpha by at most the largest score and 1 + D times the largest step, over the
    last step; what the inverse of the steps varied by up to the last that grew, in the same units; and alpha for each
    of the z rounds before a first forecast that was not exact; over the rounds."""
    late = 1 + ledger.outstanding
    return (
        learner.reach + late * learner.longest + learner.varied + late * learner.late + ledger.alpha * ledger.zero
    ) / ledger.rounds
