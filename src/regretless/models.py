"""Model files of any kind."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from .persist.format import read_model

if TYPE_CHECKING:
    from .bandits.base import Bandit
    from .experts.base import ExpertLearner
    from .finite_classes.learners.base import ClassLearner
    from .linear.base import OnlineClassifier


def read(path: str | PathLike[str]) -> tuple[OnlineClassifier | ExpertLearner | Bandit | ClassLearner, dict[str, Any]]:
    """Read a learner and what was kept with it.

    Parameters
    ----------
    path : path-like
        A ``.rgl`` file.

    Returns
    -------
    learner : OnlineClassifier, ExpertLearner, Bandit or ClassLearner
    extra : dict
        JSON values.

    Raises
    ------
    ModelError
        If the file is no model, is damaged, or does not fit together.
    """
    from .catalogue import EXPERT_LEARNERS
    from .linear import persist as linear

    description, tensors = read_model(path)
    name = description.get("learner")
    if description.get("room") == "classes":
        from .finite_classes.learners import persist as classes

        return classes.rebuilt(path, description, tensors)
    if "room" in description:  # some of its names are those of combiners too
        from .bandits import persist as bandits

        return bandits.rebuilt(path, description, tensors)
    if isinstance(name, str) and name in EXPERT_LEARNERS:
        from .experts import persist as experts

        return experts.rebuilt(path, description, tensors)
    return linear.rebuilt(path, description, tensors)
