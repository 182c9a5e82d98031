r"""How often can a p-norm perceptron and Winnow err whose dual coordinates are mixed over shards?

The notation is that of `mixing`, with dual coordinates theta in the place of the weights: theta_n = sum_i mu_{n,i}
theta_{n,i}, and the weights follow from the mean. (The mean of the weights themselves would be another learner.) As <v,
.> is linear,

    K <= H + <v, theta_N> / eta.

*p-norm perceptron.* An update adds at most (p - 1) eta^2 R_p^2 to |theta|_p^2, and |.|_p^2 is convex: |theta_N|_p^2 <=
(p - 1) eta^2 R_p^2 K, and <v, theta> <= |v|_q |theta|_p.

*Winnow.* KL(v, w(theta)) = ln(sum of exp(theta_i)) - <v, theta> + a constant of v, for v in the simplex, is convex in
theta, and an update changes it by at most ln cosh(eta r) - eta y <v, x>. So the weighted sums satisfy 0 <= KL(v, w_N)
<= KL(v, w_0) + K ln cosh(eta r) - eta rho (K - H), as plain ones do. Balanced, there are the features x and -x, with
theta and -theta.
"""

from __future__ import annotations

from dataclasses import replace

from ..comparator import Comparator
from . import mirror
from .mixing_facts import (
    MixedFacts,
    MixedLedger,
    of_all_updates,
    of_epochs,
    of_mixed_hinge,
    of_mixed_posterior,
    of_shards,
)


