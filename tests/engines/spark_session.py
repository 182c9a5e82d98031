"""A real Spark on this machine, and data frames for it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

CORES = "local[2,3]"  # two at a time, and a task that fails is tried twice more
QUICK = {"spark.sql.shuffle.partitions": "2", "spark.sql.codegen.wholeStage": "false"}
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # of a few rows, compiling is all the time that a query takes
ROWS, WIDTH = 90, 4


def java() -> bool:
    """Whether there is a Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    if program is None:
        return False
    errors = subprocess.run([program, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'"(\d+)', errors)
    return version is not None and int(version[1]) >= 17


def started() -> Any:
    """A session in the classic way, whose workers have this Python; without Java, its tests skip."""
    if not java():
        pytest.skip("Spark needs Java 17 or newer, and there is none here")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    plain = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "600m",
        "spark.driver.extraJavaOptions": JAVA,
    }
    session = SparkSession.builder.master(CORES).config(map=plain | QUICK).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def separable(classes: int = 2, seed: int = 3) -> tuple[Any, Any]:
    """Rows of which a fifth are zeros, and labels that a matrix gives them, some of them wrong."""
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(ROWS, WIDTH)), 3) * (random.random((ROWS, WIDTH)) > 0.2)
    y = (X @ random.normal(size=(WIDTH, max(classes, 2)))).argmax(axis=1)
    y[::11] = (y[::11] + 1) % classes
    return X, y


def vectors(X: Any) -> list[Any]:
    """Rows as vectors of pyspark.ml, every other one sparse."""
    from pyspark.ml.linalg import Vectors

    dense = [Vectors.dense(row) for row in X]
    return [
        Vectors.sparse(len(row), np.flatnonzero(row), row[row != 0]) if i % 2 else dense[i] for i, row in enumerate(X)
    ]


def frame(session: Any, classes: int = 2, partitions: int = 3) -> Any:
    """A data frame of rows in every form, in so many partitions; its first column is a number of its own."""
    X, y = separable(classes)
    columns = [range(ROWS), vectors(X), X.tolist(), *X.T.tolist(), y.astype(float).tolist(), [f"class {c}" for c in y]]
    values = list(zip(*columns, strict=True))
    names = ["place", "features", "array", *(f"x{i}" for i in range(WIDTH)), "label", "word"]
    return session.createDataFrame(values, names).repartition(partitions, "place").sortWithinPartitions("place")


def parts(prepared: Any, dataset: Any) -> list[tuple[Any, Any]]:
    """The rows and the numbers of the labels of each partition, in their order."""
    from pyspark.sql import functions as F

    held: dict[int, list[int]] = {}
    for row in dataset.select("place", F.spark_partition_id().alias("partition")).collect():
        held.setdefault(row.partition, []).append(row.place)
    X, y = prepared
    return [(X[held[place]], y[held[place]]) for place in sorted(held)]
