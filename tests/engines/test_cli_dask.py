"""The command line on a Dask cluster."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from ..command_line import CommandLine
from ..distributed.shards import parts

distributed = pytest.importorskip("distributed")

WORDS = ("--learner", "averaged-perceptron", "--passes", 3)


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as started:
        yield started


@pytest.fixture
def files(tmp_path) -> list[Path]:
    return parts(tmp_path, classes=(3, 4, 9))


def test_a_cluster_learns_what_processes_learn(run, cluster, files, tmp_path, monkeypatch):
    """Through --dask the model has the very bytes of --workers, and the certificates are the same."""
    monkeypatch.chdir(tmp_path)  # the workers are told whole paths
    address = cluster.scheduler_address
    there = run("learn", "part-*.svm", *WORDS, "--dask", address, "--save", "a.rgl", "--json")
    here = run("learn", "part-*.svm", *WORDS, "--workers", 1, "--save", "b.rgl", "--json")
    assert (there.code, here.code) == (0, 0)
    assert Path("a.rgl").read_bytes() == Path("b.rgl").read_bytes()
    assert there.json["certificates"] == here.json["certificates"]
    later = run("certify", "b.rgl", "part-*.svm", "--dask", address, "--json").json
    assert later["certificates"] == here.json["certificates"]


def test_a_run_goes_on_on_a_cluster(run, cluster, files, tmp_path):
    """A run that one process began is finished by a cluster, to the bytes of the whole run."""
    bare = ("--no-certify", "--quiet")
    run("learn", *files, *WORDS, *bare, "--workers", 1, "--save", tmp_path / "m.rgl")
    more = ("--resume", tmp_path / "m.rgl", "--passes", 5, "--dask", cluster.scheduler_address)
    assert run("learn", *files, *more, *bare).code == 0
    run("learn", *files, *WORDS[:2], "--passes", 5, *bare, "--workers", 1, "--save", tmp_path / "whole.rgl")
    assert (tmp_path / "m.rgl").read_bytes() == (tmp_path / "whole.rgl").read_bytes()


def test_a_bad_shard_is_named_by_a_cluster_too(run, cluster, files, tmp_path):
    """A row that a worker of the cluster cannot use is named with its file and line, and nothing is written."""
    files[2].write_text("1 1:1\nspam 1:1\n")
    model = tmp_path / "m.rgl"
    command = run("learn", *files, *WORDS, "--dask", cluster.scheduler_address, "--save", model, "--quiet")
    assert (command.code, model.exists()) == (1, False)
    assert "part-3.svm:2:1: " in command.err


def test_a_cluster_that_is_not_there_is_reported(run, files, monkeypatch):
    """When no scheduler answers, the command ends with 1 and names the address."""
    from regretless.distributed import dask

    monkeypatch.setattr(dask, "connected", partial(dask.connected, patience=0.5))
    command = run("learn", *files, *WORDS, "--dask", "tcp://127.0.0.1:9", "--quiet")
    assert command.code == 1
    (line,) = command.err.splitlines()
    assert line.startswith("regretless: tcp://127.0.0.1:9: no scheduler")


def test_an_address_that_is_none_leaves_nothing_behind(run, files):
    """What is no address is said at once, and no thread of a client that was half made stays."""
    before = set(threading.enumerate())
    command = run("learn", *files, *WORDS, "--dask", "foo", "--quiet")
    assert command.code == 1
    (line,) = command.err.splitlines()
    assert line.startswith("regretless: foo: no scheduler of Dask answers (missing port")
    assert set(threading.enumerate()) <= before


def test_what_dask_logs_is_not_shown(run, files, monkeypatch):
    """Loggers are silent as long as the cluster works for the command line, and no longer."""
    from regretless.distributed import dask
    from regretless.errors import EngineError

    logger, calls = logging.getLogger("distributed.client"), []
    handler = logging.Handler()
    handler.emit = lambda record: calls.append(record.getMessage())
    logger.addHandler(handler)

    @contextmanager
    def losing(address):
        logger.error("a traceback of forty lines")
        raise EngineError("the connection was lost")
        yield

    monkeypatch.setattr(dask, "connected", losing)
    try:
        assert run("learn", *files, *WORDS, "--dask", "tcp://127.0.0.1:9", "--quiet").code == 1
        logger.error("afterwards")
    finally:
        logger.removeHandler(handler)
    assert calls == ["afterwards"]
