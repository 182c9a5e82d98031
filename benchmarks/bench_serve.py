"""Predictions and labels a second of a server, beside scikit-learn behind FastAPI with the same log.

FastAPI is no dependency: ``pip install --target FOLDER fastapi`` and ``PYTHONPATH=FOLDER``; without it the peer is left
out. Server and clients have a core each.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from .serve_load import load, request, wait_for

COLUMNS, CLIENTS, SECONDS, BATCH = 32, 64, 5.0, 100
PORT = 18765
SCHEMA = {"features": COLUMNS, "classes": [0, 1]}
LEARNERS = ("arow", "aggregated")


@contextmanager
def server(folder: Path, learner: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server on a new model."""
    schema = folder / "schema.json"
    schema.write_text(json.dumps(SCHEMA))
    command = [sys.executable, "-m", "regretless", "serve", str(folder / f"{learner}{len(words)}.rgl")]
    command += ["--learner", learner, "--schema", str(schema), "--port", str(PORT), *words]
    with running(command) as process:
        yield process


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that listens on the port."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for(PORT, lambda: process.poll() is None)
        yield process
    finally:
        process.terminate()
        process.wait()


def bodies(path: str) -> Iterator[bytes]:
    """Requests for predictions, without end."""
    rows = np.random.default_rng(0).normal(size=(500, COLUMNS)).round(4)
    return itertools.cycle([request(path, {"input": row.tolist()}) for row in rows])


def label_bodies(path: str) -> Iterator[bytes]:
    """Requests with labels and their inputs, without end."""
    rows = np.random.default_rng(1).normal(size=(50, BATCH, COLUMNS)).round(4)
    parts = [[{"input": row.tolist(), "label": int(row[0] > 0)} for row in part] for part in rows]
    return itertools.cycle([request(path, {"labels": part}) for part in parts])


def show(name: str, process: subprocess.Popen[bytes], requests: Iterator[bytes], clients: int, each: int = 1) -> None:
    """Measure and print a line; the CPU time is the server's, for each row."""
    before = cpu_seconds(process)
    measured = load(PORT, requests, clients, SECONDS)
    cpu = (cpu_seconds(process) - before) / (measured.requests * each) * 1e6
    figures = f"{measured.rate * each:10,.0f} a second   p50 {measured.p50:7.2f} ms   p99 {measured.p99:7.2f} ms"
    print(f"  {name:52} {figures}   CPU {cpu:6.0f} us a row", flush=True)


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure."""
    print(f"\n{COLUMNS} features, {CLIENTS} clients, {SECONDS:g} seconds each")
    with TemporaryDirectory(dir=os.environ.get("REGRETLESS_BENCH_FOLDER")) as name:
        folder = Path(name)
        for learner in LEARNERS:
            with server(folder, learner) as process:
                show(f"{learner}: predictions, written down", process, bodies("/v1/predict"), CLIENTS)
                show(f"{learner}: labels with inputs, {BATCH} a request", process, label_bodies("/v1/label"), 4, BATCH)
            with server(folder, learner, "--no-log-predictions") as process:
                show(f"{learner}: predictions, not written down", process, bodies("/v1/predict"), CLIENTS)
        if importlib.util.find_spec("fastapi") is None:
            print("  FastAPI is not installed: no peer")
            return
        with running([sys.executable, str(Path(__file__).with_name("serve_peer.py")), str(PORT), name]) as process:
            show("SGD behind FastAPI: predictions, written down", process, bodies("/predict"), CLIENTS)
            show(f"SGD behind FastAPI: labels, {BATCH} a request", process, label_bodies("/label"), 4, BATCH)


if __name__ == "__main__":
    main()
