"""Linear learners, a page each; and the geometry of linear separation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .margin import MaxMargin, Separation, max_margin, separate
    from .ogd import OnlineGradientDescent
    from .perceptron import Perceptron

__all__ = ["MaxMargin", "OnlineGradientDescent", "Perceptron", "Separation", "max_margin", "separate"]

_HOMES = {
    "MaxMargin": "margin",
    "OnlineGradientDescent": "ogd",
    "Perceptron": "perceptron",
    "Separation": "margin",
    "max_margin": "margin",
    "separate": "margin",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
