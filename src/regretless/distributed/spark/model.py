"""The fitted model for pipelines of pyspark.ml, and its files: one ``.rgl``, or the folder of a pipeline's stage."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from pyspark.ml.classification import ClassificationModel
from pyspark.ml.linalg import DenseVector, Vector, VectorUDT
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter

from ...certificate import Certificate
from ...data.batch import Array, Batch
from ...errors import ModelError, RegretlessError
from ...linear.base import OnlineClassifier
from ...persist.model import read, write
from ..checkpoint import SavedRun
from ..result import Mixture
from .engine import through_connect
from .params import NAMES, ColumnParams
from .rows import Layout, batch_of
from .survey import Partitions, layout_of, schema_of


class RegretlessModel(ColumnParams, ClassificationModel, MLReadable, MLWritable):  # type: ignore[misc]
    """A learner that predicts the rows of data frames where they are: the bits are those of its own `predict`.

    Parameters
    ----------
    learner : OnlineClassifier
        Fitted.
    mixture : Mixture, optional
        The run that it comes from.
    extra : mapping, optional
        What a file has beside it, if it comes from no such run.

    Attributes
    ----------
    learner : OnlineClassifier
    mixture : Mixture or None
        What happened in each epoch, and the sums that certificates are made of.
    """

    __module__ = "regretless.distributed.spark"  # saved pipelines name it by this, wherever the code is

    def __init__(
        self, learner: OnlineClassifier, mixture: Mixture | None = None, extra: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        self.learner, self.mixture, self._extra = learner, mixture, dict(extra or {})

    def to_local(self) -> OnlineClassifier:
        """The learner, which needs no Spark."""
        return self.learner

    @property
    def numClasses(self) -> int:
        """How many classes there are."""
        return len(self.learner.classes_)

    @property
    def numFeatures(self) -> int:
        """How many features there are."""
        return int(self.learner.n_features_in_)

    def predict(self, value: Vector) -> Any:
        """The label of one vector."""
        return self.learner.labels(self._scores(value))[0].item()

    def predictRaw(self, value: Vector) -> Vector:
        """The scores of one vector, one a class."""
        return DenseVector(raw(self._scores(value))[0])

    def certify(self, dataset: Any, **how: Any) -> list[Certificate]:
        """Certificates of the run that the model comes from.

        Parameters
        ----------
        dataset : DataFrame
            The rows that were learned from, in the same partitions.
        **how
            What `Mixture.certify` takes.

        Returns
        -------
        list of Certificate

        Raises
        ------
        RegretlessError
            If the partitions hold other numbers of rows than those that were played.
        """
        if self.mixture is None:
            raise RegretlessError("this model was not learned over partitions: certify its learner")
        with Partitions(dataset, self.getFeatures(), self.getLabelCol(), self.chosen("numWorkers")) as rows:
            played = dict(zip(self.mixture.names, self.mixture.rounds.tolist(), strict=True))
            result = {shard.name: shard.rows for shard in rows.shards}
            if played != result:
                raise RegretlessError(
                    f"the model learned from {_in_words(played)}; this data frame has {_in_words(result)}"
                )
            mixture = Mixture(self.mixture.learner, list(rows.shards), self.mixture.run)
            return mixture.certify(rows.engine, **how)

    def setParams(self, **parameters: Any) -> RegretlessModel:
        """Set columns, under either name."""
        self._take(parameters)
        return self

    def setFeaturesCol(self, value: Any) -> RegretlessModel:
        """Set the column of the features, or the columns."""
        return self.setParams(featuresCol=value)

    def write(self) -> ModelWriter:
        """The writer of the model: to one file if the path ends in ``.rgl``, else to a folder as pipelines want it."""
        return ModelWriter(self)

    @classmethod
    def read(cls) -> ModelReader:
        """The reader of models, from a file or a folder."""
        return ModelReader(cls)

    def columns(self) -> dict[str, Any]:
        """The columns that were chosen, as JSON values."""
        return {name: self.getOrDefault(name) for name in NAMES if self.isSet(name)}

    def extra(self) -> dict[str, Any]:
        """The values that a file stores with the learner, as JSON."""
        return self._extra if self.mixture is None else self.mixture.run.extra()

    def _scores(self, value: Vector) -> Array:
        values = np.ascontiguousarray(value.toArray(), np.float64)[None]
        _refuse_width(values.shape[1], self.learner)
        return self.learner.scores(Batch(values, None, values.shape[1]))

    def _transform(self, dataset: Any) -> Any:
        from pyspark.sql.types import StructField, StructType

        schema = schema_of(dataset)
        layout = layout_of(schema, self.getFeatures(), None)
        labels, scores = self.getPredictionCol(), self.getRawPredictionCol()
        added = [StructField(labels, _label_type(self.learner))] if labels else []
        added += [StructField(scores, VectorUDT())] if scores else []
        for field in added:
            if field.name in dataset.columns:
                raise RegretlessError(f"there is a column {field.name!r} already: drop it, or choose another name")
        if not added:
            return dataset
        if layout.kind == "columns" and len(layout.features) != self.numFeatures:
            _refuse_width(len(layout.features), self.learner)
        declared = (
            schema[layout.features[0]].metadata.get("ml_attr", {}).get("num_attrs")
        )  # as a VectorAssembler says it
        if layout.kind == "vector" and declared is not None:
            _refuse_width(declared, self.learner, f"column {layout.features[0]!r} has ")
        places = [dataset.columns.index(name) for name in layout.features]
        wanted = StructType([*dataset.schema.fields, *added])
        return dataset.mapInArrow(predict_batches(self.learner, layout, places, bool(labels), bool(scores)), wanted)


def predict_batches(learner: OnlineClassifier, layout: Layout, places: list[int], labels: bool, scores: bool) -> Any:
    """A function that adds labels, scores or both to record batches, made of the columns at these places."""

    def predict(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        first = 0
        for records in batches:
            wanted = pa.RecordBatch.from_arrays(
                [records.column(place) for place in places], names=[str(place) for place in range(len(places))]
            )
            result = batch_of(wanted, layout, "transform", first) if len(wanted) else None
            first += records.num_rows
            if result is None:
                continue
            _refuse_width(result.columns, learner)
            values = learner.scores(result)
            added = [_labels(learner, values)] if labels else []
            added += [_vectors(raw(values))] if scores else []
            names = [*records.schema.names, *(f"added {place}" for place in range(len(added)))]
            yield pa.RecordBatch.from_arrays([*records.columns, *added], names=names)

    return predict


def raw(scores: Array) -> Array:
    """One score a class; of two, the first one's is the other's with its sign turned."""
    return np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores


def _labels(learner: OnlineClassifier, scores: Array) -> Any:
    import pyarrow as pa

    labels = learner.labels(scores)
    if labels.dtype.kind == "b":
        return pa.array(labels)
    return pa.array(labels.astype(object) if labels.dtype.kind == "U" else labels.astype(np.float64))


def _vectors(scores: Array) -> Any:
    """Rows as dense vectors of pyspark.ml, in the form that Spark gives them to Arrow."""
    import pyarrow as pa

    rows, width = scores.shape
    starts = pa.array(np.arange(0, (rows + 1) * width, width, dtype=np.int32))
    values = pa.ListArray.from_arrays(starts, pa.array(np.ascontiguousarray(scores).reshape(-1)))
    parts = [pa.array(np.ones(rows, np.int8)), pa.nulls(rows, pa.int32()), pa.nulls(rows, pa.list_(pa.int32())), values]
    return pa.StructArray.from_arrays(parts, ["type", "size", "indices", "values"])


def _label_type(learner: OnlineClassifier) -> Any:
    from pyspark.sql.types import BooleanType, DoubleType, StringType

    return {"U": StringType, "b": BooleanType}.get(learner.classes_.dtype.kind, DoubleType)()


def _refuse_width(value: int, learner: OnlineClassifier, begin: str = "") -> None:
    if value != learner.n_features_in_:
        raise RegretlessError(f"{begin}{value:,} features, but the model knows {learner.n_features_in_:,}")


def _in_words(partitions: Mapping[str, int]) -> str:
    listed = ", ".join(f"{rows:,}" for rows in list(partitions.values())[:5])
    return f"{len(partitions):,} partitions of {listed}{', ...' if len(partitions) > 5 else ''} rows"


SUFFIX = ".rgl"
INSIDE = "model.rgl"
KEY = "spark"  # in the extra of a file: the chosen columns


# ---- files


class ModelWriter(MLWriter):  # type: ignore[misc]
    """Writes a model.

    A path that ends in ``.rgl`` is one file on this machine, which `regretless.load` and the command line read. Any
    other path is a folder with Spark's ``metadata`` and the same file, ``model.rgl``, wherever Spark writes.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it.

        Raises
        ------
        RegretlessError
            If something is there already and `overwrite` was not asked for.
        OSError
            If the file cannot be written.
        """
        path = os.fspath(path)
        if not path.endswith(SUFFIX):
            _refuse_connect(self.sparkSession, path)
            super().save(path)
            return
        if not self.shouldOverwrite and os.path.lexists(_local(path)):
            raise RegretlessError(f"{path}: there is something already; write().overwrite().save(path) replaces it")
        _write(_local(path), self._model)

    def saveImpl(self, path: str) -> None:
        """Write the folder of a stage."""
        spark = self.sparkSession
        DefaultParamsWriter.saveMetadata(self._model, path, spark)
        with TemporaryDirectory() as folder:
            file = Path(folder) / INSIDE
            _write(str(file), self._model)
            system, place = _hadoop(spark, f"{path}/{INSIDE}")
            system.copyFromLocalFile(False, True, _hadoop_path(spark, file.as_uri()), place)


class ModelReader(MLReader):  # type: ignore[misc]
    """Reads what `ModelWriter` wrote, and every other ``.rgl`` file of a linear learner.

    Parameters
    ----------
    made : type
        RegretlessModel.
    """

    def __init__(self, made: type) -> None:
        super().__init__()
        self._made = made

    def load(self, path: str | os.PathLike[str]) -> Any:
        """Read it.

        Raises
        ------
        ModelError
            If the file is no model, is damaged, or does not fit together.
        OSError
            If there is no such file.
        """
        path = os.fspath(path)
        if path.endswith(SUFFIX):
            model, columns = self._read(_local(path))
            return model.setParams(**columns)
        spark = self.sparkSession
        _refuse_connect(spark, path)
        metadata = DefaultParamsReader.loadMetadata(path, spark)
        with TemporaryDirectory() as folder:
            file = Path(folder) / INSIDE
            system, place = _hadoop(spark, f"{path}/{INSIDE}")
            system.copyToLocalFile(False, place, _hadoop_path(spark, file.as_uri()), True)
            model, _ = self._read(str(file))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model

    def _read(self, path: str) -> tuple[Any, dict[str, Any]]:
        """The model, and the columns that it was saved with."""
        learner, extra = read(path, "linear")
        columns = extra.get(KEY, {})
        if not isinstance(columns, dict) or not set(columns) <= set(NAMES):
            raise ModelError(f"{path}: the model does not fit together ({KEY}); it cannot be used")
        mixture = Mixture(learner, [], SavedRun.of(extra)) if "mixing" in extra else None
        return self._made(learner, mixture, extra), columns


def _write(path: str, model: Any) -> None:
    write(path, model.learner, {**model.extra(), KEY: model.columns()})


def _local(path: str) -> str:
    """The path of a file on this machine, which may be written as ``file:``."""
    scheme, colon, rest = path.partition(":")
    if colon and scheme == "file":
        return "/" + rest.lstrip("/")
    if colon and rest.startswith("//"):
        raise RegretlessError(f"{path}: a {SUFFIX} file is written on this machine; give a path without {scheme}:")
    return path


def _refuse_connect(spark: Any, path: str) -> None:
    """Folders are written by Spark's own Java machine, which is not at hand through Spark Connect."""
    if through_connect(spark):
        fault = f"{path}: through Spark Connect a model is saved to and read from one file"
        raise RegretlessError(f"{fault}; give a path ending in {SUFFIX}")


def _hadoop(spark: Any, path: str) -> tuple[Any, Any]:
    """The file system that Spark writes a path to, and the path as that knows it."""
    place = _hadoop_path(spark, path)
    return place.getFileSystem(spark._jsc.hadoopConfiguration()), place


def _hadoop_path(spark: Any, path: str) -> Any:
    return spark._jvm.org.apache.hadoop.fs.Path(path)
