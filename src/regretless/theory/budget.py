"""What is still sure when a budget makes a kernel perceptron forget.

Let I be the update rounds, u = sum over I of y K(x, .), and v any function. Where y v(x) >= 1 - L, summing over I gives
M <= H + <v, u>. Whatever was taken away, and however it was chosen, u is the function that is left plus all the parts
that are gone, so <v, u> <= |v| (|f| + sum of the lengths of these parts).
"""

from __future__ import annotations

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import theorem
from .facts import PLAYED
from .kernel import UNFORGETTING, KernelFacts


def _updates(ledger: Ledger, _: Comparator) -> float:
    return ledger.updates


@theorem(
    title="Budget bound",
    quantity="updates",
    counts=_updates,
    formula=r"M \le H + \lVert v \rVert \left(\lVert f_{T+1} \rVert + \sum_t \lVert g_t \rVert\right)",
    source="the perceptron's proof with what was removed, g_t, added back: sum of y K(x, .) = f + sum of g",
    assumes=PLAYED,
)
def budget(ledger: Ledger, comparator: Comparator, learner: KernelFacts) -> float:
    """For every function v and whatever is removed by whatever rule, M is at most H + |v| (|f| + the sum of the lengths
    of all that was removed), where f is the function that the run ended with."""
    return comparator.hinge + comparator.norm * (learner.norm + learner.removed)


BUDGET = (budget, *UNFORGETTING)
