"""What theorems need of a learner of a finite class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...comparator import ClassComparator
from ...theory.finite_classes import ClassFacts, certified
from ..rank import rank

if TYPE_CHECKING:
    from ...theorem import Certificate
    from .base import ClassLearner

ROUNDING = 4e-15  # of a sum of probabilities below 32, for each of its terms


def facts(learner: ClassLearner) -> ClassFacts:
    """The learner as it stands after its last round."""
    return ClassFacts(
        learner=learner.name,
        hypotheses=learner.finite_class.hypotheses,
        tie=getattr(learner, "tie", None),
        prune=getattr(learner, "prune", ""),
        **(learner._facts() if learner.realizable_ else {}),
    )


def ranks(learner: ClassLearner) -> dict[str, Any]:
    """The rank of the class, and of what is left of it."""
    return {
        "rank": rank(learner.finite_class),
        "rank_left": rank(learner.finite_class, learner.version_space_),
    }


def comparators(learner: ClassLearner) -> list[ClassComparator]:
    """The first hypothesis that agrees with all labels, if there is one."""
    alive = learner.alive_
    if not len(alive):
        return []
    first, ledger = int(alive[0]), learner.ledger_
    rounding = ROUNDING * ledger.rounds if learner.info.draws else 0.0
    label = f"hypothesis {learner.finite_class.hypothesis_name(first)}"
    return [ClassComparator(first, label, float(ledger.rounds), len(alive), rounding)]


def certificates(learner: ClassLearner, found: Sequence[ClassComparator]) -> list[Certificate]:
    """Each theorem about the learner, read on its run."""
    return certified(learner.theorems, learner.ledger_, found, learner.facts())
