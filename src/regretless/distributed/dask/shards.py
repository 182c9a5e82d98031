"""Partitions of Dask collections as shards, made where they are played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from ...data.stream import Stream
from ...errors import DataError, ParameterError, RegretlessError
from ..shards import UNSURE, Shard, few_of, stream_of
from ..sources import shards_of

SMALL = 1 << 16  # bytes of what several partitions need that each may have a copy of
KINDS = (
    "a dask.dataframe with label=, (X, y) of dask.array or dask.dataframe, a list of delayed readers, paths, or shards"
)


class Partition(Shard):
    """A partition of one collection or of two, X and y.

    It travels as the tasks that make it, so that rows come into being in the process that plays them and stay there.
    What workers hold already, and what several partitions are made of, is left to Dask.

    Parameters
    ----------
    name : str
    keys : sequence of keys
        What to make: what a reader gives, a frame, or X and y.
    tasks : mapping
        The tasks for it that no other partition needs.
    needs : sequence of keys
        What Dask has to hand to these.
    shared : mapping
        Tasks and futures that give that; they stay with the client.
    label : str, optional
        The column of a frame that holds the labels.
    known : bool
        Whether the keys identify the data: those of delayed readers are other ones each time.
    """

    def __init__(
        self,
        name: str,
        keys: Sequence[Any],
        tasks: Mapping[Any, Any],
        needs: Sequence[Any],
        shared: Mapping[Any, Any],
        label: str | None,
        known: bool = False,
    ) -> None:
        self.name, self.needs, self.shared = name, tuple(needs), shared
        self._keys, self._tasks, self._label = list(keys), dict(tasks), label
        self._known = known
        self._values: list[Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "shared": {}}

    def with_values(self, values: Sequence[Any]) -> Self:
        """A copy that has the values of the tasks that it needs."""
        other = type(self)(self.name, self._keys, self._tasks, self.needs, {}, self._label, self._known)
        other._values = list(values)
        return other

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Make the rows.

        Raises
        ------
        DataError
            If there are none.
        RegretlessError
            If there are rows that cannot be used, or Dask has not handed on what the rows are made of.
        """
        import dask
        from dask.task_spec import DataNode

        if self.needs and self._values is None:
            raise RegretlessError(f"{self.name}: it is held by Dask's workers and can be played by Dask alone")
        there = {key: DataNode(key, value) for key, value in zip(self.needs, self._values or (), strict=True)}
        try:
            parts = dask.get({**self._tasks, **there}, self._keys)
        except (RegretlessError, OSError):
            raise
        except Exception as error:  # whatever the tasks of a user raise
            fault = f"to make it raised {type(error).__name__}: {error}"
            raise DataError(self.name, None, None, fault, "compute the collection by itself to see where") from error
        return stream_of(self._pair(parts), self.name, schema)

    def fingerprint(self) -> str | None:
        """The keys by which Dask knows the rows: often the same for the same data, made in the same way."""
        from dask.base import tokenize

        if not self._known:
            return None
        return f"{UNSURE}{tokenize([str(key) for key in self._keys], self._label)}"

    def _pair(self, parts: Sequence[Any]) -> Any:
        """X and y, or the stream or batch that was made."""
        rows: Any = parts[0] if len(parts) == 1 else tuple(parts)
        if hasattr(rows, "columns") and hasattr(rows, "drop"):
            if self._label not in rows.columns:
                fault = f"no column {self._label!r}" if self._label is not None else "a frame, and there is no label="
                raise DataError(self.name, None, None, fault, f"the columns are {few_of(map(repr, rows.columns), 8)}")
            rows = rows.drop(columns=[self._label]), rows[self._label]
        if isinstance(rows, tuple | list) and len(rows) == 2 and not _length(rows[0]):
            advice = "every shard needs at least one; repartition the collection"
            raise DataError(self.name, None, None, "no rows", advice)
        return rows


def partitions(shards: Any, *, label: str | None = None) -> list[Shard]:
    """The partitions of Dask collections, or what else stands for shards.

    Parameters
    ----------
    shards : dask.dataframe.DataFrame, (X, y), list of dask.delayed, or what `shards_of` takes
        Of pairs, X is a dask.array (its blocks may be sparse) or a dask.dataframe, y a dask.array or a series, cut in
        the same places. A delayed reader gives (X, y), a frame with the column `label`, a Batch or a Stream.
    label : str, optional
        Of frames: the column that holds the labels.

    Returns
    -------
    list of Shard
        Called by their numbers, from 0, as Dask counts.

    Raises
    ------
    RegretlessError
        If it is nothing of that kind.
    """
    if _is_dask(shards):
        return _of_one(shards, label)
    if isinstance(shards, list | tuple) and any(map(_is_dask, shards)):
        if all(hasattr(one, "key") and _is_dask(one) for one in shards):
            return _of_delayed(list(shards), label)
        if len(shards) == 2 and all(_is_dask(one) and not hasattr(one, "key") for one in shards):
            return _of_pair(*shards)
        kinds = ", ".join(dict.fromkeys(map(_kind, shards)))
        raise RegretlessError(f"a {type(shards).__name__} of {kinds} is no shards; {KINDS} is expected")
    if label is not None:
        raise ParameterError("label", "", "is for data frames; of files say files(paths, target=...)", " ")
    return shards_of(shards)


