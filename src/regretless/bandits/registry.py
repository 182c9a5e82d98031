"""The closed table of bandits: the only names that a command line or a model file may use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError

if TYPE_CHECKING:
    from .base import Bandit

BANDITS = {
    "exp3-ix": ("exp3_ix", "Exp3IX"),
    "exp3": ("exp3", "Exp3"),
    "exp3-p": ("exp3_p", "Exp3P"),
    "tsallis-inf": ("tsallis_inf", "TsallisINF"),
    "exp3-s": ("exp3_s", "EXP3S"),
    "exp4": ("exp4", "Exp4"),
    "hedge": ("hedge", "Hedge"),
}


def bandit_class(name: str) -> type[Bandit]:
    """The class of a bandit by its hyphened name."""
    if name not in BANDITS:
        raise RegretlessError(f"there is no bandit called {name!r}; there are: {', '.join(BANDITS)}")
    module, attribute = BANDITS[name]
    found: Any = getattr(import_module(f"{__package__}.{module}"), attribute)
    return found  # type: ignore[no-any-return]
