r"""What the log of one policy says of the mean reward of another, at all times at once.

In round t the log drew an action with propensity p_t and saw the reward r_t in [0, 1]; policy A, which knows the
rounds before and the situation, would have drawn that action with probability q_t, and its weight is w_t = q_t / p_t.
Let a_t be what was to be expected of A's reward in that round. Then x_t = w_t r_t is at least 0, and E_{t-1}[x_t] <=
a_t, with equality where the log may draw all that A does; so y_t = w_t (1 - r_t) with 1 - a_t. For another policy B
with weights v_t (1 for the policy of the log itself) z_t = w_t r_t + v_t (1 - r_t) is at least 0, and E_{t-1}[z_t] <=
1 + a_t - b_t. All three have no upper limit where weights have none.

Let x_t >= 0 and E_{t-1}[x_t] <= m_t. For a rate u > 0 the capital

    C_t(u) = prod_{s <= t} (1 + u x_s) / (1 + u m_s)

is a nonnegative supermartingale, and so is its mean over several rates, which reaches 1 / delta at any time with
probability at most delta (Ville). As ln(1 + u m) is concave in m, prod (1 + u m_s) <= (1 + u M_t)^t for the average
M_t of m_1, ..., m_t. So, with probability 1 - delta at all times t at once, M_t is no mean m at which

    (1/J) sum_j exp(S_t(u_j) - t ln(1 + u_j m)) >= 1 / delta,   S_t(u) = sum_{s <= t} ln(1 + u x_s),

and as that falls with m, M_t is at least the largest of them. The expectations may change from round to round, and the
policies may learn. A bet at rate u against the mean m is the bet b = u m / (1 + u m) of Waudby-Smith, Wu, Ramdas,
Karampatziakis & Mineiro 2022, 1 - b + b x_t / m; with u and not b the same for all means the sums are J numbers, where
a grid of means needs J for each, and the average of means that change is bounded, where theirs stays the same.

A control variate: let the log draw, in all rounds, each action that came before with a propensity of at least 1 / W of
A's probability of it. Let g_t(k) in [0, h_t] be a guess of the reward of action k, of the rounds before and the
situation alone (0 of an action that never came), and e_t its mean under A. For each rate there is a share
c_t(u) = min(1, 3 / (4 u W h_t)), known before the round, with which x_t(u) = w_t r_t + c_t(u) (e_t - w_t g_t) >=
-3 / (4 u). Its expectation is that of x_t, and 1 + u x_t(u) >= 1/4, so that all of the above holds. With a small rate
it is the doubly robust term; with a large one the weighted reward alone. Against B that takes always the same action,
from the round on after that came in the situation, z_t takes c_t(u) (m_t - v_t m_t) as well, m_t being the mean of
1 - r in earlier rounds and c_t(u) = min(1, 3 / (4 u (W h_t + m_t / l))) both shares, where no propensity is below l.

The weights themselves are at least 0, and E_{t-1}[w_t] <= 1, as the probabilities of A sum to 1. So the mean over
rates of prod (1 + u w_s) / (1 + u) reaches 1 / delta with probability at most delta. Where it does, the propensities
are too small, as the rewards have no part in it, and nothing is said of A.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from ..theorem import theorem
from .confidence import PLAYED, Array, Confidence, Rivals, conditional_mean, farthest, log_mean

RATES = 2.0 ** np.arange(3, -19, -1)  # the least of them for billions of rounds, or weights of thousands
WEIGHT_RATES = RATES[::3]  # of bets on the weights themselves, which need no narrow interval
HALVINGS = 60
SOURCE = "Waudby-Smith, Wu, Ramdas, Karampatziakis & Mineiro 2022, with rates that stay the same for all means"


def least_mean(sums: Any, rounds: Any, most: float, alpha: float) -> Array:
    """What the average of the expectations is at least, but for a probability of alpha that it is ever less.

    Parameters
    ----------
    sums : array-like, shape (..., rates)
        S_t(u) for each of `RATES`.
    rounds : float, or array-like of the shape of what is returned
        t.
    most : float
        What no expectation can exceed.
    alpha : float
        In (0, 1).

    Returns
    -------
    ndarray, shape (...)
        In [0, most], to the last digits from below; `most` where all means are refused.
    """
    logs = np.asarray(sums, dtype=np.float64)
    times = np.asarray(rounds, dtype=np.float64)[..., None]
    # The logarithm of the capitals is convex in the mean, so that Newton's step from a mean that is refused leads to
    # none that is not, but for rounding; halving does what is left.
    low, at = np.zeros((2, *logs.shape[:-1]))
    high = np.full(low.shape, np.nextafter(most, np.inf))
    for _ in range(2 * HALVINGS):
        powers = logs - times * np.log1p(RATES * at[..., None])
        top = powers.max(axis=-1, keepdims=True)
        capitals = np.exp(powers - top)
        total = capitals.sum(axis=-1)
        excess = top[..., 0] + np.log(total / len(RATES)) + log(alpha)
        refused = excess >= 0
        low, high = np.where(refused, at, low), np.where(refused, high, at)
        falls = (capitals * (times * (RATES / (1 + RATES * at[..., None])))).sum(axis=-1) / total
        newton = at + np.divide(excess, falls, out=np.zeros_like(excess), where=falls > 0)
        newton = np.minimum(newton, most)
        following = np.where(refused & (newton < high), newton, (low + high) / 2)
        if (following == at).all():
            break
        at = following
    return np.asarray(low)


def all_refused(sums: Any, rounds: float, most: float, alpha: float) -> bool:
    """Whether even `most`, which no expectation exceeds, is refused; `least_mean` is `most` then, too."""
    worst = log_mean(np.asarray(sums, dtype=np.float64) - rounds * np.log1p(RATES * most))
    return bool(worst >= -log(alpha))


def weights_refused(sums: Any, rounds: float, alpha: float) -> Any:
    """Whether weights are too large for right propensities, which has probability alpha at most, at all times at once.

    Parameters
    ----------
    sums : array-like, shape (..., weight rates)
        S_t(u) of the weights, for each of `WEIGHT_RATES`.
    rounds : float
        t.
    alpha : float
        In (0, 1).

    Returns
    -------
    ndarray of bool, shape (...)
    """
    return log_mean(np.asarray(sums, dtype=np.float64) - rounds * np.log1p(WEIGHT_RATES)) >= -log(alpha)


# ---- Theorems.


@dataclass(frozen=True, slots=True)
class ValueLedger:
    """The sums of one policy, of rewards on the scale from 0, the worst, to 1.

    Attributes
    ----------
    rounds : float
    estimate : float
        Of its mean reward, in [0, 1].
    gains, losses : ndarray, shape (rates,)
        S_t of the weighted rewards, and of the weighted 1 - reward.
    width : float
        Of the range, in the unit of the rewards.
    weights : ndarray, shape (weight rates,)
        S_t of the weights.
    """

    rounds: float
    estimate: float
    gains: Array
    losses: Array
    width: float
    weights: Array


@dataclass(frozen=True, slots=True)
class ExcessLedger:
    """The sums of one policy and others, of rewards on the scale from 0, the worst, to 1.

    Attributes
    ----------
    rounds : float
    sums : ndarray, shape (rates,)
        S_t of z_t = w_t r_t + v_t (1 - r_t); of several others, for the one with the least L.
    others : float
        N, with how many policies the one is compared at once.
    width : float
        Of the range, in the unit of the rewards.
    refuted : bool
        Whether every mean reward of one of these policies is refused, or its weights are: its own at delta, those
        of the others at delta / N.
    """

    rounds: float
    sums: Array
    others: float
    width: float
    refuted: bool = False


def value_interval(ledger: ValueLedger, delta: float) -> tuple[float, float]:
    """The ends of the interval on the scale from 0 to 1, half of delta for each; the lower one is above the upper one
    where all means are refused."""
    gains, rounds, losses = ledger.gains, ledger.rounds, ledger.losses
    low, missed = least_mean([gains, losses], rounds, 1.0, delta / 2).tolist()
    return low, 1 - missed


def means_left(ledger: ValueLedger, delta: float) -> bool:
    """Whether some mean from 0 to 1 is not refused: the ends have not crossed, nor does one of them refuse the other
    end of the scale, at which it stops."""
    if any(all_refused(sums, ledger.rounds, 1.0, delta / 2) for sums in (ledger.gains, ledger.losses)):
        return False
    low, high = value_interval(ledger, delta)
    return low <= high


def refuted(ledger: ValueLedger, delta: float) -> bool:
    """Whether nothing can be said of a policy: its weights are refused, or all means of its reward."""
    return bool(weights_refused(ledger.weights, ledger.rounds, delta)) or not means_left(ledger, delta)


def _means_left(ledger: ValueLedger, comparator: None, learner: Confidence) -> bool:
    return means_left(ledger, learner.delta)


def _differences_left(ledger: ExcessLedger, comparator: Rivals, learner: Confidence) -> bool:
    return not (ledger.refuted or all_refused(ledger.sums, ledger.rounds, 2.0, learner.delta / ledger.others))


def _weights_possible(ledger: ValueLedger, comparator: None, learner: Confidence) -> bool:
    return not weights_refused(ledger.weights, ledger.rounds, learner.delta)


WRONG = "either the propensities are wrong, or what is improbable happened"
SMALL = "either the propensities are too small, or what is improbable happened"
POSSIBLE = (f"the weights have a mean above 1: {SMALL}", _weights_possible)
NOT_ALL = (f"every mean is refused: {WRONG}", _means_left)
NOT_REFUTED = (
    f"the weights or all means of one of these policies, or all differences, are refused: {WRONG}",
    _differences_left,
)


@theorem(
    title="Policy value",
    quantity="error of the estimate at any time",
    counts=conditional_mean,
    formula=r"\left|\hat a - \frac{1}{T}\sum_{t=1}^{T} a_t\right| \le w \max(\hat a - L(w_t r_t), 1 - L(w_t (1 - r_t))"
    r" - \hat a),\quad L(x): "
    r"\frac{1}{J}\sum_{j=1}^{J} \prod_{t=1}^{T} \frac{1 + u_j x_t}{1 + u_j L} = \frac{2}{\delta}",
    source=SOURCE,
    kind="probable",
    assumes=[PLAYED, POSSIBLE, NOT_ALL],
    whole=False,
    most=farthest,
)
def policy_value(ledger: ValueLedger, comparator: Any, learner: Confidence) -> float:
    """Let a log have the propensities with which its actions were drawn, by whatever policy, and let another policy
    know the rounds before alone. With probability 1 - delta, for all T at once, the average of what was to be expected
    of that policy's rewards in these rounds, given those before, is between two ends, of which none is farther from
    the estimate than this. Nothing is assumed of how rewards come about, nor of how large weights are."""
    low, high = value_interval(ledger, learner.delta)
    return ledger.width * max(ledger.estimate - low, high - ledger.estimate, 0.0)


@theorem(
    title="Policy excess",
    quantity="average excess loss at any time",
    counts=conditional_mean,
    formula=r"\frac{1}{T}\sum_{t=1}^{T} (b_t - a_t) \le w (1 - L),\quad \frac{1}{J}\sum_{j=1}^{J} \prod_{t=1}^{T} "
    r"\frac{1 + u_j (w_t r_t + v_t (1 - r_t))}{1 + u_j L} = \frac{N}{\delta}",
    source=SOURCE,
    kind="probable",
    assumes=[PLAYED, NOT_REFUTED],
    whole=False,
    most=farthest,
)
def policy_excess(ledger: ExcessLedger, comparator: Rivals, learner: Confidence) -> float:
    """Let a log have the propensities with which its actions were drawn, by whatever policy. With probability
    1 - delta, for all T at once, the average of what was to be expected of the first policy's losses in these rounds
    exceeds that of each of N others by at most w (1 - L), L for the one where it is least; below 0 the first one is
    better than all of them. A reward is a loss from the top of its range. Nothing is assumed of how rewards come about,
    nor of how large weights are."""
    least = float(least_mean(ledger.sums, ledger.rounds, 2.0, learner.delta / ledger.others))
    return ledger.width * (1 - least)
