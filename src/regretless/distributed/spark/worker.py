"""What runs in the Python workers of Spark."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import Any

from ...data.stream import Stream
from ...errors import DataError, RegretlessError
from ..engine import Tree, run_answering
from ..shards import Shard
from .rows import Layout, RecordStream

ANSWERS = "leaf long, node long, answer binary"
LEFT = 16  # batches that work leaves unread are taken in: Spark ends a Python worker that leaves some
OTHER_ROWS = "persist or checkpoint it before: every epoch must find the same rows in the same partitions"

Batches = Iterator[Any]


class Task:
    """The record batches of a task, which come once; all of them can be written to a temporary file, to come again.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
    name : str
        Of the partition.
    rows : int
        How many there should be.
    keep : bool
        Whether they are wanted more than once.
    """

    def __init__(self, batches: Batches, name: str, rows: int, keep: bool) -> None:
        self._batches, self._name, self._rows, self._keep = batches, name, rows, keep
        self._file: Any = None
        self._begun = False
        self.again = False

    def read(self) -> Batches:
        """All record batches from the first one.

        Raises
        ------
        RegretlessError
            If they came before and were not written; `again` is true then.
        """
        if self._keep:
            return self._kept()
        if self._begun:
            self.again = True
            raise RegretlessError(f"{self._name}: its rows were read already")
        self._begun = True
        return self._counted()

    def _counted(self) -> Batches:
        seen = 0
        for batch in self._batches:
            seen += batch.num_rows
            yield batch
        if seen != self._rows:
            fault = f"{seen} rows, but {self._rows} when they were counted: the data frame is not always the same"
            raise DataError(self._name, None, None, fault, OTHER_ROWS)

    def _kept(self) -> Batches:
        import pyarrow as pa

        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115 (it goes with the task)
            writer = None
            for batch in self._counted():
                writer = writer or pa.ipc.new_stream(self._file, batch.schema)
                writer.write_batch(batch)
            if writer is not None:
                writer.close()
        self._file.seek(0)
        return iter(pa.ipc.open_stream(self._file))


class TaskShard(Shard):
    """A partition in the task that has its rows."""

    def __init__(self, name: str, task: Task, layout: Layout, columns: int | None) -> None:
        self.name, self._task, self._layout, self._columns = name, task, layout, columns

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Its rows, which are read when they are asked for."""
        return RecordStream(self._task.read, self._layout, self.name, self._columns)


def playing(
    work: Callable[..., Any],
    common: Any,
    leaves: Mapping[int, tuple[int, str, int]],
    layout: Layout | None,
    columns: int | None,
    keep: bool,
    size: int,
) -> Callable[[Batches], Batches]:
    """What plays a partition: its answer, in one row; no row for a partition that takes no part."""

    def play(batches: Batches) -> Batches:
        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        if place in leaves:
            leaf, name, rows = leaves[place]
            task = Task(batches, name, rows, keep)
            shard = TaskShard(name, task, layout, columns)  # type: ignore[arg-type]
            answer = _answer(work, common, shard, lambda: task.again)
            for _ in islice(batches, LEFT):
                pass
            yield _row(leaf, size, answer)

    return play


def playing_others(
    work: Callable[..., Any], common: Any, packed: Sequence[bytes] | None, size: int
) -> Callable[[Batches], Batches]:
    """What plays pickled shards, whose places are the rows of a data frame; they are in these rows if not here."""

    def play(batches: Batches) -> Batches:
        for batch in batches:
            for row, leaf in enumerate(batch.column(0).to_pylist()):
                shard = pickle.loads(packed[leaf] if packed is not None else batch.column(1)[row].as_py())
                yield _row(leaf, size, _answer(work, common, shard, lambda: False))

    return play


def merging(merge: Callable[..., Any], common: Any, leaves: int, size: int) -> Callable[[Any], Any]:
    """What merges the answers of neighbours, as the tree over all leaves would."""

    def group(table: Any) -> Any:
        import pyarrow as pa

        rows = sorted(table.select(["leaf", "node", "answer"]).to_pylist(), key=lambda row: row["leaf"])
        node = rows[0]["node"]
        tree: Tree[Any] = Tree(min(size, leaves - node * size), partial(merge, common))
        answer: tuple[str, Any] | None = None
        for row in rows:
            kind, value = pickle.loads(row["answer"])
            if kind != "result":
                answer = kind, value
                break
            tree.add(row["leaf"] - node * size, value)
        if answer is None:
            answer = "result", tree.result
        return pa.Table.from_batches([_row(node * size, size, answer)])

    return group


def _answer(work: Callable[..., Any], common: Any, shard: Any, again: Callable[[], bool]) -> tuple[str, Any]:
    """The result of a shard, under its kind."""
    value, error = run_answering(work, common, shard)
    if error is None:
        return "result", value
    return ("again", None) if again() else ("error", error)


def _row(leaf: int, size: int, answer: tuple[str, Any]) -> Any:
    import pyarrow as pa

    columns = [pa.array([leaf]), pa.array([leaf // size]), pa.array([pickle.dumps(answer, protocol=5)], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, names=["leaf", "node", "answer"])
