r"""How much can gradient descent and passive-aggressive learners pay whose weights are mixed over shards?

The notation is that of `mixing`: mu-weighted sums over mixings n and shards i, each shard from the mixed weights
w_{n-1}. D = |w - u| is the distance from a fixed u, and it is convex in w.

*Gradient descent.* In a round with gradient g and rate eta, <g, w - u> <= (D_t^2 - D_{t+1}^2) / (2 eta) + eta |g|^2 /
2, projected or not. Within shard i and mixing n rates never grow, from f to l. If W is the largest length of weights
before any round and B = |u| + W, summation by parts leaves of the first term

    D(w_{n-1})^2 / (2 f_i) - D(w_{n,i})^2 / (2 l_i) + (1 / l_i - 1 / f_i) B^2 / 2.

A shard without a step has no regret, and equal distances: any f_i = l_i will do. By Cauchy and Schwarz and convexity,
D(w_n)^2 <= (sum_i mu_i D(w_{n,i}))^2 <= (sum_i mu_i l_i) (sum_i mu_i D(w_{n,i})^2 / l_i), so that the mean of the
middle terms is at most - D(w_n)^2 / (2 e_n), with e_n = sum_i mu_i l_i, and pays for the first term of the next epoch
up to (sum_i mu_i / f_i - 1 / e_n) D(w_n)^2 / 2, where D(w_n) <= B if that is positive. So the weighted regret is at
most

    |u|^2 opening / 2  +  B^2 slowing / 2  +  (weighted sum of eta |g|^2) / 2,

opening = sum_i mu_{1,i} / f_{1,i} and slowing = the sum of all (mean of 1 / l - mean of 1 / f) and of all positive
(mean of the next 1 / f - 1 / e). Nothing is asked of how the rates of one mixing follow from those of the last. With
one shard it is the bound of one learner.

*Before the run.* Let the clock of a mixing (rounds, sum of |g|^2) begin with the largest that any shard ended the last
one with. Then no rate of a mixing is above any last rate e of the one before, and with the smallest one in place of the
mean the terms telescope: the distances cost (D^2 / 2) / e_N, if no two points of the ball are further apart than D. Let
tau be the rounds along the longest path, the sum over the mixings of the longest shard. Rates c / sqrt(t) have e_N >= c
/ sqrt(tau), and the sum of rates over a shard is at most that over the longest one, together 2 c sqrt(tau) at most.
Rates c / sqrt(sigma), sigma the clock's sum of |g|^2, have sigma <= G^2 tau; a shard's sum of eta |g|^2 is at most 2 c
(sqrt of its sigma at the end - at the start), and with the largest end it telescopes to 2 c G sqrt(tau). A constant
rate counts the weighted rounds.

*Passive-aggressive.* |w - v|^2 shrinks by at least tau (2 l - tau |x|^2 - 2 l*) in a step, l and l* being the losses of
w and v, and is convex: the weighted sum of all these is at most |v|^2. What follows for one learner used the sums
alone, and Cauchy and Schwarz where squares are wanted, which holds with weights. <v, w_N> is the weighted sum of tau y
<v, x>: the posterior bound.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from ..comparator import Comparator
from . import gradient
from .margin_losses import MARGIN_LOSSES
from .mixing_facts import MixedFacts, MixedLedger, of_mixed_posterior, of_shards


def _posterior(ledger: MixedLedger, comparator: Comparator) -> float:
    start = comparator.norm**2 * ledger.opening / 2
    reach = comparator.norm + sqrt(ledger.mixed.reach2)
    return start + reach**2 * ledger.slowing / 2 + ledger.mixed.step2 / 2


@of_shards(
    gradient.posterior_regret,
    formula=r"\sum_{n,i} \mu_{n,i} R_{n,i} \le \frac{\lVert u \rVert^2}{2} \sum_i \frac{\mu_{1,i}}{f_{1,i}}"
    r" + \frac{(\lVert u \rVert + W)^2}{2} \sum_n \left(\sum_i \frac{\mu_{n,i}}{l_{n,i}} - \sum_i"
    r" \frac{\mu_{n,i}}{f_{n,i}} + \left[\sum_i \frac{\mu_{n,i}}{f_{n,i}} - \frac{1}{\sum_i \mu_{n-1,i}"
    r" l_{n-1,i}}\right]_+ \right) + \frac{1}{2} \sum_{n,i} \mu_{n,i} \sum_t \eta_t \lVert g_t \rVert^2",
)
def mixed_posterior_regret(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """Against every u, the weighted regret is at most |u|^2 / 2 times the mean of 1 / f in the first mixing, plus (|u|
    + W)^2 / 2 times what 1 / rate has grown by in the mean, plus half the weighted sum of the rates times the squared
    gradients; f and l are the first and the last rates of the shards, and W is the largest length the weights had, all
    as observed."""
    return _posterior(ledger, comparator)


@of_shards(
    gradient.prior_regret,
    formula=r"\sum_{n,i} \mu_{n,i} R_{n,i} \le \frac{\lVert u \rVert^2}{2\eta} + \frac{\eta}{2} G^2"
    r" \sum_{n,i} \mu_{n,i} m_{n,i} \ \text{(constant)},\quad \left(\frac{D^2}{2c} + c G^2\right)\sqrt{\tau}"
    r" \ (c/\sqrt{t}),\quad"
    r" \left(\frac{D^2}{2c} + c\right) G \sqrt{\tau} \ \text{(self-tuned)},\quad \tau = \sum_n \max_i m_{n,i}",
    source=f"{gradient.prior_regret.source}; mixed by convexity, along the longest path",
)
def mixed_prior_regret(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """With gradients of at most G and every comparator within D of every iterate, the weighted regret is at most |u|^2
    / (2 eta) plus eta G^2 / 2 times the weighted rounds for a constant rate eta, (D^2 / (2c) + c G^2) sqrt(tau) for c /
    sqrt(t), and (D^2 / (2c) + c) G sqrt(tau) for c / sqrt(sum of squared gradients), where tau is the number of rounds
    along the longest path, one shard a mixing, and the clock of the rates begins each mixing where the slowest shard
    ended the last."""
    rounds = ledger.mixed.rounds if learner.player.schedule == "constant" else ledger.path
    return gradient.prior_regret.bound(replace(ledger.mixed, rounds=rounds), comparator, learner.player)


@of_shards(gradient.mistakes_from_regret)
def mixed_mistakes_from_regret(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """A round that is predicted wrongly costs at least the loss of a score of 0, so the weighted mistakes are at most
    the weighted loss of any comparator plus the weighted regret against it, over that loss."""
    lost = (comparator.loss or 0.0) + _posterior(ledger, comparator)
    return lost / MARGIN_LOSSES[learner.loss].of_a_mistake


MIXED_GRADIENT_DESCENT = (mixed_posterior_regret, mixed_prior_regret, mixed_mistakes_from_regret)


@of_shards(gradient.aggressive_separable)
def mixed_aggressive_separable(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round of every shard, the weighted squared hinge losses of PA
    sum to at most (r / rho)^2."""
    return gradient.aggressive_separable.bound(ledger.mixed, comparator, learner.player)


