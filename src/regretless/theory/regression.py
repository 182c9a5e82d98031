r"""What learners of numbers lose beside each of their members, and beside every vector.

A round has a row x, a forecast p and an outcome y; outcomes are measured from the first one, z = y - y_1, which is
charged to
nobody: T counts the rounds after it. The loss l(p, z) is convex in p. Forecasts are kept within the range of the z so
far, 0 included.

**Full matrix** (Vovk 2001; Azoury & Warmuth 2001), of the square loss. With a prior lambda M_i^2 u_i^2 on each feature,
M_i its largest size so far, F_t(u) = sum_i lambda M_i^2 u_i^2 + sum_{s < t} (z_s - <u, x_s>)^2, A_t its matrix and w_t
its minimiser, the forecast is <w_t, x_t> / (1 + h_t), h_t = x_t' A_t^{-1} x_t. A round raises the minimum of F by (z -
<w, x>)^2 / (1 + h), and

    (z - <w, x> / (1 + h))^2 - (z - <w, x>)^2 / (1 + h) = z^2 h / (1 + h) - (<w, x>)^2 h / (1 + h)^2,

as both sides agree in each of z^2, z <w, x> and <w, x>^2. So, summed up, for every u, F growing where M grows,

    sum (z_t - p_t)^2 <= min F_{T+1} + sum z_t^2 h_t / (1 + h_t) + C <= lambda sum M_i^2 u_i^2 + sum (z_t - <u, x_t>)^2
    + ...

C is what keeping forecasts within the range cost in the rounds whose outcome lay outside it; elsewhere it only helps.
The minimum is known from the state alone: min F grows as above in a round, and by c w_i w'_i where the prior of feature
i grows by c, w and w' the minimisers before and after. So one number bounds the loss beside all vectors at once, and no
second pass is needed for it.

**Over shards.** Copies play shards s = 1, ..., S from the prior, each with outcomes measured from its own first one,
o_s, whose rounds are charged to nobody. Beside every u the loss L_s of a copy is at most F_s(u) + E_s, F_s its F_{T+1}
and E_s its energy, the last two sums of the first line above. A function o_1 + <u, x> is o_s + <u_s, x>, where u_s is u
but for the weight of the constant feature, which is larger by (o_1 - o_s) / c, c its size; without a constant feature
let u_s be u, and every shard keep its own o_s. So, as this holds on each shard for one u, for every u

    sum_s L_s <= sum_s F_s(u_s) + sum_s E_s, and so sum_s L_s <= min_u sum_s F_s(u_s) + sum_s E_s.

F_s(v) = min F_s + (v - w_s)' A_s (v - w_s), so that A_s, w_s and min F_s of two shards give those of their sum: its
matrix is A_1 + A_2, and the sum at any one vector is a valid bound, so that rounding of the minimiser matters to second
order. The penalty is summed S times. Nothing is said about a learner that goes over all rows; the merged learner has
made no forecast, and is ridge regression on the rows. Where it learns on from sums that were merged, its energy begins
with what the right side exceeds its own min F by, and the bound goes on from round to round as for one shard.

**Newton steps** (Hazan, Agarwal & Kale 2007), of the square loss. For every number q, and 0 <= c <= 1, l(q) >= l(p) +
g (q - p) + c (q - p)^2, g the slope at p, with c = 1 an equality; the steps take c = (g / (2 B))^2, as exp-concavity
has it where |y - p| <= B, B the width of the outcomes so far with this one. Let F_t(u) = sum_i lambda M_i^2 u_i^2 +
sum_{s < t} g_s (<u, x_s> - p_s) + c_s (<u, x_s> - p_s)^2, A_t its matrix, w_t its minimiser and s_t = <w_t, x_t>, which
is p_t unless it was kept within the range. Then for every u

    L - L(u) <= lambda sum M_i^2 u_i^2 - F_{T+1}(u) <= lambda sum M_i^2 u_i^2 - min F_{T+1},

F_{T+1} with the last M, and the minimum is known from the state: in a round it changes, with e = s - p, by
-g^2 h / (4 (1 + c h)) + e (g + c e) / (1 + c h), h = x' A^{-1} x, which is the least of r^2 / h + g (r + e) + c (r +
e)^2 over r; and it grows where M grows. h / (1 + c h) is x' A^{-1} x of the matrix that has taken in the row. The
second part helps while outcomes stay in the range, for then e and g have one sign. The first is B^2 c h / (1 + c h) <=
B^2 ln(1 + c h), whose sum is B^2 ln det(A_{T+1}) / det(A_1) if B and M stay as they are.

**Every convex loss.** For every u, with slopes g_t at the forecasts p_t: sum l(p_t) - l(<u, x_t>) <= sum g_t (p_t - <u,
x_t>) = sum g_t p_t + <G, u>, G minus the sum of the g_t x_t. Only sums of the run enter, so it is exact, and says
nothing before the run. So it stands for counts too, whose loss e^s - y s of a score s has slopes without a limit: their
scores are kept within the logarithms of the counts so far, which changes p_t and no step of the proof. z_t is such a
logarithm then, none taken as that of 1/2, and T the same.

**Mixture.** AdaHedge (de Rooij et al. 2014) on the mixture's own loss, which convexity makes at most the mean of the
members'. With weights pi, rate eta and c_k = -ln(pi_k) / eta >= 0: a round adds l_k - m to c_k, m = -ln(sum pi exp(-eta
l)) / eta its mix loss; a rate that falls from eta to eta' adds (1 / eta' - 1 / eta) ln K at most (Jensen); a share a_t
= 1 / (t + 1) that goes round adds ln(1 / (1 - a_t)) / eta at most, and the product of the 1 - a_t is 1 / T. Before the
first rate, which is without an end, m is the rise of the least sum of losses. As c_k stays above 0, with Delta the sum
of max(0, l(p_t) - m_t), for every member k

    L <= L_k + (ln K + ln T) / eta_T + Delta_T,

the last two as the run had them; without shares, eta = ln K / Delta and no ln T. Members that retire leave their weight
to the others, whose c_k only falls; K counts them all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan, log, nan

from ..certificate import NO_LIMIT, Most
from ..facts import Facts
from ..ledger import Ledger
from ..theorem import theorem
from .aggregated import MemberComparator
from .facts import SAME_ROUNDS, STEADY


@dataclass(frozen=True, slots=True)
class RegressionFacts(Facts):
    """A learner of numbers after its last round.

    Attributes
    ----------
    members : float
        How many there have been, those that have retired included.
    share : bool
        Whether a share of the weight goes round.
    eta, gap : float
        The rate of the mixture, 0 while it follows the leaders; and by how much its loss exceeds its mix losses, summed
        up.
    width : float
        Of the range of the outcomes.
    worst : float
        The largest loss of a round, where forecast and outcome lie in that range.
    least : float
        The least penalised loss of any vector, as the best full member has it; NaN without one.
    energy : float
        What that member adds: the sum of z^2 h / (1 + h), and what clipping cost; where shards were merged, besides
        what their bound exceeds the least penalised loss by.
    determinant : float
        What Newton steps cost at most: the sum of B^2 ln(1 + c h), and what clipping cost; NaN without them.
    steady : bool
        Whether it played all its rounds by the same parameters.
    square : bool
        Whether it is charged the square loss.
    diagonal : bool
        Whether it keeps the diagonal of its matrix alone.
    """

    members: float = 1.0
    share: bool = True
    eta: float = 0.0
    gap: float = 0.0
    width: float = 0.0
    worst: float = 0.0
    least: float = nan
    energy: float = nan
    determinant: float = nan
    steady: bool = True
    square: bool = True
    diagonal: bool = False


def _loss(ledger: Ledger, _: MemberComparator | None) -> float:
    return ledger.loss


def _most(ledger: Ledger, _: MemberComparator | None, learner: RegressionFacts) -> Most:
    """Forecasts and outcomes lie in one range, whatever the learner does."""
    if not learner.width:
        return NO_LIMIT
    return Most(
        (ledger.rounds - 1) * learner.worst, "the largest loss within the range of the outcomes, in every round"
    )


def cost(ledger: Ledger, learner: RegressionFacts) -> float:
    """What the mixture loses beside its best member, as the run had it."""
    if learner.members <= 1 or not learner.eta:
        return learner.gap
    spread = log(learner.members)
    if learner.share:
        spread += log(max(ledger.rounds - 1, 1.0))
    return spread / learner.eta + learner.gap


def _charged(ledger: Ledger, _: MemberComparator | None, __: RegressionFacts) -> bool:
    return ledger.rounds > 1


def _of_squares(_: Ledger, __: MemberComparator | None, learner: RegressionFacts) -> bool:
    return learner.square


def _keeps_all(_: Ledger, __: MemberComparator | None, learner: RegressionFacts) -> bool:
    return not learner.diagonal


def _knows_least(_: Ledger, __: MemberComparator | None, learner: RegressionFacts) -> bool:
    return not isnan(learner.least)


def _steps(_: Ledger, comparator: MemberComparator, learner: RegressionFacts) -> bool:
    return not (isnan(learner.determinant) or isnan(comparator.regularised))


def _is_member(_: Ledger, comparator: MemberComparator, __: RegressionFacts) -> bool:
    return comparator.name == "member"


def _regularised(_: Ledger, comparator: MemberComparator, __: RegressionFacts) -> bool:
    return not isnan(comparator.regularised)


def _linear(_: Ledger, comparator: MemberComparator, __: RegressionFacts) -> bool:
    return not isnan(comparator.linear)


def _finite(_: Ledger, comparator: MemberComparator, __: RegressionFacts) -> bool:
    return isfinite(comparator.loss)


def _constant(_: Ledger, comparator: MemberComparator, __: RegressionFacts) -> bool:
    return comparator.name == "constant" and not (isnan(comparator.regularised) and isnan(comparator.linear))


CHARGED = ("the first outcome says where others are measured from, and there was no other", _charged)
SQUARE = ("it is about full matrices, which are for the square loss alone", _of_squares)
WHOLE = ("it is about full matrices, and of this one the diagonal alone is kept", _keeps_all)
FULL = "it is about full matrices, which stay up to 256 features unless `full` or `priors` says otherwise"
FLOAT = ("the loss of the comparator must be a float, and it is too large for one", _finite)
PLAYED = (CHARGED, SAME_ROUNDS, STEADY, FLOAT)


@theorem(
    title="Against all vectors at once",
    quantity="loss",
    counts=_loss,
    formula=r"L \le \min_u \Big(\lambda \sum_i M_i^2 u_i^2 + \sum_t (z_t - \langle u, x_t \rangle)^2\Big)"
    r" + \sum_t z_t^2 \frac{h_t}{1 + h_t} + C + \frac{\ln K + \ln T}{\eta} + \Delta",
    source="Vovk 2001; Azoury & Warmuth 2001, as the run had it",
    assumes=(CHARGED, STEADY, SQUARE, WHOLE, (FULL, _knows_least)),
    whole=False,
    most=_most,
    compares=False,
)
def against_all(ledger: Ledger, _: None, learner: RegressionFacts) -> float:
    """The loss is at most the least penalised loss of any vector, plus the sum of z^2 h / (1 + h), what clipping cost,
    and what the mixture costs; all of it from the state, so that no row is read again."""
    return learner.least + learner.energy + cost(ledger, learner)


def _charged_somewhere(ledger: Ledger, _: None, __: RegressionFacts) -> bool:
    return ledger.updates > 0


ALL_FIRST = ("no shard has a second row, and the first says where its outcomes are measured from", _charged_somewhere)


@theorem(
    title="Against all vectors at once, over shards",
    quantity="loss",
    counts=_loss,
    formula=r"\sum_s L_s \le \min_u \sum_s \Big(\lambda \sum_i M_{s,i}^2 u_{s,i}^2"
    r" + \sum_t (z_t - \langle u_s, x_t \rangle)^2\Big)"
    r" + \sum_s \Big(\sum_t z_t^2 \frac{h_t}{1 + h_t} + C_s\Big)",
    source="Vovk 2001; Azoury & Warmuth 2001, on each shard against one vector, summed",
    assumes=(ALL_FIRST, STEADY, SQUARE, WHOLE, (FULL, _knows_least)),
    whole=False,
    most=_most,
    compares=False,
)
def against_all_over_shards(ledger: Ledger, _: None, learner: RegressionFacts) -> float:
    """The summed loss of copies that played shards by themselves is at most the least sum of the shards' penalised
    losses of one vector, plus the sums of z^2 h / (1 + h) and of what clipping cost on all of them."""
    return learner.least + learner.energy + learner.gap


@theorem(
    title="Against every vector, by a full matrix",
    quantity="loss",
    counts=_loss,
    formula=r"L \le L(u) + \lambda \sum_i M_i^2 u_i^2 + \sum_t z_t^2 \frac{h_t}{1 + h_t} + C"
    r" + \frac{\ln K + \ln T}{\eta} + \Delta",
    source="Vovk 2001; Azoury & Warmuth 2001, as the run had it",
    assumes=(*PLAYED, SQUARE, WHOLE, (FULL, _regularised)),
    whole=False,
    most=_most,
)
def by_a_full_matrix(ledger: Ledger, comparator: MemberComparator, learner: RegressionFacts) -> float:
    """For every vector u, the loss is at most that of u, plus lambda sum M_i^2 u_i^2, the sum of z^2 h / (1 + h), what
    clipping cost, and what the mixture costs."""
    return comparator.loss + comparator.regularised + comparator.energy + cost(ledger, learner)


NEWTON = "it is about Newton steps, and there are none"


@theorem(
    title="Against every vector, by Newton steps",
    quantity="loss",
    counts=_loss,
    formula=r"L \le L(u) + \lambda \sum_i M_i^2 u_i^2 + \frac{1}{4} \sum_t g_t^2 \, x_t^\top A_{t+1}^{-1} x_t + C",
    source="Hazan, Agarwal & Kale 2007, Theorem 2, as the run had it",
    assumes=(*PLAYED, (NEWTON, _steps)),
    whole=False,
    most=_most,
)
def by_newton_steps(ledger: Ledger, comparator: MemberComparator, learner: RegressionFacts) -> float:
    """For every vector u, the loss is at most that of u, plus lambda sum M_i^2 u_i^2, plus what the least penalised sum
    of lower bounds fell by: a quarter of the sum of g^2 x' A^-1 x, and what clipping cost or gained."""
    return comparator.loss + comparator.regularised + comparator.energy


