"""Shards played by Spark: partitions of a data frame where they are, and whatever else is a shard on the executors.

The engine comes first, then what runs in Spark's Python workers.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import ceil, log2
from tempfile import TemporaryFile
from threading import Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from ...data.stream import Stream
from ...errors import DataError, EngineError, Interrupted, RegretlessError
from ..engine import Engine, MergeTree, run_answering
from ..shards import Shard
from .rows import Layout, RecordStream

SECONDS_BETWEEN_LOOKS = 0.2  # at whether to stop
SECONDS_TO_END = 30.0  # that a job has to end before it is left alone
SMALL = 1 << 20  # bytes of shards, such as paths of files, that every task may get all of
FEW = 32  # as many answers come to the driver as they are; of more, neighbours are merged on the executors before
ANSWERS = "leaf long, node long, answer binary"
LEFT = 16  # batches that work leaves unread are taken in: Spark ends a Python worker that leaves some
OTHER_ROWS = "persist or checkpoint it before: every epoch must find the same rows in the same partitions"
Batches = Iterator[Any]
LOST = (
    "the Python of Spark's workers cannot load what is to be run there ({}); regretless must be installed in it, and "
    "it must be of the version of this one: set PYSPARK_PYTHON to such a Python before the session begins"
)


@dataclass(frozen=True, slots=True)
class SparkPartition(Shard):
    """A partition of a data frame; its rows can be read where Spark plays it, and nowhere else.

    Attributes
    ----------
    name : str
    place : int
        The partition's number.
    rows : int
        How many there were when they were counted.
    hashed : int, optional
        The exclusive or of Spark's hashes of them: whatever their order is.
    """

    __module__ = "regretless.distributed.spark"

    name: str
    place: int
    rows: int
    hashed: int | None = None

    def fingerprint(self) -> str | None:
        """How many rows there are, and Spark's hash of them."""
        return None if self.hashed is None else f"{self.rows} rows, {self.hashed % (1 << 64):016x}"

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Refuse: the rows are elsewhere.

        Raises
        ------
        RegretlessError
            Always.
        """
        fault = f"{self.name}: its rows are where Spark keeps them"
        raise RegretlessError(f"{fault}; give the engine that came with it as the executor")


class SparkEngine(Engine):
    """Runs work in tasks of Spark, by ``mapInArrow``: in the classic way and through Spark Connect.

    Answers come back in the rows of a data frame, of which Spark keeps one set for each partition however often a task
    was tried: nothing is counted twice.

    Parameters
    ----------
    session : SparkSession
    frame : DataFrame, optional
        What the partitions are of, as `Partitions` prepares it. Without it, shards of other kinds are played.
    layout : Layout, optional
        Which of its columns are what.
    columns : int, optional
        How many features there are.
    """

    __module__ = "regretless.distributed.spark"

    def __init__(
        self, session: Any, frame: Any = None, layout: Layout | None = None, columns: int | None = None
    ) -> None:
        self.session, self._frame, self._layout, self._columns = session, frame, layout, columns

    def fold(
        self,
        work: Callable[..., Any],
        merge: Callable[..., Any],
        common: Any,
        shards: Sequence[Any],
        *,
        done: Callable[[int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Any:
        """See `Engine.fold`; `done` is called for all shards at the end, for Spark shows its own progress."""
        size = _group(len(shards))
        play = partial(self._answers_of, work, common, shards, size)
        nodes = self._collect_nodes(play(keep=getattr(common, "passes", 1) > 1), merge, common, len(shards), size, stop)
        if any(kind == "again" for kind, _ in nodes.values()):
            nodes = self._collect_nodes(play(keep=True), merge, common, len(shards), size, stop)
        tree: MergeTree[Any] = MergeTree(ceil(len(shards) / size), partial(merge, common))
        for node in range(ceil(len(shards) / size)):
            if node not in nodes:
                fault = f"{shards[node * size].name}: no task of Spark had its rows"
                raise EngineError(f"{fault}; {OTHER_ROWS}")
            kind, value = nodes[node]
            if kind != "result":
                raise value
            tree.add(node, value)
        if done is not None:
            for place in range(len(shards)):
                done(place)
        return tree.result

    def _answers_of(self, work: Any, common: Any, shards: Sequence[Any], size: int, *, keep: bool) -> Any:
        """The data frame of the answers."""
        if all(isinstance(shard, SparkPartition) for shard in shards) and self._frame is not None:
            return self._of_partitions(work, common, shards, size, keep)
        packed = [pickle.dumps(shard) for shard in shards]
        small = sum(map(len, packed)) < SMALL
        frame = self.session.range(0, len(packed), 1, len(packed)) if small else _spread(self.session, packed)
        return frame.mapInArrow(play_shards(work, common, packed if small else None, size), ANSWERS)

    def _of_partitions(self, work: Any, common: Any, shards: Sequence[Any], size: int, keep: bool) -> Any:
        from pyspark.sql import functions as F

        leaves = {shard.place: (leaf, shard.name, shard.rows) for leaf, shard in enumerate(shards)}
        frame = self._frame
        if len(leaves) < FEW:  # of one partition, say, the rows of the others need not leave Spark
            frame = frame.where(F.spark_partition_id().isin(list(leaves)))
        return frame.mapInArrow(play_partitions(work, common, leaves, self._layout, self._columns, keep, size), ANSWERS)

    def _collect_nodes(
        self, frame: Any, merge: Any, common: Any, leaves: int, size: int, stop: Callable[[], bool] | None
    ) -> Mapping[int, tuple[str, Any]]:
        """The result of each node: a leaf, or neighbours that were merged on the executors."""
        if size > 1:
            frame = frame.groupBy("node").applyInArrow(merge_neighbours(merge, common, leaves, size), ANSWERS)
        table = collect(self.session, frame, stop)
        answers = [answer.as_py() for answer in table.column("answer")]
        sent = len(pickle.dumps(common, protocol=5)) * leaves
        self.moved = (sent, sum(map(len, answers)))
        return dict(zip(table.column("node").to_pylist(), map(pickle.loads, answers), strict=True))


def _spread(session: Any, packed: Sequence[bytes]) -> Any:
    """Pickled shards in a data frame, about one a partition."""
    import pyarrow as pa

    return session.createDataFrame(pa.table({"leaf": range(len(packed)), "shard": packed})).repartition(len(packed))


def collect(session: Any, frame: Any, stop: Callable[[], bool] | None = None) -> Any:
    """The rows of a data frame as an Arrow table.

    Parameters
    ----------
    session : SparkSession
    frame : DataFrame
    stop : callable, optional
        Called now and then; true stops the work.

    Raises
    ------
    Interrupted
        If `stop` was true; Spark's tasks are cancelled.
    EngineError
        If the workers cannot run the work, or a task failed as often as Spark tries it.
    """
    from pyspark.errors import PySparkException

    try:
        return frame.toArrow() if stop is None else _collect_watched(session, frame, stop)
    except PySparkException as error:
        if "PythonException" not in type(error).__name__:
            raise
        raise EngineError(_last_error(str(error))) from error


def _collect_watched(session: Any, frame: Any, stop: Callable[[], bool]) -> Any:
    from pyspark import inheritable_thread_target

    tag, future = f"regretless-{uuid4().hex}", Future[Any]()

    def run() -> None:
        try:
            _tag(session, tag)  # of this thread's jobs alone
            future.set_result(frame.toArrow())
        except BaseException as error:
            future.set_exception(error)

    # A thread of no pool: pools wait for theirs when they are closed, and Python when it ends.
    Thread(target=inheritable_thread_target(session)(run), name=tag, daemon=True).start()
    try:
        while not wait([future], SECONDS_BETWEEN_LOOKS).done:
            if stop():
                raise Interrupted("interrupted")
    except BaseException:
        end = monotonic() + SECONDS_TO_END
        while not wait([future], SECONDS_BETWEEN_LOOKS).done and monotonic() < end:  # it may not have begun before
            _end(session, tag)
        raise
    return future.result()


def _tag(session: Any, tag: str) -> None:
    if through_connect(session):
        session.addTag(tag)
    else:  # a session's own tags are not those that its jobs have in the classic way
        session.sparkContext.setInterruptOnCancel(True)
        session.sparkContext.addJobTag(tag)


def _end(session: Any, tag: str) -> None:
    if through_connect(session):
        session.interruptTag(tag)
    else:
        session.sparkContext.cancelJobsWithTag(tag)


def through_connect(session: Any) -> bool:
    """Whether a session is one of Spark Connect, which has no Java machine at hand."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def _last_error(message: str) -> str:
    """The last error of a worker's traceback, in one line."""
    lines = [line.strip() for line in message.splitlines() if line.strip() and not line.strip().startswith("SQLSTATE")]
    errors = [line for line in lines if line.partition(":")[0].isidentifier() or "Error:" in line.partition(" ")[0]]
    last = errors[-1] if errors else lines[-1]
    if "ModuleNotFoundError" in message or "PYTHON_VERSION_MISMATCH" in message:
        return LOST.format(last)
    return f"a task of Spark failed: {last}"


