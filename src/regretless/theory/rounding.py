"""What rounding may do to sums that a bound is made of, where it could make the bound false.

A bound M <= H + <v, u> holds between exact numbers. When v is so long that its products with the rows nearly cancel,
both sums are wrong by more than the bound exceeds M, and who searches for the smallest bound will find such a v. So
these theorems are rounded up by the errors that their sums can have: of n terms, each made of w products, it is less
than half of EPSILON (n + w) times the sum of their absolute values (Higham 2002, section 3.1), and by Cauchy and
Schwarz the absolute values of the products in <v, x> sum to at most |v| |x|. The other half is for what is of second
order, and for the few operations that are not counted.
"""

from __future__ import annotations

from math import isfinite
from sys import float_info

from ..comparator import Comparator
from ..ledger import ExpertLedger, Ledger
from .facts import LinearFacts, sqrt

EPSILON = float_info.epsilon


def of_hinge(comparator: Comparator, learner: LinearFacts) -> float:
    """By how much H may be too small: that of adding it up, and that of the margins in it."""
    products = comparator.norm * sqrt(comparator.rounds) * sqrt(comparator.total_norm2)  # >= the sum of |v| |x_t|
    return EPSILON * ((comparator.rounds + 2) * comparator.hinge + (learner.width + 4) * products)


def of_product(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """By how much <v, u> may be too small where u is the sum of y x over the updates, and |v| |u| as well."""
    products = comparator.norm * sqrt(ledger.updates) * sqrt(ledger.update_norm2)
    return EPSILON * (ledger.updates + learner.width + 4) * products


def of_posterior(ledger: Ledger, comparator: Comparator, learner: LinearFacts) -> float:
    """By how much H + <v, u> may be too small."""
    return of_hinge(comparator, learner) + of_product(ledger, comparator, learner)


def of_regret(ledger: ExpertLedger, loss: str, tau: float, lost: float) -> float:
    """By how much the regret of a combiner may be too large against what lost so much, and the bound on it too small.

    Sums of T losses are off by T units of rounding of the sum of their sizes. And a mixed forecast is that of the exact
    weights but for d, some units for each of N experts times the largest forecast: no more than the largest outcome and
    the largest distance from it, which the largest loss tells. A loss of slope at most s changes by s d, charges that
    are linearised as well; the square loss by d (2 |p - y| + d), whose sum Cauchy and Schwarz bound. Where losses are
    mixed themselves, it is the loss that is off by as many units. Under the log loss a forecast p is off by so many
    units of p, and its loss by abs(p l'(p)) times as much, which is exp(l) where p is nearly 1 and the outcome 0.
    """
    rounds, experts = ledger.rounds, len(ledger.losses)
    if not rounds:
        return 0.0
    largest, outcome = max(abs(ledger.lowest), abs(ledger.highest)), sqrt(ledger.max_outcome2)
    sizes = abs(ledger.loss) + abs(lost) if ledger.lowest >= 0 else 2 * rounds * largest
    units = 4 * EPSILON * (experts + 4)
    if loss == "square":
        d = units * (outcome + sqrt(largest))
        forecasts = 2 * d * sqrt(rounds * sizes) + rounds * d * d
    elif loss in ("absolute", "pinball"):
        gentlest = 1.0 if loss == "absolute" else min(tau, 1 - tau)
        forecasts = units * rounds * (outcome + largest / gentlest)
    elif loss == "percentage":
        forecasts = units * rounds * (1 + largest)
    elif loss in ("log", "wealth"):  # an expert may have been certain and wrong
        spread = ledger.spread if isfinite(ledger.spread) else 0.0
        forecasts = units * (rounds * (1 + spread) + ledger.sensitivity)
    else:
        forecasts = units * rounds * largest
    return EPSILON * (rounds + 2) * sizes + forecasts
