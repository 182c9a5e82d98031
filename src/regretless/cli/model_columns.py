"""Columns as a model knows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import DataError
from ..linear.base import OnlineClassifier


def known_schema(learner: OnlineClassifier, schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """The schema kept with a model; of one that was fitted to a table in Python, what the names of its columns say."""
    names = getattr(learner, "feature_names_in_", None)
    if schema is not None or names is None:
        return schema
    from ..data.columns import FeatureMap

    features = FeatureMap()
    features.settle({str(name): "number" for name in names})
    return {"format": "table", "target": None, "target_kind": "empty", "missing": "error", **features.schema()}


def known_columns(stream: Stream, columns: int) -> Iterator[Batch]:
    """The batches of a stream without the columns that a model does not know."""
    from ..data.to_csr import first_columns

    for batch in stream.batches():
        if batch.starts is not None:
            yield first_columns(batch, columns)
            continue
        if batch.columns < columns:
            found = f"{batch.columns} columns of features"
            raise DataError(stream.name, None, None, found, f"the model knows {columns}; give a file that has them all")
        yield Batch(np.ascontiguousarray(batch.values[:, :columns]), batch.labels, columns)
