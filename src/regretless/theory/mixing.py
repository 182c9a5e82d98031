r"""How often can a perceptron err whose weights are mixed over shards?

In mixing n each of some shards i begins with the mixed weights w_{n-1} (w_0 = 0), plays its own rounds with k_{n,i}
updates, and ends with w_{n,i}; then w_n = sum_i mu_{n,i} w_{n,i}, where mu_{n,i} >= 0 and sum_i mu_{n,i} = 1, chosen in
whatever way, in hindsight too. A mixing is of all shards, or an epoch has several, of groups of shards in turn; S is
the number of shards in the largest group. For any vector v let H_{n,i} be the sum of its hinge losses over **all**
rounds of shard i. Weighted sums are K = sum mu_{n,i} k_{n,i}, H = sum mu_{n,i} H_{n,i}, and U = sum mu_{n,i} U_{n,i} of
the squared lengths of the update rows; shard i's part of H is s_i = sum_n mu_{n,i} times what v suffers in one reading
of it.

*Two inequalities.* Within a shard <v, w> grows by at least eta (1 - h) in an update of hinge loss h, and |w|^2 by at
most eta^2 |x|^2, as y <w, x> <= 0. So

    <v, w_{n,i}> >= <v, w_{n-1}> + eta (k_{n,i} - H_{n,i}),      |w_{n,i}|^2 <= |w_{n-1}|^2 + eta^2 U_{n,i}.

Take the means over i: <v, .> is linear, and |.|^2 convex, so that the mean's square is at most the mean of the squares.
Summed over the mixings,

    K <= H + <v, w_N> / eta <= H + |v| |w_N| / eta,              |w_N|^2 <= eta^2 U <= eta^2 r^2 K.

*All theorems of the perceptron follow for the weighted sums* as they do for plain ones: K <= H + |v| |w_N| / eta
(posterior), K <= H + |v| sqrt(U) (lengths), K <= H + r |v| sqrt(K) (sharp), hence K <= (r |v|)^2 + 2 H (total
distance), and K <= (r / rho)^2 where v / rho has no hinge loss. The hinge losses of the updates sum to at most sqrt(K)
|L|, by Cauchy and Schwarz with weights mu, |L|^2 being the weighted sum of their squares: K <= (r |v| + |L|)^2.

*Plain counts* obey no such bound: on separable data there are runs with more than (r / rho)^2 updates in all. With the
same mu for all shards their number is M = S K, with S shards. With mu in proportion to the updates, k_n of them in
mixing n, S sum_i k_{n,i}^2 >= k_n^2 says k_n <= S sum_i mu_{n,i} k_{n,i}, so M <= S K; the same holds of several
learners that share one mu, for their updates together. With mu in proportion to the rows M <= K / min mu. In each case
M <= c K, and none of the c can be smaller: all updates may fall to one shard, the one with the smallest mu, or alike to
all of them.

*Epochs.* A mixing with an update adds at least 1 / S to K, with mu in proportion to the updates at least 1 (k^2 >= k),
and with mu in proportion to the rows at least min mu. So on separable data an epoch without update comes, its mixed
weights separate all shards, and every later epoch leaves them as they are.

*Several classes.* The perceptron of several classes has steps of squared length 2 |x|^2 in the space of matrices, and
lengths there are convex too: the same two inequalities, with 2 r^2 for r^2.

Weights that are averaged once, after shards have learned apart, obey no such thing: the mean of two vectors, each of
which is right on its own shard, may be wrong on both, and no later epoch puts it right.
"""

from __future__ import annotations

from math import sqrt

from ..comparator import Comparator
from . import perceptron
from .mixing_facts import MixedFacts, MixedLedger, of_all_updates, of_epochs, of_mixed_posterior, of_shards

SOURCE = "McDonald, Hall & Mann 2010, Thm 3"


