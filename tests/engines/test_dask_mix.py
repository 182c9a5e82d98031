"""Mixing on Dask gives the bits that it gives in this process, also when workers are killed in an epoch."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster

from regretless.distributed import arrays, combine, files, mix
from regretless.distributed import dask as on_dask
from regretless.distributed.dask.engine import DaskEngine
from regretless.errors import DataError, EngineError, RegretlessError
from regretless.experts import MLPoly
from regretless.linear import AveragedPerceptron, Perceptron

from . import dask_work as work

GENERATOR = np.random.default_rng(8)
X = GENERATOR.normal(size=(400, 12))
Y = np.where(X @ GENERATOR.normal(size=12) + GENERATOR.normal(size=400) > 0, 1, -1)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two workers that are processes; where rows stay is to be seen, so nothing is moved to balance them."""
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
        client.wait_for_workers(2, timeout=120)


@pytest.fixture
def parts(tmp_path: Path) -> list[str]:
    """The rows in five svmlight files."""
    return written(tmp_path, 5)


def written(folder: Path, shards: int) -> list[str]:
    """The rows in so many svmlight files."""
    paths = []
    for place, rows in enumerate(np.array_split(np.arange(len(X)), shards)):
        lines = [
            f"{Y[row]} " + " ".join(f"{number + 1}:{value!r}" for number, value in enumerate(X[row].tolist()))
            for row in rows
        ]
        paths.append(str(folder / f"part-{place}.svm"))
        Path(paths[-1]).write_text("\n".join(lines) + "\n")
    return paths


def same(one: Any, other: Any) -> None:
    """Two mixtures hold the same bits."""
    assert one.learner.state_.same(other.learner.state_)
    assert one.ledger == other.ledger
    assert [epoch.updates for epoch in one.history] == [epoch.updates for epoch in other.history]
    assert one.shares.tobytes() == other.shares.tobytes()


@pytest.mark.parametrize("shards", [1, 2, 5, 8])
def test_the_bits_are_those_of_this_process(client: Client, tmp_path: Path, shards: int) -> None:
    """With 1, 2, 5 and 8 files, weights, ledgers and shares are the same bits on a cluster, on threads and here."""
    paths = written(tmp_path, shards)
    how = {"epochs": 3, "weights": "updates"}
    here = mix(AveragedPerceptron(), paths, **how)
    same(on_dask.mix(AveragedPerceptron(), paths, client=client, **how), here)
    same(on_dask.mix(AveragedPerceptron(), paths, **how), here)


def test_collections_have_the_bits_of_their_rows(client: Client) -> None:
    """Partitions of frames, arrays and readers, persisted or not, give what the same rows in memory give."""
    cut = [slice(0, 150), slice(150, 300), slice(300, 400)]
    here = mix(Perceptron(), arrays([(X[rows], Y[rows]) for rows in cut]), epochs=2)
    blocks = da.from_array(X, chunks=((150, 150, 100), 12)), da.from_array(Y, chunks=((150, 150, 100),))
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(12)]).assign(y=Y)
    readers = [dask.delayed(lambda X, y: (X, y))(X[rows], Y[rows]) for rows in cut]
    frames = dd.from_delayed([dask.delayed(frame[rows]) for rows in cut], meta=frame)
    for inputs, how in ((blocks, {}), (readers, {}), (frames, {"label": "y"})):
        same(on_dask.mix(Perceptron(), inputs, client=client, epochs=2, **how), here)
        held = client.persist(inputs)
        named = on_dask.mix(Perceptron(), held, client=client, epochs=2, **how)
        same(named, here)
    assert named.learner.feature_names_in_.tolist() == [f"x{place}" for place in range(12)]
    assert named.learner.classes_.dtype.kind == "i"


def test_an_executor_of_a_client_is_as_good(client: Client, parts: list[str]) -> None:
    """`mix` takes a client and the executor that it gives."""
    here = mix(Perceptron(), parts, epochs=2)
    same(mix(Perceptron(), parts, client.get_executor(), epochs=2), here)
    same(mix(Perceptron(), parts, client, epochs=2), here)


