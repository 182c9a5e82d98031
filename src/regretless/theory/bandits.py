"""The theorems about each bandit, and what they promise before a run.

Those of exponential weights stand in `bandit_weights`, those that are read off estimates in `bandit_estimates`; here
stand those of Tsallis-INF and of the rules for losses that are independent draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isnan, log, pi, sqrt

import numpy as np

from ..comparator import BanditComparator
from ..ledger import BanditLedger
from ..theorem import theorem
from .bandit_estimates import exp3_p_observable, observable
from .bandit_facts import (
    ALL_AWAKE,
    DRAWN,
    EXPECTED,
    FIXED,
    IN_TIME,
    PLAYED,
    SAME_ROUNDS,
    SETTLED,
    Array,
    BanditFacts,
    held_rates,
    regret,
)
from .bandit_weights import (
    exp3_s,
)

# ---- How much more than the best arm can Tsallis-INF lose?
#
# It follows the regularised leader: p_t minimises <w, L_{t-1}> - 4 sum sqrt(w_i) / eta_t over the simplex. Rates that
# fall to eta_T cost 4 (sqrt K - 1) / eta_T, as -4 sqrt K <= -4 sum sqrt(w_i) <= -4 in between. Besides, a round costs
# at most the largest <p - w, c> - D(w, p) over all w >= 0, for charges c = lhat - x with any x that is the same for
# all arms. Arm i adds (2 sqrt(p_i) / eta) a^2 / (1 + a), a = eta sqrt(p_i) c_i / 2 > -1, and no more than p_i c_i if
# c_i is not negative.
#
# Importance weights, x = 0: the mean over the draw is at most eta sqrt(p_i) l_i^2 / 2, in all eta sqrt(K) / 2 = sqrt(K
# / t); and <p, lhat> <= 1. So the rounds cost min(1, sqrt(K / t)), no more than 2 sqrt(K T) - K if T >= K.
#
# Reduced variance: as long as eta_t^2 = 16 / t >= 1 there is no guess, and a round costs at most 1. Later x = 1/2. An
# arm with p >= eta^2 has c = (l - 1/2) / p if drawn, else 0, and |a| <= eta / (4 sqrt p) <= 1/4: eta sqrt(p) / 8 +
# eta^2 / 24 in the mean, as 1 / (1 + a) <= 1 + 4 |a| / 3 there. Any other arm has c between -1/2 and 1 / p if drawn,
# else -1/2. The former costs at most eta^2 / (4 y (1 + y)) <= eta^2 / 3 in the mean, with y = eta / (2 sqrt p) >= 1/2,
# the latter at most eta^4 / 6, as a >= -1/4. All arms and rounds from 17 to T together cost at most the sum of sqrt(K
# / t) / 2 + K (16 / (3 t) + 128 / (3 t^2)).


def _excused(ledger: BanditLedger, _: BanditComparator, learner: BanditFacts) -> bool:
    return learner.estimator == "importance" or ledger.unsettled == 0


EXCUSED = ("estimates with reduced variance want every loss, and some never came", _excused)
LEARNT = (EXCUSED, ALL_AWAKE, IN_TIME, *EXPECTED)


def _importance(arms: int, rounds: float) -> float:
    shaken = rounds if rounds <= arms else 2 * sqrt(arms * rounds) - arms
    return 2 * (sqrt(arms) - 1) * sqrt(rounds) + shaken


def _reduced(arms: int, rounds: float) -> float:
    if rounds <= 16:
        return rounds
    shaken = sqrt(arms) * (sqrt(rounds) - 4) + arms * (16 / 3 * log(rounds / 16) + 128 / 3 * (1 / 16 - 1 / rounds))
    return (sqrt(arms) - 1) * sqrt(rounds) + 16 + shaken


@theorem(
    title="Pseudo-regret of Tsallis-INF",
    quantity="pseudo-regret",
    counts=regret,
    formula=r"\bar{R}_T \le 4\sqrt{KT} - 2\sqrt{T} - K + U \ \text{(} T \ge K \text{)},\quad"
    r" (2\sqrt{K} - 1)\sqrt{T} + 16 - 4\sqrt{K} + \tfrac{16}{3} K \ln\tfrac{T}{16}"
    r" + \tfrac{8}{3} K \left(1 - \tfrac{16}{T}\right) \ \text{(reduced, } T \ge 16 \text{)}",
    source="the proof of Zimmert & Seldin 2021, Thm 1, with its sums in full",
    kind="expected",
    assumes=LEARNT,
    whole=False,
)
def tsallis(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Against every arm the expected regret is at most 4 sqrt(K T) - 2 sqrt(T) - K by importance weights, from K rounds
    on, where each of U draws whose loss never came adds 1; with reduced variance it is at most (2 sqrt(K) - 1) sqrt(T)
    + 16 - 4 sqrt(K) + 16/3 K ln(T / 16) + 8/3 K (1 - 16 / T), from 16 rounds on."""
    if learner.arms == 1:
        return 0.0
    cost = _importance if learner.estimator == "importance" else _reduced
    return learner.width * (cost(learner.arms, ledger.rounds) + ledger.unsettled)


