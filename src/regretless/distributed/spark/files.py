"""Models of pipelines in files: one ``.rgl`` file, or the folder that a pipeline's stage is."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter

from ...errors import ModelError, RegretlessError
from ...persist.model import read, write
from ..checkpoint import SavedRun
from ..result import Mixture
from .engine import through_connect
from .params import NAMES

SUFFIX = ".rgl"
INSIDE = "model.rgl"
KEY = "spark"  # in the extra of a file: the chosen columns


class ModelWriter(MLWriter):  # type: ignore[misc]
    """Writes a model.

    A path that ends in ``.rgl`` is one file on this machine, which `regretless.load` and the command line read. Any
    other path is a folder with Spark's ``metadata`` and the same file, ``model.rgl``, wherever Spark writes.

    Parameters
    ----------
    model : RegretlessModel
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
            made = Path(folder) / INSIDE
            _write(str(made), self._model)
            system, place = _hadoop(spark, f"{path}/{INSIDE}")
            system.copyFromLocalFile(False, True, _hadoop_path(spark, made.as_uri()), place)


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
            made = Path(folder) / INSIDE
            system, place = _hadoop(spark, f"{path}/{INSIDE}")
            system.copyToLocalFile(False, place, _hadoop_path(spark, made.as_uri()), True)
            model, _ = self._read(str(made))
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
