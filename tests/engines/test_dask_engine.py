"""Folds on Dask: the same tree as anywhere, on workers that die, fail and are interrupted."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask
from dask.base import tokenize
from distributed import Client, LocalCluster

from regretless.bandits import Exp3IX
from regretless.distributed.dask import engine as dask_engine
from regretless.distributed.dask.engine import DaskEngine, neighbours
from regretless.distributed.engine import Here
from regretless.errors import DataError, EngineError, Interrupted, RegretlessError
from regretless.experts import Hedge

from . import dask_work as work


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two workers that are processes, the tasks of one of which the other does not take over while both live."""
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
        client.wait_for_workers(2, timeout=120)


@pytest.mark.parametrize("make", [lambda: Hedge(n_experts=2), lambda: Exp3IX(2, seed=0)], ids=["combiner", "bandit"])
def test_learners_of_equal_parameters_are_not_the_same(make: Any) -> None:
    """To Dask two combiners, or two bandits, are different once they have learned different things."""
    one, other = make(), make()
    one.play(*([np.ones((3, 2)), np.ones(3)] if isinstance(one, Hedge) else [np.ones((3, 2))]))
    assert tokenize(one) == tokenize(one)
    assert tokenize(one) != tokenize(other)


def noting(folder: Path, shards: int = 4) -> list[work.Noting]:
    """Shards that note who played them."""
    return [work.Noting(f"shard-{place}", str(folder)) for place in range(shards)]


@pytest.mark.parametrize("shards", [1, 2, 3, 5, 8, 13])
def test_the_tree_is_the_one_of_this_process(client: Client, shards: int) -> None:
    """A merge that is neither commutative nor associative has the same bits on a cluster, on threads and here."""
    plain = [work.Plain(f"plain-{place}", place) for place in range(shards)]
    common = np.random.default_rng(shards).normal(size=200)
    here = Here().fold(work.rotated, work.leaning, common, plain)
    for engine in (DaskEngine(client), DaskEngine()):
        calls: list[int] = []
        there = engine.fold(work.rotated, work.leaning, common, plain, done=calls.append)
        assert there.tobytes() == here.tobytes()
        assert sorted(calls) == list(range(shards))


def test_bytes_that_move_are_those_of_the_workers_that_take_part(client: Client) -> None:
    """With 8 shards of equal parts, two workers get `common` once each, and one part and the root come from them."""
    common = np.zeros(1000)
    engine = DaskEngine(client)
    engine.fold(work.rotated, work.leaning, common, [work.Plain(f"plain-{place}", place) for place in range(8)])
    down, up = engine.moved
    assert 2 * common.nbytes < down < 2 * common.nbytes + 1000
    assert 2 * common.nbytes <= up < 2 * common.nbytes + 1000


def test_neighbours_stay_together() -> None:
    """Shards are dealt to workers in runs as long as these have threads."""
    assert neighbours({"b": 1, "a": 2}, 6) == ["a", "a", "a", "a", "b", "b"]
    assert neighbours({"b": 1, "a": 2}, 1) == ["a"]
    assert neighbours({}, 2) == ["", ""]


def test_a_malformed_shard_is_named_and_not_tried_again(client: Client, tmp_path: Path) -> None:
    """An error in the data comes with its file, line and column, after one reading."""
    shards = noting(tmp_path)
    with pytest.raises(DataError, match=r"^shard-2:3:7: this is no number: 'x'; write a number$") as caught:
        DaskEngine(client).fold(work.malformed, work.listed, "shard-2", shards)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("shard-2", 3, 7)
    assert len(shards[2].noted()) == 1


def test_a_single_malformed_shard_is_named(client: Client, tmp_path: Path) -> None:
    """Where no merge would notice it, the error of the only shard is raised all the same."""
    with pytest.raises(DataError, match="shard-0:3:7"):
        DaskEngine(client).fold(work.malformed, work.listed, "shard-0", noting(tmp_path, 1))


def test_a_disk_that_fails_once_is_read_again(client: Client, tmp_path: Path) -> None:
    """A failure of the system is tried again, for that shard alone."""
    shards = noting(tmp_path)
    parts = DaskEngine(client).fold(work.failing_disk, work.listed, "shard-1", shards)
    assert parts == [shard.name for shard in shards]
    assert [len(shard.noted()) for shard in shards] == [1, 2, 1, 1]


def test_what_always_fails_is_named(client: Client, tmp_path: Path) -> None:
    """An error that is none of the library's comes with the shard's name, after as many attempts as were asked for."""
    shards = noting(tmp_path)
    with pytest.raises(RegretlessError, match="shard-3: ZeroDivisionError: no such thing"):
        DaskEngine(client, retries=1).fold(work.broken, work.listed, "shard-3", shards)
    assert len(shards[3].noted()) == 2


