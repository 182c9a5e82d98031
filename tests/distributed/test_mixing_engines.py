"""Engines: the same bits on any executor, errors from afar, and what travels."""

from __future__ import annotations

import os
import pickle
import random
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from errno import ENOSPC
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import errors
from regretless.data.batch import Array
from regretless.distributed import OnExecutor, arrays, files, mix, workers
from regretless.distributed.broadcast import Broadcast, remove_file
from regretless.distributed.engine import Here, run_guarded
from regretless.errors import DataError, EngineError, Interrupted, RegretlessError
from regretless.linear import AveragedPerceptron, Perceptron

from ..data.mixed_data import (
    Counted,
    EndlessShard,
    fail,
    most_of_each,
    pairs,
    read_or_die,
    read_pair,
    unpickled_here,
    write_svm,
)

PATIENCE = 60  # seconds until tasks that nobody adds to are run as they are


class Whenever(Executor):
    """Runs what it was given in an order of its own, one task at a time, and knows how many waited at most.

    None is run before `first` of them wait.
    """

    _max_workers = 3

    def __init__(self, seed: int, first: int = 1) -> None:
        self.random, self.first, self.waiting, self.most = random.Random(seed), first, [], 0
        self.lock, self.enough, self.running = Lock(), Event(), False

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        """Take a task; if nobody runs them, somebody begins to."""
        future: Future[Any] = Future()
        with self.lock:
            self.waiting.append((future, partial(work, *arguments, **more)))
            self.most = max(self.most, len(self.waiting))
            begins, self.running = not self.running, True
            if self.most >= self.first:
                self.enough.set()
        if begins:
            Thread(target=self._run, daemon=True).start()
        return future

    def _run(self) -> None:
        self.enough.wait(PATIENCE)
        while (task := self._take()) is not None:
            future, work = task
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

    def _take(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        """A task that is taken off before its result is set: who waits for the result may submit the next one."""
        with self.lock:
            if not self.waiting:
                self.running = False
                return None
            return self.waiting.pop(self.random.randrange(len(self.waiting)))


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """Two processes that were spawned: they have inherited nothing."""
    with workers(2) as executor:
        yield executor


def bits(executor: Any, shards: Any, **how: Any) -> tuple[Array, ...]:
    """The weights of a mixed averaged perceptron, its mean and its books."""
    learner = mix(AveragedPerceptron(intercept=1.0), shards, executor, **{"epochs": 3, **how}).learner
    return tuple(learner.state_.tensors().values())


def same(left: tuple[Array, ...], right: tuple[Array, ...]) -> bool:
    return all(one.tobytes() == other.tobytes() for one, other in zip(left, right, strict=True))


# ---- the same bits


@pytest.mark.parametrize("together", [None, 2])
@pytest.mark.parametrize("weights", ["uniform", "updates", "rows"])
def test_processes_give_the_same_bits(pool: Executor, weights: str, together: int | None, tmp_path: Path) -> None:
    """Spawned processes that read files give the bits of this process, whatever the weighting and the groups."""
    paths = write_svm(tmp_path, pairs(7))
    how = {"weights": weights, "together": together}
    assert same(bits(pool, paths, **how), bits(None, paths, **how))


def test_forked_processes_give_the_same_bits() -> None:
    """Processes of Python's own pool with its usual start give the bits of this process, also for rows in memory."""
    parts = pairs(5)
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as forked:
        assert same(bits(forked, parts), bits(None, parts))


def test_threads_give_the_same_bits(tmp_path: Path) -> None:
    """Threads give the bits of this process, and nothing travels to them."""
    paths = write_svm(tmp_path, pairs(7))
    with ThreadPoolExecutor(3) as threads:
        assert same(bits(threads, paths), bits(None, paths))
        assert mix(Perceptron(), paths, threads).history[0].bytes_up == 0


def test_loky_gives_the_same_bits(tmp_path: Path) -> None:
    """Loky's processes give the bits of this process, and take functions that have no name."""
    loky = pytest.importorskip("loky")
    executor = loky.get_reusable_executor(max_workers=2)
    paths = write_svm(tmp_path, pairs(5))
    assert same(bits(executor, paths), bits(None, paths))
    nameless = [lambda: read_pair(0), lambda: read_pair(1)]
    assert same(bits(executor, nameless), bits(None, nameless))


@given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from([None, 1, 3, 5]))
def test_the_order_of_the_answers_does_not_matter(seed: int, shards: int, together: int | None) -> None:
    """Whatever the order in which shards are done, the bits are the same."""
    parts = pairs(shards, rows=3, seed=seed % 100)
    assert same(bits(Whenever(seed), parts, together=together), bits(None, parts, together=together))


