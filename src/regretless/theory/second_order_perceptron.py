"""How often can a learner be wrong that remembers which directions it knows?

With A = a I + sum of x x' and u = sum of y x, both over the rounds I that moved it, any vector v has

    |I| <= H(v) + <v, u> <= H(v) + sqrt(v'A v) sqrt(u'A^-1 u),

where H(v) is the sum of its hinge losses max(0, 1 - y <v, x>) over **all** rounds: 1 <= max(0, 1 - m) + m for every m,
and <v, u> = <A^1/2 v, A^-1/2 u>. The second step asks of A that it be positive and nothing else. So A may be
replaced by its diagonal, or by a diagonal with entries 10 r M_i^2 + sum of x_i^2, M_i being the largest |x_i| of the
rounds I: that is known when the run is over, and so is the inequality. If feature i is measured in another unit,
c_i x_i and v_i / c_i, nothing of it changes then. What is left is to bound the last factor, the energy.

Or A is replaced by a sketch D + B'B: the rows of B are those of updates, and when there are too many, B is turned, Q B
with Q orthogonal, which leaves B'B as it is; its shorter rows b go, and b_i^2 is added to each D_i. So the diagonal is
that of A, and with sums over the rows b that went

    v'(D + B'B) v = v'A v + sum_i v_i^2 sum_b b_i^2 - sum_b <b, v>^2:

the sketch costs at most the squares of v, each times what D has got, and less as far as v goes along what went.

The second-order perceptron moves when y u'A_+^-1 x <= 0, where A_+ = A + x x', so its energy grows by

    u'A_+^-1 u - u'A^-1 u + 2 y u'A_+^-1 x + x'A_+^-1 x <= x'A_+^-1 x <= ln det A_+ - ln det A,

entry by entry if A is diagonal.

AROW with its whole matrix has weights w = A^-1 u, so its energy grows by exactly 1 - (1 - m)^2 / (1 + x'A^-1 x) when
the margin was m: by no more than ln det A_+ - ln det A at a mistake, and by no more than 1 elsewhere. With the
diagonal alone w is another vector, and the energy can only be read when the run is over."""

from __future__ import annotations

from dataclasses import dataclass

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED, SHORTEST2, LinearFacts, count_mistakes, count_updates, sqrt
from .rounding import EPSILON, of_posterior


@dataclass(frozen=True, slots=True)
class SecondOrderFacts(LinearFacts):
    """One target of a second-order learner as it stands after its last round.

    Attributes
    ----------
    energy : float
        u'A^-1 u.
    volume : float
        ln det(A / a), the sum over the entries of a diagonal matrix.
    full : bool
        Whether A is all of the matrix, and not its diagonal alone.
    """

    energy: float = 0.0
    volume: float = 0.0
    full: bool = False


def _full(_: Ledger, __: Comparator, learner: SecondOrderFacts) -> bool:
    return learner.full


def _stretched(ledger: Ledger, comparator: Comparator, learner: SecondOrderFacts, energy: float) -> float:
    """H + sqrt(v'A v) sqrt(energy), rounded up: what AROW's bounds are may be far smaller than these sums."""
    product = comparator.own * sqrt(energy)
    error = EPSILON * (ledger.updates + learner.width + 4) * product + of_posterior(ledger, comparator, learner)
    return comparator.hinge + product + error


def _weighed(ledger: Ledger, _: Comparator, learner: SecondOrderFacts) -> bool:
    return ledger.updates == 0 or ledger.max_norm2 == 0 or learner.volume >= SHORTEST2


WEIGHED = (
    "the rows are so short beside what the matrix starts with that floats lose them: lower that, or scale the rows",
    _weighed,
)
FULL = ("it is about the whole matrix, and this run kept its diagonal, or a sketch of it", _full)


@theorem(
    title="Second-order bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \sqrt{v^\top A\, v}\,\sqrt{\ln\det(A/a)},\quad A = aI + \sum_{t \in I} x_t x_t^\top",
    source="Cesa-Bianchi, Conconi & Gentile 2005, Thm 3.1, with the hinge losses of all rounds",
    assumes=(*PLAYED, WEIGHED),
)
def second_order_data(ledger: Ledger, comparator: Comparator, learner: SecondOrderFacts) -> float:
    """For every vector v, M is at most H + sqrt(v'A v) sqrt(ln det(A / a)), where A is a I plus the sum of x x' over
    the update rounds, or the diagonal of that if the learner keeps no more, and H is the sum of the hinge losses of v
    over all rounds."""
    return _stretched(ledger, comparator, learner, learner.volume)


@theorem(
    title="Second-order posterior bound",
    quantity="updates",
    counts=count_updates,
    formula=r"M \le H + \sqrt{v^\top A\, v}\,\sqrt{u^\top A^{-1} u},\quad u = \sum_{t \in I} y_t x_t",
    source="the proof of the second-order bound before its energy is bounded: M <= H + <v, u>",
    assumes=(*PLAYED, WEIGHED),
)
def second_order_posterior(ledger: Ledger, comparator: Comparator, learner: SecondOrderFacts) -> float:
    """For every vector v, M is at most H + sqrt(v'A v) sqrt(u'A^-1 u), where A is a I plus the sum of x x' over the
    update rounds, or its diagonal, u is the sum of y x over these rounds, and H is the sum of the hinge losses of v
    over all rounds."""
    return _stretched(ledger, comparator, learner, learner.energy)


@theorem(
    title="AROW's mistake bound",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le H + \sqrt{v^\top A\, v}\,\sqrt{\ln\det(A/r) + U} - U,\quad A = rI + \sum_{t \in I} x_t x_t^\top",
    source="Crammer, Kulesza & Dredze 2009, Thm 2, with the hinge losses of all rounds",
    assumes=(*PLAYED, WEIGHED, FULL),
)
def arow_mistakes(ledger: Ledger, comparator: Comparator, learner: SecondOrderFacts) -> float:
    """For every vector v, the mistakes are at most H + sqrt(v'A v) sqrt(ln det(A / r) + U) - U, where U is the number
    of updates that were no mistakes, A is r I plus the sum of x x' over the updates, and H is the sum of the hinge
    losses of v over all rounds."""
    others = ledger.updates - ledger.mistakes
    return _stretched(ledger, comparator, learner, learner.volume + others) - others * (1 - EPSILON)


@theorem(
    title="AROW's posterior bound",
    quantity="mistakes",
    counts=count_mistakes,
    formula=r"M \le H + \sqrt{v^\top A\, v}\,\sqrt{u^\top A^{-1} u} - U,\quad u = \sum_{t \in I} y_t x_t",
    source="the proof of that bound before its energy is bounded: M + U <= H + <v, u>",
    assumes=(*PLAYED, WEIGHED),
)
def arow_posterior(ledger: Ledger, comparator: Comparator, learner: SecondOrderFacts) -> float:
    """For every vector v, the mistakes are at most H + sqrt(v'A v) sqrt(u'A^-1 u) - U, where U is the number of
    updates that were no mistakes, A is r I plus the sum of x x' over the updates, or a diagonal or a sketch of that
    which starts with r, or with 10 r times the largest square of each feature over the updates, u is the sum of y x
    over them, and H is the sum of the hinge losses of v over all rounds."""
    others = ledger.updates - ledger.mistakes
    return _stretched(ledger, comparator, learner, learner.energy) - others * (1 - EPSILON)


SECOND_ORDER = (second_order_data, second_order_posterior)
AROW = (arow_mistakes, arow_posterior)