@theorem(
    title="Against every vector, by the determinant",
    quantity="loss",
    counts=_loss,
    formula=r"L \le L(u) + \lambda \sum_i M_i^2 u_i^2 + \sum_t B_t^2 \ln(1 + c_t h_t) + C",
    source="Hazan, Agarwal & Kale 2007, Theorem 2, with the determinant",
    assumes=(*PLAYED, (NEWTON, _steps)),
    whole=False,
    most=_most,
)
def by_the_determinant(ledger: Ledger, comparator: MemberComparator, learner: RegressionFacts) -> float:
    """For every vector u, the loss is at most that of u, plus lambda sum M_i^2 u_i^2, plus the sum of B^2 ln(1 + c h),
    which is B^2 ln det(A_{T+1}) / det(A_1) while the range of the outcomes and the sizes of the features stay, and what
    clipping cost."""
    return comparator.loss + comparator.regularised + learner.determinant


@theorem(
    title="Against every vector, linearised",
    quantity="loss",
    counts=_loss,
    formula=r"L \le L(u) + \sum_t g_t p_t + \langle G, u \rangle + \frac{\ln K + \ln T}{\eta} + \Delta",
    source="convexity, and AdaHedge on its own loss",
    assumes=(*PLAYED, ("it is about members that follow slopes, and there is none", _linear)),
    whole=False,
    most=_most,
)
def by_slopes(ledger: Ledger, comparator: MemberComparator, learner: RegressionFacts) -> float:
    """For every vector u and member that follows slopes, the loss is at most that of u, plus the linearised regret of
    the member against u, as the run had it, plus what the mixture costs."""
    return comparator.loss + comparator.linear + cost(ledger, learner)


