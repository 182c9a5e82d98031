"""What a learner, or a fixed policy, would have earned on the log of somebody else's draws."""

from .evaluation import Evaluation, evaluate_learner, evaluate_policy

__all__ = ["Evaluation", "evaluate_learner", "evaluate_policy"]
