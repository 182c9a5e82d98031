"""What a learner, or a fixed policy, would have earned on the log of somebody else's draws."""

from .evaluation import Evaluation, evaluate_learner, evaluate_policy
from .policies import Choices, Randomised, Stated

__all__ = ["Choices", "Evaluation", "Randomised", "Stated", "evaluate_learner", "evaluate_policy"]
