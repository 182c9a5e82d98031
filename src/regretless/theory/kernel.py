"""The perceptron's theorems in the space of functions f = sum a_s K(x_s, .).

A kernel that is positive semidefinite is an inner product of features, so every theorem about the perceptron holds with
the length of a row read as sqrt(K(x, x)), the comparator as a function v of that space with <v, x> = v(x), and its
length as |v|^2 = sum b_s b_t K(x_s, x_t). It is enough that K is one on the rows that f and v are made of. They assume
that nothing which was learned is ever taken away; with a budget, `regretless.theory.budget` has a theorem that does
not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..comparator import Comparator
from ..ledger import Ledger
from ..theorem import Check, Theorem
from .facts import LinearFacts
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
UNFORGETTING: tuple[Theorem, ...] = tuple(
    replace(theorem, assumes=(*theorem.assumes, NOTHING_REMOVED)) for theorem in PERCEPTRON
)