def test_certificates_are_the_same_from_processes(pool: Executor, tmp_path: Path) -> None:
    """Processes that read the shards again give the certificates of this process."""
    paths = write_svm(tmp_path, pairs(4))
    mixture = mix(Perceptron(), paths, pool, epochs=2, together=2)
    assert list(map(str, mixture.certify(pool))) == list(map(str, mixture.certify()))


# ---- what travels


def test_many_shards_are_not_submitted_at_once() -> None:
    """Of 300 shards no more than three times as many as there are workers wait at a time."""
    executor = Whenever(0)
    mix(Perceptron(), pairs(300, rows=2, columns=2), executor)
    assert executor.most <= 3 * executor._max_workers


def _both(common: None, left: int, right: int) -> int:
    return left + right


def test_the_user_may_say_how_many_workers_there_are() -> None:
    """Of an executor that is said to have five workers, whatever it says itself, 15 tasks wait at a time."""
    executor = Whenever(0, first=10)
    parts = pairs(300, rows=2, columns=2)
    rows = OnExecutor(executor, workers=5).fold(_play, _both, None, arrays(parts))
    assert rows == sum(len(y) for _, y in parts)
    assert 3 * executor._max_workers < executor.most <= 15
    with pytest.raises(RegretlessError, match="workers=0"):
        OnExecutor(executor, workers=0)


def test_what_all_are_given_is_pickled_once(pool: Executor) -> None:
    """The start of an epoch is pickled once in this process, and unpickled at most once in each other one."""
    Counted.pickled = 0
    before = OnExecutor(pool).fold(unpickled_here, most_of_each, Counted(), arrays(pairs(20)))
    after = OnExecutor(pool).fold(unpickled_here, most_of_each, Counted(), arrays(pairs(20)))
    assert Counted.pickled == 2
    assert all(after[process] - before.get(process, 0) == 1 for process in after)


def test_bytes_are_counted_as_they_were_pickled(pool: ProcessPoolExecutor, tmp_path: Path) -> None:
    """Down goes one start to each process that plays, up comes what each shard found; rows are in neither."""
    columns, rows = 400, 600
    paths = write_svm(tmp_path, pairs(4, rows=rows, columns=columns))
    epoch = mix(Perceptron(), paths, pool, epochs=2).history[1]
    assert epoch.bytes_down is not None
    assert epoch.bytes_up is not None
    assert 8 * columns < epoch.bytes_down <= 2 * (8 * columns + 2000)
    assert 4 * 8 * columns < epoch.bytes_up < 4 * (8 * columns + 2000)


