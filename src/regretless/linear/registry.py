"""The closed table of learners: the only names that a command line or a model file may use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError

if TYPE_CHECKING:
    from .base import OnlineClassifier

LEARNERS = {
    "perceptron": ("perceptron", "Perceptron"),
    "averaged-perceptron": ("averaged", "AveragedPerceptron"),
    "voted-perceptron": ("voted", "VotedPerceptron"),
    "margin-perceptron": ("margin_perceptron", "MarginPerceptron"),
    "passive-aggressive": ("passive_aggressive", "PassiveAggressive"),
    "multiclass-perceptron": ("multiclass", "MulticlassPerceptron"),
    "online-gradient-descent": ("ogd", "OnlineGradientDescent"),
    "winnow": ("mirror.winnow", "Winnow"),
    "p-norm-perceptron": ("mirror.p_norm", "PNormPerceptron"),
    "second-order-perceptron": ("second_order.perceptron", "SecondOrderPerceptron"),
    "arow": ("second_order.arow", "AROW"),
    "kernel-perceptron": ("kernel.kernel_perceptron", "KernelPerceptron"),
}


def learner_class(name: str) -> type[OnlineClassifier]:
    """The class of a learner by its hyphened name."""
    if name not in LEARNERS:
        raise RegretlessError(f"there is no learner called {name!r}; there are: {', '.join(LEARNERS)}")
    module, attribute = LEARNERS[name]
    found: Any = getattr(import_module(f"{__package__}.{module}"), attribute)
    return found  # type: ignore[no-any-return]
