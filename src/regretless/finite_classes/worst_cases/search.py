"""The most mistakes that a learner makes on labels with which some hypothesis agrees, and rounds in which it does."""

from __future__ import annotations

from typing import Any

from ...errors import RegretlessError
from ...info import HasInfo
from ..dimensions.budget import STOPPED, TIME, Progress, Stop, Watch
from ..dimensions.littlestone import littlestone_dimension
from ..finite_class import FiniteClass, refuse_empty
from ..learners.base import ClassLearner
from ..learners.consistent import Consistent
from ..learners.halving import Halving
from ..learners.standard_optimal import StandardOptimal
from .exhaustive import of_any
from .majority import of_followers
from .result import WorstCase, rounds

__all__ = ["WorstCase", "worst_case"]


def worst_case(
    learner: Any,
    finite_class: FiniteClass | Any = None,
    *,
    limit: float | None = None,
    stop: Stop | None = None,
    on_progress: Progress | None = None,
) -> WorstCase:
    """The most mistakes that any labels of any hypothesis of a class force on a learner, with rounds that do.

    Parameters
    ----------
    learner : ClassLearner or object
        A learner of the library is judged as it is before its first round. Any other one that is deterministic is
        judged from where it stands, by its ``predict(point) -> 0 or 1`` and ``update(label)``. It is copied by its
        ``copy()``, or else by `copy.deepcopy`; its ``state()`` is hashable and tells all that its predictions depend
        on. All states that it can get into are gone through, so they had better be few.
    finite_class : FiniteClass or array-like, optional
        The hypotheses that labels may be of; the learner's own by default.
    limit : float, optional
        Seconds after which what is known by then is the answer.
    stop : callable, optional
        Asked now and then; if it says so, what is known by then is the answer.
    on_progress : callable, optional
        Called as often with the number of steps and both bounds.

    Returns
    -------
    WorstCase

    Raises
    ------
    RegretlessError
        If the learner draws its labels: how often it errs at most is a matter of luck, or of expectation.
    """
    if isinstance(learner, HasInfo) and learner.info.draws:
        raise RegretlessError(
            f"{type(learner).__name__} draws its labels; the most that it errs in expectation on labels of a hypothesis"
            " is the randomised Littlestone dimension: see randomized_littlestone_dimension"
        )
    own = getattr(learner, "finite_class", None)
    judged = own if finite_class is None else finite_class
    if judged is None:
        raise RegretlessError("worst_case needs a finite_class=: the learner has none of its own")
    if not isinstance(judged, FiniteClass):
        judged = FiniteClass(judged)
    refuse_empty(judged)
    ends: dict[str, Any] = {"limit": limit, "stop": stop, "on_progress": on_progress}
    fresh: Any = learner.clone() if isinstance(learner, ClassLearner) else learner
    if judged is own or judged == own:
        if type(learner) is StandardOptimal:
            return _of_the_optimal(fresh, judged, ends)
        if type(learner) in (Consistent, Halving):
            return of_followers(fresh, judged, Watch(**ends))
    return of_any(fresh, judged, Watch(**ends))


def _of_the_optimal(learner: StandardOptimal, finite_class: FiniteClass, ends: dict[str, Any]) -> WorstCase:
    """Down a mistake tree against its predictions: it errs as often as the tree is deep, and never more often."""
    watch, limit = Watch(), ends["limit"]
    found = littlestone_dimension(finite_class, **ends)
    points: list[int] = []
    labels: list[int] = []
    if not found.exact:
        why = TIME if limit is not None and found.seconds >= limit else STOPPED
        played, hypothesis = rounds([], []), int(found.witness.leaves[0])
        return WorstCase(found.lower, found.upper, *played, hypothesis, watch.seconds, found.steps, why)
    for _ in range(found.lower):
        points.append(int(found.witness.point(labels)))
        labels.append(1 - learner.predict(points[-1]))
        learner.update(labels[-1])
    hypothesis = int(learner.alive_[0])
    return WorstCase(found.lower, found.upper, *rounds(points, labels), hypothesis, watch.seconds, found.steps)
