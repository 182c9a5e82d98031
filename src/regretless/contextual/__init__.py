"""Bandits whose arms are chosen by features: a regression foretells what each arm would cost, a rule explores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {"Ticket": "state", "Trial": "inputs"}

# Names: made by docs/name_lists.py of learners and MODULES
if TYPE_CHECKING:
    from .epsilon_greedy import EpsilonGreedy
    from .fast_cb import FastCB
    from .inputs import Trial
    from .lin_thompson import LinThompson
    from .lin_ucb import LinUCB
    from .square_cb import SquareCB
    from .state import Ticket

__all__ = ["EpsilonGreedy", "FastCB", "LinThompson", "LinUCB", "SquareCB", "Ticket", "Trial"]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