def test_a_run_that_is_stopped_leaves_nothing_on_the_cluster(
    client: Client, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """After an interruption the scheduler knows none of the run's tasks, and the next run goes through."""
    shards, go = noting(tmp_path), tmp_path / "go"

    def stop() -> bool:
        return any(shard.noted() for shard in shards)

    with pytest.raises(Interrupted):
        DaskEngine(client).fold(work.waiting, work.listed, str(go), shards, stop=stop)
    go.touch()
    again = noting(tmp_path_factory.mktemp("again"), 3)
    assert len(DaskEngine(client).fold(work.malformed, work.listed, "none", again)) == 3
    known = client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks)))
    assert not [key for key in known if "waiting" in key]


def test_a_killed_worker_costs_its_own_shards(client: Client, tmp_path: Path) -> None:
    """Of a worker that is killed while it plays, its shards are played again, nothing of the other worker's is."""
    client.wait_for_workers(2, timeout=120)
    shards, go = noting(tmp_path), tmp_path / "go"
    begun: list[work.Noting] = []

    def stop() -> bool:
        result = [shard for shard in shards if shard.noted()]
        if not begun and len(result) == 2:  # either worker plays one
            begun.extend(result)
            os.kill(begun[0].noted()[0], signal.SIGKILL)
            go.touch()
        return False

    result = DaskEngine(client).fold(work.waiting, work.listed, str(go), shards, stop=stop)
    assert result == [shard.name for shard in shards]
    killed, again = begun[0].noted()
    assert again != killed
    assert [len(shard.noted()) for shard in shards if shard is not begun[0]] == [1, 1, 1]


def test_a_cluster_of_one_worker_outlives_it_unless_a_shard_kills_each(tmp_path: Path) -> None:
    """With the only worker `common` and all parts die, and are made again; what kills every worker is given up."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        shards = noting(tmp_path)
        parts = DaskEngine(client).fold(work.deadly_once, work.listed, "shard-3", shards)
        assert parts == [shard.name for shard in shards]
        assert len(shards[3].noted()) == 2
        cluster.scheduler.allowed_failures = 1
        with pytest.raises(EngineError, match=r"^shard-[01]\b.*: 2 workers died") as caught:
            DaskEngine(client).fold(work.deadly, work.listed, "shard-1", shards[:2])
        assert "memory" in str(caught.value)
        client.wait_for_workers(1, timeout=120)  # a cluster that is closed while it starts one may wait for it for ever


def test_a_cluster_without_workers_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose workers are gone for good ends with an error instead of waiting for ever."""
    monkeypatch.setattr(dask_engine, "PATIENCE", 1.5)
    monkeypatch.setattr(dask_engine, "LOOK", 0.1)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        client.retire_workers(list(client.nthreads()))
        with pytest.raises(EngineError, match=r"no workers for 2 seconds; start some"):
            DaskEngine(client).fold(work.malformed, work.listed, "none", noting(tmp_path, 2))


def test_a_call_to_dask_that_does_not_return_is_stopped() -> None:
    """A thread that waits for the scheduler's answer still asks whether to stop, and sees the connection go."""
    never, queries = threading.Event(), iter([False, False, True])
    waiting = dask_engine.Waiting(SimpleNamespace(status="running"), {}, None, lambda: next(queries))
    with pytest.raises(Interrupted):
        waiting.ask(never.wait)
    with pytest.raises(EngineError, match="connection"):
        dask_engine.Waiting(SimpleNamespace(status="closed"), {}, None, None).ask(never.wait)
    with pytest.raises(ZeroDivisionError):
        dask_engine.Waiting(SimpleNamespace(status="running"), {}, None, None).ask(divmod, 1, 0)
    never.set()


def test_a_cluster_that_is_closed_is_reported(tmp_path: Path) -> None:
    """A run whose scheduler goes away ends with an error that says so."""
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    shards = noting(tmp_path, 1)
    with cluster, Client(cluster, set_as_default=False) as client:
        closing: list[Any] = []

        def stop() -> bool:
            if shards[0].noted() and not closing:
                closing.append(threading.Thread(target=client.close))
                closing[0].start()
            return False

        with pytest.raises(EngineError, match="scheduler"):
            DaskEngine(client).fold(work.waiting, work.listed, str(tmp_path / "go"), shards, stop=stop)
        closing[0].join(30)
        assert not closing[0].is_alive()
        (tmp_path / "go").touch()


def test_an_asynchronous_client_is_refused() -> None:
    """A client that would have to be awaited is refused before anything is sent."""

    class Asynchronous:
        asynchronous = True

    with pytest.raises(RegretlessError, match="asynchronous"):
        DaskEngine(Asynchronous())


def test_nothing_is_scattered_nor_sent_back_but_the_root(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fold neither scatters nor gathers anything but its root."""
    gathered: list[int] = []
    original = Client.gather

    def gather(self: Any, futures: Any, *args: Any, **kwargs: Any) -> Any:
        gathered.append(1)
        return original(self, futures, *args, **kwargs)

    def scatter(*_: Any, **__: Any) -> None:
        raise AssertionError("scattered")

    monkeypatch.setattr(Client, "scatter", scatter)
    monkeypatch.setattr(Client, "gather", gather)
    common = np.ones(10)
    DaskEngine(client).fold(work.rotated, work.leaning, common, [work.Plain(f"p{place}", place) for place in range(8)])
    assert sum(gathered) <= 1
