"""Linear learners, a page each; and the geometry of linear separation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .aggregated.classifier import AggregatedClassifier
    from .alma import ALMA
    from .arow import AROW
    from .averaged import AveragedPerceptron
    from .kernel.kernel_perceptron import KernelPerceptron
    from .margin_perceptron import MarginPerceptron
    from .multiclass import MulticlassPerceptron
    from .ogd import OnlineGradientDescent
    from .p_norm import PNormPerceptron
    from .passive_aggressive import PassiveAggressive
    from .perceptron import Perceptron
    from .second_order_perceptron import SecondOrderPerceptron
    from .separation.margin import MaxMargin, Separation, max_margin, separate
    from .separation.simplex_margin import SimplexMargin, max_margin_simplex
    from .voted import VotedPerceptron
    from .winnow import Winnow

__all__ = [
    "ALMA",
    "AROW",
    "AggregatedClassifier",
    "AveragedPerceptron",
    "KernelPerceptron",
    "MarginPerceptron",
    "MaxMargin",
    "MulticlassPerceptron",
    "OnlineGradientDescent",
    "PNormPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "SecondOrderPerceptron",
    "Separation",
    "SimplexMargin",
    "VotedPerceptron",
    "Winnow",
    "max_margin",
    "max_margin_simplex",
    "separate",
]

_HOMES = {
    "ALMA": "alma",
    "AROW": "arow",
    "AggregatedClassifier": "aggregated.classifier",
    "AveragedPerceptron": "averaged",
    "KernelPerceptron": "kernel.kernel_perceptron",
    "MarginPerceptron": "margin_perceptron",
    "MaxMargin": "separation.margin",
    "MulticlassPerceptron": "multiclass",
    "OnlineGradientDescent": "ogd",
    "PNormPerceptron": "p_norm",
    "PassiveAggressive": "passive_aggressive",
    "Perceptron": "perceptron",
    "SecondOrderPerceptron": "second_order_perceptron",
    "Separation": "separation.margin",
    "SimplexMargin": "separation.simplex_margin",
    "VotedPerceptron": "voted",
    "Winnow": "winnow",
    "max_margin": "separation.margin",
    "max_margin_simplex": "separation.simplex_margin",
    "separate": "separation.margin",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