def _is_dask(value: Any) -> bool:
    from dask.base import is_dask_collection

    return bool(is_dask_collection(value))


def _of_one(frame: Any, label: str | None) -> list[Shard]:
    if hasattr(frame, "key"):
        return _of_delayed([frame], label)
    if not hasattr(frame, "columns") or frame.ndim != 2:
        raise RegretlessError(f"a {_kind(frame)} is no shards by itself; {KINDS} is expected")
    if label is None:
        raise RegretlessError(
            f"a data frame needs label=, the column of the labels; it has {few_of(map(repr, frame.columns), 8)}"
        )
    if label not in frame.columns:
        raise ParameterError(
            "label", repr(label), f"there is no such column; there are {few_of(map(repr, frame.columns), 8)}", ": "
        )
    collection, keys = _cut(frame)
    return _lineages([[collection]], [keys], label)


def _of_delayed(readers: list[Any], label: str | None) -> list[Shard]:
    return _lineages([readers], [[one.key for one in readers]], label)


def _of_pair(X: Any, y: Any) -> list[Shard]:
    X, y = _of_two_dimensions(X), _column(y)
    if _rows(X) is not None and _rows(y) is not None and _rows(X) != _rows(y):
        if sum(_rows(X) or ()) != sum(_rows(y) or ()):
            raise RegretlessError(f"X has {sum(_rows(X) or ()):,} rows and y {sum(_rows(y) or ()):,}")
        y = y.rechunk((_rows(X),))
    cut = [_cut(X), _cut(y)]
    keys = [keys for _, keys in cut]
    if len(keys[0]) != len(keys[1]):
        fault = f"X has {len(keys[0])} partitions and y {len(keys[1])}"
        raise RegretlessError(f"{fault}; they must be cut in the same places")
    return _lineages([[collection] for collection, _ in cut], keys, None)


def _of_two_dimensions(X: Any) -> Any:
    if not hasattr(X, "chunks"):
        return X
    if X.ndim != 2:
        raise RegretlessError(f"X has {X.ndim} dimensions; rows and columns are expected")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _column(y: Any) -> Any:
    if hasattr(y, "columns") and y.ndim == 2:
        if len(y.columns) != 1:
            raise RegretlessError(f"y has {len(y.columns)} columns; one is expected")
        return y[y.columns[0]]
    if hasattr(y, "chunks") and y.ndim == 2 and y.shape[1] == 1:
        return y[:, 0]
    return y


def _rows(collection: Any) -> tuple[int, ...] | None:
    """How many rows each block of an array has, where that is known."""
    chunks = getattr(collection, "chunks", None)
    return None if chunks is None or any(rows != rows for rows in chunks[0]) else tuple(chunks[0])


def _cut(collection: Any) -> tuple[Any, list[Any]]:
    """The collection as it will be computed, and the keys of its partitions."""
    from dask.core import flatten

    # Not dask.optimize: of frames of which few columns are read it makes fewer partitions, and of arrays that workers
    # hold it may lose the futures.
    simple = collection.simplify() if hasattr(collection, "simplify") else collection
    return simple, list(flatten(simple.__dask_keys__()))


def _lineages(collections: Sequence[Sequence[Any]], keys: Sequence[Sequence[Any]], label: str | None) -> list[Shard]:
    """A shard for each partition: the tasks that it alone needs, and what Dask hands to them."""
    from dask.core import get_dependencies

    known = not any(hasattr(one, "key") for several in collections for one in several)
    graph: dict[Any, Any] = {}
    for collection in (one for several in collections for one in several):
        graph.update(collection.__dask_graph__())
    depends = {key: {other for other in get_dependencies(graph, key) if other != key} for key in graph}
    wanted = list(zip(*keys, strict=True))
    reached = [_reachable(roots, depends.__getitem__) for roots in wanted]
    users = Counter(key for one in reached for key in one)
    apart = {key for key, count in users.items() if _is_held(graph[key]) or (count > 1 and not _is_small(graph[key]))}
    shards: list[Shard] = []
    for place, roots in enumerate(wanted):
        own = _reachable(roots, lambda key: () if key in apart else depends[key])
        needs = sorted((key for key in own if key in apart), key=str)
        shared = {key: graph[key] for key in _reachable(needs, depends.__getitem__)}
        tasks = {key: graph[key] for key in own if key not in apart}
        shards.append(Partition(f"partition {place}", roots, tasks, needs, shared, label, known))
    return shards


def _reachable(roots: Iterable[Any], below: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """All keys that the roots depend on, and the roots, each once."""
    result, waiting = dict.fromkeys(roots), list(roots)
    while waiting:
        for key in below(waiting.pop()):
            if key not in result:
                result[key] = None
                waiting.append(key)
    return list(result)


def _is_held(task: Any) -> bool:
    return hasattr(task, "client") and hasattr(task, "key")


def _is_small(task: Any) -> bool:
    """Whether a task is a small value and no computation."""
    from dask.core import istask
    from dask.sizeof import sizeof
    from dask.task_spec import DataNode

    if isinstance(task, DataNode):
        return bool(sizeof(task.value) <= SMALL)
    return not istask(task) and bool(sizeof(task) <= SMALL)


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _kind(value: Any) -> str:
    return f"{type(value).__module__.split('.')[0]} {type(value).__name__}"
