"""Lower bounds on what a learner suffers in an environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import frexp
from typing import Any, Literal

from ..catalogue import BANDITS, LEARNERS
from ..info import LinearInfo

# What learners do where nothing else was said.
USUAL = {"ties": "update", "intercept": 0, "initial": None, "class_weight": None, "budget": None, "kernel": "rbf"}


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A lower bound on what a learner suffers.

    Attributes
    ----------
    title : str
        What a line calls it.
    quantity : str
        "mistakes", "expected mistakes" (the sum of the probabilities of a wrong label), "regret in mistakes" (more than
        the best vote makes), "updates", "loss", or "regret" (in what the learner is counted by, mistakes or loss).
    least : float
    source : str
        Where it is proven.
    kind : {"sure", "expected"}
        "sure" holds in every run; "expected" holds for the mean over the luck of the environment and the learner.
    """

    title: str
    quantity: str
    least: float
    source: str
    kind: Literal["sure", "expected"] = "sure"

    def describe(self) -> dict[str, float | str]:
        """The bound as JSON values."""
        return {
            "title": self.title,
            "quantity": self.quantity,
            "least": self.least,
            "source": self.source,
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True)
class LearnerDescription:
    """The learner that a lower bound is about.

    Attributes
    ----------
    kind : {"class", "linear", "experts", "bandits"}
    learner : str
        Its name in the table of learners of that kind.
    deterministic : bool
        Whether its prediction is a function of what it saw. If not, the environment sees its probabilities.
    parameters : mapping
        Those it was made with; what is absent has its default.
    """

    kind: str
    learner: str = ""
    deterministic: bool = True
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def additive(self) -> bool:
        """Whether it adds c y x to weights that began as nothing whenever y <w, x> <= 0, and only then, for some c > 0.

        Weights may be rounded, and with them the ties of rows that are not at right angles.
        """
        if self.kind != "linear" or self.learner not in LEARNERS:
            return False
        info: LinearInfo = LEARNERS[self.learner].info
        wants: dict[str, Any] = {one: value for one, value in USUAL.items() if one != "kernel"}
        if info.predicts_by == "support":
            wants["kernel"] = "linear"
        return info.additive and all(self.parameters.get(name, USUAL[name]) == value for name, value in wants.items())

    @property
    def informed(self) -> bool:
        """Whether it is a bandit with full information."""
        return self.kind == "bandits" and self.learner in BANDITS and bool(BANDITS[self.learner].info.informed)

    @property
    def perceptron(self) -> bool:
        """The same with weights that are exact on rows of whole numbers, for c is a power of 2."""
        return self.additive and frexp(self.parameters.get("rate", 1.0))[0] == 0.5


def errors_forced(title: str, count: int, source: str, opposed: LearnerDescription) -> list[LowerBound]:
    """`count` labels against a learner force `count` mistakes, or `count` / 2 in expectation if it draws its labels.

    A deterministic learner is wrong whenever the label is not its prediction. One that draws is wrong with a
    probability of at least 1/2 whenever the label is its less likely one.
    """
    if opposed.deterministic:
        return [LowerBound(title, "mistakes", float(count), source)]
    return [LowerBound(title, "expected mistakes", count / 2, source)]