def test_no_file_is_left_behind(pool: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that processes read the start from is gone after the run, be it well or in error."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mix(Perceptron(), pairs(2), pool)
    with pytest.raises(RegretlessError):
        mix(Perceptron(), [partial(read_pair, 0), partial(fail, "")], pool)
    assert list(tmp_path.iterdir()) == []


def test_a_value_that_came_by_file_knows_when_nobody_waits(tmp_path: Path) -> None:
    """Another process sees by the file being gone that the work is not wanted any more, and has no value then."""
    with Broadcast([1, 2], by_file=True) as carried:
        received = pickle.loads(pickle.dumps(carried))
        assert received.value == [1, 2]
        assert pickle.loads(pickle.dumps(carried)) is received
        late = pickle.dumps(carried)
        assert not received.ended()
    assert received.ended()
    pickle.loads(pickle.dumps(Broadcast("another", by_file=False)))  # it takes the place of the first
    gone = pickle.loads(late)  # it must not raise here: the pool unpickles, and would break
    assert gone.ended()
    with pytest.raises(EngineError, match="was removed during the run"):
        _ = gone.value


def test_a_full_disk_is_a_clear_error_and_leaves_no_file(
    pool: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the start cannot be written the run ends with a message that says where, and nothing lies about."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("regretless.distributed.broadcast._fill", _no_room)
    with pytest.raises(EngineError, match=r"regretless-\w+\.start \(No space left on device\); make room there"):
        mix(Perceptron(), pairs(2), pool)
    assert list(tmp_path.iterdir()) == []


def _no_room(*_: Any) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


def test_a_file_that_is_cleaned_away_does_not_look_like_an_interruption(pool: Executor, tmp_path: Path) -> None:
    """Who has the value goes on; who comes later raises an error, which says what was removed."""
    with Broadcast([1, 2], by_file=True) as carried:
        received, late = pickle.loads(pickle.dumps(carried)), pickle.dumps(carried)
        Path(received.path).unlink()
        assert not received.ended()
        assert pickle.loads(late).value == [1, 2]
        with pytest.raises(EngineError, match="was removed during the run"):
            pool.submit(_value_of, late).result()
    assert received.ended() or os.name != "posix"


def _value_of(packed: bytes) -> Any:
    return pickle.loads(packed).value


def test_a_process_removes_the_file_of_a_maker_that_was_killed() -> None:
    """What a driver that is killed leaves is removed by those that had read it."""
    with Broadcast([1, 2], by_file=True) as carried:
        received = pickle.loads(pickle.dumps(carried))
        assert Path(received.path).exists()
        remove_file()
        assert not Path(received.path).exists()


def test_arrays_arrive_as_they_were() -> None:
    """Arrays travel beside the pickle, bit for bit, and may be written to."""
    sent = [
        np.array([[-0.0, 5e-324], [np.inf, -1.5]]),
        np.arange(6).reshape(2, 3).T,
        np.zeros((0, 2)),
        np.array(["a"]),
    ]
    with Broadcast(sent, by_file=True) as carried:
        received = pickle.loads(pickle.dumps(carried))
        result = received.value
        assert [(one.dtype, one.shape, one.tobytes()) for one in result] == [
            (one.dtype, one.shape, one.tobytes()) for one in sent
        ]
        assert all(one.flags.writeable for one in result)
        assert carried.bytes_sent(3) == 3 * Path(received.path).stat().st_size


# ---- errors


@pytest.mark.parametrize(
    "error",
    [
        DataError("part-3.svm", 7, 2, "value not a number: 'x'", "values are decimal numbers"),
        DataError("part-3.svm", None, None, "no rows", "give some"),
        errors.InputError("two points are called a", "different names are expected"),
        errors.ModelError("damaged"),
        errors.NotFittedError("not fitted"),
        errors.ParameterError("rate", "-1", "it must be a finite number > 0"),
        errors.ParameterError("alpha", "2", "must lie between 0 and 1", " "),
        errors.ParameterError("start", None, "two are expected"),
        EngineError("gone"),
        Interrupted("interrupted"),
        RegretlessError("wrong"),
    ],
)
def test_errors_survive_pickling(error: RegretlessError) -> None:
    """Every error of the library comes out of another process as it went in, with all it knows."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


@pytest.mark.parametrize("kind", ["missing", "empty", "malformed"])
def test_a_broken_file_is_named_by_a_process(pool: Executor, kind: str, tmp_path: Path) -> None:
    """A missing, empty or malformed file is named with its line although another process read it."""
    paths = write_svm(tmp_path, pairs(4))
    Path(paths[2]).unlink()
    if kind != "missing":
        Path(paths[2]).write_text("" if kind == "empty" else "1 1:1\n1 2:x\n")
    with pytest.raises(DataError) as caught:
        mix(Perceptron(), paths, pool)
    assert (caught.value.path, caught.value.line) == (paths[2], 2 if kind == "malformed" else None)


def test_what_a_reader_raises_can_travel(pool: Executor) -> None:
    """An exception that cannot be pickled is reported by a process all the same, with the shard's name."""
    with pytest.raises(DataError, match=r"shard 1 \(fail\).*OfNoModuleError: no luck"):
        mix(Perceptron(), [partial(read_pair, 0), partial(fail, "no luck")], pool)


def test_a_function_without_a_name_cannot_go_to_a_process(pool: Executor) -> None:
    """A lambda as a reader is refused with what to do instead, and the pool goes on working."""
    with pytest.raises(RegretlessError, match=r"shard 0 \(<lambda>\): this cannot be sent .* top of a module"):
        mix(Perceptron(), [lambda: read_pair(0)], pool)
    assert pool.submit(os.getpid).result() > 0


def test_a_shard_that_a_process_cannot_make_again_is_named(pool: Executor) -> None:
    """A reader of a module that only this process knows is refused by its name, and the pool goes on working."""
    import sys
    import types

    module = types.ModuleType("only_here")
    exec("def reader():\n    return [[1.0]], [1]\n", vars(module))
    sys.modules["only_here"] = module
    try:
        with pytest.raises(RegretlessError, match=r"shard 1 \(reader\): this cannot be sent .*only_here"):
            mix(Perceptron(), [partial(read_pair, 0), module.reader], pool)
    finally:
        del sys.modules["only_here"]
    assert pool.submit(os.getpid).result() > 0


def test_an_executor_that_is_shut_down_is_reported_so() -> None:
    """An executor that takes no more work is an error of the engine, and no traceback of its library."""
    threads = ThreadPoolExecutor(1)
    threads.shutdown()
    with pytest.raises(EngineError, match="takes no work"):
        mix(Perceptron(), pairs(2), threads)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied"), "shard 0: this cannot be read (Permission denied); "),
        (RegretlessError("odd"), "shard 0: odd"),
        (RegretlessError("shard 0 is odd"), "shard 0 is odd"),
        (DataError("inner.svm", 3, None, "odd", "even"), "shard 0: inner.svm:3: odd; even"),
    ],
)
def test_every_error_has_the_name_of_its_shard(error: Exception, words: str) -> None:
    """What goes wrong in a shard has its name in front, once, and its cause is kept."""

    def work(common: None, shard: Any) -> None:
        raise error

    with pytest.raises(RegretlessError) as caught:
        run_guarded(work, None, arrays(pairs(1))[0])
    assert str(caught.value).startswith(words)
    assert caught.value is error or caught.value.__cause__ is error


