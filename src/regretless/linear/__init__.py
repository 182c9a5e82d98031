"""Linear learners, a page each; and the geometry of linear separation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "MaxMargin": "separation.result",
    "Separation": "separation.result",
    "SimplexMargin": "separation.simplex_margin",
    "max_margin": "separation.margin",
    "max_margin_simplex": "separation.simplex_margin",
    "separate": "separation.margin",
}

# Names: made by docs/name_lists.py of learners and MODULES
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
    from .selective import SelectiveSamplingPerceptron
    from .separation.margin import max_margin, separate
    from .separation.result import MaxMargin, Separation
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
    "SelectiveSamplingPerceptron",
    "Separation",
    "SimplexMargin",
    "VotedPerceptron",
    "Winnow",
    "max_margin",
    "max_margin_simplex",
    "separate",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