@of_shards(perceptron.separable, source=SOURCE)
def mixed_separable(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round of every shard, the weighted updates are at most (r /
    rho)^2, over any number of epochs and whatever the weights of the shards."""
    return perceptron.separable.bound(ledger.mixed, comparator, learner.player)


@of_shards(perceptron.sharp)
def mixed_sharp(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates K satisfy K <= H + a sqrt(K), where H is the weighted sum of the hinge
    losses of v over all rounds and a = r |v|; so K is at most the square of the larger root."""
    return perceptron.sharp.bound(ledger.mixed, comparator, learner.player)


@of_shards(perceptron.squared_hinge)
def mixed_squared_hinge(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates are at most (a + |L|)^2, where |L|^2 is the weighted sum of the squared
    hinge losses of v over all rounds and a = r |v|."""
    return perceptron.squared_hinge.bound(ledger.mixed, comparator, learner.player)


@of_shards(perceptron.total_distance)
def mixed_total_distance(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates are at most (r / gamma)^2 + 2 TD / gamma, where gamma = 1 / |v| and TD
    is the weighted total distance by which rows would have to move to have margin gamma."""
    return perceptron.total_distance.bound(ledger.mixed, comparator, learner.player)


@of_shards(perceptron.lengths)
def mixed_lengths(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates are at most H + |v| sqrt(U), where H is the weighted sum of the hinge
    losses of v over all rounds and U that of the squared lengths of the rows that were updates."""
    exact = comparator.hinge + comparator.norm * sqrt(ledger.mixed.update_norm2)
    return exact + of_mixed_posterior(ledger, comparator, learner)


@of_shards(perceptron.posterior)
def mixed_posterior(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, the weighted updates are at most H + |v| |w| / eta, where H is the weighted sum of the hinge
    losses of v over all rounds, w are the mixed weights after the last epoch and eta is the length of the steps."""
    exact = comparator.hinge + comparator.norm * learner.player.norm / learner.player.rate
    return exact + of_mixed_posterior(ledger, comparator, learner)


@of_all_updates(
    mixed_separable,
    r"\frac{r^2}{\rho^2}",
    source=SOURCE,
    title="All updates, separable data",
)
def all_separable(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round of every shard, all updates of all S shards are at most c
    (r / rho)^2, where c is the number of shards that are mixed together for uniform mixing and for mixing by updates,
    and one over the smallest share of the rows of a mixing for mixing by rows. Without c that is false."""
    return learner.total * mixed_separable.bound(ledger, comparator, learner)


@of_all_updates(
    mixed_sharp,
    r"\left(\frac{a + \sqrt{a^2 + 4H}}{2}\right)^2",
    source="the sharp bound on the weighted updates, and Cauchy and Schwarz",
)
def all_sharp(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every vector v, all updates are at most c times the sharp bound on the weighted ones, where c is the number
    of shards that are mixed together for uniform mixing and for mixing by updates, and one over the smallest share of
    the rows of a mixing for mixing by rows."""
    return learner.total * mixed_sharp.bound(ledger, comparator, learner)


@of_epochs(
    mixed_separable,
    r"\frac{r^2}{\rho^2}",
    source=SOURCE,
)
def epochs_until_clean(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some v has y <v, x> / |v| >= rho > 0 in every round of every shard, at most c (r / rho)^2 epochs have an
    update, where c is 1 for mixing by updates, the number of shards that are mixed together for uniform mixing, and one
    over the smallest share of the rows of a mixing for mixing by rows; the weights of an epoch without update separate
    all shards."""
    return learner.busy * mixed_separable.bound(ledger, comparator, learner)


MIXED_PERCEPTRON = (
    mixed_separable,
    mixed_sharp,
    mixed_squared_hinge,
    mixed_total_distance,
    mixed_lengths,
    mixed_posterior,
    all_separable,
    all_sharp,
    epochs_until_clean,
)


@of_shards(perceptron.classes_separable)
def mixed_classes_separable(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some matrix V gives every round's class, in every shard, a score that is at least rho |V| above all others,
    the weighted updates are at most 2 (r / rho)^2, over any number of epochs."""
    return perceptron.classes_separable.bound(ledger.mixed, comparator, learner.player)


@of_shards(perceptron.classes_sharp)
def mixed_classes_sharp(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every matrix V, the weighted updates K satisfy K <= H + a sqrt(K), where H is the weighted sum over all
    rounds of max(0, 1 - the lead of the round's class over the best other) and a = sqrt(2) r |V|."""
    return perceptron.classes_sharp.bound(ledger.mixed, comparator, learner.player)


@of_shards(perceptron.classes_posterior)
def mixed_classes_posterior(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every matrix V, the weighted updates are at most H + |V| |W| / eta, where W are the mixed weights of all
    classes after the last epoch and eta is the length of the steps."""
    exact = comparator.hinge + comparator.norm * learner.player.norm / learner.player.rate
    return exact + 2 * of_mixed_posterior(
        ledger, comparator, learner
    )  # differences of two vectors, at most sqrt(2) |V|


@of_all_updates(
    mixed_classes_sharp,
    r"\left(\frac{a + \sqrt{a^2 + 4H}}{2}\right)^2,\quad a = \sqrt{2}\, r \lVert V \rVert",
    source="the sharp bound on the weighted updates, and Cauchy and Schwarz",
    title="All updates, for classes",
)
def all_classes_sharp(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """For every matrix V, all updates are at most c times the sharp bound on the weighted ones, where c is the number
    of shards that are mixed together for uniform mixing and for mixing by updates, and one over the smallest share of
    the rows of a mixing for mixing by rows."""
    return learner.total * mixed_classes_sharp.bound(ledger, comparator, learner)


@of_epochs(
    mixed_classes_separable,
    r"\frac{2 r^2}{\rho^2}",
    source=f"{SOURCE}, for several classes",
    title="Epochs until clean, for classes",
    apart=False,
)
def classes_epochs_until_clean(ledger: MixedLedger, comparator: Comparator, learner: MixedFacts) -> float:
    """If some matrix V gives every round's class, in every shard, a score that is at least rho |V| above all others, at
    most 2 c (r / rho)^2 epochs have an update, where c is 1 for mixing by updates, the number of shards that are mixed
    together for uniform mixing, and one over the smallest share of the rows of a mixing for mixing by rows."""
    return learner.busy * mixed_classes_separable.bound(ledger, comparator, learner)


MIXED_MULTICLASS = (
    mixed_classes_separable,
    mixed_classes_sharp,
    mixed_classes_posterior,
    all_classes_sharp,
    classes_epochs_until_clean,
)
