"""What is worth a line after learning: that rows are of a kind which the learner makes little of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..data.batch import Array, Batch
    from ..linear.base import OnlineClassifier
    from ..run.linear import Run

FEW_VALUES = 20  # different values of a column of text that are no trap, however few rows there are
HALF = 0.5
MANY, DENSE, WIDEST = 100, 0.1, 2000  # features, the share of them in a row, and how many a full matrix is told for
FAR = 1000.0
FEW_ROWS = 10


def traps(run: Run) -> Iterator[str]:
    """Each thing that the user should know, in one line."""
    yield from _free_text(run)
    first = run.first
    if first is None or len(first) < FEW_ROWS or not first.columns:
        return
    adaptive = run.learner.info.geometry.startswith("second order")
    if adaptive:
        yield from _dense_diagonal(run.learner, first)
    else:
        yield from _scales(run, first)


def _free_text(run: Run) -> Iterator[str]:
    """Columns of text in which nearly every row has a value of its own."""
    schema = run.stream.schema()
    if schema.get("format") != "table" or schema["hash"] is not None:
        return
    rows = max(run.rounds // (run.place.number + 1), 1)
    counts = np.bincount(
        [place for place, value in schema["features"] if value is not None], minlength=len(schema["columns"])
    )
    for column, count in zip(schema["columns"], counts.tolist(), strict=True):
        share = count / rows
        if count > FEW_VALUES and share > HALF:
            yield (
                f"column {column['name']!r} has {count:,} different values in {rows:,} rows ({share:.0%}), each "
                "a feature of its own: what is learned of one says nothing of others. If it is text, make features of "
                "its words beforehand, numbered or hashed (svmlight); if it names the rows, leave it out"
            )


def _dense_diagonal(learner: OnlineClassifier, batch: Batch) -> Iterator[str]:
    if getattr(learner.state_, "full", True) or not MANY <= batch.columns <= WIDEST:
        return
    present = np.count_nonzero(batch.values) / (len(batch) * batch.columns)
    if present >= DENSE:
        yield (
            f"of {batch.columns:,} features a row has {present:.0%}, and a diagonal matrix learns each by "
            "itself; --set matrix=full learns how they go together too, and errs less if they do (in more time)"
        )


def _scales(run: Run, batch: Batch) -> Iterator[str]:
    """Columns that most rows have, some of them in far larger numbers than others."""
    columns, sizes = _sizes(batch)
    if len(sizes) < 2 or sizes.max() <= FAR * sizes.min():
        return
    from .features import namer

    name = namer(run.learner, run.stream.schema())
    large, small = int(sizes.argmax()), int(sizes.argmin())
    yield (
        f"feature {name(int(columns[large]))!r} is about {sizes[large]:.3g} in size and "
        f"{name(int(columns[small]))!r} about {sizes[small]:.3g}; {run.learner.name} sees little but the largest: "
        "scale the columns beforehand, or take --learner arow, which adapts to each"
    )


def _sizes(batch: Batch) -> tuple[Array, Array]:
    """The columns that are not 0 in at least half of the rows, and their root mean squares."""
    values: Any = batch.values.reshape(-1).astype(np.float64)
    if batch.indices is None:
        found, places = np.arange(batch.columns), np.tile(np.arange(batch.columns), len(batch))
    else:
        found, places = np.unique(batch.indices, return_inverse=True)
    with np.errstate(over="ignore"):
        squares = np.bincount(places, values**2, minlength=len(found))
    present = np.bincount(places, values != 0, minlength=len(found))
    often = (present >= HALF * len(batch)) & (squares > 0) & np.isfinite(squares)
    return found[often], np.sqrt(squares[often] / len(batch))