def test_what_adds_up_is_folded_too(client: Client, tmp_path: Path) -> None:
    """Forecasts in several tables are combined on a cluster to the sums that this process finds."""
    for place in (0, 1, 2):
        table = GENERATOR.normal(size=(30, 3)).round(3)
        pd.DataFrame(table, columns=["a", "b", "y"]).to_csv(tmp_path / f"part-{place}.csv", index=False)
    ledgers = [combine(MLPoly(), str(tmp_path / "part-*.csv"), one, target="y").ledger for one in (None, client)]
    assert repr(ledgers[0]) == repr(ledgers[1])


def test_neither_rows_nor_collections_travel(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of partitions that workers hold, nothing is scattered, gathered or handed to another worker."""
    rows = client.persist(da.random.default_rng(0).normal(size=(4000, 20), chunks=(500, 20)))
    labels = client.persist(da.sign(rows[:, 0]))
    gathered: list[str] = []
    original = Client.gather

    def gather(self: Any, futures: Any, *args: Any, **kwargs: Any) -> Any:
        gathered.extend(str(one.key) for one in (futures if isinstance(futures, list) else [futures]))
        return original(self, futures, *args, **kwargs)

    def scatter(*_: Any, **__: Any) -> None:
        raise AssertionError("scattered")

    monkeypatch.setattr(Client, "scatter", scatter)
    monkeypatch.setattr(Client, "gather", gather)
    mixture = on_dask.mix(Perceptron(), (rows, labels), client=client, epochs=3)
    logs = client.run(lambda dask_worker: [key for one in dask_worker.transfer_incoming_log for key in one["keys"]])
    held = {str(future.key) for collection in (rows, labels) for future in client.futures_of(collection)}
    assert not held & {str(key) for keys in logs.values() for key in keys}
    assert not held & set(gathered)
    weights = 8 * 21
    assert all(epoch.bytes_down < 2 * (weights + 2500) for epoch in mixture.history)
    assert all(epoch.bytes_up < 3 * (weights + 8 * 2500) for epoch in mixture.history)


@pytest.mark.parametrize("opening", [1, 2])
def test_a_worker_that_is_killed_in_an_epoch_loses_nothing(
    client: Client, tmp_path: Path, parts: list[str], opening: int
) -> None:
    """A worker that dies with a shard half played, in the first epoch or the second, changes no bit of the result."""
    client.wait_for_workers(2, timeout=120)
    here = mix(AveragedPerceptron(), parts, epochs=3)
    shards = files(parts)
    shards[1] = work.HeldUpShard(shards[1].name, shards[1], str(tmp_path), opening)
    killed: list[int] = []

    def kill() -> None:
        work.wait_for(tmp_path / "reached")
        killed.append(int((tmp_path / "reached").read_text()))
        os.kill(killed[0], signal.SIGKILL)
        (tmp_path / "go").touch()

    killer = threading.Thread(target=kill)
    killer.start()
    there = on_dask.mix(AveragedPerceptron(), shards, client=client, epochs=3)
    killer.join()
    same(there, here)
    assert len((tmp_path / "opened").read_text().split()) == 3 + 1
    assert killed[0] not in client.run(os.getpid).values()


def test_partitions_of_a_killed_worker_are_made_again(client: Client, tmp_path: Path) -> None:
    """Of partitions that workers hold, those of a dead one are made again from what they were made of."""
    client.wait_for_workers(2, timeout=120)
    rows, labels = da.from_array(X, chunks=(50, 12)), da.from_array(Y, chunks=50)
    here = mix(Perceptron(), arrays([(X[i : i + 50], Y[i : i + 50]) for i in range(0, 400, 50)]), epochs=4)
    held = client.persist([rows, labels])
    events: list[int] = []

    def kill(epoch: Any) -> None:
        if not events:
            events.extend(client.run(os.getpid).values())
            os.kill(events[0], signal.SIGKILL)

    same(on_dask.mix(Perceptron(), tuple(held), client=client, epochs=4, on_epoch=kill), here)


def test_a_bad_line_is_named_and_nothing_is_written(client: Client, parts: list[str], tmp_path: Path) -> None:
    """A malformed line in one of the files is named with its file and number, and there is no checkpoint."""
    lines = Path(parts[3]).read_text().split("\n")
    lines[7] = "1 3:oops"
    Path(parts[3]).write_text("\n".join(lines))
    with pytest.raises(DataError, match=r"part-3\.svm:8:") as caught:
        on_dask.mix(Perceptron(), parts, client=client, checkpoint=tmp_path / "run.rgl")
    assert caught.value.line == 8
    assert not (tmp_path / "run.rgl").exists()


def test_missing_and_empty_files_are_named(client: Client, parts: list[str]) -> None:
    """A file that is gone, or has no rows, is named."""
    shards = files(parts)
    Path(parts[2]).write_text("")
    with pytest.raises(DataError, match=r"part-2\.svm.*no rows"):
        on_dask.mix(Perceptron(), shards, client=client)
    Path(parts[2]).unlink()
    with pytest.raises(DataError, match=r"part-2\.svm: there is no such file"):
        on_dask.mix(Perceptron(), shards, client=client)


def test_a_checkpoint_is_gone_on_from(client: Client, parts: list[str], tmp_path: Path) -> None:
    """Two epochs and then two more give the bits of four, whichever engine plays them."""
    how = {"client": client, "checkpoint": tmp_path / "run.rgl"}
    on_dask.mix(Perceptron(), parts, epochs=2, **how)
    here = mix(Perceptron(), parts, epochs=4)
    same(on_dask.mix(Perceptron(), parts, epochs=4, **how), here)


def test_progress_is_reported(client: Client, parts: list[str]) -> None:
    """Each shard is reported once an epoch, and each epoch."""
    calls: list[tuple[int, int]] = []
    epochs: list[int] = []
    on_dask.mix(
        Perceptron(),
        parts,
        client=client,
        epochs=2,
        on_shard=lambda number, place: calls.append((number, place)),
        on_epoch=lambda epoch: epochs.append(epoch.number),
    )
    assert sorted(calls) == [(number, place) for number in (1, 2) for place in range(5)]
    assert epochs == [1, 2]


def test_a_cluster_is_found_by_its_address(client: Client, parts: list[str]) -> None:
    """The address of a scheduler is enough; one where nobody answers is named."""
    here = mix(Perceptron(), parts, epochs=2)
    with on_dask.connected(client.scheduler.address) as engine:
        same(mix(Perceptron(), parts, engine, epochs=2), here)
        inner = engine.client
    assert inner.status == "closed"
    with (
        pytest.raises(EngineError, match=r"tcp://127\.0\.0\.1:9: no scheduler of Dask answers"),
        on_dask.connected("tcp://127.0.0.1:9", patience=0.2),
    ):
        pass


def test_a_server_that_is_none_of_dasks_is_not_waited_for() -> None:
    """Who listens and says nothing is named like nobody at all."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(EngineError, match="no scheduler of Dask answers"), on_dask.connected(address, patience=0.2):
            pass


def test_something_else_is_no_client() -> None:
    """What cannot run tasks is refused."""
    with pytest.raises(RegretlessError, match="str runs nothing"):
        on_dask.engine_for("tcp://10.0.0.1:8786")


def test_dask_is_not_needed_without_it() -> None:
    """With dask and distributed blocked, the package mixes, and only its Dask module says what is missing."""
    code = """
import sys
for name in ("dask", "distributed"):
    sys.modules[name] = None
import numpy as np
from regretless.distributed import mix
from regretless.errors import RegretlessError
from regretless.linear import Perceptron
X, y = np.eye(4), np.array([0, 1, 0, 1])
assert len(mix(Perceptron(), [(X, y), (X, y)], epochs=2).history) == 2
try:
    import regretless.distributed.dask
except RegretlessError as error:
    print(error)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert process.stdout == "Dask is not installed; pip install 'dask[dataframe,distributed]'\n"


def test_the_engine_leaves_nothing_behind(client: Client, parts: list[str]) -> None:
    """After a run the scheduler has forgotten its tasks."""
    engine = DaskEngine(client)
    mix(Perceptron(), parts, engine, epochs=2)
    client.submit(int).result()  # by the way on which futures are let go, behind them
    known = client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks)))
    assert not [key for key in known if key.startswith(("('epoch", "('merge", "common"))]
