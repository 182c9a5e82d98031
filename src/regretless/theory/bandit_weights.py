"""How much more than the best arm can exponential weights of estimated losses lose?

One lemma. Let c_t >= 0 be what the arms are charged, eta_t rates that never grow, q_t in proportion to exp(-eta_t
C_{t-1}). The mix losses m_t = -ln(sum q_t exp(-eta_t c_t)) / eta_t add up to at most C_{T,j} + ln K / eta_T for every
j, because -ln(mean of exp(-eta C)) / eta falls in eta; and <q_t, c_t> - m_t <= eta_t / 2 <q_t, c_t^2>, because exp(-x)
<= 1 - x + x^2 / 2 for x >= 0. An estimated loss is zero for all arms but the one that was drawn, from p_t.

Arms that are asleep are charged the mix of those awake, h = <p, lhat>, with p in proportion to q among them; so <q, c>
= h, and for mass Q awake <q, c^2> = Q <p, lhat^2> + (1 - Q) h^2 <= <p, lhat^2>. Arm j adds h - h = 0 to its regret in
the rounds in which it sleeps: what is left is the regret over the others.
"""

from __future__ import annotations

from math import isclose, log, sqrt

from ..comparator import BanditComparator
from ..ledger import BanditLedger
from ..theorem import theorem
from .bandit_estimates import observable
from .bandit_facts import (
    ALL_AWAKE,
    ARMS,
    EXPECTED,
    FALLING,
    FIXED,
    FIXED_BEFOREHAND,
    FIXED_IF_SLEPT,
    IN_TIME,
    PLAYED,
    REALISED,
    SAME_ROUNDS,
    SETTLED,
    BanditFacts,
    failure,
    fixed_beforehand,
    one_rate,
    regret,
)


