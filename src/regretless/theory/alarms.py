"""Alarms for losses that get worse than a reference, and bounds on the false ones.

Losses are put on the scale from 0 to 1: x_t in [0, 1], and the reference p in (0, 1). That nothing got worse means that
each conditional mean E_{t-1}[x_t] is at most p; rounds may depend on each other in any way. For a bet 0 < b < 1 the
factor

    L_t = 1 - b + b x_t / p

is at least 1 - b > 0, and E_{t-1}[L_t] = 1 - b + b E_{t-1}[x_t] / p <= 1. It grows where losses are above p.

**E-detector.** M_0 = 0 and M_t = (M_{t-1} + 1) L_t for each of several bets, e_t the mean of these M_t; an alarm is
raised once e_t >= N, and then all M_t begin at 0 again. With A_t alarms so far, N A_t + e_t - t is a supermartingale: a
round adds at most 1 to e_t in expectation, before the alarm, and an alarm takes at least N from e_t and adds N. It is 0
at the start, so that

    E[A_T] <= (T - E[e_T]) / N <= T / N

for each T. And with tau the round of the first alarm, e_{min(tau, n)} has a mean of at most E[min(tau, n)]; if E[tau]
is finite, then by Fatou's lemma N <= E[e_tau] <= E[tau], and else it is above N anyway: the mean number of rounds to
the first alarm, and from each alarm to the next, is at least N (Shin, Ramdas & Rinaldo 2022, where this is the e-SR
procedure). Of K detectors on the same rounds with K N each in place of N, all alarms together are at most T / N in
expectation, whatever they have to do with each other; and as the mean of their e_t reaches N where one reaches K N, the
mean number of rounds to the first of all alarms is at least N too.

**A fixed start.** The product W_t of the L_t is a supermartingale that begins at 1, and so is its mean over the bets.
By Ville's inequality it reaches 1 / alpha at any time with probability at most alpha. Of K of them alpha / K each.

**A reference from earlier rounds.** Let the average of the conditional means of those rounds be m, and p its upper
confidence limit, which is below m with probability at most delta (`confidence`). The bounds above hold given those
rounds, whenever p >= m, of later rounds whose conditional means are at most m. So a fixed start with alpha - delta
fails with probability alpha at most in all; and the mean number of rounds is at least N but for a probability of
delta that the reference was too low.

**References that are renewed.** All that was said of a detector holds where p is another number p_t in each round, as
long as it is known before x_t: then E_{t-1}[L_t] <= 1 where E_{t-1}[x_t] <= p_t. So p_t may be the upper confidence
limit of the period before that of round t, of the k-th such limit with the part delta / (k (k + 1)) of delta; these add
up to delta. Of losses whose conditional means in each period are at most the average of those of the period before, let
G be the beginning of the first period whose reference is too low. That is known then, so that N A_t + e_t - t stopped
at G is a supermartingale: E[A_{min(T, G)}] <= T / N, and G is finite with probability at most delta. What got worse is
the reference of the next period, and of a drift slower than the limits are wide nothing is said.

**Losses that are cut off.** Of x_t = min(z_t, c) with conditional means of z_t at most p those of x_t are, too, so that
with a stated p all bounds hold of z_t. With p from earlier rounds they hold of x_t alone: 999 with probability 0.1 and
else 0, and then always 50, fall from 99.9 to 50 in the mean, and with c = 100 they rise from 10 to 50.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

from ..certificate import Most
from ..facts import Facts
from ..theorem import theorem

BETS = tuple(2.0**-k for k in range(1, 9))


@dataclass(frozen=True, slots=True)
class AlarmLedger:
    """Counts of losses beside a reference.

    Attributes
    ----------
    rounds : int
        Of a fixed start, up to its alarm.
    alarms : int
    log_evidence : float
        Of a fixed start: the logarithm of the mean of the products over the bets.
    """

    rounds: int
    alarms: int
    log_evidence: float = 0.0


@dataclass(frozen=True, slots=True)
class DetectorFacts(Facts):
    """The promise of an e-detector.

    Attributes
    ----------
    threshold : float
        Where it raises an alarm: the mean number of rounds to a false one, at least.
    """

    threshold: float


@dataclass(frozen=True, slots=True)
class VilleFacts(Facts):
    """The promise of a fixed start.

    Attributes
    ----------
    delta : float
        The probability that there is ever a false alarm, at most.
    """

    delta: float


PLAYED = ("there must be rounds", lambda ledger, _, __: ledger.rounds > 0)


def _alarms(ledger: AlarmLedger, _: None = None) -> float:
    return float(ledger.alarms)


def _evidence(ledger: AlarmLedger, _: None = None) -> float:
    return ledger.log_evidence


def _every_round(ledger: AlarmLedger, *_: object) -> Most:
    return Most(float(ledger.rounds), "the number of rounds")


def _no_limit(*_: object) -> Most:
    return Most(inf, "")


@theorem(
    title="False alarms",
    quantity="alarms",
    counts=_alarms,
    formula=r"E[A_T] \le \frac{T}{N},\quad M_t = (M_{t-1} + 1) \left(1 - b + b \frac{x_t}{p}\right),\quad "
    r"\text{alarm and } M_t = 0 \text{ where } \frac{1}{J} \sum_{j=1}^{J} M_{j,t} \ge N",
    source="Shin, Ramdas & Rinaldo 2022, e-SR, with a grid of J bets and with the alarms after the first",
    kind="expected",
    assumes=[PLAYED],
    whole=False,
    most=_every_round,
    compares=False,
)
def false_alarms(ledger: AlarmLedger, comparator: None, learner: DetectorFacts) -> float:
    """Of losses none of which exceeds the reference in expectation, given those before, there are T / N alarms in T
    rounds at most, in expectation, and N rounds on average at least to the first of them. Nothing else is assumed of
    how the rounds come about. More alarms than that say that losses are above the reference."""
    return ledger.rounds / learner.threshold


@theorem(
    title="Evidence from a fixed start",
    quantity="log evidence",
    counts=_evidence,
    formula=r"\ln \frac{1}{J} \sum_{j=1}^{J} \prod_{t=1}^{T} \left(1 - b_j + b_j \frac{x_t}{p}\right)"
    r" \le \ln \frac{1}{\delta}",
    source="Ville 1939, for a mixture of J bets; Waudby-Smith & Ramdas 2024",
    kind="probable",
    assumes=[PLAYED],
    whole=False,
    most=_no_limit,
    compares=False,
)
def fixed_start(ledger: AlarmLedger, comparator: None, learner: VilleFacts) -> float:
    """Of losses none of which exceeds the reference in expectation, given those before, the evidence that some do stays
    below 1 / delta for ever, with probability 1 - delta. Once it is more, there is an alarm."""
    return log(1 / learner.delta)
