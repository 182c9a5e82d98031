r"""What a mixture of linear learners loses beside each of them, and beside every vector.

All theorems are about the log loss of one target, l(s) = ln(1 + exp(-y s)), over T rounds. Those about members are
sums of the run alone, and hold of rounds that weigh at most 1. Those about vectors read the rows once more; what a row
weighed is not known then, nor can labels be told from others by playing the rounds again, so that all must weigh 1.

**Mixture.** Bayes' rule gives member j the weight pi_j exp(-l_j) / sum. Its logarithm telescopes: what the mixture has
lost so far is at most ``ln(1 / pi_j)`` more than member j has (Vovk 1990). A share a_t that goes round after round t
multiplies the weight of j by at least 1 - a_t. Here ``1 - a_t = ln(t + e - 1) / ln(t + e)``, so that ``prod_{t < T} (1
- a_t) = 1 / ln(T + e - 1)`` and L <= L_j + ln K + ln ln(T + e - 1). (A share of 1 / (t + 1) would cost ln T.) A change
of members after round t has a share a_t / K in place of 1 - a_t: with m changes, after the rounds t_1, ..., t_m,
L is at most what the sequence loses, plus (m + 1) ln K + ln ln(T + e - 1) + sum ln((1 - a_t) / a_t) over these rounds,
each of which is at most ln((t + e) ln(t + e)) (Herbster & Warmuth 1998). Members that retire leave their weight to the
others, in proportion, which only raises these; but K counts them, too, for those that stay began with 1 / K. Where a
round weighs c < 1, both sides have c times its loss: by concavity sum pi p^c <= (sum pi p)^c, so that the mixture
loses no more than Bayes' rule says.

**Rates.** ``w_t = eta G_t / a_t`` maximises <G_t, w> - sum a_t w^2 / (2 eta), where G_t is minus the sum of gradients
before round t. a_t = N (S + M^2)^(1/2) never shrinks and knows of round t the row alone. The lemma of follow the
regularised leader (McMahan 2017) with regularisers that never shrink gives for every u, with linearised losses,

    sum <g_t, w_t - u> <= sum_i a_i u_i^2 / (2 eta) + (eta / 2) sum_t sum_i g_ti^2 / a_ti,

since from one round to the next the maximum of <G, w> - sum a w^2 / (2 eta) = (eta / 2) sum G^2 / a grows by -g w + eta
g^2 / (2 a) at most, and less yet where a grows. By convexity the left side is at least the regret. The a are those that
the kernel divides by, rounded to single precision as it rounds them, which is monotone.

**Full members.** Where |<u, x>| <= b, the log loss at s' = <u, x> is at least its quadratic lower bound around the
score s, l(s) + l'(s) (s' - s) + kappa(b) l''(s) (s' - s)^2 / 2, `curvature` being kappa. F_t(u) is the prior, sum_i
prior M_i^2 u_i^2, and these bounds of the rounds before t. With B_t = l(s_t) + min F_t - min F_{t+1}, summed up, for
every such u

    sum l(s_t) = sum B_t + min F_{T+1} <= sum B_t + sum_i prior M_i^2 u_i^2 + sum l(<u, x_t>),

for M only grows, and so do the regularisers (Jezequel, Gaillard & Rudi 2020, with a constant of 1 / (1 + b), up to 2.9
times smaller). B_t is computed in each round, in closed form, whatever rounding did to the score.

With a sketch D + B'B in the place of its matrix (`AROW` says how it is made), F_t is known by its minimum, at w_t, and
by its quadratic form. When rows b of B go and d_i, the sum of their b_i^2, is added to each D_i, the minimum stays, and
F_t(u) grows by (sum_i d_i (u_i - w_i)^2 - sum_b <b, u - w>^2) / 2, of which the second sum is left out of the bound:

    sum l(s_t) <= sum B_t + sum_i prior M_i^2 u_i^2 + sum_t sum_i d_ti (u_i - w_ti)^2 / 2 + sum l(<u, x_t>),

where the sums over t of d, d w and d w^2 are all that the run has to keep for it. `prior` is 10, not 0.01: without its
other directions a matrix that starts with less would move too far along them.

**Stacked member.** It is a full member whose features are the scores of the others, cut to [-4, 4], and 1 where there
is an intercept, with prior sum u_i^2 times a constant. So it competes with every combination of these whose scores stay
within its reach; of vectors of the rows that are the constants.

**Linearised.** For every learner of a convex loss and every u: sum l(s_t) - l(<u, x_t>) <= sum g_t (s_t - <u, x_t>) =
sum g_t s_t + <G, u>. Nothing but sums of the run enters, so it is exact, and known after the run only.

**Several classes.** Each is one target against the rest, with a probability p_c of its own. The class that came has
odds_y / sum odds, with odds p / (1 - p): what labels that are drawn for each class alone say of it if it is known that
exactly one came, p_y prod_{c != y} (1 - p_c) / P(exactly one). So its log loss is that of all targets together less
the gain, the sum of -ln P(exactly one), which is never negative and known after the run: the sum of the bounds of all
targets, less the gain, bounds it. The gain is taken as the difference of the two losses, so that rounds before the
third class, which two targets share, are no exception. And mistakes are bounded by that over ln 2, for a class that is
not the largest has at most half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from math import e, inf, isnan, log, log1p, nan
from typing import Any

import numpy as np

from ..certificate import NO_LIMIT, Most
from ..comparator import BaseComparator
from ..facts import in_json
from ..ledger import Ledger
from ..theorem import Check, theorem
from .facts import SAME_ROUNDS, STEADY, UNIT_WEIGHTS, LinearFacts, has_unit_weights

SHARES = r",\quad c = 1\ (\text{shares}),\ 0\ (\text{none})"
REACHES = (4.0, 16.0)  # of full members: how far from 0 the scores of their comparators may be
STACK_REACH = 16.0  # the same of the stacked member
LN2 = log(2)
ADDED_UP = "whose bounds are added up"  # of several classes
ROUNDING = 1e-9  # of sums over all rounds


@cache
def curvature(reach: float) -> float:
    """The largest kappa with l(a) >= l(h) + l'(h) (a - h) + kappa l''(h) (a - h)^2 / 2 for |a| <= reach and every h.

    The minimum over a of what is allowed is at a = reach, and that over h is found on a grid, with its error taken off.
    """
    h = np.linspace(-4.0, reach + 8.0, 20_001)
    d = reach - h
    logistic = 1 / (1 + np.exp(-h))
    bregman = np.log1p(np.expm1(d) * logistic) - d * logistic
    near = np.abs(d) < 1e-2
    quadratic = np.where(near, 1.0, logistic * (1 - logistic) * d * d / 2)
    return float(np.where(near, 1.0, bregman / quadratic).min() * (1 - 1e-6))


@dataclass(frozen=True, slots=True)
class AggregatedFacts(LinearFacts):
    """One target of an aggregated learner after its last round.

    Attributes
    ----------
    members : float
        How many there have been, those that have retired included.
    share : bool
        Whether a share of the weight goes round.
    heaviest : float
        The largest weight of a round.
    """

    members: float = 1.0
    share: bool = True
    heaviest: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class MemberComparator(BaseComparator):
    """A member of the mixture, or a vector that one of them competes with.

    Attributes
    ----------
    name, label : str
        "member", "sequence", "ridge", "slopes", "constant" or "yours"; what a line calls it.
    rounds, total_norm2 : float
        Of the rounds that it was read on.
    loss : float
        Its log loss.
    member, kind : str
        The member whose theorem is read against a vector: its name, and "rate", "coins", "full" or "stacked".
    regularised : float
        What the member's regularisers say of the vector; NaN if it has none.
    energy : float
        What the member adds for its steps: the same for every vector.
    reach, largest : float
        How far from 0 scores may be, and are.
    linear : float
        sum g s + <G, u>.
    vector, bias
        The vector, and its weight of the constant feature.
    switches, late : float
        Of a sequence of members, how often it changes, and the sum of `change_cost` over the rounds after which it
        does.
    """

    name: str
    label: str
    rounds: float
    loss: float
    total_norm2: float = nan
    member: str = ""
    kind: str = ""
    regularised: float = nan
    energy: float = nan
    reach: float = inf
    largest: float = 0.0
    linear: float = nan
    vector: np.ndarray[Any, Any] | None = None
    bias: float = 0.0
    switches: float = 0.0
    late: float = 0.0
    off: float = 0.0
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def rounding(self) -> float:
        """What sums over all rounds may be off by."""
        parts = (self.loss, self.regularised, self.energy, self.linear)
        return ROUNDING * sum(abs(part) for part in parts if not isnan(part)) + self.off

    def together(self, each: Sequence[MemberComparator]) -> MemberComparator:
        """Those of all classes as one, whose log losses add up."""
        return MemberComparator(
            "one for each class",
            f"{self.name if len({u.name for u in each}) == 1 else 'the best'} for each of {len(each)} classes against "
            f"the rest, {ADDED_UP}, which verify does not check",
            sum(u.rounds for u in each),
            sum(u.loss for u in each),
            regularised=sum(u.regularised for u in each),
            energy=sum(u.energy for u in each),
            linear=sum(u.linear for u in each),
            largest=max(u.largest for u in each),
            total_norm2=sum(u.total_norm2 for u in each),
        )

    def describe(self) -> dict[str, Any]:
        """The comparator as JSON values."""
        return {
            "name": self.name,
            "label": self.label,
            "member": self.member,
            "loss": self.loss,
            "rounds": self.rounds,
            "regularised": None if isnan(self.regularised) else self.regularised,
            "largest": self.largest,
            "vector": in_json(self.vector),
            "bias": self.bias,
            **self.detail,
        }


def _light(_: Ledger, __: MemberComparator, learner: AggregatedFacts) -> bool:
    return learner.heaviest <= 1


def _is_member(_: Ledger, comparator: MemberComparator, __: AggregatedFacts) -> bool:
    return comparator.name == "member"


def _is_sequence(_: Ledger, comparator: MemberComparator, __: AggregatedFacts) -> bool:
    return comparator.name == "sequence"


def _shares(_: Ledger, __: MemberComparator, learner: AggregatedFacts) -> bool:
    return learner.share


def _of(kind: str) -> Check:
    def holds(_: Ledger, comparator: MemberComparator, __: AggregatedFacts) -> bool:
        return comparator.kind == kind and not isnan(comparator.regularised)

    return holds


def _within(_: Ledger, comparator: MemberComparator, __: AggregatedFacts) -> bool:
    return comparator.largest <= comparator.reach


def _linearised(_: Ledger, comparator: MemberComparator, __: AggregatedFacts) -> bool:
    return not isnan(comparator.linear)


def _constant(_: Ledger, comparator: MemberComparator, __: AggregatedFacts) -> bool:
    return comparator.name == "constant"


LIGHT: tuple[str, Check] = ("the mixture of probabilities is about rounds that weigh at most 1", _light)
WITHIN: tuple[str, Check] = (
    "the scores of the comparator must stay within the reach of a full member, and these do not",
    _within,
)
COUNTED: tuple[str, Check] = (
    "it reads labels again and counts each round once, and weights were given: learn without them, or repeat rows",
    has_unit_weights,
)
FULL = "it is about full members, which beyond 256 features are there for dense rows alone unless `full` says otherwise"
PLAYED = (SAME_ROUNDS, LIGHT, STEADY)


def log_loss(ledger: Ledger, _: MemberComparator) -> float:
    """What is bounded."""
    return ledger.loss


def _limit(ledger: Ledger, __: MemberComparator, ___: AggregatedFacts) -> Most:
    """Nothing is known of the log loss beforehand but that a coin has ln 2 in a round of weight 1."""
    if ledger.weighted:
        return NO_LIMIT
    return Most(ledger.rounds * LN2, "ln 2 for each round, which a coin loses")


def cost(ledger: Ledger, learner: AggregatedFacts) -> float:
    """ln K, and ln ln(T + e - 1) where a share goes round."""
    spread = log(learner.members)
    return spread + log(log(ledger.rounds + e - 1)) if learner.share and ledger.rounds > 1 else spread


def change_cost(t: float) -> float:
    """ln((1 - a) / a), a the share that goes round after round t: what a change of members then costs besides ln K."""
    return log(log(t + e - 1) / log1p(1 / (t + e - 1)))


@theorem(
    title="Aggregation",
    quantity="log loss",
    counts=log_loss,
    formula=r"L \le \min_j L_j + \ln K + c \ln\ln(T + e - 1)" + SHARES,
    source="Vovk 1990; Herbster & Warmuth 1998, with shares of about 1 / (t ln t)",
    assumes=(*PLAYED, ("it is about members, and there is none", _is_member)),
    whole=False,
    most=_limit,
)
def mixture(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    """The log loss of the mixture is at most that of any of its K members, which count all that ever played, plus ln K,
    plus ln ln(T + e - 1) where 1 - ln(t + e - 1) / ln(t + e) of the weight goes round after round t."""
    return comparator.loss + cost(ledger, learner)


@theorem(
    title="Aggregation, members that change",
    quantity="log loss",
    counts=log_loss,
    formula=r"L \le \sum_{s} L_{j_s} + (m + 1) \ln K + \ln\ln(T + e - 1)"
    r" + \sum_{s=1}^{m} \ln\frac{1 - a_{t_s}}{a_{t_s}}",
    source="Herbster & Warmuth 1998, with shares of about 1 / (t ln t)",
    assumes=(
        *PLAYED,
        ("it is about a mixture in which a share of the weight goes round", _shares),
        ("no sequence of members is known whose bound is smaller than that of one of them", _is_sequence),
    ),
    whole=False,
    most=_limit,
)
def switching(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    """The log loss of the mixture is at most that of any sequence of its K members, which changes m times, after the
    rounds t_1, ..., t_m, plus (m + 1) ln K, ln ln(T + e - 1), and the sum of ln((1 - a_t) / a_t) over these rounds, a_t
    being the share that goes round: each is about ln t + ln ln t."""
    return comparator.loss + cost(ledger, learner) + comparator.switches * log(learner.members) + comparator.late


def _against(comparator: MemberComparator) -> float:
    return comparator.loss + comparator.regularised + comparator.energy


@theorem(
    title="Against every vector, by a rate",
    quantity="log loss",
    counts=log_loss,
    formula=r"L \le L(u) + \sum_i \frac{a_i u_i^2}{2\eta} + \frac{\eta}{2} Q + \ln K + c \ln\ln(T + e - 1)" + SHARES,
    source="the lemma of follow the regularised leader (McMahan 2017) and the mixture",
    assumes=(*PLAYED, COUNTED, ("it is about rates, and there is none", _of("rate"))),
    whole=False,
    most=_limit,
)
def by_a_rate(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    """For every vector u and rate eta, the log loss is at most that of u, plus sum a_i u_i^2 / (2 eta) with the last a,
    plus eta / 2 times the sum of the squared gradients over their a, plus what the mixture costs."""
    return _against(comparator) + cost(ledger, learner)


@theorem(
    title="Against every vector, by a full matrix",
    quantity="log loss",
    counts=log_loss,
    formula=r"L \le L(u) + \lambda \sum_i M_i^2 u_i^2 + \sum_t B_t + \ln K + c \ln\ln(T + e - 1)" + SHARES,
    source="Jezequel, Gaillard & Rudi 2020 with the largest curvature, and the mixture",
    assumes=(*PLAYED, COUNTED, (FULL, _of("full")), WITHIN),
    whole=False,
    most=_limit,
)
def by_a_matrix(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    """For every vector u whose scores stay within the reach of a full member, the log loss is at most that of u, plus
    the prior times sum M_i^2 u_i^2, plus the increments B as the run had them, plus what the mixture costs; where its
    matrix is a sketch, plus half the sum of d_i (u_i - w_i)^2 over the features and the times at which the sketch gave
    d_i to its diagonal, w being the weights of the time."""
    return _against(comparator) + cost(ledger, learner)


@theorem(
    title="Against every vector, linearised",
    quantity="log loss",
    counts=log_loss,
    formula=r"L \le L(u) + \sum_t g_t s_t + \langle G, u \rangle + \ln K + c \ln\ln(T + e - 1)" + SHARES,
    source="convexity; Kempka, Kotlowski & Warmuth 2019 for the bettor",
    assumes=(*PLAYED, COUNTED, ("it is about diagonal members, and there is none", _linearised)),
    whole=False,
    most=_limit,
)
def linearised(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    """For every vector u and diagonal member, the log loss is at most that of u plus the linearised regret of the
    member against u, as the run had it, plus what the mixture costs."""
    return comparator.loss + comparator.linear + cost(ledger, learner)


def _best_bound(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    if comparator.name == "member":
        return comparator.loss + cost(ledger, learner)
    bounds = [comparator.loss + comparator.linear]
    if comparator.largest <= comparator.reach:
        bounds.append(_against(comparator))
    return min((bound for bound in bounds if not isnan(bound)), default=nan) + cost(ledger, learner)


def _bounded(_: Ledger, comparator: MemberComparator, __: AggregatedFacts) -> bool:
    regularised = not isnan(comparator.regularised) and comparator.largest <= comparator.reach
    return comparator.name != "member" and (regularised or not isnan(comparator.linear))


@theorem(
    title="Against the best constant",
    quantity="log loss",
    counts=log_loss,
    formula=r"L \le T\,h(n_+/T) + \min_j R_j(u) + \ln K + c \ln\ln(T + e - 1)" + SHARES,
    source="the theorems above, for a constant probability chosen in hindsight",
    assumes=(
        *PLAYED,
        COUNTED,
        ("there must be an intercept, and rounds of both classes", _constant),
        ("no member has a theorem about a constant", _bounded),
    ),
    whole=False,
    most=_limit,
)
def against_constant(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    """The log loss is at most that of the best constant probability, plus the regret that the theorem of some member
    allows against it, plus what the mixture costs."""
    return _best_bound(ledger, comparator, learner)


@theorem(
    title="Mistakes from the log loss",
    quantity="mistakes",
    counts=lambda ledger, _: ledger.mistakes,
    formula=r"M \le \frac{1}{\ln 2}\Big(L(u) + \min_j R_j(u) + \ln K + c \ln\ln(T + e - 1)\Big)" + SHARES,
    source="the theorems above; the true label of a wrong round had a probability of at most 1/2",
    assumes=(*PLAYED, UNIT_WEIGHTS, ("there must be a vector to compare with", _bounded)),
)
def mistakes_from_log_loss(ledger: Ledger, comparator: MemberComparator, learner: AggregatedFacts) -> float:
    """A round of weight 1 that is predicted wrongly costs the mixture ln 2 at least, so the mistakes are at most any
    bound on its log loss over ln 2."""
    return _best_bound(ledger, comparator, learner) / LN2


EVERY_VECTOR = (by_a_matrix, by_a_rate, linearised)
AGGREGATED = (*EVERY_VECTOR, mixture, switching, against_constant, mistakes_from_log_loss)