@theorem(
    title="Pseudo-regret of Tsallis-INF as printed",
    quantity="pseudo-regret",
    counts=regret,
    formula=r"\bar{R}_T \le 4\sqrt{KT} + 1 + U,\quad 2\sqrt{KT} + 10 K \ln T + 16 \ \text{(reduced)}",
    source="Zimmert & Seldin 2021, Thm 1",
    kind="expected",
    assumes=LEARNT,
    whole=False,
)
def tsallis_book(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Against every arm the expected regret is at most 4 sqrt(K T) + 1 by importance weights, where each of U draws
    whose loss never came adds 1, and 2 sqrt(K T) + 10 K ln T + 16 with reduced variance."""
    if learner.arms == 1:
        return 0.0
    reach = learner.arms * ledger.rounds
    if learner.estimator == "importance":
        return learner.width * (4 * sqrt(reach) + 1 + ledger.unsettled)
    return learner.width * (2 * sqrt(reach) + 10 * learner.arms * log(ledger.rounds) + 16)


# ---- How much more than the best arm do rules lose that take losses for independent draws?
#
# In each round the losses of the arms are drawn anew by the same laws, with means mu_i in [0, 1]; Delta_i is by how
# much arm i loses more than the best in the mean, and is not known. Nothing in a run shows that losses came about so,
# which the certificates say. An arm drawn N_i times costs Delta_i N_i. Where E N_i <= C / Delta_i^2 + c for all of K -
# 1 arms, arms of Delta_i <= D cost T D together and each other C / D + c: 2 sqrt(C (K - 1) T) + c (K - 1) with the
# best D, and no gap need be known.
#
# The best arm of a run is the one that was lucky, whereas the best in the mean is fixed: what the latter lost more
# than the former is the largest of K sums of T independent numbers, each with mean 0 and within an interval of length
# 2, at most sqrt(2 T ln K) in expectation. That is added where the comparator is the best in hindsight.


LAWS = "losses that are drawn independently in each round, by the same laws"
PRIOR = f"{LAWS}, with means that were drawn from the uniform prior"
SEEN = (DRAWN, ALL_AWAKE, IN_TIME, SETTLED, PLAYED, FIXED, SAME_ROUNDS)


def _hindsight(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """What the best arm in hindsight may have had the luck to lose less than the best in the mean."""
    return sqrt(2 * ledger.rounds * log(learner.arms)) if comparator.name == "best_arm" else 0.0


@theorem(
    title="Expected regret of UCB1",
    quantity="expected regret",
    counts=regret,
    formula=r"\bar{R}_T \le 2\sqrt{8 (K - 1) T \ln T} + \left(1 + \tfrac{\pi^2}{3}\right)(K - 1),\quad"
    r" \mathbb{E} R_T \le \bar{R}_T\text{'s bound} + \sqrt{2 T \ln K}",
    source="Auer, Cesa-Bianchi & Fischer 2002, Thm 1, for gaps that are not known",
    kind="expected",
    assumes=SEEN,
    whole=False,
    presumes=LAWS,
)
def ucb1(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Where losses are independent draws by the same laws, the expected regret against an arm that is fixed beforehand
    is at most 2 sqrt(8 (K - 1) T ln T) + (1 + pi^2 / 3) (K - 1), as each arm is drawn at most 8 ln T / gap^2 + 1 + pi^2
    / 3 times in expectation; against the best in hindsight sqrt(2 T ln K) more."""
    if learner.arms == 1:
        return 0.0
    others, rounds = learner.arms - 1, ledger.rounds
    value = 2 * sqrt(8 * others * rounds * log(rounds)) + (1 + pi**2 / 3) * others
    return learner.width * (value + _hindsight(ledger, comparator, learner))


@theorem(
    title="Expected regret of KL-UCB",
    quantity="expected regret",
    counts=regret,
    formula=r"\bar{R}_T \le 2\sqrt{(K - 1) T \left(2 \ln(1 + T \ln^2 T) + 40\right)},\quad"
    r" \mathbb{E} R_T \le \bar{R}_T\text{'s bound} + \sqrt{2 T \ln K}",
    source="Lattimore & Szepesvari 2020, Thm 10.6, for gaps that are not known; Garivier & Cappe 2011",
    kind="expected",
    assumes=SEEN,
    whole=False,
    presumes=LAWS,
)
def kl_ucb(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Where losses are independent draws by the same laws, the expected regret against an arm that is fixed beforehand
    is at most 2 sqrt((K - 1) T (2 ln(1 + T ln(T)^2) + 40)); against the best in hindsight sqrt(2 T ln K) more. Where
    arms are far apart it draws bad ones far less often than that."""
    if learner.arms == 1:
        return 0.0
    # E N_i <= ln f / kl(mu_i + e, mu* - e) + 1 / (2 e^2) + 2 / e^2 for any e; e = Delta_i / 4, and kl(a, b) >= 2 (a -
    # b)^2. Losses within [0, 1] are no worse than coins: their exponential moments are no larger.
    others, rounds = learner.arms - 1, ledger.rounds
    value = 2 * sqrt(others * rounds * (2 * log(1 + rounds * log(rounds) ** 2) + 40))
    return learner.width * (value + _hindsight(ledger, comparator, learner))


def _in_horizon(ledger: BanditLedger, _: BanditComparator, learner: BanditFacts) -> bool:
    return learner.horizon is not None and ledger.rounds <= learner.horizon


HORIZON = ("the horizon must be at least this number of rounds, and it is not", _in_horizon)


@theorem(
    title="Expected regret of MOSS",
    quantity="expected regret",
    counts=regret,
    formula=r"\bar{R}_T \le 19.5 \sqrt{K T_0} + K - 1,\quad"
    r" \mathbb{E} R_T \le \bar{R}_T\text{'s bound} + \sqrt{2 T \ln K},\quad T \le T_0",
    source="Lattimore & Szepesvari 2020, Thm 9.1, for losses within [0, 1]; Audibert & Bubeck 2009",
    kind="expected",
    assumes=(HORIZON, *SEEN),
    whole=False,
    presumes=LAWS,
)
def moss(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Where losses are independent draws by the same laws, the expected regret of T <= T_0 rounds against an arm that
    is fixed beforehand is at most 19.5 sqrt(K T_0) + K - 1; against the best in hindsight sqrt(2 T ln K) more."""
    if learner.arms == 1:
        return 0.0
    # The book has 39 sqrt(K T) + the sum of the gaps for laws of variance proxy 1; within [0, 1] it is 1/4: twice the
    # losses have its index and its regret. Expected regret never falls, so that what holds of T_0 rounds holds before.
    value = 19.5 * sqrt(learner.arms * (learner.horizon or 0)) + learner.arms - 1
    return learner.width * (value + _hindsight(ledger, comparator, learner))


def _known_means(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return learner.means is not None


MEANS = ("it is about arms whose mean losses are known, as they are to a simulator alone", _known_means)
STEPS = 16  # parts of a gap, of which both margins of KL-UCB are some


def _by_gaps(ledger: BanditLedger, learner: BanditFacts, draws: Callable[[float, float, float], float]) -> float:
    """The sum over the arms of their gap times their expected number of draws, which are no more than the rounds."""
    means, rounds = learner.means or (), ledger.rounds
    best = min(means, default=0.0)
    return sum((mean - best) * min(draws(mean, best, rounds), rounds) for mean in means if mean > best)


@theorem(
    title="Expected regret of UCB1 by gaps",
    quantity="expected regret",
    counts=regret,
    formula=r"\bar{R}_T \le \sum_{i: \Delta_i > 0} \min\left\{\frac{8 \ln T}{\Delta_i} +"
    r" \left(1 + \tfrac{\pi^2}{3}\right) \Delta_i,\ \Delta_i T\right\},\quad"
    r" \mathbb{E} R_T \le \bar{R}_T\text{'s bound} + \sqrt{2 T \ln K}",
    source="Auer, Cesa-Bianchi & Fischer 2002, Thm 1",
    kind="expected",
    assumes=(MEANS, *SEEN),
    whole=False,
    presumes=LAWS,
)
def ucb1_gaps(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Where losses are independent draws by the same laws, and arm i loses Delta_i more than the best in the mean, the
    expected regret against an arm that is fixed beforehand is at most the sum of 8 ln(T) / Delta_i + (1 + pi^2 / 3)
    Delta_i over the arms that are not best, each no more than Delta_i T; against the best in hindsight sqrt(2 T ln K)
    more."""
    value = _by_gaps(ledger, learner, lambda mean, best, t: 8 * log(t) / (mean - best) ** 2 + 1 + pi**2 / 3)
    return learner.width * (value + _hindsight(ledger, comparator, learner))


def _entropy(p: float, q: float) -> float:
    """The relative entropy of coins with these means, q within (0, 1)."""
    parts = ((p, q), (1 - p, 1 - q))
    return sum(a * log(a / b) for a, b in parts if a > 0)


def _kl_ucb_draws(mean: float, best: float, rounds: float) -> float:
    """How often KL-UCB draws an arm in expectation at most, for the best of some margins e_1 and e_2."""
    part, few = (mean - best) / STEPS, inf
    for below in range(1, STEPS - 1):
        for above in range(1, STEPS - below):
            near = _entropy(mean - below * part, best + above * part)
            draws = log(1 + rounds * log(rounds) ** 2) / near + 1 / (2 * (below * part) ** 2) + 2 / (above * part) ** 2
            few = min(few, draws)
    return few


@theorem(
    title="Expected regret of KL-UCB by gaps",
    quantity="expected regret",
    counts=regret,
    formula=r"\bar{R}_T \le \sum_{i: \Delta_i > 0} \Delta_i \min\left\{\min_{\epsilon_1, \epsilon_2}"
    r" \frac{\ln(1 + T \ln^2 T)}{\mathrm{kl}(\mu_i - \epsilon_1, \mu_* + \epsilon_2)} +"
    r" \frac{1}{2 \epsilon_1^2} + \frac{2}{\epsilon_2^2},\ T\right\},\quad"
    r" \mathbb{E} R_T \le \bar{R}_T\text{'s bound} + \sqrt{2 T \ln K}",
    source="Lattimore & Szepesvari 2020, Thm 10.6; Garivier & Cappe 2011",
    kind="expected",
    assumes=(MEANS, *SEEN),
    whole=False,
    presumes=LAWS,
)
def kl_ucb_gaps(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Where losses are independent draws by the same laws with known means mu_i, the best of them mu*, arm i is drawn
    at most ln(1 + T ln(T)^2) / kl(mu_i - e_1, mu* + e_2) + 1 / (2 e_1^2) + 2 / e_2^2 times in expectation, for any
    positive e_1 + e_2 < Delta_i, of which sixteenths of the gap are tried; each draw costs Delta_i against an arm that
    is fixed beforehand; against the best in hindsight it is sqrt(2 T ln K) more."""
    value = _by_gaps(ledger, learner, _kl_ucb_draws)
    return learner.width * (value + _hindsight(ledger, comparator, learner))


def _beta(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return learner.estimator == "beta"


def _coins(ledger: BanditLedger, _: BanditComparator, __: BanditFacts) -> bool:
    return ledger.between == 0


def _by_prior(_: BanditLedger, __: BanditComparator, learner: BanditFacts) -> bool:
    return learner.by_prior is not False


BETA = ("it is about the beta posterior; of the Gaussian one no bound is known with its constants", _beta)
COINS = ("it is about losses that are the least or the most there can be, and others came", _coins)
BY_PRIOR = ("it is about means that were drawn from the uniform prior, and these were set beforehand", _by_prior)


@theorem(
    title="Bayesian regret of Thompson sampling",
    quantity="expected regret",
    counts=regret,
    formula=r"\mathbb{E} \bar{R}_T \le \sqrt{\tfrac{1}{2} K T \ln K},\quad"
    r" \mathbb{E} R_T \le \text{the same} + \sqrt{2 T \ln K}",
    source="Russo & Van Roy 2016, Prop. 1 and 3",
    kind="expected",
    assumes=(BETA, COINS, *SEEN, BY_PRIOR),
    whole=False,
    presumes=PRIOR,
)
def thompson(ledger: BanditLedger, comparator: BanditComparator, learner: BanditFacts) -> float:
    """Where the means are drawn from the uniform prior, and losses of 0 and 1 independently by them, the expected
    regret against the arm of the best mean is at most sqrt(K T ln(K) / 2), over the draw of the means too; against the
    best in hindsight sqrt(2 T ln K) more."""
    if learner.arms == 1:
        return 0.0
    # Which arm is best has the entropy ln K by the prior, which is the same for all arms.
    value = sqrt(learner.arms * ledger.rounds * log(learner.arms) / 2)
    return learner.width * (value + _hindsight(ledger, comparator, learner))


# ---- The theorems about each bandit, the sharpest first, and what they promise before a run.


TSALLIS_INF = (tsallis, tsallis_book, observable)
OF_UCB1 = (ucb1, observable)
OF_KL_UCB = (kl_ucb, observable)
OF_MOSS = (moss, observable)
OF_THOMPSON = (thompson, observable)
BY_GAPS = {ucb1: ucb1_gaps, kl_ucb: kl_ucb_gaps}  # what is said besides where the mean losses are known

AFTERWARDS = (observable, exp3_p_observable)  # they read the run
OF_SEQUENCES = (exp3_s,)  # of arms, and of how often they switch


def expected_ledger(
    learner: BanditFacts, rounds: int, *, slept: bool = False, reached: Array | None = None
) -> BanditLedger:
    """The book of a run of which nothing is known but its length, and perhaps which arms could be drawn: else all arms
    awake, or nearly, all losses in time, experts who agree on nothing."""
    rates, last, first = _rates(learner, rounds)
    reach = float(min(learner.arms, learner.comparators) if learner.advised else learner.arms)
    nothing = dict.fromkeys(("loss", "mixed", "late", "lost"), 0.0)
    return BanditLedger(
        rounds=float(rounds),
        settled=float(rounds),
        swing=reach * rates if reached is None else _rates(learner, rounds, reached)[0],
        rates=rates,
        restricted=float(slept),
        reach=reach * rounds if reached is None else float(reached[rounds]),
        first_rate=first,
        last_rate=last,
        last_gamma=last / 2,
        width=learner.width,
        draws=np.zeros(learner.arms),
        losses=np.zeros(learner.arms),
        missed=np.zeros(learner.arms),
        asleep=np.zeros(learner.arms),
        estimates=np.zeros(learner.comparators),
        implicit=np.zeros(learner.comparators),
        **nothing,
    )


def _rates(learner: BanditFacts, rounds: int, reached: Array | None = None) -> tuple[float, float, float]:
    """Their sum, weighted by the arms that could be drawn if these are given; the last and the first."""
    weights = float(rounds) if reached is None else float(reached[rounds])
    if learner.schedule == "constant":
        return learner.rate * weights, learner.rate, learner.rate
    if learner.comparators == 1:
        return weights, 1.0, 1.0
    scale = learner.scale
    if learner.schedule == "every-round":
        return _sum_of_rates(scale, rounds, reached), scale / sqrt(rounds), scale
    return *held_rates(scale, rounds, reached), scale


def _sum_of_rates(scale: float, rounds: int, reached: Array | None) -> float:
    """Of scale / sqrt(t) in round t, or at most so much; times the arms that could be drawn if these are given."""
    first = rounds if reached is not None else min(rounds, 1000)
    weights = np.ones(first) if reached is None else np.diff(reached[: rounds + 1])
    total = float((weights / np.sqrt(np.arange(1, first + 1))).sum())  # no BLAS, whose threads change the last bits
    return scale * (total + 2 * (sqrt(rounds) - sqrt(first)))


def bound_at(
    learner: BanditFacts, rounds: int, switches: int = 0, *, slept: bool = False, reached: Array | None = None
) -> dict[str, float]:
    """What each theorem promises before the first of so many rounds, by its title, in the user's scale.

    The promise is about the regret against the best arm, or expert, in hindsight. A theorem that does not apply to the
    learner, whatever it plays, is left out, and so is one that reads the run.

    Parameters
    ----------
    learner : BanditFacts
        A learner as it would stand.
    rounds : int
        At least 1.
    switches : int
        Of the sequence of arms that it is compared with, by theorems on sequences.
    slept : bool
        Whether arms will be asleep at times: then luck has a say in which of them is the best in hindsight.
    reached : ndarray, optional
        How many arms can be drawn in the first 0, 1, 2, ... rounds, added up; with advice, the sums over arms of the
        largest share that an expert gives to each. By default all that there are.
    """
    book = expected_ledger(learner, rounds, slept=slept, reached=reached)
    against = BanditComparator("best_expert" if learner.advised else "best_arm", "", 0.0, 0.0, book.rounds)
    values = {}
    for one in learner.theorems:
        compared = replace(against, switches=switches) if one in OF_SEQUENCES else against
        if one not in AFTERWARDS and one.obstacle(book, compared, learner) is None:
            values[one.title] = one.value(book, compared, learner)
    return {title: value for title, value in values.items() if not isnan(value)}