def _group(shards: int) -> int:
    """How many neighbours are merged before anything comes to the driver: a power of two, and the tree is the same."""
    return 1 if shards <= FEW else 2 ** ceil(log2(shards) / 2)


def partitions_of(frame: Any) -> Iterator[int]:
    """The numbers of the partitions that hold rows."""
    from pyspark.sql import functions as F

    partitions = frame.select(F.spark_partition_id().alias("place")).distinct()
    return iter(sorted(collect(frame.sparkSession, partitions).column("place").to_pylist()))


# ---- in the workers


class PartitionTask:
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
            return self._read_stored()
        if self._begun:
            self.again = True
            raise RegretlessError(f"{self._name}: its rows were read already")
        self._begun = True
        return self._count_rows()

    def _count_rows(self) -> Batches:
        seen = 0
        for batch in self._batches:
            seen += batch.num_rows
            yield batch
        if seen != self._rows:
            fault = f"{seen} rows, but {self._rows} when they were counted: the data frame is not always the same"
            raise DataError(self._name, None, None, fault, OTHER_ROWS)

    def _read_stored(self) -> Batches:
        import pyarrow as pa

        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115 (it goes with the task)
            writer = None
            for batch in self._count_rows():
                writer = writer or pa.ipc.new_stream(self._file, batch.schema)
                writer.write_batch(batch)
            if writer is not None:
                writer.close()
        self._file.seek(0)
        return iter(pa.ipc.open_stream(self._file))