def test_a_killed_process_leaves_the_last_epoch(tmp_path: Path) -> None:
    """If a process is killed in the second epoch, the error tells where the first stands, and going on gives the same
    bits as a run that nothing happened to."""
    poison, model = tmp_path / "poison", tmp_path / "model.rgl"
    shards = [partial(read_or_die, seed, str(poison)) for seed in range(4)]
    with workers(2) as pool, pytest.raises(EngineError, match=r"Epoch 1 is whole in .*model\.rgl: make a new executor"):
        mix(Perceptron(), shards, pool, epochs=3, checkpoint=model, on_epoch=lambda epoch: poison.touch())
    with workers(2) as pool:
        again = mix(Perceptron(), shards, pool, epochs=3, checkpoint=model)
    undisturbed = mix(Perceptron(), shards, epochs=3)
    assert again.learner.state_.same(undisturbed.learner.state_)
    assert [epoch.seconds is None for epoch in again.history] == [True, False, False]


def test_a_killed_process_of_loky_is_reported_too(tmp_path: Path) -> None:
    """Loky's word for a dead process is the same error of the engine, which says that nothing was kept."""
    loky = pytest.importorskip("loky")
    poison = tmp_path / "poison"
    shards = [partial(read_or_die, seed, str(poison)) for seed in range(3)]
    executor = loky.get_reusable_executor(max_workers=2)
    with pytest.raises(EngineError, match=r"a process of the executor is gone.*no checkpoint"):
        mix(Perceptron(), shards, executor, epochs=3, on_epoch=lambda epoch: poison.touch())