def _posterior(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    exact = comparator.hinge + comparator.product / learner.player.rate
    return exact + of_mixed_posterior(ledger, comparator, learner)


def _raised(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> Comparator:
    """The comparator with a hinge loss that is not too small for rounding."""
    return replace(comparator, hinge=comparator.hinge + of_mixed_hinge(ledger, comparator, learner))


@of_shards(mirror.p_norm_separable)
def mixed_p_norm_separable(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v has y <v, x> / |v|_q >= rho > 0 in every round of every shard, the weighted updates of the p-norm
    perceptron are at most (p - 1) (R_p / rho)^2, over any number of epochs."""
    return mirror.p_norm_separable.bound(ledger.mixed, comparator, learner.player)


@of_shards(mirror.p_norm_sharp)
def mixed_p_norm_sharp(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates K satisfy K <= H + a sqrt(K), where H is the weighted sum of the hinge
    losses of v over all rounds and a = sqrt(p - 1) R_p |v|_q."""
    return mirror.p_norm_sharp.bound(ledger.mixed, comparator, learner.player)


@of_shards(mirror.p_norm_posterior)
def mixed_p_norm_posterior(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates are at most H + <v, theta> / eta, where theta are the mixed dual
    coordinates after the last epoch and eta is the length of the steps."""
    return _posterior(ledger, comparator, learner)


@of_all_updates(
    mixed_p_norm_sharp,
    r"\left(\frac{a + \sqrt{a^2 + 4H}}{2}\right)^2,\quad a = \sqrt{p - 1}\, R_p \lVert v \rVert_q",
    source="the sharp bound on the weighted updates, and Cauchy and Schwarz",
)
def all_p_norm_sharp(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, all updates are at most c times the sharp bound on the weighted ones, where c is the number
    of shards that are mixed together for uniform mixing and for mixing by updates, and one over the smallest share of
    the rows of a mixing for mixing by rows."""
    return learner.total * mixed_p_norm_sharp.bound(ledger, comparator, learner)


@of_epochs(
    mixed_p_norm_separable,
    r"(p - 1) \frac{R_p^2}{\rho^2}",
    source="each epoch with an update adds to the weighted updates",
)
def p_norm_epochs_until_clean(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v has y <v, x> / |v|_q >= rho > 0 in every round of every shard, at most c (p - 1) (R_p / rho)^2 epochs
    have an update, where c is 1 for mixing by updates, the number of shards that are mixed together for uniform mixing,
    and one over the smallest share of the rows of a mixing for mixing by rows."""
    return learner.busy * mixed_p_norm_separable.bound(ledger, comparator, learner)


MIXED_P_NORM = (
    mixed_p_norm_separable,
    mixed_p_norm_sharp,
    mixed_p_norm_posterior,
    all_p_norm_sharp,
    p_norm_epochs_until_clean,
)


@of_shards(mirror.winnow_separable)
def mixed_winnow_separable(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v (without negative weights, unless balanced) has y <v, x> / |v|_1 >= rho in every round of every shard
    and eta rho > ln cosh(eta r), the weighted updates of Winnow are at most KL(v, w_1) / (eta rho - ln cosh(eta r))."""
    return mirror.winnow_separable.bound(ledger.mixed, comparator, learner.player)


@of_shards(mirror.winnow_tuned)
def mixed_winnow_tuned(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v (without negative weights, unless balanced) has y <v, x> / |v|_1 >= gamma in every round of every
    shard, no entry of x exceeds R, and the rate is artanh(s) / R with s = gamma / R, the weighted updates of Winnow are
    at most 2 ln N / ((1 + s) ln(1 + s) + (1 - s) ln(1 - s))."""
    return mirror.winnow_tuned.bound(ledger.mixed, comparator, learner.player)


@of_shards(mirror.winnow_hinge)
def mixed_winnow_hinge(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every v (without negative weights, unless balanced) with rho = 1 / |v|_1 and eta rho > ln cosh(eta r), the
    weighted updates are at most (KL(v, w_1) + eta rho H) / (eta rho - ln cosh(eta r)), where H is the weighted sum of
    the hinge losses of v over all rounds."""
    return mirror.winnow_hinge.bound(ledger.mixed, _raised(ledger, comparator, learner), learner.player)


@of_shards(mirror.winnow_textbook)
def mixed_winnow_textbook(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every v (without negative weights, unless balanced) with rho = 1 / |v|_1 > eta r^2 / 2, the weighted updates
    are at most (ln N + eta rho H) / (eta rho - eta^2 r^2 / 2), where H is the weighted sum of the hinge losses of v
    over all rounds."""
    return mirror.winnow_textbook.bound(ledger.mixed, _raised(ledger, comparator, learner), learner.player)


@of_shards(mirror.winnow_posterior)
def mixed_winnow_posterior(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates are at most H + <v, theta> / eta, where theta are the mixed dual
    coordinates after the last epoch and H is the weighted sum of the hinge losses of v over all rounds."""
    return _posterior(ledger, comparator, learner)


@of_all_updates(
    mixed_winnow_hinge,
    r"\frac{\mathrm{KL}(v \Vert w_1) + \eta \rho H}{\eta \rho - \ln\cosh(\eta r)}",
    source="the hinge bound on the weighted updates, and Cauchy and Schwarz",
)
def all_winnow_hinge(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every v (without negative weights, unless balanced) with rho = 1 / |v|_1 and eta rho > ln cosh(eta r), all
    updates of all S shards are at most c times the hinge bound on the weighted ones, where c is the number of shards
    that are mixed together for uniform mixing and for mixing by updates, and one over the smallest share of the rows of
    a mixing for mixing by rows."""
    return learner.total * mixed_winnow_hinge.bound(ledger, comparator, learner)


@of_epochs(
    mixed_winnow_separable,
    r"\frac{\mathrm{KL}(v \Vert w_1)}{\eta \rho - \ln\cosh(\eta r)}",
    source="each epoch with an update adds to the weighted updates",
)
def winnow_epochs_until_clean(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v (without negative weights, unless balanced) has y <v, x> / |v|_1 >= rho in every round of every shard
    and eta rho > ln cosh(eta r), at most c KL(v, w_1) / (eta rho - ln cosh(eta r)) epochs have an update, where c is 1
    for mixing by updates, the number of shards that are mixed together for uniform mixing, and one over the smallest
    share of the rows of a mixing for mixing by rows."""
    return learner.busy * mixed_winnow_separable.bound(ledger, comparator, learner)


MIXED_WINNOW = (
    mixed_winnow_separable,
    mixed_winnow_tuned,
    mixed_winnow_hinge,
    mixed_winnow_textbook,
    mixed_winnow_posterior,
    all_winnow_hinge,
    winnow_epochs_until_clean,
)