def _twice(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return isclose(ledger.last_rate, 2 * ledger.last_gamma, rel_tol=1e-9)


def _tuned(ledger: BanditLedger, _: BanditComparator, learner: BanditFacts) -> bool:
    if learner.added:
        return False
    if learner.schedule != "constant" or learner.arms == 1:
        return True
    if learner.horizon is None or ledger.rounds > learner.horizon:
        return False
    rate = sqrt(2 * log(learner.arms) / (learner.arms * learner.horizon))
    return isclose(learner.rate, rate, rel_tol=1e-9)


def _held(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return learner.schedule != "anytime" or 0.1 * log(learner.arms) <= log(2 / failure(learner))


TWICE = ("it is about a rate of twice the implicit exploration", _twice)
TUNED = ("the rate must be tuned for at least this many rounds, and for all arms, and it was not", _tuned)
HELD = ("with a rate that is held for a tenth of the rounds, K^(1/10) must be at most 2 / delta", _held)


@theorem(
    title="Pseudo-regret of Exp3",
    quantity="pseudo-regret",
    counts=regret,
    formula=r"\bar{R}_T \le \frac{\ln K}{\eta_T} + \frac{1}{2} \sum_t \eta_t A_t + U",
    source="Bubeck & Cesa-Bianchi 2012, Thm 3.1, for rates that never grow; sleeping arms after Freund et al. 1997",
    kind="expected",
    assumes=(PLAYED, FALLING, IN_TIME, *EXPECTED),
    whole=False,
)
def exp3_pseudo_regret(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Against every arm, over the rounds in which it was awake, the expected regret is at most ln K over the last rate
    plus half the sum of the rates times the number A of arms awake: sqrt(2 T K ln K) at the constant rate for T rounds,
    2 sqrt(T K ln K) at sqrt(ln K / (t K)) in each round t, 2.05 sqrt(T K ln K) where that is held on epochs. Each of U
    draws whose loss never came adds 1."""
    if learner.arms == 1:
        return 0.0
    # E lhat_i = l_i; lhat = l / p on the drawn arm, so that <p, lhat> = l and E <p, lhat^2> = sum of l_i^2 <= A. Epochs
    # hold 1 / sqrt(t_e) for t <= 1.1 t_e: their sums are at most sqrt(1.1) times those of 1 / sqrt(t), 2 sqrt(T).
    return learner.width * (log(learner.arms) / ledger.last_rate + ledger.swing / 2 + ledger.unsettled)


@theorem(
    title="Regret of Exp3-IX",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le \frac{\ln K}{\eta_T} + \sum_t \eta_t A_t"
    r" + \left(1 + \frac{1}{\eta_T}\right) \ln\frac{K}{\delta} + U",
    source="after Neu 2015, Thm 1, with one union of K events instead of K + 1",
    kind="probable",
    assumes=(PLAYED, FALLING, TWICE, IN_TIME, *REALISED),
    whole=False,
    at_once=one_rate,
    event="exp3-ix",
)
def exp3_ix(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With probability 1 - delta, for a number of rounds fixed beforehand (at a constant rate for all at once), the
    regret against all arms, each over the rounds in which it was awake, is at most ln K over the last rate, plus the
    sum of the rates times the number A of arms awake, plus (1 + 1 / rate) ln(K / delta). Each of U draws whose loss
    never came adds 1."""
    if learner.arms == 1:
        return 0.0
    # The lemma, <p, lhat> = l - gamma sum lhat_i and p lhat <= 1 give l - lhat_j on the left, eta_t sum lhat_i on the
    # right. What these estimates exceed the losses by, X_j = sum of (lhat_j - l_j) + eta_t sum_i (lhat_i - l_i), has E
    # exp(s X_j) <= 1 for s = eta_T / (1 + eta_T): no weight, s (1 + eta_t) or s eta_t, is above 2 gamma_t = eta_t, and
    # exp(a l / (p + gamma)) <= 1 + a l / p for a <= 2 gamma (Neu 2015, Lemma 1). So X_j > ln(K / delta) / s, for some
    # j, with probability delta at most.
    rate = ledger.last_rate
    luck = (1 + 1 / rate) * log(learner.arms / failure(learner))
    return learner.width * (log(learner.arms) / rate + ledger.swing + luck + ledger.unsettled)


@theorem(
    title="Regret of Exp3-IX as printed",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le 2\sqrt{2KT_0 \ln K} + \left(\sqrt{\frac{2KT_0}{\ln K}} + 1\right) \ln\frac{2}{\delta} + U"
    r"\ \text{(tuned for } T_0 \ge T \text{)},\quad"
    r" 4\sqrt{KT \ln K} + \left(2\sqrt{\frac{KT}{\ln K}} + 1\right) \ln\frac{2}{\delta} + U \ \text{(anytime)}",
    source="Neu 2015, Thm 1; rates held over epochs cost less than its second term is too large",
    kind="probable",
    assumes=(TUNED, HELD, PLAYED, FALLING, TWICE, IN_TIME, *REALISED),
    whole=False,
    at_once=one_rate,
    event="exp3-ix",  # it is never below the theorem before it
)
def exp3_ix_book(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With probability 1 - delta the regret is at most 2 sqrt(2 K T ln K) + (sqrt(2 K T / ln K) + 1) ln(2 / delta) at
    the rate tuned for T rounds or more, 4 sqrt(K T ln K) + (2 sqrt(K T / ln K) + 1) ln(2 / delta) at the one that
    falls; each of U draws whose loss never came adds 1. The theorem before it is always sharper."""
    if learner.arms == 1:
        return 0.0
    # Rates held for a tenth of the rounds make the sum of rates at most sqrt(1.1) times as large: 0.1 sqrt(K T ln K)
    # more, while (1 / eta_T) ln(2 / delta) is counted twice here and needed once.
    k, luck = log(learner.arms), log(2 / failure(learner))
    if learner.schedule != "constant":
        reach = learner.arms * ledger.rounds
        value = 4 * sqrt(reach * k) + (2 * sqrt(reach / k) + 1) * luck
    else:
        reach = learner.arms * (learner.horizon or 0)
        value = 2 * sqrt(2 * reach * k) + (sqrt(2 * reach / k) + 1) * luck
    return learner.width * (value + ledger.unsettled)


@theorem(
    title="Expected regret of Exp3-IX",
    quantity="expected regret",
    counts=regret,
    formula=r"\bar{R}_T \le \frac{\ln K}{\eta_T} + \sum_t \eta_t A_t + U,\quad"
    r" \mathbb{E} R_T \le \bar{R}_T\text{'s bound} + \left(1 + \frac{1}{\eta_T}\right) \ln K",
    source="the proof of the regret of Exp3-IX: estimates are too small on average",
    kind="expected",
    assumes=(PLAYED, FALLING, TWICE, IN_TIME, FIXED, SAME_ROUNDS),
    whole=False,
)
def exp3_ix_expected(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """The expected regret against an arm that is fixed beforehand, over the rounds in which it was awake, is at most ln
    K over the last rate plus the sum of the rates times the number A of arms awake; against the best arm in hindsight,
    where losses answer to the draws or arms sleep, (1 + 1 / rate) ln K more. Each of U draws whose loss never came adds
    1."""
    if learner.arms == 1:
        return 0.0
    # E X_j <= 0, and E max X_j <= ln(sum of E exp(s X_j)) / s <= ln K / s: sharper than to integrate the tail.
    rate, k = ledger.last_rate, log(learner.arms)
    luck = 0.0 if fixed_beforehand(ledger, comparator, learner) else (1 + 1 / rate) * k
    return learner.width * (k / rate + ledger.swing + luck + ledger.unsettled)


def _shares(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return 0 <= learner.share <= 1


SHARES = ("it is about weights of which a share, from 0 to 1, is dealt out again after each round", _shares)


def _dealt(_: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> bool:
    return learner.share > 0 or not comparator.switches


DEALT = ("it asks for a share > 0 against a sequence of arms that switches", _dealt)


def sequence_information(rounds: float, switches: int, learner: BanditFacts) -> float:
    """How improbable a sequence of arms is if, after each round, it goes on from an arm drawn anew with probability
    share: first arm, switches, stays."""
    k, share = learner.arms, learner.share
    stays = max(0.0, rounds - 1 - switches)
    stay = -log(1 - share * (1 - 1 / k))
    return log(k) + (switches * log(k / share) if switches else 0.0) + (stays * stay if stays else 0.0)


@theorem(
    title="Pseudo-regret against a sequence",
    quantity="pseudo-regret",
    counts=regret,
    formula=r"\bar{R}_T \le \frac{I_m}{\eta} + \frac{\eta}{2} \sum_t A_t + U,\quad I_m = \ln K + m \ln\frac{K}{\alpha}"
    r" + (T - m - 1) \ln\frac{1}{1 - \alpha (1 - 1/K)}",
    source="after Auer, Cesa-Bianchi, Freund & Schapire 2002, Thm 8.1, as fixed share: Herbster & Warmuth 1998",
    kind="expected",
    assumes=(SHARES, DEALT, PLAYED, FALLING, IN_TIME, ARMS, FIXED_BEFOREHAND, SAME_ROUNDS),
    whole=False,
)
def exp3_s(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Against every sequence of arms with m switches that is fixed beforehand, one arm with m = 0 among them, the
    expected regret is at most how improbable the sequence was over the rate, plus half the rate times the sum of the
    numbers A of arms awake. Each of U draws whose loss never came adds 1."""
    if learner.arms == 1:
        return 0.0
    # The lemma, for weights over sequences at one rate; a share of alpha / K each goes back to the same arm too.
    information = sequence_information(ledger.rounds, comparator.switches or 0, learner)
    return learner.width * (information / ledger.last_rate + ledger.swing / 2 + ledger.unsettled)


@theorem(
    title="Pseudo-regret of Exp4",
    quantity="pseudo-regret",
    counts=regret,
    formula=r"\bar{R}_T \le \frac{\ln N}{\eta_T} + \frac{1}{2} \sum_t \eta_t S_t + U,\quad"
    r" S_t = \sum_i \max_n \xi_{t,n}(i) \le \min(K, N)",
    source="Auer, Cesa-Bianchi, Freund & Schapire 2002; Bubeck & Cesa-Bianchi 2012, Thm 4.2, for rates that never grow",
    kind="expected",
    assumes=(PLAYED, FALLING, IN_TIME, *EXPECTED),
    whole=False,
)
def exp4(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Against every expert of N the expected regret is at most ln N over the last rate plus half the sum of the rates
    times S, the sum over the arms of the largest probability that an expert gives to it: experts who agree are cheap.
    Each of U draws whose loss never came adds 1. One expert alone is followed, at no regret but for those."""
    if learner.arms == 1:
        return 0.0
    if learner.comparators == 1:
        return learner.width * ledger.unsettled
    # yhat_n = xi_n(I) l / p_I: <q, yhat> = l, and E <q, yhat^2> is at most the sum over i of sum_n q_n xi_n(i)^2 / p_i,
    # a mean of xi_n(i) with weights q_n xi_n(i) / p_i.
    return learner.width * (log(learner.comparators) / ledger.last_rate + ledger.swing / 2 + ledger.unsettled)


# ---- How much more than the best arm can Hedge lose, which draws one arm and sees the losses of all?
#
# The weights never learn which arm was drawn: what they mix, <p_t, l_t>, has the regret of exponential weights,
# whatever the losses are, and the loss of the draw differs from it by luck alone, which is 0 in expectation. So even
# where losses answer to earlier draws the expected regret against the best arm in hindsight is bounded: no arm need be
# fixed beforehand. With arms asleep that is another matter, as each is compared with draws of other rounds.


def _mixed_regret(ledger: BanditLedger, comparator: BanditComparator) -> float:
    return ledger.width * (ledger.mixed - comparator.loss)


def _of_the_mix(ledger: BanditLedger, learner: BanditFacts) -> float:
    """A gap <p, c> + ln(sum p exp(-eta c)) / eta is at most eta / 8 for charges in [0, 1] (Hoeffding)."""
    return log(learner.arms) / ledger.last_rate + ledger.rates / 8


SEEN = (PLAYED, FALLING, IN_TIME, SETTLED)


@theorem(
    title="Regret of the mixed draws",
    quantity="mixed regret",
    counts=_mixed_regret,
    formula=r"\sum_t \langle p_t, \ell_t \rangle - L_j \le \frac{\ln K}{\eta_T} + \frac{1}{8} \sum_t \eta_t",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2, for rates that never grow",
    assumes=(*SEEN, ALL_AWAKE, FIXED, SAME_ROUNDS),
    whole=False,
)
def hedge_mixed(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """The losses as the probabilities of the draws mix them exceed those of every arm by at most ln K over the last
    rate plus an eighth of the sum of the rates, in every run and whatever the losses."""
    if learner.arms == 1:
        return 0.0
    return learner.width * _of_the_mix(ledger, learner)


@theorem(
    title="Expected regret of Hedge",
    quantity="expected regret",
    counts=regret,
    formula=r"\mathbb{E} R_T \le \frac{\ln K}{\eta_T} + \frac{1}{8} \sum_t \eta_t",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2; sleeping arms: Freund, Schapire, Singer & Warmuth 1997",
    kind="expected",
    assumes=(*SEEN, FIXED, FIXED_IF_SLEPT, SAME_ROUNDS),
    whole=False,
)
def hedge_expected(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """The expected regret, against the best arm in hindsight even where losses answer to the draws, is at most ln K
    over the last rate plus an eighth of the sum of the rates: sqrt(T ln K / 2) at the constant rate for T rounds. With
    arms asleep it is that against an arm that is fixed beforehand, over the rounds in which it was awake."""
    if learner.arms == 1:
        return 0.0
    return learner.width * _of_the_mix(ledger, learner)


@theorem(
    title="Regret of the draws",
    quantity="regret",
    counts=regret,
    formula=r"R_T \le \frac{\ln K}{\eta_T} + \frac{1}{8} \sum_t \eta_t + \sqrt{\tfrac{1}{2} T \ln\tfrac{1}{\delta}}"
    r"\ \left(\ln\tfrac{K}{\delta}\ \text{if arms sleep}\right)",
    source="Cesa-Bianchi & Lugosi 2006, Thm 2.2; Azuma 1967; Hoeffding 1963",
    kind="probable",
    assumes=(*SEEN, *REALISED),
    whole=False,
    at_once=lambda _: False,
)
def hedge_sampled(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """With probability 1 - delta, for a number of rounds fixed beforehand, the regret of the draws themselves is at
    most sqrt(T ln(1 / delta) / 2) more than that of what they mix; where arms slept, and each is compared over rounds
    of its own, sqrt(T ln(K / delta) / 2)."""
    if learner.arms == 1:
        return 0.0
    events = learner.arms if ledger.restricted else 1
    luck = sqrt(ledger.rounds * log(events / failure(learner)) / 2)
    return learner.width * (_of_the_mix(ledger, learner) + luck)


EXP3 = (exp3_pseudo_regret, observable)
EXP3_IX = (exp3_ix, exp3_ix_book, exp3_ix_expected, observable)
EXP3_S = (exp3_s, observable)
EXP4 = (exp4, observable)
HEDGE = (hedge_mixed, hedge_expected, hedge_sampled, observable)
