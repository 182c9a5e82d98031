"""The rounds in which a learner of a finite class errs most often, as an environment."""

from __future__ import annotations

from ..environments import LearnerDescription, LowerBound, WrittenPoints
from ..errors import RegretlessError
from ..finite_classes.learners.base import ClassLearner
from ..finite_classes.worst_cases.search import worst_case
from .compatibility import WORST


class WorstCaseLabels(WrittenPoints):
    """Points and labels, those of a hypothesis of the class, that cost one learner as much as any do.

    They are found by exact dynamic programming before the first round; learners that draw have no such labels.

    Parameters
    ----------
    learner : ClassLearner
        One that has played nothing.
    limit : float, optional
        How many seconds to look for them. If it is not known by then what the most is, some rounds may be known all
        the same, which force what is known to be forced.

    Attributes
    ----------
    most : WorstCase
    """

    name = WORST
    summary = "points and labels of a hypothesis that cost this very learner as much as any do"

    def __init__(self, learner: ClassLearner, limit: float | None = None) -> None:
        self.most = worst_case(learner, limit=limit)
        if not len(self.most.points):
            reason = "no labels of a hypothesis force a mistake" if self.most.exact else "none was found in that time"
            raise RegretlessError(f"{learner.name} has no worst case to play: {reason}")
        self._of = learner.name, learner.get_params()
        super().__init__(learner.finite_class, self.most.points.tolist(), self.most.labels.tolist())

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """What it forces upon the learner that it is the worst case of, once it has come to its end."""
        if rounds != self.rounds or (opposed.learner, opposed.parameters) != self._of:
            return []
        source = "exact dynamic programming" if self.most.exact else "dynamic programming, stopped before it was done"
        return [LowerBound("Worst case", "mistakes", float(self.most.lower), source)]
