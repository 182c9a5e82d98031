"""How often can a learner of a finite class be wrong, if some hypothesis of the class is always right?

H is the class, of different functions; V the hypotheses that agree with all labels so far, H at first; V0 and V1 those
of them that say 0 and 1 of the point at hand. Labels are *realizable*: V is never empty. A learner *goes by* kept
hypotheses K that include V, predicts what one of them says, and once it is wrong keeps only those that were right; most
keep V itself. M counts mistakes. Each theorem is a potential: a number of K or V that is never below what it is of one
function, never grows when hypotheses leave, and falls by 1 at least with each mistake. So M is at most what it was at
first less what it is now, and the bound holds at every round, not at the last alone.

**One by one.** The hypothesis that was followed leaves when it is wrong: |K| falls by 1 at least, and so M <= |H| - |K|
<= |H| - |V|. If it was the first of K in a fixed order, M is at most its place, from 0: the first of K only moves on,
by a place at least with each mistake, and never beyond any hypothesis that is always right.

**Rank.** Let C(K) be the linear span over GF(2) of the functions of h in K that are what h says of a fixed point, and
of the constant 1; its dimension less 1 is the rank r(K), which is 0 of one function. A mistake at x leaves K' in which
all agree on x, and K had both answers: what h says of x, plus a constant, is 0 on K' and not 0 on K. So C(K) restricted
to K', which is C(K'), has a smaller dimension: M <= r(H) - r(V). As C(H) is made of functions of |H| hypotheses, and is
spanned by one for each point and the constant, r(H) <= |H| - 1 and r(H) <= the number of points. Any field would do.

**Halving.** What the larger part of K said was wrong, so that K halves at least: 2^M |K| <= |H|. Ties, and when other
wrong hypotheses leave, do not matter to that.

**The standard optimal algorithm.** Ldim(V) is the depth of the deepest complete tree of points on whose every path some
h in V gives all the labels; -1 of no function, 0 of one. If V0 and V1 both had Ldim(V), a tree for each below the point
at hand would be one of depth Ldim(V) + 1 for V. So the smaller of the two is below Ldim(V), and it is what a mistake
leaves, as the larger one's label was predicted: M <= Ldim(H) - Ldim(V). A tree of depth d has 2^d paths, and no
hypothesis agrees with two of them, so that Ldim(H) <= log2 |H|; and an adversary that asks along it in the labels that
were not predicted makes any deterministic learner err d times: no learner's bound is smaller.

**Optimal and randomised.** Let R(V) be half the mean number of rounds that it takes to go down such a tree by tossing
fair coins, in the tree that takes longest; its paths may end at different depths. It is 0 of one function, and

    R(V)  =  max over the points that split V of  (1 + R(V0) + R(V1)) / 2;

and R(V) >= R(V0), R(V1), whose trees are trees for V. The learner says 1 with the probability p = (1 + R(V1) - R(V0)) /
2, cut to [0, 1], and what all of V say where they agree. It is wrong with the probability q = |p - y|, and

    q + R(V_y)  <=  R(V):

where nothing was cut, both labels give (1 + R(V0) + R(V1)) / 2 on the left. If R(V1) - R(V0) > 1, p = 1: the label 1
gives R(V1), and 0 gives 1 + R(V0) < R(V1). So along *every* realizable sequence, and not only in the mean, the sum of q
is at most R(H) - R(V). Fair coins down the best tree make every learner, randomised or not, err R(H) times in the mean,
so no learner's bound is smaller. A tree of depth Ldim(H) shows R >= Ldim / 2, and R <= Ldim as the standard optimal
algorithm errs no more often than that. A tree has no more paths than there are hypotheses. Let D(n) = k - 1 + n / 2^k
with k = floor(log2 n): log2 n at powers of two and straight between them, so concave and at most log2 n. To split
n paths into a and b gives 1 + (D(a) + D(b)) / 2 <= 1 + D(n / 2) = D(n), and so R(H) <= D(|H|) / 2.

All that was used of R is that it is at least (1 + R(V0) + R(V1)) / 2, R(V0) and R(V1). D(|V|) / 2 is so too. A learner
that does not know R yet may go by it, and by R once it is known, as that is no more: the sum of q is at most D(|H|) / 2
less what it goes by now.

**Luck.** exp(s m_t - (e^s - 1) Q_t) does not grow in the mean for any s > 0, where m_t are mistakes until round t and
Q_t is the sum of q, since E exp(s z) <= exp((e^s - 1) q) for a coin z of probability q. Q_t <= R(H) while V is not
empty, however the labels are chosen and whatever they answer to. By Markov's inequality that there are at least a
mistakes by then has a probability of at most exp((e^s - 1) R(H) - s a); s = ln(a / R) makes this exp(a - R - a ln(a /
R)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

from ..certificate import Certificate, Certificates
from ..comparator import ClassComparator
from ..facts import Facts
from ..ledger import ClassLedger
from ..theorem import Theorem, theorem

Number = float | Fraction


@dataclass(frozen=True, slots=True)
class ClassFacts(Facts):
    """What is known of a learner of a finite class and of its class.

    Attributes
    ----------
    learner : str
        Its hyphened name.
    hypotheses : int
        How many different ones the class has.
    tie : int or None
        What it predicts where both labels are as good.
    prune : str
        When hypotheses that were wrong leave: "always", or on a "mistake" alone; empty where that is no question.
    place : int or None
        The place, from 0, in the learner's order of the first hypothesis that agrees with all labels.
    rank, rank_left : int or None
        The rank of the class, and of the hypotheses that are left.
    littlestone, littlestone_left : (int, int) or None
        Numbers between which the Littlestone dimension lies, of the class and of the hypotheses that are left.
    randomized, randomized_left : (number, number) or None
        The same of the randomised one, which is a fraction over a power of two.
    delta : float
        With what probability bounds that are probable may fail.
    """

    learner: str
    hypotheses: int
    tie: int | None = None
    prune: str = ""
    place: int | None = None
    rank: int | None = None
    rank_left: int | None = None
    littlestone: tuple[int, int] | None = None
    littlestone_left: tuple[int, int] | None = None
    randomized: tuple[Number, Number] | None = None
    randomized_left: tuple[Number, Number] | None = None
    delta: float = 0.05


def certified(
    theorems: Sequence[Theorem], ledger: ClassLedger, comparators: Sequence[ClassComparator], learner: ClassFacts
) -> list[Certificate]:
    """The theorems read on a play; if its labels were not realizable, why none of them applies, with the round.

    Returns
    -------
    list of Certificate
        One a theorem, in their order.
    """
    if ledger.died is None:
        return Certificates(one.certify(ledger, comparators, learner) for one in theorems)
    why = f"{REALIZABLE[0]}: the last one died in round {ledger.died}"
    return Certificates(Certificate(one, None, None, None, why) for one in theorems)


def floor_log2(count: int) -> int:
    """floor(log2 count), exactly."""
    return count.bit_length() - 1


def half_the_bits_of(count: int) -> float:
    """Half the mean depth of the evenest tree with so many paths, down which coins are tossed."""
    k = floor_log2(count)
    return (k - 1 + count / (1 << k)) / 2


def _mistakes(ledger: ClassLedger, _: ClassComparator) -> float:
    return float(ledger.mistakes)


def _expected(ledger: ClassLedger, _: ClassComparator) -> float:
    return float(ledger.expected)


REALIZABLE = (
    "no hypothesis agrees with all labels",
    lambda ledger, comparator, learner: ledger.died is None and ledger.alive > 0,
)
PLACE = ("the place of a hypothesis is not known", lambda ledger, comparator, learner: learner.place is not None)
RANK = ("the rank of the class was not computed", lambda ledger, comparator, learner: learner.rank is not None)
LITTLESTONE = (
    "the Littlestone dimension was not computed",
    lambda ledger, comparator, learner: learner.littlestone is not None,
)
RANDOMIZED = (
    "the randomised Littlestone dimension was not computed",
    lambda ledger, comparator, learner: learner.randomized is not None,
)


@theorem(
    title="First in order",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \min \{k : h_k \in V\}",
    source="each mistake moves the first hypothesis that is left on by a place at least",
    assumes=(REALIZABLE, PLACE),
)
def first_in_order(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """Who follows the first hypothesis, in a fixed order, that agrees with all labels so far makes no more mistakes
    than there are hypotheses before the first one that agrees with all labels."""
    assert learner.place is not None
    return float(learner.place)


@theorem(
    title="Rank of the class",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \mathrm{rank}(H) - \mathrm{rank}(V),"
    r"\quad \mathrm{rank}(H) = \mathrm{rank}_{\mathrm{GF}(2)} [1 \mid H] - 1 \le \min(|H| - 1, |X|)",
    source="the points of the mistakes are affinely independent over GF(2)",
    assumes=(REALIZABLE, RANK),
)
def rank(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """Who predicts what some hypothesis says that agrees with all labels so far makes at most rank(H) - rank(V)
    mistakes, where the rank of a class is that of its table over GF(2) with a column of ones, less 1: no more than the
    number of points, nor than that of hypotheses less 1."""
    assert learner.rank is not None
    return float(learner.rank - (learner.rank_left or 0))


@theorem(
    title="Hypotheses that left",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le |H| - |V|",
    source="Shalev-Shwartz & Ben-David 2014, Cor. 21.2, in its data-dependent form",
    assumes=(REALIZABLE,),
)
def left(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """Who follows a hypothesis that agrees with all labels so far makes no more mistakes than there are hypotheses that
    no longer do."""
    return float(learner.hypotheses - ledger.alive)


@theorem(
    title="Consistent learners",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le |H| - 1",
    source="Shalev-Shwartz & Ben-David 2014, Cor. 21.2",
    assumes=(REALIZABLE,),
)
def consistent(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """If some hypothesis agrees with all labels, who follows one that agrees with all so far makes at most |H| - 1
    mistakes."""
    return float(learner.hypotheses - 1)


@theorem(
    title="Halvings",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \left\lfloor \log_2 \frac{|H|}{|K|} \right\rfloor",
    source="Barzdin & Freivald 1972, in its data-dependent form",
    assumes=(REALIZABLE,),
)
def halvings(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """Each mistake of a majority vote at least halves the hypotheses that vote: there are at most floor(log2(|H| /
    |K|)), where K still vote at the end, however ties are broken and whether others left meanwhile or not."""
    return float(floor_log2(learner.hypotheses // ledger.voters))


@theorem(
    title="Halving",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \lfloor \log_2 |H| \rfloor",
    source="Barzdin & Freivald 1972; Littlestone 1988, Thm 1",
    assumes=(REALIZABLE,),
)
def halving(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """If some hypothesis agrees with all labels, a majority vote of those that may still be it makes at most floor(log2
    |H|) mistakes."""
    return float(floor_log2(learner.hypotheses))


@theorem(
    title="Littlestone dimension that was spent",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \mathrm{Ldim}(H) - \mathrm{Ldim}(V)",
    source="Littlestone 1988, Thm 3, in its data-dependent form",
    assumes=(REALIZABLE, LITTLESTONE),
)
def dimension_spent(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """Each mistake of the standard optimal algorithm lowers the Littlestone dimension of the hypotheses that agree with
    all labels so far: there are at most Ldim(H) - Ldim(V). Where only numbers are known between which these lie, the
    largest and the smallest count."""
    assert learner.littlestone is not None
    least = 0 if learner.littlestone_left is None else max(0, learner.littlestone_left[0])
    return float(learner.littlestone[1] - least)


@theorem(
    title="Littlestone dimension",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \mathrm{Ldim}(H)",
    source="Littlestone 1988, Thm 3",
    assumes=(REALIZABLE, LITTLESTONE),
)
def dimension(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """If some hypothesis agrees with all labels, the standard optimal algorithm makes at most Ldim(H) mistakes; every
    deterministic learner makes as many on some such labels."""
    assert learner.littlestone is not None
    return float(learner.littlestone[1])


@theorem(
    title="Optimal, by size",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le \mathrm{Ldim}(H) \le \lfloor \log_2 |H| \rfloor",
    source="Littlestone 1988, Thms 1 and 3",
    assumes=(REALIZABLE,),
)
def optimal_by_size(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """The standard optimal algorithm makes at most floor(log2 |H|) mistakes if some hypothesis agrees with all labels:
    a mistake tree has no more paths than there are hypotheses."""
    return float(floor_log2(learner.hypotheses))


@theorem(
    title="Randomised dimension that was spent",
    quantity="expected mistakes",
    counts=_expected,
    formula=r"\sum_t |p_t - y_t| \le R(H) - R(V)",
    source="Filmus, Hanneke, Mehalel & Moran 2023, in the proof of the optimal bound",
    assumes=(REALIZABLE, RANDOMIZED),
    whole=False,
)
def randomized_spent(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """The probabilities with which the optimal randomised learner is wrong add up to at most R(H) - R(V), in every run
    and not only in the mean, R being the randomised Littlestone dimension. Where it was not found, half the bits that
    the learner goes by stand for R(H), and 0 for R(V)."""
    assert learner.randomized is not None
    least = 0 if learner.randomized_left is None else learner.randomized_left[0]
    return float(learner.randomized[1] - least)


@theorem(
    title="Randomised Littlestone dimension",
    quantity="expected mistakes",
    counts=_expected,
    formula=r"\sum_t |p_t - y_t| \le R(H)",
    source="Filmus, Hanneke, Mehalel & Moran 2023",
    assumes=(REALIZABLE, RANDOMIZED),
    whole=False,
)
def randomized(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """If some hypothesis agrees with all labels, the probabilities with which the optimal randomised learner is wrong
    add up to at most R(H), or to half the bits if it goes by these because R(H) was not found; every learner makes R(H)
    mistakes in expectation on some such labels."""
    assert learner.randomized is not None
    return float(learner.randomized[1])


@theorem(
    title="Half the bits",
    quantity="expected mistakes",
    counts=_expected,
    formula=r"\sum_t |p_t - y_t| \le R(H) \le \frac{1}{2} \left(k - 1 + \frac{|H|}{2^k}\right)"
    r" \le \tfrac{1}{2} \log_2 |H|,\quad k = \lfloor \log_2 |H| \rfloor",
    source="after Filmus, Hanneke, Mehalel & Moran 2023; the mean depth of a tree with |H| paths, exactly",
    assumes=(REALIZABLE,),
    whole=False,
)
def half_the_bits(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """If some hypothesis agrees with all labels, the optimal randomised learner makes at most (k - 1 + |H| / 2^k) / 2
    mistakes in expectation, with k = floor(log2 |H|), which is no more than log2 |H| / 2."""
    return half_the_bits_of(learner.hypotheses)


@theorem(
    title="Mistakes of the draws",
    quantity="mistakes",
    counts=_mistakes,
    formula=r"M \le a,\quad a \ln\frac{a}{R} - a + R = \ln\frac{1}{\delta},\quad R = R(H)",
    source="Filmus, Hanneke, Mehalel & Moran 2023; Chernoff's bound for dependent draws, Freedman 1975",
    kind="probable",
    assumes=(REALIZABLE, RANDOMIZED),
)
def drawn(ledger: ClassLedger, comparator: ClassComparator, learner: ClassFacts) -> float:
    """With probability 1 - delta the optimal randomised learner makes no more mistakes on labels that some hypothesis
    agrees with than Chernoff's bound for R(H) expected ones, however the labels are chosen and whatever they answer
    to."""
    assert learner.randomized is not None
    return chernoff(float(learner.randomized[1]), learner.delta)


def chernoff(mean: float, delta: float) -> float:
    """The a >= mean with a ln(a / mean) - a + mean = ln(1 / delta), rounded up; 0 of the mean 0."""
    if mean == 0:
        return 0.0
    wanted = log(1 / delta)
    low, high = mean, 4 * (mean + wanted)
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * log(middle / mean) - middle + mean < wanted else (low, middle)
    return high


CONSISTENT = (first_in_order, rank, left, consistent)
HALVING = (halvings, halving)
STANDARD_OPTIMAL = (dimension_spent, dimension, optimal_by_size)
RANDOMIZED_OPTIMAL = (randomized_spent, randomized, half_the_bits, drawn, rank)