# ---- stopping


def endless(executor: Any, stop: Callable[[], bool]) -> None:
    OnExecutor(executor).fold(_play, _play, None, [EndlessShard("a"), EndlessShard("b")], stop=stop)


def _play(common: None, shard: Any, other: Any = None) -> int:
    return sum(len(batch) for batch in shard.open(None).batches())


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_wish_to_stop_ends_the_shards_that_are_played(kind: str) -> None:
    """After stop() said so, workers give up shards that would never end, so that the pool can be shut down."""
    queries: list[None] = []

    def stop() -> bool:
        queries.append(None)
        return len(queries) > 3

    pool = ThreadPoolExecutor(2) if kind == "threads" else ProcessPoolExecutor(2)
    with pool, pytest.raises(Interrupted):
        endless(pool, stop)


def test_an_interrupt_ends_the_shards_that_are_played() -> None:
    """Ctrl-C, which comes as an exception out of the waiting, ends the workers' endless shards too."""

    def stop() -> bool:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as executor, pytest.raises(KeyboardInterrupt):
        endless(executor, stop)


class Once(Executor):
    """Does the first task, and never begins another."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        """Take a task."""
        self.futures.append(Future())
        if len(self.futures) == 1:
            self.futures[0].set_result(work(*arguments, **more))
        return self.futures[-1]


def test_what_waits_is_cancelled_when_the_run_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """If on_shard raises, the other tasks are cancelled by then, whatever still refers to them."""
    executor, entries, answers = Once(), [], OnExecutor._answers

    def keeping(*arguments: Any) -> Any:
        entries.append(answers(*arguments))
        return entries[-1]

    monkeypatch.setattr(OnExecutor, "_answers", keeping)
    with pytest.raises(ZeroDivisionError):
        OnExecutor(executor, workers=1).fold(_rows, max, None, arrays(pairs(5)), done=lambda place: 1 // 0)
    assert [future.cancelled() for future in executor.futures] == [False, True, True]


def _rows(common: None, shard: Any) -> int:
    return sum(len(batch) for batch in shard.open(None).batches())


def test_the_locks_of_several_tasks_are_never_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for a pool takes no locks one by one, which an interruption there would leave taken for ever."""

    def taken(futures: Any) -> None:
        pytest.fail("locks of futures are taken one by one")

    monkeypatch.setattr("concurrent.futures._base._AcquireFutures", taken)
    with ThreadPoolExecutor(2) as threads:
        assert len(mix(Perceptron(), pairs(4), threads).history) == 1


def test_here_a_run_can_be_stopped_between_batches() -> None:
    """In this process a shard that would never end is given up between two batches."""
    queries: list[None] = []

    def stop() -> bool:
        queries.append(None)
        return len(queries) > 5

    with pytest.raises(Interrupted):
        Here().fold(_play, _play, None, [EndlessShard("a")], stop=stop)


def test_a_task_that_was_given_up_is_reported_so() -> None:
    """If somebody else cancels the tasks of the executor, the error says so, and what is kept."""

    class Cancelling(Whenever):
        def submit(self, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(EngineError, match="has given up its tasks"):
        mix(Perceptron(), pairs(2), Cancelling(0))


def test_files_are_opened_where_they_are_played(
    pool: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative paths hold although processes that stand in another folder open them."""
    write_svm(tmp_path, pairs(2))
    monkeypatch.chdir(tmp_path)
    assert np.array_equal(
        mix(Perceptron(), "part-*.svm", pool).learner.coef_, mix(Perceptron(), files("part-*.svm")).learner.coef_
    )
