"""The most mistakes of a learner on labels of a hypothesis, and rounds that force them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from math import inf, isinf
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..catalogue import class_learner
from ..errors import RegretlessError
from ..info import HasInfo
from .dimension import MEMORY, STOPPED, TIME, Progress, SearchLimits, Stop
from .finite_class import FiniteClass, Words, refuse_empty, transposed
from .learners.base import ClassLearner
from .littlestone import littlestone_dimension

Array = np.ndarray[Any, Any]
# Words between two looks at the clock: few at first, then some hundredths of a second.
_FIRST_SLICE, _SLICE = 1 << 16, 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """Rounds that force mistakes, and how many can be forced at most.

    Attributes
    ----------
    lower, upper : int or float
        Numbers between which the most mistakes lie; infinite where there is no end to them.
    points, labels : ndarray of int64, shape (rounds,)
        Rounds in which the learner makes `lower` mistakes. If there is no end to these, rounds that come back to where
        the learner was before, with a mistake since. Of the standard optimal algorithm none, if the search for the
        dimension that it uses ended early.
    hypothesis : int
        A hypothesis that agrees with all of these labels.
    seconds : float
        Time of the search.
    steps : int
        Number of sets of hypotheses, or states of the learner, of the search.
    stopped : str or None
        Reason of an early end.
    """

    lower: float
    upper: float
    points: Array
    labels: Array
    hypothesis: int
    seconds: float = 0.0
    steps: int = 0
    stopped: str | None = None

    @property
    def exact(self) -> bool:
        """Whether both bounds are equal."""
        return self.lower == self.upper

    @property
    def mistakes(self) -> float:
        """The most mistakes; possibly infinite.

        Raises
        ------
        RegretlessError
            If the search ended early.
        """
        if not self.exact:
            raise RegretlessError(f"worst case: {self.stopped}; it is only known to be {self}")
        return self.lower

    def __str__(self) -> str:
        if self.exact:
            return "without end" if isinf(self.lower) else str(self.lower)
        return f"{self.lower} or more" if isinf(self.upper) else f"{self.lower} to {self.upper}"

    def describe(self) -> dict[str, Any]:
        """The worst case as JSON values; None stands for no end."""
        return {
            "mistakes": _finite(self.lower) if self.exact else [_finite(self.lower), _finite(self.upper)],
            "exact": self.exact,
            "points": self.points.tolist(),
            "labels": self.labels.tolist(),
            "hypothesis": self.hypothesis,
            "seconds": self.seconds,
            "stopped": self.stopped,
        }


def _finite(number: float) -> int | None:
    return None if isinf(number) else int(number)


def rounds(points: list[int], labels: list[int]) -> tuple[Array, Array]:
    """Rounds as arrays."""
    return np.array(points, dtype=np.int64), np.array(labels, dtype=np.int64)


class Edge(NamedTuple):
    """A round that leads to another node."""

    point: int
    label: int
    wrong: bool
    to: int


Graph = list[list[Edge]]


def of_any(learner: Any, finite_class: FiniteClass, limits: SearchLimits) -> WorstCase:
    """The longest walk in the graph of all states, or of those before an early end."""
    graph, alive, ended = _explored(learner, finite_class, limits)
    values, parts = _values(graph)
    walk = _walk(graph, values, parts)
    end = walk[-1].to if walk else 0
    hypothesis = (alive[end] & -alive[end]).bit_length() - 1
    upper = values[0] if ended is None else inf
    why = ended if values[0] < upper else None
    played = rounds([step.point for step in walk], [step.label for step in walk])
    return WorstCase(values[0], upper, *played, hypothesis, limits.seconds, len(graph), why)


def _explored(learner: Any, finite_class: FiniteClass, limits: SearchLimits) -> tuple[Graph, list[int], str | None]:
    """The graph from the initial node, the hypotheses that agree at each node, and the reason of an early end."""
    says = [int.from_bytes(column.astype("<u8").tobytes(), "little") for column in finite_class.columns]
    whole = (1 << finite_class.hypotheses) - 1
    graph: Graph = []
    places = {(whole, learner.state()): 0}
    alive, copies = [whole], [learner]
    ended = None
    while len(graph) < len(copies) and ended is None:
        node, steps = len(graph), []
        for point, label, after in _rounds(says, alive[node]):
            moved = _copied(copies[node])
            wrong = _predicted(moved, point) != label
            moved.update(label)
            key = after, moved.state()
            if key not in places:
                places[key] = len(copies)
                alive.append(after)
                copies.append(moved)
            steps.append(Edge(point, label, wrong, places[key]))
        copies[node] = None
        graph.append(steps)
        ended = limits.end(len(graph), 0, inf)
    complete = len(graph) == len(copies)
    graph.extend([] for _ in range(len(copies) - len(graph)))
    return graph, alive, None if complete else ended


def _rounds(says: list[int], alive: int) -> Iterator[tuple[int, int, int]]:
    """Every point with every possible label, and the hypotheses that agree with it."""
    for point, ones in enumerate(says):
        for label, after in enumerate((alive & ~ones, alive & ones)):
            if after:
                yield point, label, after


def _copied(learner: Any) -> Any:
    return learner.copy() if hasattr(learner, "copy") else deepcopy(learner)


def _predicted(learner: Any, point: int) -> int:
    label = learner.predict(point)
    if label not in (0, 1):
        raise RegretlessError(f"the learner predicts {label!r} for point {point}; 0 or 1 is expected")
    return int(label)


def _values(graph: Graph) -> tuple[list[float], list[int]]:
    """The most mistakes from each node on, and the number of its strongly connected component."""
    values: list[float] = [0] * len(graph)
    parts = [-1] * len(graph)
    for part, together in enumerate(_components(graph)):
        for node in together:
            parts[node] = part
        steps = [step for node in together for step in graph[node]]
        endless = any(step.wrong and parts[step.to] == part for step in steps)
        best = max((step.wrong + values[step.to] for step in steps if parts[step.to] != part), default=0)
        for node in together:
            values[node] = inf if endless else best
    return values, parts


def _components(graph: Graph) -> Iterator[list[int]]:
    """Strongly connected components in reverse topological order (Tarjan 1972)."""
    index: dict[int, int] = {}
    low = [0] * len(graph)
    stacked = [False] * len(graph)
    stack: list[int] = []
    path: list[tuple[int, Iterator[Edge]]] = []

    def enter(node: int) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        stacked[node] = True
        path.append((node, iter(graph[node])))

    enter(0)  # all nodes are reachable from it
    while path:
        node, steps = path[-1]
        step = next(steps, None)
        if step is not None:
            if step.to not in index:
                enter(step.to)
            elif stacked[step.to]:
                low[node] = min(low[node], index[step.to])
            continue
        path.pop()
        if path:
            low[path[-1][0]] = min(low[path[-1][0]], low[node])
        if low[node] == index[node]:
            yield _popped(stack, stacked, node)


def _popped(stack: list[int], stacked: list[bool], last: int) -> list[int]:
    together: list[int] = []
    while not together or together[-1] != last:
        together.append(stack.pop())
        stacked[together[-1]] = False
    return together


def _walk(graph: Graph, values: list[float], parts: list[int]) -> list[Edge]:
    """Rounds with as many mistakes as the value of the first node; if it is infinite, a cycle with a mistake."""
    if values[0] == inf:
        out = _way(graph, 0, lambda node, step: step.wrong and parts[node] == parts[step.to])
        start = out[-2].to if len(out) > 1 else 0
        return out if out[-1].to == start else out + _way(graph, out[-1].to, lambda _, step: step.to == start)
    walk: list[Edge] = []
    node = 0
    while values[node] > 0:
        walk += _way(graph, node, _worth(values, values[node] - 1), values)
        node = walk[-1].to
    return walk


def _worth(values: list[float], rest: float) -> Callable[[int, Edge], bool]:
    """Whether a round is a mistake after which `rest` more can be forced."""
    return lambda _, step: step.wrong and values[step.to] == rest


def _way(
    graph: Graph, start: int, wanted: Callable[[int, Edge], bool], values: list[float] | None = None
) -> list[Edge]:
    """Shortest path to a wanted edge; with `values`, earlier edges keep the value of the start and make no mistake."""
    before: dict[int, tuple[int, Edge] | None] = {start: None}
    queue = deque([start])
    while True:
        node = queue.popleft()
        for step in graph[node]:
            if wanted(node, step):
                return _back(before, node, step)
            if step.to in before or (values is not None and (step.wrong or values[step.to] != values[start])):
                continue
            before[step.to] = node, step
            queue.append(step.to)


def _back(before: dict[int, tuple[int, Edge] | None], node: int, last: Edge) -> list[Edge]:
    way = [last]
    earlier = before[node]
    while earlier is not None:
        way.append(earlier[1])
        earlier = before[earlier[0]]
    return way[::-1]


def of_followers(learner: ClassLearner, finite_class: FiniteClass, limits: SearchLimits) -> WorstCase:
    """The worst case of the majority vote, or of the first hypothesis in order."""
    order = learner._state.order
    search = _core.WorstCaseSearch(
        _in_order(finite_class, order),
        finite_class.hypotheses,
        first=order is not None,
        tie=getattr(learner, "tie", 1),
        lazy=getattr(learner, "prune", "always") == "mistake",
    )
    lower, upper, steps, full = search.run(1)
    ended, size = None, _FIRST_SLICE
    while lower < upper and ended is None:
        lower, upper, steps, full = search.run(size)
        ended = MEMORY if full else limits.end(steps, lower, upper)
        size = min(2 * size, _SLICE)
    points, labels, place = search.trace()
    hypothesis = place if order is None else int(order[place])
    why = ended if lower < upper else None
    return WorstCase(lower, upper, *rounds(points, labels), hypothesis, limits.seconds, steps, why)


def _in_order(finite_class: FiniteClass, order: np.ndarray[Any, Any] | None) -> Words:
    """The columns of the class with its hypotheses in another order."""
    if order is None or np.array_equal(order, np.arange(finite_class.hypotheses)):
        return finite_class.columns
    return transposed(finite_class.rows[order], finite_class.points)


def worst_case(
    learner: Any,
    finite_class: FiniteClass | Any = None,
    *,
    target: int | str | None = None,
    limit: float | None = None,
    stop: Stop | None = None,
    on_progress: Progress | None = None,
) -> WorstCase:
    """The most mistakes of a learner on labels of any hypothesis of a class, with rounds that force them.

    Parameters
    ----------
    learner : ClassLearner or object
        A learner of the library starts before its first round. Any other deterministic learner starts in its current
        state, and needs ``predict(point) -> 0 or 1``, ``update(label)`` and a hashable ``state()`` that determines its
        predictions; it is copied by its ``copy()``, or else by `copy.deepcopy`. All its reachable states are visited.
    finite_class : FiniteClass or array-like, optional
        The class of the labels; by default the learner's own.
    target : int or str, optional
        The hypothesis of that class, by its place or name, that all labels are those of: M_A(c) of the textbooks, for a
        learner A and a target c. Without one, the largest of these over the class, M_A(C).
    limit : float, optional
        Time limit in seconds.
    stop : callable, optional
        Called at intervals; once it returns true, the search ends.
    on_progress : callable, optional
        Called at intervals with the number of steps and both bounds.

    Returns
    -------
    WorstCase

    Raises
    ------
    RegretlessError
        If the learner draws its predictions, or the class has no such target.

    Examples
    --------
    >>> from regretless.finite_classes import FiniteClass, Halving, worst_case
    >>> learner = Halving(FiniteClass.named("thresholds:7"))
    >>> worst_case(learner).mistakes, worst_case(learner, target=0).mistakes
    (3, 2)
    """
    if isinstance(learner, HasInfo) and learner.info.draws:
        raise RegretlessError(
            f"{type(learner).__name__} draws its predictions; the optimal bound on expected mistakes is the randomised"
            " Littlestone dimension: see randomized_littlestone_dimension"
        )
    own = getattr(learner, "finite_class", None)
    class_ = own if finite_class is None else finite_class
    if class_ is None:
        raise RegretlessError("worst_case needs a finite_class=: the learner has none of its own")
    if not isinstance(class_, FiniteClass):
        class_ = FiniteClass(class_)
    refuse_empty(class_)
    ends: dict[str, Any] = {"limit": limit, "stop": stop, "on_progress": on_progress}
    fresh: Any = learner.clone() if isinstance(learner, ClassLearner) else learner
    if target is not None:
        place = class_.hypothesis(target)
        return replace(of_any(fresh, class_.only([place]), SearchLimits(**ends)), hypothesis=place)
    if class_ is own or class_ == own:
        how = _forced(learner)
        if how == "tree":
            return _of_the_optimal(fresh, class_, ends)
        if how == "compiled":
            return of_followers(fresh, class_, SearchLimits(**ends))
    return of_any(fresh, class_, SearchLimits(**ends))


def _forced(learner: Any) -> str:
    """How its labels are found, as its info says; what a user has made of a learner may predict in another way."""
    ours = isinstance(learner, ClassLearner) and type(learner) is class_learner(learner.info.name)
    return learner.info.forced if ours else "states"


def _of_the_optimal(learner: ClassLearner, finite_class: FiniteClass, ends: dict[str, Any]) -> WorstCase:
    """A mistake tree against its predictions forces as many mistakes as its depth, and no labels force more."""
    limits, limit = SearchLimits(), ends["limit"]
    dimension = littlestone_dimension(finite_class, **ends)
    points: list[int] = []
    labels: list[int] = []
    if not dimension.exact:
        why = TIME if limit is not None and dimension.seconds >= limit else STOPPED
        played, hypothesis = rounds([], []), int(dimension.witness.leaves[0])
        return WorstCase(dimension.lower, dimension.upper, *played, hypothesis, limits.seconds, dimension.steps, why)
    for _ in range(dimension.lower):
        points.append(int(dimension.witness.point(labels)))
        labels.append(1 - learner.predict(points[-1]))
        learner.update(labels[-1])
    hypothesis = int(learner.alive_[0])
    return WorstCase(
        dimension.lower, dimension.upper, *rounds(points, labels), hypothesis, limits.seconds, dimension.steps
    )