@of_shards(gradient.aggressive_mistakes)
def mixed_aggressive_mistakes(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round of every shard, the weighted mistakes of PA are at most (r
    / rho)^2."""
    return gradient.aggressive_mistakes.bound(ledger.mixed, comparator, learner.player)


@of_shards(gradient.aggressive_agnostic)
def mixed_aggressive_agnostic(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If all rows have the same length r, then for every v the weighted squared hinge losses of PA sum to at most (U +
    sqrt(U^2 + r^2 |v|^2))^2, where U^2 is the weighted sum of the squared hinge losses of v. For rows of different
    lengths that is false."""
    # The least length of a row follows from plain sums.
    plain = replace(ledger.mixed, rounds=ledger.plain.rounds, total_norm2=ledger.plain.total_norm2)
    return gradient.aggressive_agnostic.bound(plain, comparator, learner.player)


@of_shards(gradient.limited_mistakes)
def mixed_limited_mistakes(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every v, the weighted mistakes of PA-I are at most max(r^2, 1/C) (|v|^2 + 2 C H), where H is the weighted sum
    of the hinge losses of v over all rounds."""
    return gradient.limited_mistakes.bound(ledger.mixed, comparator, learner.player)


@of_shards(gradient.limited_posterior)
def mixed_limited_posterior(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every v, the weighted mistakes of PA-I are at most max(r^2, 1/C) (C H + |v| |w|), where H is the weighted sum
    of the hinge losses of v over all rounds and w are the mixed weights after the last epoch."""
    limit: float = getattr(learner.player, "limit")  # noqa: B009
    steps = limit * comparator.hinge + comparator.norm * learner.player.norm
    steps += limit * of_mixed_posterior(ledger, comparator, learner)
    return max(ledger.mixed.max_norm2, 1 / limit) * steps


@of_shards(gradient.damped_losses)
def mixed_damped_losses(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every v, the weighted squared hinge losses of PA-II sum to at most (r^2 + 1/(2C)) (|v|^2 + 2 C U^2), where
    U^2 is the weighted sum of those of v."""
    return gradient.damped_losses.bound(ledger.mixed, comparator, learner.player)


@of_shards(gradient.damped_mistakes)
def mixed_damped_mistakes(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every v, the weighted mistakes of PA-II are at most (r^2 + 1/(2C)) (|v|^2 + 2 C U^2), where U^2 is the
    weighted sum of the squared hinge losses of v."""
    return gradient.damped_mistakes.bound(ledger.mixed, comparator, learner.player)


MIXED_PA = {
    "PA": (mixed_aggressive_separable, mixed_aggressive_mistakes, mixed_aggressive_agnostic),
    "PA-I": (mixed_limited_mistakes, mixed_limited_posterior),
    "PA-II": (mixed_damped_losses, mixed_damped_mistakes),
}
