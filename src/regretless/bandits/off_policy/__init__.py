"""What a learner, or a fixed policy, would have earned on the log of somebody else's draws."""

from .evaluation import Choices, Evaluation, Randomised, Stated, evaluate_learner, evaluate_policy

__all__ = ["Choices", "Evaluation", "Randomised", "Stated", "evaluate_learner", "evaluate_policy"]
