"""What a data frame holds: the columns of features and label, the partitions that have rows, the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...data.batch import Array
from ...errors import RegretlessError
from ...linear.labels import read_labels
from .engine import SparkEngine, SparkPartition, collect, partitions_of
from .rows import Layout

NUMERIC = ("byte", "short", "integer", "long", "float", "double")
MOST_CLASSES = 10_000
VECTORS = "pyspark.ml vectors, arrays of numbers, or a list of numeric columns are expected"


class Partitions:
    """The partitions of a data frame as shards, for as long as the ``with`` block lasts.

    The columns that are needed are persisted by Spark (``persist``), so that every epoch has the same rows in the same
    partitions; a data frame that is persisted already stays as it is. Partitions without rows take no part.

    Parameters
    ----------
    dataset : DataFrame
    features : str or sequence of str
        A column of pyspark.ml vectors or of arrays of numbers, or a numeric column for each feature.
    label : str
        A column of numbers, truth values or strings.
    num_workers : int, optional
        How many partitions there shall be. If there are as many with rows in them, they stay what they are. Otherwise
        rows are dealt out anew, and those of a partition are put in the order of their hashes: the same rows come in
        the same order even if Spark has to make the partition again.

    Attributes
    ----------
    shards : list of SparkPartition
        Those that hold rows, in the order of their numbers.
    engine : SparkEngine
        What plays them.
    classes : ndarray
        All labels that the rows have, ascending.

    Raises
    ------
    RegretlessError
        If a column is missing, or holds something else than is expected, or there are no rows.
    """

    __module__ = "regretless.distributed.spark"  # saved pipelines name it by this, wherever the code is

    shards: list[SparkPartition]
    engine: SparkEngine
    classes: Array

    def __init__(self, dataset: Any, features: str | Sequence[str], label: str, num_workers: int | None = None) -> None:
        self.layout = layout_of(schema_of(dataset), features, label)
        self._dataset, self._workers, self._held = dataset, num_workers, False

    def __enter__(self) -> Partitions:
        self.frame = self._prepare()
        try:
            self.shards, columns = _count_partitions(self.frame, self.layout)
            self.classes = _classes(self.frame, str(self.layout.label))
        except BaseException:
            self.__exit__()
            raise
        self.engine = SparkEngine(self.frame.sparkSession, self.frame, self.layout, columns)
        return self

    def __exit__(self, *_: object) -> None:
        if self._held:
            self.frame.unpersist()

    def _prepare(self) -> Any:
        from pyspark import StorageLevel

        frame = select_columns(self._dataset, self.layout)
        dealt = self._workers is not None and len(list(partitions_of(frame))) != self._workers
        if dealt:
            frame = _repartition(frame, self._workers)
        elif self._dataset.storageLevel != StorageLevel.NONE:
            return frame
        self._held = True
        return frame.persist(StorageLevel.MEMORY_AND_DISK)


def schema_of(dataset: Any) -> Any:
    """The schema of a data frame.

    Raises
    ------
    RegretlessError
        If it is none of Spark.
    """
    if not hasattr(dataset, "sparkSession"):
        kind = f"{type(dataset).__module__.partition('.')[0]} {type(dataset).__name__}"
        advice = "spark.createDataFrame makes one of a pandas frame"
        raise RegretlessError(f"a data frame of Spark is expected, and this is a {kind}; {advice}")
    return dataset.schema


def layout_of(schema: Any, features: str | Sequence[str], label: str | None) -> Layout:
    """The layout of a data frame: which columns are features, and which is the label.

    Parameters
    ----------
    schema : StructType
    features, label
        As `Partitions` takes them; a label of None is none.

    Raises
    ------
    RegretlessError
        If a column is missing, or holds something else than is expected.
    """
    if label is not None:
        kind = _type(schema, label, "label")
        if kind.typeName() not in (*NUMERIC, "decimal", "boolean", "string"):
            raise RegretlessError(
                f"column {label!r} holds {_kind_name(kind)}: labels are numbers, truth values or strings"
            )
        if label in ([features] if isinstance(features, str) else features):
            raise RegretlessError(f"column {label!r} cannot be the label and a feature")
    if not isinstance(features, str):
        return Layout("columns", _numeric(schema, features), label)
    kind = _type(schema, features, "features")
    if _is_vector(kind):
        return Layout("vector", (features,), label)
    if kind.typeName() == "array" and kind.elementType.typeName() in (*NUMERIC, "decimal"):
        return Layout("array", (features,), label)
    if kind.typeName() in (*NUMERIC, "decimal", "boolean"):
        return Layout("columns", (features,), label)
    raise RegretlessError(f"column {features!r} holds {_kind_name(kind)}: {VECTORS}")


def select_columns(dataset: Any, layout: Layout) -> Any:
    """The columns of a layout alone, the label last."""
    from pyspark.sql import functions as F

    wanted = [*layout.features, *([] if layout.label is None else [layout.label])]
    return dataset.select([F.col(quote(name)) for name in wanted])


def quote(name: str) -> str:
    """A column's name as Spark reads it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def _type(schema: Any, name: str, what: str) -> Any:
    if name not in schema.names:
        raise RegretlessError(f"there is no column {name!r} ({what}); there are: {', '.join(schema.names)}")
    return schema[name].dataType


