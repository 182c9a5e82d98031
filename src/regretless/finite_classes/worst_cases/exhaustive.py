"""Worst cases of learners of which nothing is known but what they predict, by going through all their states.

A node is a state of the learner together with the hypotheses that agree with all labels so far; a round leads from one
to another, and is a mistake or not. The worst case is the longest walk, mistakes counted. If some walk leads back to
where it began with a mistake on the way, there is no end to them. If none does, nodes that lead to each other do so
without a mistake: they are worth the same, and taken as one they have no cycles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from copy import deepcopy
from math import inf
from typing import Any, NamedTuple

from ...errors import RegretlessError
from ..dimensions.budget import Watch
from ..finite_class import FiniteClass
from .result import WorstCase, rounds


class Step(NamedTuple):
    """A round that leads to another node."""

    point: int
    label: int
    wrong: bool
    to: int


Graph = list[list[Step]]


def of_any(learner: Any, finite_class: FiniteClass, watch: Watch) -> WorstCase:
    """The longest walk; if it is ended before all nodes were met, the longest among those that were."""
    graph, alive, ended = _explored(learner, finite_class, watch)
    values, parts = _values(graph)
    walk = _walk(graph, values, parts)
    end = walk[-1].to if walk else 0
    hypothesis = (alive[end] & -alive[end]).bit_length() - 1
    upper = values[0] if ended is None else inf
    why = ended if values[0] < upper else None
    played = rounds([step.point for step in walk], [step.label for step in walk])
    return WorstCase(values[0], upper, *played, hypothesis, watch.seconds, len(graph), why)


def _explored(learner: Any, finite_class: FiniteClass, watch: Watch) -> tuple[Graph, list[int], str | None]:
    """All nodes, the first one first; who agrees with the labels at each; and why it ended, if before the end."""
    says = [int.from_bytes(column.astype("<u8").tobytes(), "little") for column in finite_class.columns]
    everybody = (1 << finite_class.hypotheses) - 1
    graph: Graph = []
    places = {(everybody, learner.state()): 0}
    alive, copies = [everybody], [learner]
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
            steps.append(Step(point, label, wrong, places[key]))
        copies[node] = None
        graph.append(steps)
        ended = watch.end(len(graph), 0, inf)
    complete = len(graph) == len(copies)
    graph.extend([] for _ in range(len(copies) - len(graph)))
    return graph, alive, None if complete else ended


def _rounds(says: list[int], alive: int) -> Iterator[tuple[int, int, int]]:
    """Every point with every label that some hypothesis still gives it, and who is left then."""
    for point, ones in enumerate(says):
        for label, after in enumerate((alive & ~ones, alive & ones)):
            if after:
                yield point, label, after


def _copied(learner: Any) -> Any:
    return learner.copy() if hasattr(learner, "copy") else deepcopy(learner)


def _predicted(learner: Any, point: int) -> int:
    label = learner.predict(point)
    if label not in (0, 1):
        raise RegretlessError(f"the learner predicts {label!r} of point {point}; 0 or 1 is expected")
    return int(label)


def _values(graph: Graph) -> tuple[list[float], list[int]]:
    """The most mistakes from each node on, and by what number it is known with those that lead to it and back."""
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
    """Nodes that lead to each other, those that others lead to first (Tarjan 1972)."""
    met: dict[int, int] = {}
    low = [0] * len(graph)
    held = [False] * len(graph)
    waiting: list[int] = []
    path: list[tuple[int, Iterator[Step]]] = []

    def enter(node: int) -> None:
        met[node] = low[node] = len(met)
        waiting.append(node)
        held[node] = True
        path.append((node, iter(graph[node])))

    enter(0)  # all others were met on the way from it
    while path:
        node, steps = path[-1]
        step = next(steps, None)
        if step is not None:
            if step.to not in met:
                enter(step.to)
            elif held[step.to]:
                low[node] = min(low[node], met[step.to])
            continue
        path.pop()
        if path:
            low[path[-1][0]] = min(low[path[-1][0]], low[node])
        if low[node] == met[node]:
            yield _taken(waiting, held, node)


def _taken(waiting: list[int], held: list[bool], last: int) -> list[int]:
    together: list[int] = []
    while not together or together[-1] != last:
        together.append(waiting.pop())
        held[together[-1]] = False
    return together


def _walk(graph: Graph, values: list[float], parts: list[int]) -> list[Step]:
    """Rounds that are worth what the first node is; if that has no end, rounds that come back after a mistake."""
    if values[0] == inf:
        out = _way(graph, 0, lambda node, step: step.wrong and parts[node] == parts[step.to])
        start = out[-2].to if len(out) > 1 else 0
        return out if out[-1].to == start else out + _way(graph, out[-1].to, lambda _, step: step.to == start)
    walk: list[Step] = []
    node = 0
    while values[node] > 0:
        walk += _way(graph, node, _worth(values, values[node] - 1), values)
        node = walk[-1].to
    return walk


def _worth(values: list[float], rest: float) -> Callable[[int, Step], bool]:
    """Whether a round is a mistake after which so many more can be forced."""
    return lambda _, step: step.wrong and values[step.to] == rest


def _way(
    graph: Graph, start: int, wanted: Callable[[int, Step], bool], values: list[float] | None = None
) -> list[Step]:
    """The fewest rounds that end with one that is wanted; with values, before that on through nodes that are worth what
    the first one is, without a mistake."""
    before: dict[int, tuple[int, Step] | None] = {start: None}
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


def _back(before: dict[int, tuple[int, Step] | None], node: int, last: Step) -> list[Step]:
    way = [last]
    came = before[node]
    while came is not None:
        way.append(came[1])
        came = before[came[0]]
    return way[::-1]
