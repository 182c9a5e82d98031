"""Linear learners, a page each; and the geometry of linear separation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .aggregated.classifier import AggregatedClassifier
    from .alma import ALMA
    from .averaged import AveragedPerceptron
    from .kernel.kernel_perceptron import KernelPerceptron
    from .margin_perceptron import MarginPerceptron
    from .mirror.p_norm import PNormPerceptron
    from .mirror.winnow import Winnow
    from .multiclass import MulticlassPerceptron
    from .ogd import OnlineGradientDescent
    from .passive_aggressive import PassiveAggressive
    from .perceptron import Perceptron
    from .second_order.arow import AROW
    from .second_order.perceptron import SecondOrderPerceptron
    from .separation.margin import MaxMargin, Separation, max_margin, separate
    from .separation.simplex_margin import SimplexMargin, max_margin_simplex
    from .voted import VotedPerceptron

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
    "AROW": "second_order.arow",
    "AggregatedClassifier": "aggregated.classifier",
    "AveragedPerceptron": "averaged",
    "KernelPerceptron": "kernel.kernel_perceptron",
    "MarginPerceptron": "margin_perceptron",
    "MaxMargin": "separation.margin",
    "MulticlassPerceptron": "multiclass",
    "OnlineGradientDescent": "ogd",
    "PNormPerceptron": "mirror.p_norm",
    "PassiveAggressive": "passive_aggressive",
    "Perceptron": "perceptron",
    "SecondOrderPerceptron": "second_order.perceptron",
    "Separation": "separation.margin",
    "SimplexMargin": "separation.simplex_margin",
    "VotedPerceptron": "voted",
    "Winnow": "mirror.winnow",
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