def _numeric(schema: Any, names: Sequence[str]) -> tuple[str, ...]:
    if not names or len(set(names)) != len(names):
        raise RegretlessError(f"features in the columns {list(names)}: name each once, and at least one")
    for name in names:
        kind = _type(schema, name, "features")
        if kind.typeName() not in (*NUMERIC, "decimal", "boolean"):
            raise RegretlessError(f"column {name!r} holds {_kind_name(kind)}: in a list of columns all must be numeric")
    return tuple(names)


def _is_vector(kind: Any) -> bool:
    return type(kind).__name__ == "VectorUDT" and type(kind).__module__.startswith("pyspark.ml.")


def _kind_name(kind: Any) -> str:
    vectors = "vectors" if _is_vector(kind) else "vectors of pyspark.mllib"
    return str(kind.simpleString()) if type(kind).__name__ != "VectorUDT" else vectors


def _repartition(frame: Any, workers: int | None) -> Any:
    from pyspark.sql import functions as F

    every = [F.col(quote(name)) for name in frame.columns]
    return frame.repartition(workers).sortWithinPartitions(F.xxhash64(*every), F.hash(*every))


def _count_partitions(frame: Any, layout: Layout) -> tuple[list[SparkPartition], int]:
    """The partitions that hold rows, and how many features there are; counted by Spark itself."""
    from pyspark.sql import functions as F

    names = [*layout.features, str(layout.label)]
    unfit = [F.isnull(F.col(quote(name))) for name in names]
    if frame.schema[str(layout.label)].dataType.typeName() in ("float", "double"):
        unfit[-1] = unfit[-1] | F.isnan(F.col(quote(names[-1])))
    columns = [F.spark_partition_id().alias("place"), _width(layout).alias("width")]
    columns += [F.xxhash64(*(F.col(quote(name)) for name in names)).alias("hashed")]
    columns += [one.alias(f"unfit{place}") for place, one in enumerate(unfit)]
    sums = [F.count_if(F.col(f"unfit{place}")).alias(f"unfit{place}") for place in range(len(names))]
    sums += [F.expr("bit_xor(hashed)").alias("hashed")]
    sums += [F.count(F.lit(1)).alias("rows"), F.min("width").alias("least"), F.max("width").alias("most")]
    table = collect(frame.sparkSession, frame.select(columns).groupBy("place").agg(*sums))
    rows = sorted(table.to_pylist(), key=lambda row: row["place"])
    if not rows:
        raise RegretlessError("the data frame has no rows: there is nothing to learn from")
    for row in rows:
        for place, name in enumerate(names):
            _refuse_missing(row["place"], name, row[f"unfit{place}"])
    least, most = min(row["least"] for row in rows), max(row["most"] for row in rows)
    if least != most:
        fault = f"column {layout.features[0]!r} holds {layout.kind}s of {least} and of {most} numbers"
        raise RegretlessError(f"{fault}; all must have as many")
    return [SparkPartition(f"partition {row['place']}", row["place"], row["rows"], row["hashed"]) for row in rows], int(
        most
    )


def _refuse_missing(partition: int, column: str, rows: int) -> None:
    if rows:
        fault = f"partition {partition}: column {column!r} holds null or NaN in {rows:,} rows"
        raise RegretlessError(f"{fault}; drop or fill them before")


def _width(layout: Layout) -> Any:
    """How many features a row has."""
    from pyspark.sql import functions as F

    column = F.col(quote(layout.features[0]))
    if layout.kind == "columns":
        return F.lit(len(layout.features))
    if layout.kind == "array":
        return F.size(column)
    vector = F.unwrap_udt(column)
    return F.coalesce(vector["size"], F.size(vector["values"]))


def _classes(frame: Any, label: str) -> Array:
    from pyspark.sql import functions as F

    classes = frame.select(F.col(quote(label)).alias("label")).distinct().limit(MOST_CLASSES + 1)
    values = collect(frame.sparkSession, classes).column("label").to_pylist()
    if len(values) > MOST_CLASSES:
        raise RegretlessError(f"column {label!r} holds more than {MOST_CLASSES:,} different labels")
    if values and not isinstance(values[0], str | bool | int):
        values = [float(value) for value in values]
    try:
        labels = read_labels(np.array(values), len(values))
    except RegretlessError as error:
        raise RegretlessError(f"column {label!r}: {error}") from error
    if len(labels) < 2:
        raise RegretlessError(f"column {label!r} holds one class only ({labels[0]}): there is nothing to tell it from")
    return np.unique(labels)
