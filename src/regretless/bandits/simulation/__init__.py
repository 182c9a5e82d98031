"""Many runs of a bandit in an environment, on all processors."""

from .result import Pulls
from .runner import Stopped, simulate

__all__ = ["Pulls", "Stopped", "simulate"]
