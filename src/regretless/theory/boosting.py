"""Boosting as a game: one player mixes hypotheses, the other weighs the examples.

margins[h, x] = y_x h(x), at most 1 in absolute value, is how right hypothesis h is on example x. Votes v, which are
not negative and sum to 1, have the margin sum_h v_h margins[h, x] on x; under weights q of the examples, h has the
edge sum_x q_x margins[h, x]. For any votes and weights

    min_x (margin of v on x)  <=  value of the game  <=  max_h (edge of h under q),

so that the best least margin is the least best edge (Freund and Schapire 1996; weak duality says the inequality, and
von Neumann's theorem that there is equality): every weighting of the examples leaves some hypothesis an edge of gamma
or more if and only if some votes have a margin of gamma or more on all examples.

**Hedge** on the examples, which loses margins[h_t, x] in the round in which h_t has the largest edge gamma_t, has the
regret

    sum_t gamma_t - min_x sum_t margins[h_t, x]  <=  ln n / eta + eta D^2 T / 8,

with D the range of the margins. The votes that give every h_t a share of 1 / T therefore have a least margin of at
least the mean edge, which is no less than the value, less ln n / (eta T) + eta D^2 / 8.

**AdaBoost** gives h_t the vote alpha_t = ln((1 + gamma_t) / (1 - gamma_t)) / 2 and the weights the rate alpha_t. For
|z| <= 1, exp(-alpha z) <= (1 + z) / 2 exp(-alpha) + (1 - z) / 2 exp(alpha), whose mean under the weights is sqrt(1 -
gamma_t^2). So the mean of exp(-sum_t alpha_t margins[h_t, x]) over the examples is at most the product of these, and
the mean is at least the share of examples whose margin is not above 0 (Freund and Schapire 1997).

Edges and margins are computed in floats, and every bound is raised by what rounding may have to do with that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log

from ..certificate import Most
from ..comparator import GameComparator
from ..facts import Facts
from ..theorem import theorem


@dataclass(frozen=True, slots=True)
class BoostLedger:
    """What a run of boosting came to.

    Attributes
    ----------
    rounds : float
    mean_edge, least_edge : float
        Of the best hypothesis of each round.
    product : float
        Of sqrt(1 - edge^2) over the rounds.
    margin : float
        The least margin of the votes on any example.
    wrong : float
        The share of the examples on which it is not above 0.
    """

    rounds: float
    mean_edge: float
    least_edge: float
    product: float
    margin: float
    wrong: float


@dataclass(frozen=True, slots=True)
class BoostFacts(Facts):
    """A booster.

    Attributes
    ----------
    examples : int
        How many it weighs.
    spread : float
        The range of the margins.
    rate : float or None
        Of Hedge; None of AdaBoost.
    """

    examples: int
    spread: float
    rate: float | None


def _played(ledger: BoostLedger, _: GameComparator, __: BoostFacts) -> bool:
    return ledger.rounds >= 1


def _hedges(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> bool:
    return learner.rate is not None and isfinite(learner.rate) and learner.rate > 0


def _known(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> bool:
    return isfinite(learner.spread)


def _adapts(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> bool:
    return learner.rate is None


def _most_shortfall(_: BoostLedger, __: GameComparator, learner: BoostFacts) -> Most:
    return Most(learner.spread, "the range of the margins")


def _most_share(*_: object) -> Most:
    return Most(1.0, "1, all examples")


PLAYED = ("no round has been played yet", _played)


@theorem(
    title="Margins and edges",
    quantity="least margin",
    counts=lambda ledger, _: ledger.margin,
    formula=r"\min_x \sum_h v_h\, m_{h,x} \le v^* \le \max_h \sum_x q_x\, m_{h,x}",
    source="Freund & Schapire 1996; weak duality",
    assumes=(PLAYED,),
    whole=False,
)
def margins_and_edges(ledger: BoostLedger, comparator: GameComparator, learner: BoostFacts) -> float:
    """No votes have a larger least margin than the least edge that a best hypothesis had in any round; the value of the
    game lies between the two."""
    return ledger.least_edge + comparator.rounding


@theorem(
    title="Boosting by Hedge",
    quantity="mean edge less least margin",
    counts=lambda ledger, _: ledger.mean_edge - ledger.margin,
    formula=r"\frac{1}{T} \sum_t \gamma_t - \min_x \sum_h v_h\, m_{h,x} \le \frac{\ln n}{\eta T} + \frac{\eta D^2}{8}",
    source="Freund & Schapire 1996; 1999, with the constant of Cesa-Bianchi & Lugosi 2006, Thm 2.2",
    assumes=(
        PLAYED,
        ("it is about Hedge at a constant rate, and AdaBoost sets its own", _hedges),
        ("it needs to know by how much margins may differ, and of these only products are known", _known),
    ),
    whole=False,
    most=_most_shortfall,
)
def boosting_by_hedge(ledger: BoostLedger, comparator: GameComparator, learner: BoostFacts) -> float:
    """After T rounds in which the hypothesis with the largest edge gets a vote and Hedge weighs the n examples anew,
    no example's margin is farther below the mean edge than ln n / (eta T) + eta D^2 / 8: D sqrt(ln n / (2 T)) at the
    rate sqrt(8 ln n / T) / D, D being the range of the margins, 2 of hypotheses that answer -1 or 1. Where every edge
    exceeds that, every example is voted right."""
    if learner.rate is None or learner.examples == 1:
        return comparator.rounding
    spent = learner.rate * learner.spread * learner.spread / 8
    return log(learner.examples) / (learner.rate * ledger.rounds) + spent + comparator.rounding


@theorem(
    title="AdaBoost",
    quantity="share of wrong examples",
    counts=lambda ledger, _: ledger.wrong,
    formula=r"\frac{1}{n} \lvert \{x : \textstyle\sum_h v_h\, m_{h,x} \le 0\} \rvert \le \prod_t \sqrt{1 - \gamma_t^2}",
    source="Freund & Schapire 1997, Thm 6; Schapire & Singer 1999, Cor. 1",
    assumes=(PLAYED, ("it is about AdaBoost, which sets its own rates", _adapts)),
    whole=False,
    most=_most_share,
)
def adaboost(ledger: BoostLedger, comparator: GameComparator, learner: BoostFacts) -> float:
    """The share of the examples on which AdaBoost's votes are wrong, or undecided, is at most the product of sqrt(1 -
    edge^2) over the rounds."""
    return min(1.0, ledger.product * (1 + comparator.rounding))


BOOSTING = (margins_and_edges, boosting_by_hedge, adaboost)
