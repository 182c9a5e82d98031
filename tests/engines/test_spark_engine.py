"""Folds in tasks of Spark: the same tree, tasks that fail, rows that are wanted twice, and runs that are stopped."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from .spark_session import frame, parts, separable, started

pytest.importorskip("pyspark")

from regretless.distributed.engine import Here
from regretless.distributed.mixing import average_once
from regretless.distributed.sources import arrays
from regretless.distributed.spark import Partitions, SparkEngine
from regretless.distributed.spark import engine as spark_engine
from regretless.errors import DataError, EngineError, Interrupted, RegretlessError
from regretless.linear import Perceptron

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

# What workers run is defined inside functions: it then travels whole, for they do not know this module.


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Spark, for the tests of this module."""
    session = started()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def held(session: Any) -> Iterator[Partitions]:
    """Five partitions."""
    with Partitions(frame(session, partitions=5), "features", "label") as held:
        yield held


def works() -> SimpleNamespace:
    """Work on shards and merges of it, for workers that have not this module."""

    def counted(common: Any, shard: Any) -> str:
        return str(sum(len(batch) for batch in shard.open(None).batches()))

    def twice(common: Any, shard: Any) -> str:
        return "+".join(str(sum(len(batch) for batch in shard.open(None).batches())) for _ in range(2))

    def bracketed(common: Any, left: str, right: str) -> str:
        return f"({left} {right})"

    def failing(common: Any, shard: Any) -> str:
        from pyspark import TaskContext

        result = counted(common, shard)
        if TaskContext.get().attemptNumber() < common:
            raise OSError("the disk is on fire")
        return result

    def refusing(common: Any, shard: Any) -> str:
        from regretless.errors import DataError

        if shard.name.endswith(("2", "4")):
            raise DataError("file", 3, 4, "nonsense", "write sense")
        return counted(common, shard)

    def slow(common: Any, shard: Any) -> str:
        from time import sleep

        sleep(60)
        return ""

    return SimpleNamespace(**locals())


def test_the_tree_is_the_one_of_this_process(held: Partitions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merges come in the shape of a binary tree over all partitions, also when most are done on the executors."""
    work = works()
    a, b, c, d, e = (shard.rows for shard in held.shards)
    calls: list[int] = []
    expected = f"((({a} {b}) ({c} {d})) {e})"
    assert held.engine.fold(work.counted, work.bracketed, 1, held.shards, done=calls.append) == expected
    assert calls == [0, 1, 2, 3, 4]
    monkeypatch.setattr(spark_engine, "FEW", 2)
    assert held.engine.fold(work.counted, work.bracketed, 1, held.shards) == expected
    assert held.engine.fold(work.counted, work.bracketed, 1, held.shards[2:4]) == f"({c} {d})"
    down, up = held.engine.moved
    assert down > 0
    assert up > 0


def test_a_task_that_is_tried_again_counts_once(held: Partitions) -> None:
    """A work that fails with a disk's error at its first attempt gives what it gives without."""
    work = works()
    plain = held.engine.fold(work.counted, work.bracketed, 1, held.shards)
    assert held.engine.fold(work.failing, work.bracketed, 1, held.shards) == plain


def test_what_fails_as_often_as_it_is_tried_is_an_error(held: Partitions) -> None:
    """An error that no attempt escapes says what it was, in one line."""
    with pytest.raises(EngineError) as error:
        held.engine.fold(works().failing, works().bracketed, 99, held.shards[:1])
    assert "the disk is on fire" in str(error.value)
    assert "\n" not in str(error.value)


def test_the_first_shard_that_cannot_be_used_is_named(held: Partitions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several errors the one of the first partition is raised as it was, here and when executors merge."""
    work = works()
    for few in (32, 2):
        monkeypatch.setattr(spark_engine, "FEW", few)
        with pytest.raises(DataError, match=r"^partition 2: file:3:4: nonsense; write sense$") as error:
            held.engine.fold(work.refusing, work.bracketed, 1, held.shards)
        assert error.value.line == 3


def test_rows_can_be_read_twice(held: Partitions) -> None:
    """Work that goes over its rows a second time gets all of them again."""
    work = works()
    once = held.engine.fold(work.counted, work.bracketed, 1, held.shards[:2])
    left, right = once.strip("()").split()
    assert held.engine.fold(work.twice, work.bracketed, 1, held.shards[:2]) == f"({left}+{left} {right}+{right})"


def test_averaging_once_goes_over_its_rows_again(session: Any) -> None:
    """Three passes over each partition and one average have the bits of the same in this process."""
    dataset = frame(session, partitions=2).persist()
    with Partitions(dataset, "features", "label") as held:
        there = average_once(Perceptron(), held.shards, held.engine, passes=3, classes=held.classes)
    X, y = separable()
    here = average_once(Perceptron(), parts((X, y.astype(float)), dataset), passes=3)
    assert there.learner.coef_.tolist() == here.learner.coef_.tolist()
    dataset.unpersist()


def test_a_run_is_stopped(held: Partitions) -> None:
    """A run that is asked to stop ends, though its tasks would go on for long."""
    with pytest.raises(Interrupted):
        held.engine.fold(works().slow, works().bracketed, 1, held.shards, stop=lambda: True)


def test_a_job_that_does_not_end_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """If Spark does not end a job that is to be stopped, the driver does not wait for it for ever."""
    import pyspark

    ended: list[str] = []
    never = Event()
    monkeypatch.setattr(spark_engine, "SECONDS_TO_END", 0.1)
    monkeypatch.setattr(spark_engine, "SECONDS_BETWEEN_LOOKS", 0.02)
    monkeypatch.setattr(spark_engine, "_tag", lambda session, tag: None)
    monkeypatch.setattr(spark_engine, "_end", lambda session, tag: ended.append(tag))
    monkeypatch.setattr(pyspark, "inheritable_thread_target", lambda session: lambda run: run)
    with pytest.raises(Interrupted):
        spark_engine.collect(None, SimpleNamespace(toArrow=never.wait), lambda: True)
    assert ended
    never.set()


def test_rows_are_nowhere_but_in_spark(held: Partitions) -> None:
    """A partition refuses to be opened by another engine, and says what to do."""
    with pytest.raises(RegretlessError, match="give the engine that came with it"):
        Here().fold(works().counted, works().bracketed, 1, held.shards)


def test_a_partition_without_its_rows_is_an_error(held: Partitions) -> None:
    """Partitions that have other rows than when they were counted, or none, end the fold with what to do."""
    gone = SparkEngine(held.engine.session, held.frame.where("label > 5"), held.layout)
    with pytest.raises((DataError, EngineError), match="persist or checkpoint it"):
        gone.fold(works().counted, works().bracketed, 1, held.shards)


@pytest.mark.parametrize("small", [1 << 20, 1])
def test_other_shards_are_played_too(session: Any, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """Shards that are no partitions travel to the executors, few bytes or many, and are merged in the same tree."""
    monkeypatch.setattr(spark_engine, "SMALL", small)
    X, y = separable()
    shards = arrays([(X[:10], y[:10]), (X[10:40], y[10:40]), (X[40:], y[40:])])
    work = works()
    assert SparkEngine(session).fold(work.counted, work.bracketed, 1, shards) == "((10 30) 50)"


def test_a_python_without_regretless_is_reported() -> None:
    """When workers cannot load what they are to run, the message says which Python they need."""
    message = spark_engine._last_error(
        "Traceback\n  File x\nModuleNotFoundError: No module named 'regretless'\n SQLSTATE: 38000"
    )
    assert "No module named 'regretless'" in message
    assert "PYSPARK_PYTHON" in message
