"""Bandits: learners that see the loss of the arm they draw and no other, a page each; most for any losses at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "Choices": "off_policy",
    "Draw": "online",
    "Evaluation": "off_policy",
    "LossError": "validation",
    "Play": "result",
    "Pulls": "simulation",
    "Randomised": "off_policy",
    "Stated": "off_policy",
    "Stopped": "simulation",
    "evaluate_learner": "off_policy",
    "evaluate_policy": "off_policy",
    "simulate": "simulation",
}

# Names: made by docs/name_lists.py of learners and MODULES
if TYPE_CHECKING:
    from .exp3 import Exp3
    from .exp3_ix import Exp3IX
    from .exp3_p import Exp3P
    from .exp3_s import EXP3S
    from .exp4 import Exp4
    from .hedge import Hedge
    from .kl_ucb import KLUCB
    from .moss import MOSS
    from .off_policy import Choices, Evaluation, Randomised, Stated, evaluate_learner, evaluate_policy
    from .online import Draw
    from .result import Play
    from .simulation import Pulls, Stopped, simulate
    from .thompson import ThompsonSampling
    from .tsallis_inf import TsallisINF
    from .ucb1 import UCB1
    from .validation import LossError

__all__ = [
    "EXP3S",
    "KLUCB",
    "MOSS",
    "UCB1",
    "Choices",
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
    "Randomised",
    "Stated",
    "Stopped",
    "ThompsonSampling",
    "TsallisINF",
    "evaluate_learner",
    "evaluate_policy",
    "simulate",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
