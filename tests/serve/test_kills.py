"""Servers that are killed at random moments; ``REGRETLESS_KILLS=200`` for more of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .postgres_server import Postgres

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'regretless[serve]'")
from .kills import Traffic

KILLS = os.environ.get("REGRETLESS_KILLS", "20")
SEED = os.environ.get("REGRETLESS_SEED", "1")


def harassed(where: str, folder: Path) -> str:
    """What a series of kills says."""
    command = [sys.executable, "-m", "tests.serve.kills", where, str(folder), KILLS, SEED]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_a_client_sees_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """An assertion that fails in the thread of a client fails the series."""
    traffic = Traffic(1)

    def fail(*_: object) -> bytes:
        raise AssertionError("another answer")

    monkeypatch.setattr(traffic, "_post", fail)
    with pytest.raises(AssertionError, match="another answer"):
        traffic.end(traffic.run(1, 1))


def test_killed_servers(tmp_path: Path) -> None:
    """Every label that was acknowledged is learned once, and the log gives the bytes of the model that was served."""
    print(process := harassed("sqlite", tmp_path))
    assert process.endswith("none lost\n")


def test_killed_servers_on_postgres(tmp_path: Path, postgres: Postgres) -> None:
    """The same, with the log in PostgreSQL."""
    print(process := harassed(postgres.url, tmp_path))
    assert process.endswith("none lost\n")
