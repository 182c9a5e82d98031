r"""What a bandit that draws by features can say of its losses.

In decision t arm a is drawn with probability p_a from among the K arms that can be drawn; losses are in units of the
declared range, from 0 to 1; bounds are in the user's scale, that is times `width`.

**Inverse gap weighting** (Foster & Rakhlin 2020, with constants of its own). With forecasts f, gaps d_a = f_a - min f
and p_a = 1 / (lambda + 2 gamma d_a), for every f* and every arm j

    sum p_a (f*_a - f*_j) <= (2 K - 1 - lambda) / (4 gamma) - d_j / 2 + gamma sum p_a (f_a - f*_a)^2.

The left side less the last sum is concave in f*, and largest at f*_a = f_a + 1 / (2 gamma) for a != j, and f*_j = f_j -
(1 - p_j) / (2 gamma p_j). There it is sum p_a d_a - d_j + (1 - p_j) / (4 gamma p_j), where sum p_a d_a = (K - lambda) /
(2 gamma) and 1 / p_j = lambda + 2 gamma d_j. The paper has K / gamma in the place of the first term, which is twice as
much and more.

**From squares to errors.** Let f*_a be the mean loss of arm a given the features and all that came before, f_a the
forecast at the time of the decision, and D = f_a - f*_a for the arm a that was drawn. The excess m = (f_a - l)^2 -
(f*_a - l)^2 is D^2 + 2 D (f*_a - l), and by Hoeffding's lemma E exp(-eta m) <= exp(-eta D^2 + eta^2 D^2 / 2), given the
arm. D^2 <= 1, and so by convexity the mean over the draw is at most 1 - c E D^2 <= exp(-c E D^2), c = 1 - exp(-eta +
eta^2 / 2). So exp(c V - eta M), V = sum over t of sum p_a (f_a - f*_a)^2 and M the sum of the m, is a supermartingale,
and so is the mean of these over the five eta = 1, 1/2, ..., 1/16. With probability 1 - delta, for all T and each eta,

    c V <= eta M + ln(5 / delta).

At eta = 1 alone that is V <= 2.542 (M + ln(1 / delta)); smaller ones are better where M is large.

**M from the run.** If f*_a = 1/2 + <u_a, x>, sum (f* - l)^2 over the settled decisions is at least the least penalised
loss F of all arms less their penalties lambda |u_a|^2 as regression has them. That does not ask when the losses came. A
decision whose loss is not known adds at most 1 to M.

**Triangles** (Foster & Krishnamurthy 2021, with constants and a proof of its own). For any probabilities p > 0, any
forecasts f > 0, gamma > 1, every f* >= 0 and every arm j, with r = (1 - p_j) / p_j,

    sum p_a (f*_a - f*_j) <= c sum over a != j of p_a f_a + q_j + gamma sum p_a (f_a - f*_a)^2 / (f_a + f*_a),
    c = 4 gamma - 1 - 4 sqrt(gamma (gamma - 1)),
    q_j = p_j f_j (4 gamma + r - 4 sqrt(gamma (gamma + r))) if r <= 3 gamma, else -gamma p_j f_j.

(f - y)^2 / (f + y) is y - 3 f + 4 f^2 / (f + y), which is convex in y. So the left side less the last sum is a sum of
concave functions of one f*_a each: p_a (y - gamma (...)) of a != j is largest where (f + y)^2 = 4 f^2 gamma / (gamma -
1), and (p_j - 1) y - gamma p_j (...) of j where (f + y)^2 = 4 f^2 gamma / (gamma + r), or at y = 0 if that is below 0.
The values there are those above. The price of a decision is the largest of these over j: no constant below it is true
of all f* >= 0.

For p_a = f_b / (K f_b + gamma (f_a - f_b)) and gamma >= 2 it is at most (2 + 1 / gamma) K f_b / gamma. Let f_b = 1,
which is a matter of units, and e = (K - 1) / gamma. As sum p_a f_a <= 1 + e and c <= 1 + 1 / gamma, it is enough that
q_j - c p_j f_j <= e - 1; where gamma < K that is never above 0, and 1 < K / gamma. Of j != b let s^2 = 1 + r / gamma =
f_j + e. If s <= 2, q_j = -(1 - p_j) f_j g, g = (3 - s) / (1 + s) <= 1, and f_j g = s^2 g - e g >= 1 - e, for s^2 (3 -
s) - (1 + s) = (s - 1) (1 + 2 s - s^2) >= 0; and f_j >= 1. If s > 2, q_j = -gamma f_j / (K + gamma (f_j - 1)) <= -1
where gamma >= K. Of j = b, r <= K - 1, and g >= 1 - r / (2 gamma).

**From log losses to triangles.** Let m be the excess of the log loss of f_a over that of f*_a, for the arm a that was
drawn and a loss l between 0 and 1 of mean f*_a. exp(-m / 2) is convex in l, and so its mean is at most that of a coin:
sqrt(f f*) + sqrt((1 - f) (1 - f*)) = 1 - H, H half the sum of (sqrt f - sqrt f*)^2 and the same of 1 - f and 1 - f*.
The first is (f - f*)^2 / (sqrt f + sqrt f*)^2, at least half the triangle, so that H is at least a quarter of it. The
mean over the draw is at most 1 - E H <= exp(-E H), and so exp(V / 4 - M / 2), V = sum over t of sum p_a (f_a - f*_a)^2
/ (f_a + f*_a), is a supermartingale: with probability 1 - delta, for all T,

    V <= 2 M + 4 ln(1 / delta).

**M of log losses.** Mean losses are 1 / (1 + exp(-<u_a, x>)), with the root of the sum of (M_i u_i)^2 at most `norm`.
The log loss of l is convex in the score, so that the loss of u is at least that of any scores s less the sum of g s
plus <u, sum g x>, g the slopes at s: `contextual.fast_cb.least_of`. A decision whose loss is not known adds at most
ln(1 + e^8), as scores of forecasts are within 8 of 0.

**Ellipsoids** (Abbasi-Yadkori, Pal & Szepesvari 2011, Thm 2). Let arm a have ridge regression w on its losses with the
matrix A, of a prior lambda diag(M^2) that stays as it is, so that M must be declared. Losses within [0, 1] are mean
losses and noise that is 1/2-subgaussian. With probability 1 - delta / K, at all times and for all rows x,

    |<w, x> - f*(x)| <= sqrt(x' A^-1 x) (1/2 sqrt(ln det A / det A_1 + 2 ln(K / delta)) + sqrt(lambda) |u|),

|u|^2 the sum of M_i^2 u_i^2. So the mean losses of all arms lie in their intervals at all times, with probability 1 -
delta, and also within [0, 1]: the mean regret of a decision is at most the mean upper end of what is drawn less the
least lower end. For the rule that draws the least lower end that is the width of its interval, as in the paper. The
noise of the losses that are known must be one after the other, so that none may come late.

**Observable regret.** As of bandits (`theory.bandit_estimates`), with one implicit exploration g for all rounds: for
each of G values g and each arm c, sum l 1[c drawn] / (p + g) exceeds what c would have lost by ln(G K / delta) / (2 g)
at no time, with probability 1 - delta. Nothing is assumed of losses or forecasts. The same holds of P policies that say
what they would draw before the draw is made: what a policy would have lost is that of another arm in each decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isnan, log, nan
from typing import Any

import numpy as np

from ..certificate import Most
from ..facts import Facts
from ..ledger import ContextualLedger
from ..theorem import theorem

RATES = (1.0, 0.5, 0.25, 0.125, 0.0625)
REALISABLE = "the mean losses to be what the regressions can say (realisability), which no data can check"


@dataclass(frozen=True, slots=True)
class ContextualFacts(Facts):
    """A contextual bandit after its last decision.

    Attributes
    ----------
    arms : int
    delta : float
        How improbable a failure may be.
    width : float
        Size of the declared range of losses.
    implicit : tuple of float
        The explorations g that estimates are made with.
    least : float
        The least penalised squared losses of all arms' regressions, summed; NaN where one does not know it. Of
        regressions by the log loss, what no mean losses that are assumed have a smaller log loss than.
    penalty : float
        The largest penalty of the mean losses that are assumed, of all arms.
    size : float
        The largest size that features were declared to have; infinite if none was.
    overtaken : float
        Decisions whose loss is still waited for, after which others were made.
    """

    arms: int
    delta: float = 0.05
    width: float = 1.0
    implicit: tuple[float, ...] = ()
    least: float = nan
    penalty: float = nan
    size: float = inf
    overtaken: float = 0.0


def _unseen(_: ContextualLedger, __: Any) -> float:
    return nan


def _most(ledger: ContextualLedger, _: Any, learner: ContextualFacts) -> Most:
    return Most(learner.width * ledger.rounds, "the largest loss in every round")


def _played(ledger: ContextualLedger, _: Any, __: ContextualFacts) -> bool:
    return ledger.rounds > 0


def _knows_least(_: ContextualLedger, __: Any, learner: ContextualFacts) -> bool:
    return not isnan(learner.least)


PLAYED = ("no arm has been drawn yet", _played)
KNOWS_LEAST = ("it needs the least penalised loss, which regressions with a full matrix alone know", _knows_least)


@theorem(
    title="Observable regret against every arm",
    quantity="regret",
    counts=_unseen,
    formula=r"R_T \le \max_a \min_g \left(\sum_{t: a\ \text{awake}} \ell_t + U"
    r" - \sum_t \frac{1[a_t = a]\, \ell_t}{p_t + g} + \frac{\ln(G K / \delta)}{2 g}\right)",
    source="Neu 2015, Lemma 1, for each of G explorations",
    kind="probable",
    assumes=(PLAYED,),
    whole=False,
    most=_most,
    compares=False,
)
def observable_by_features(ledger: ContextualLedger, _: None, learner: ContextualFacts) -> float:
    """With probability 1 - delta, after all numbers of rounds at once, the regret against every one of K arms over the
    rounds in which it could be drawn is at most what was lost in them, less its estimated losses, plus ln(G K / delta)
    / (2 g), for the best of G values of g. Each decision whose loss is unknown counts as lost. Nothing is assumed."""
    if learner.arms == 1:
        return 0.0
    gammas = np.array(learner.implicit)
    doubt = log(len(gammas) * learner.arms / learner.delta) / (2 * gammas)
    own = ledger.loss + ledger.rounds - ledger.settled - ledger.missed
    ahead = own - ledger.estimates + doubt[:, None]
    return learner.width * float(ahead.min(axis=0).max())


def _named(ledger: ContextualLedger, _: Any, __: ContextualFacts) -> bool:
    return bool(ledger.advised.shape[1])


@theorem(
    title="Observable regret against every policy",
    quantity="regret",
    counts=_unseen,
    formula=r"R_T \le \max_\pi \min_g \left(\sum_t \ell_t + U - \sum_t \frac{1[a_t = \pi_t]\, \ell_t}{p_t + g}"
    r" + \frac{\ln(G P / \delta)}{2 g}\right)",
    source="Neu 2015, Lemma 1, for each of P policies and G explorations",
    kind="probable",
    assumes=(PLAYED, ("no policy was named (policies=)", _named)),
    whole=False,
    most=_most,
    compares=False,
)
def observable_by_policies(ledger: ContextualLedger, _: None, learner: ContextualFacts) -> float:
    """With probability 1 - delta, after all numbers of rounds at once, the regret against every one of P policies that
    were named beforehand is at most what was lost, less the policy's estimated losses, plus ln(G P / delta) / (2 g),
    for the best of G values of g. Each decision whose loss is unknown counts as lost. Nothing is assumed but that a
    policy says what it would draw before the draw is made."""
    gammas = np.array(learner.implicit)
    doubt = log(len(gammas) * ledger.advised.shape[1] / learner.delta) / (2 * gammas)
    ahead = ledger.loss + ledger.rounds - ledger.settled - ledger.advised + doubt[:, None]
    return learner.width * float(ahead.min(axis=0).max())


def variance_from(excess: float, delta: float) -> float:
    """How large V can be, with probability 1 - delta, where M is at most `excess`."""
    doubt = log(len(RATES) / delta)
    return max(0.0, min((eta * excess + doubt) / (1 - exp(-eta + eta * eta / 2)) for eta in RATES))


@theorem(
    title="Realised regret of SquareCB",
    quantity="mean regret",
    counts=_unseen,
    formula=r"\sum_t \sum_a p_{t,a} (f^*_{t,a} - \min f^*_t) \le \sum_t \frac{2 K_t - 1 - \lambda_t}{4 \gamma_t}"
    r" + \gamma_T \min_\eta \frac{\eta M + \ln(5 / \delta)}{1 - e^{-\eta + \eta^2 / 2}}",
    source="Foster & Rakhlin 2020, Thm 1, with the exact price of inverse gap weighting, as the run had it",
    kind="probable",
    assumes=(PLAYED, KNOWS_LEAST),
    whole=False,
    most=_most,
    compares=False,
    presumes=REALISABLE,
)
def realised_square_cb(ledger: ContextualLedger, _: None, learner: ContextualFacts) -> float:
    """If the mean loss of each arm is linear in the features, with weights no larger than declared, then with
    probability 1 - delta, after all numbers of decisions at once, the sum over the decisions of the mean loss of the
    draw less the least mean loss is at most the sum of (2 K - 1 - lambda) / (4 gamma), plus the last gamma times the
    sum of mean squared errors, which is at most (eta M + ln(5 / delta)) / (1 - exp(-eta + eta^2 / 2)), M the squared
    errors of the forecasts less the least penalised ones."""
    excess = ledger.error - learner.least + learner.penalty + ledger.rounds - ledger.settled
    return learner.width * (ledger.price + ledger.gamma * variance_from(excess, learner.delta))


def _own(ledger: ContextualLedger, _: Any, __: ContextualFacts) -> bool:
    return ledger.taught == 0


LARGEST_LOG_LOSS = log(1 + exp(8))


@theorem(
    title="Realised regret of FastCB",
    quantity="mean regret",
    counts=_unseen,
    formula=r"\sum_t \sum_a p_{t,a} (f^*_{t,a} - \min f^*_t) \le \sum_t \pi_t"
    r" + \gamma_T \left(2 M + 4 \ln(1 / \delta)\right)",
    source="Foster & Krishnamurthy 2021, Thm 1, with the exact price of the draws, as the run had them",
    kind="probable",
    assumes=(PLAYED, KNOWS_LEAST, ("it assumes that no decision of another policy was learned", _own)),
    whole=False,
    most=_most,
    compares=False,
    presumes=REALISABLE,
)
def realised_fast_cb(ledger: ContextualLedger, _: None, learner: ContextualFacts) -> float:
    """If the mean loss of each arm is 1 / (1 + exp(-s)), s linear in the features with weights no larger than declared,
    then with probability 1 - delta, after all numbers of decisions at once, the sum over the decisions of the mean loss
    of the draw less the least mean loss is at most the sum of the prices of the draws, plus the last gamma times the
    sum of mean triangles (f - f*)^2 / (f + f*), which is at most 2 M + 4 ln(1 / delta), M the log loss of the forecasts
    less the least that such mean losses have."""
    excess = ledger.error - learner.least + LARGEST_LOG_LOSS * (ledger.rounds - ledger.settled)
    missed = max(0.0, 2 * excess + 4 * log(1 / learner.delta))
    return learner.width * (ledger.price + ledger.gamma * missed)


def _declared(ledger: ContextualLedger, _: Any, learner: ContextualFacts) -> bool:
    return ledger.most <= learner.size < inf


def _in_order(ledger: ContextualLedger, _: Any, learner: ContextualFacts) -> bool:
    unknown = ledger.late + ledger.lost + ledger.taught + learner.overtaken
    return unknown == 0 and ledger.rounds - ledger.settled <= 1


@theorem(
    title="Realised ellipsoids",
    quantity="mean regret",
    counts=_unseen,
    formula=r"\sum_t \sum_a p_{t,a} (f^*_{t,a} - \min f^*_t) \le \sum_t \Big(\sum_a p_{t,a} \min(1, f_{t,a} + b_{t,a})"
    r" - \min_a \max(0, f_{t,a} - b_{t,a})\Big),\quad b_{t,a} = |x_t|_{A_{t,a}^{-1}} \Big(\tfrac12 \sqrt{\ln\frac{\det"
    r" A_{t,a}}{\det A_{1,a}} + 2 \ln\frac{K}{\delta}} + \sqrt\lambda\, |u|\Big)",
    source="Abbasi-Yadkori, Pal & Szepesvari 2011, Thm 2, for each arm, as the run had it",
    kind="probable",
    assumes=(
        PLAYED,
        ("it assumes that sizes of features were declared (size=), and that none was larger", _declared),
        (
            "it assumes that each loss is known before the next decision, and some came late, never, or from a log",
            _in_order,
        ),
    ),
    whole=False,
    most=_most,
    compares=False,
    presumes=REALISABLE,
)
def realised_ellipsoids(ledger: ContextualLedger, _: None, learner: ContextualFacts) -> float:
    """If the mean loss of each arm is linear in the features, with weights no larger than declared, then with
    probability 1 - delta, after all numbers of decisions at once, the sum over the decisions of the mean loss of the
    draw less the least mean loss is at most the sum of the mean upper end of what was drawn less the least lower end,
    of intervals in which the mean losses lie; nothing is asked of the rule."""
    return learner.width * ledger.reach


OF_EVERY_RULE = (observable_by_features, observable_by_policies)
OF_INTERVALS = (observable_by_features, realised_ellipsoids, observable_by_policies)
OF_FAST_CB = (observable_by_features, realised_fast_cb, observable_by_policies)
OF_SQUARE_CB = (observable_by_features, realised_square_cb, observable_by_policies)
