"""The perceptron's theorems in the space of functions f = sum a_s K(x_s, .).

A kernel that is positive semidefinite is an inner product of features, so every theorem about the perceptron holds with
the length of a row read as sqrt(K(x, x)), the comparator as a function v of that space with <v, x> = v(x), and its
length as |v|^2 = sum b_s b_t K(x_s, x_t). It is enough that K is one on the rows that f and v are made of. They assume
that nothing which was learned is ever removed.

With a budget, parts are removed, and one theorem is still sure. Let I be the update rounds, u = sum over I of
y K(x, .), and v any function. Where y v(x) >= 1 - L, summing over I gives M <= H + <v, u>. Whatever was removed, and
however it was chosen, u is the function that is left plus all removed parts, so <v, u> <= |v| (|f| + sum of the
lengths of these parts).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import Check, Theorem, theorem
from .facts import PLAYED, LinearFacts
from .perceptron import PERCEPTRON


@dataclass(frozen=True, slots=True)
class KernelFacts(LinearFacts):
    """One target of a kernel perceptron after its last round.

    Attributes
    ----------
    norm : float
        Length of its function, in the space of the kernel.
    removed : float
        Sum of the lengths of what a budget took from it.
    removals : float
        How often it did.
    """

    removed: float = 0.0
    removals: float = 0.0


def _nothing_removed(_: Ledger, __: Comparator, learner: KernelFacts) -> bool:
    return learner.removals == 0


NOTHING_REMOVED: tuple[str, Check] = (
    "it assumes that nothing is forgotten, and the budget took parts of the function away",
    _nothing_removed,
)

KERNEL_PERCEPTRON: tuple[Theorem, ...] = PERCEPTRON
UNFORGETTING: tuple[Theorem, ...] = tuple(replace(one, assumes=(*one.assumes, NOTHING_REMOVED)) for one in PERCEPTRON)


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