@theorem(
    title="Aggregation",
    quantity="loss",
    counts=_loss,
    formula=r"L \le \min_k L_k + \frac{\ln K + \ln T}{\eta} + \Delta",
    source="de Rooij et al. 2014 on the own loss; Herbster & Warmuth 1998, with shares 1 / (t + 1)",
    assumes=(*PLAYED, ("it is about members, and there is none", _is_member)),
    whole=False,
    most=_most,
)
def aggregation(ledger: Ledger, comparator: MemberComparator, learner: RegressionFacts) -> float:
    """The loss of the mixture is at most that of any of its K members, plus ln K, and ln T where a share of the weight
    goes round, over the last rate, plus what its losses exceed its mix losses by."""
    return comparator.loss + cost(ledger, learner)


@theorem(
    title="Against the best constant",
    quantity="loss",
    counts=_loss,
    formula=r"L \le \min_c \sum_t \ell(c, z_t) + \min_k R_k(c) + \frac{\ln K + \ln T}{\eta} + \Delta",
    source="the theorems above, for a constant chosen in hindsight",
    assumes=(
        *PLAYED,
        ("the best constant takes an intercept, and is not looked for beside a comparator of yours", _constant),
    ),
    whole=False,
    most=_most,
)
def against_best_constant(ledger: Ledger, comparator: MemberComparator, learner: RegressionFacts) -> float:
    """The loss is at most that of the best constant forecast, plus the regret that the theorem of some member allows
    against it, plus what the mixture costs."""
    bounds = (comparator.loss + comparator.regularised + comparator.energy, comparator.loss + comparator.linear)
    return min(bound for bound in bounds if not isnan(bound)) + cost(ledger, learner)


ONE_MATRIX = (against_all, by_a_full_matrix, by_slopes, against_best_constant)
NEWTON_STEPS = (by_newton_steps, by_the_determinant, against_best_constant)
SEVERAL = (against_all, by_a_full_matrix, by_slopes, aggregation, against_best_constant)
ONE_DESCENT = (by_slopes, against_best_constant)
SEVERAL_BY_SLOPES = (by_slopes, aggregation, against_best_constant)
