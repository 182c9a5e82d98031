"""Bandits: learners that see the loss of the arm they draw and no other, a page each; most for any losses at all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exp3 import Exp3
    from .exp3_ix import Exp3IX
    from .exp3_p import Exp3P
    from .exp3_s import EXP3S
    from .exp4 import Exp4
    from .hedge import Hedge
    from .kl_ucb import KLUCB
    from .moss import MOSS
    from .off_policy import Evaluation, evaluate_learner, evaluate_policy
    from .online import Draw
    from .result import Play
    from .simulation import Pulls, Stopped, simulate
    from .thompson import ThompsonSampling
    from .tsallis_inf import TsallisINF
    from .ucb1 import UCB1
    from .validation import LossError

_HOMES = {
    "EXP3S": "exp3_s",
    "KLUCB": "kl_ucb",
    "MOSS": "moss",
    "UCB1": "ucb1",
    "Draw": "online",
    "Evaluation": "off_policy",
    "Exp3": "exp3",
    "Exp3IX": "exp3_ix",
    "Exp3P": "exp3_p",
    "Exp4": "exp4",
    "Hedge": "hedge",
    "LossError": "validation",
    "Play": "result",
    "Pulls": "simulation",
    "Stopped": "simulation",
    "ThompsonSampling": "thompson",
    "TsallisINF": "tsallis_inf",
    "evaluate_learner": "off_policy",
    "evaluate_policy": "off_policy",
    "simulate": "simulation",
}

__all__ = [
    "EXP3S",
    "KLUCB",
    "MOSS",
    "UCB1",
    "Draw",
    "Evaluation",
    "Exp3",
    "Exp3IX",
    "Exp3P",
    "Exp4",
    "Hedge",
    "LossError",
    "Play",
    "Pulls",
    "Stopped",
    "ThompsonSampling",
    "TsallisINF",
    "evaluate_learner",
    "evaluate_policy",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
