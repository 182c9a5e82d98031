"""Notes of `learn` on columns: text, numbers of rows, and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..rows.validation import JUDGED_ROWS, free_text

if TYPE_CHECKING:
    from ..data.batch import Array, Batch
    from ..run.linear import Run

FEW_ROWS = 10  # to judge nothing by
HALF = 0.5
FAR = 100.0  # times as large as others


def column_notes(run: Run, default: str) -> Iterator[str]:
    """Notes on columns, in a line each; `default` is the learner to take where columns differ in size."""
    yield from _free_text(run)
    yield from _row_numbers(run)
    first = run.first
    if not run.learner.info.unit_free and first is not None and len(first) >= FEW_ROWS and first.columns:
        yield from _scales(run, first, default)


def _free_text(run: Run) -> Iterator[str]:
    """Columns of text in which nearly every row has a value of its own."""
    yield from free_text_notes(run.stream.schema(), max(run.rounds // (run.place.number + 1), 1))


def free_text_notes(schema: Mapping[str, Any], rows: int) -> Iterator[str]:
    """Notes on columns of text in which nearly every one of so many rows has a value of its own."""
    for name, count in free_text(schema, rows):
        yield (
            f"column {name!r} has {count:,} different values in {rows:,} rows ({count / rows:.0%}), each "
            "a feature of its own: what is learned of one says nothing of others. If it is text, make features of "
            f"its words with --text {name}; if it names the rows, leave it out with --ignore"
        )


def _row_numbers(run: Run) -> Iterator[str]:
    """Columns of whole numbers that grow by one from row to row."""
    batch, schema = run.first, run.stream.schema()
    if batch is None or batch.indices is not None or schema.get("format") != "table" or len(batch) < JUDGED_ROWS:
        return
    from .read_model import namer

    name = namer(run.learner, schema)
    for column in np.flatnonzero((np.diff(batch.values, axis=0) == 1).all(axis=0)).tolist():
        yield f"column {name(column)!r} numbers the rows: leave it out with --ignore"


def _scales(run: Run, batch: Batch, default: str) -> Iterator[str]:
    """Columns that most rows have, some of them in far larger numbers than others."""
    columns, sizes = _sizes(batch)
    if len(sizes) < 2 or sizes.max() <= FAR * sizes.min():
        return
    from .read_model import namer

    name = namer(run.learner, run.stream.schema())
    large, small = int(sizes.argmax()), int(sizes.argmin())
    yield (
        f"feature {name(int(columns[large]))!r} is about {sizes[large]:.3g} in size and "
        f"{name(int(columns[small]))!r} about {sizes[small]:.3g}; {run.learner.name} sees little but the largest: "
        f"scale the columns beforehand, or take the default learner ({default}), which minds no scale"
    )


def _sizes(batch: Batch) -> tuple[Array, Array]:
    """The columns that are not 0 in at least half of the rows, and their root mean squares."""
    values: Any = batch.values.reshape(-1).astype(np.float64)
    if batch.indices is None:
        columns, places = np.arange(batch.columns), np.tile(np.arange(batch.columns), len(batch))
    else:
        columns, places = np.unique(batch.indices, return_inverse=True)
    with np.errstate(over="ignore"):
        squares = np.bincount(places, values**2, minlength=len(columns))
    present = np.bincount(places, values != 0, minlength=len(columns))
    often = (present >= HALF * len(batch)) & (squares > 0) & np.isfinite(squares)
    return columns[often], np.sqrt(squares[often] / len(batch))
