"""The same through Spark Connect, which has neither a Java machine nor an RDD at hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .spark_session import JAVA, java

pytest.importorskip("pyspark")
pytest.importorskip("grpc", reason="Spark Connect needs pyspark[connect]")
if not java():
    pytest.skip("Spark needs Java 17 or newer, and there is none here", allow_module_level=True)

FAST = {"JAVA_TOOL_OPTIONS": JAVA}
ROOT = Path(__file__).resolve().parents[2]


def test_through_connect_the_bits_are_the_same(tmp_path: Path) -> None:
    """A session of Connect learns, saves, reads and predicts the bits of the same partitions in this process."""
    command = [sys.executable, "-m", "tests.engines.spark_connect", str(tmp_path / "model.rgl")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env=os.environ | FAST)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    assert done.returncode == 0, done.stderr[-2000:]
    record = json.loads(lines[0].removeprefix("FOUND "))
    assert record["session"].startswith("pyspark.sql.connect")
    assert record["weights"][0] == record["weights"][1]
    assert record["labels"][0] == record["labels"][1]
    assert "through Spark Connect a model is saved to and read from one file" in record["refused"]