class TaskShard(Shard):
    """A partition in the task that has its rows."""

    def __init__(self, name: str, task: PartitionTask, layout: Layout, columns: int | None) -> None:
        self.name, self._task, self._layout, self._columns = name, task, layout, columns

    def open(self, schema: dict[str, Any] | None) -> Stream:
        """Its rows, which are read when they are asked for."""
        return RecordStream(self._task.read, self._layout, self.name, self._columns)


def play_partitions(
    work: Callable[..., Any],
    common: Any,
    leaves: Mapping[int, tuple[int, str, int]],
    layout: Layout | None,
    columns: int | None,
    keep: bool,
    size: int,
) -> Callable[[Batches], Batches]:
    """A function that plays a partition: one row with the answer; none for a partition that takes no part.

    Parameters
    ----------
    work, common
        As of `Engine.fold`.
    leaves : mapping
        By the number of each partition that takes part: its place among the shards, its name, and its rows.
    layout : Layout
    columns : int or None
        How many features there must be.
    keep : bool
        Whether rows are wanted more than once.
    size : int
        How many neighbours are merged on the executors.
    """

    def play(batches: Batches) -> Batches:
        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        if place in leaves:
            leaf, name, rows = leaves[place]
            task = PartitionTask(batches, name, rows, keep)
            shard = TaskShard(name, task, layout, columns)  # type: ignore[arg-type]
            answer = _answer(work, common, shard, lambda: task.again)
            for _ in islice(batches, LEFT):
                pass
            yield _row(leaf, size, answer)

    return play


def play_shards(
    work: Callable[..., Any], common: Any, packed: Sequence[bytes] | None, size: int
) -> Callable[[Batches], Batches]:
    """A function that plays pickled shards: a data frame has their places and, if `packed` is None, the shards."""

    def play(batches: Batches) -> Batches:
        for batch in batches:
            for row, leaf in enumerate(batch.column(0).to_pylist()):
                shard = pickle.loads(packed[leaf] if packed is not None else batch.column(1)[row].as_py())
                yield _row(leaf, size, _answer(work, common, shard, lambda: False))

    return play


def merge_neighbours(merge: Callable[..., Any], common: Any, leaves: int, size: int) -> Callable[[Any], Any]:
    """A function that merges the answers of neighbours, as the tree over all leaves would.

    Parameters
    ----------
    merge, common
        As of `Engine.fold`.
    leaves : int
        How many shards there are in all.
    size : int
        How many neighbours are merged on the executors.
    """

    def group(table: Any) -> Any:
        import pyarrow as pa

        rows = sorted(table.select(["leaf", "node", "answer"]).to_pylist(), key=lambda row: row["leaf"])
        node = rows[0]["node"]
        tree: MergeTree[Any] = MergeTree(min(size, leaves - node * size), partial(merge, common))
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
