"""What the rows of the table are timed on: rows with labels, in memory and as files, made once and kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import data

Array = np.ndarray[Any, Any]
BLOCK = 1 << 20


@lru_cache(maxsize=2)
def labelled(rows: int, length: int, columns: int, classes: int = 2) -> tuple[Any, Array]:
    """Sparse rows, or dense ones where a row has all columns, and labels with noise."""
    random = np.random.default_rng(0)
    values = random.normal(size=(rows, length)).astype(np.float32)
    if length < columns:
        places = np.sort(random.integers(0, columns, (rows, length)), axis=1).astype(np.int32)
        X: Any = sp.csr_array(
            (values.ravel(), places.ravel(), np.arange(0, rows * length + 1, length)), shape=(rows, columns)
        )
        X.sum_duplicates()
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    else:
        X = values
    scores = X @ random.normal(size=(columns, classes if classes > 2 else 1))
    scores += random.normal(size=scores.shape) * scores.std()
    return X, np.where(scores[:, 0] > 0, 1, -1) if classes == 2 else scores.argmax(axis=1)


@lru_cache(maxsize=2)
def text_like(rows: int, columns: int = data.COLUMNS, dtype: str = "float32") -> tuple[Any, Array]:
    """Sparse rows of 75 numbers that look like text."""
    some = data.arrays(rows=rows, columns=columns)
    parts = some.values.astype(dtype), some.indices, some.starts.astype(np.int32)
    return sp.csr_matrix(parts, shape=(rows, columns)), some.labels


def file_of(kind: str, rows: int, classes: int = 2) -> Path:
    """A file of rows of 20 numbers: among 1,000 columns as svmlight text, or VW's, and 20 columns as a table; other
    kinds of tables have names with two suffixes."""
    path = data.CACHE / f"rows-{rows}-{classes}.{kind}"
    if not path.exists():
        data.CACHE.mkdir(parents=True, exist_ok=True)
        partial = path.with_name("partial-" + path.name)
        _WRITERS[kind](partial, rows, classes)
        partial.rename(path)
    return path


def _text(path: Path, rows: int, classes: int, between: str = "") -> None:
    X, y = labelled(rows, 20, 1000, classes)
    with path.open("w", encoding="ascii", newline="\n") as file:
        for row, label in enumerate(y.tolist()):
            part = slice(X.indptr[row], X.indptr[row + 1])
            pairs = zip((X.indices[part] + 1).tolist(), X.data[part].tolist(), strict=True)
            file.write(f"{label}{between} {' '.join(f'{column}:{value!r}' for column, value in pairs)}\n")


def _wabbit(path: Path, rows: int, classes: int) -> None:
    _text(path, rows, classes, " |")


def _frame(rows: int, classes: int) -> Any:
    import pandas as pd

    X, y = labelled(rows, 20, 20, classes)
    return pd.DataFrame(X.astype(np.float64), columns=[f"x{i}" for i in range(20)]).assign(label=y)


def _csv(path: Path, rows: int, classes: int) -> None:
    _frame(rows, classes).to_csv(path, index=False)


def _parquet(path: Path, rows: int, classes: int) -> None:
    _frame(rows, classes).to_parquet(path, index=False)


def _short(path: Path, rows: int, classes: int) -> None:
    _frame(rows, classes).round(4).to_csv(path, index=False)


def _mixed(path: Path, rows: int, classes: int) -> None:
    """Ten numbers, five columns of up to 5,000 different words, and a date; words in quotes."""
    import csv

    random, frame = np.random.default_rng(1), _frame(rows, classes).round(4)
    table = frame[[f"x{i}" for i in range(10)]]
    for place, many in enumerate((3, 10, 50, 500, 5000)):
        which = np.minimum(random.zipf(1.3, rows) - 1, many - 1)
        table[f"word{place}"] = [f"name{place}_{one}" for one in which.tolist()]
    table["day"] = np.datetime64("2020-01-01") + random.integers(0, 2000, rows)
    table.assign(label=frame["label"]).to_csv(path, index=False, quoting=csv.QUOTE_NONNUMERIC)


def _words(path: Path, rows: int, classes: int) -> None:
    random, frame = np.random.default_rng(1), _frame(rows, classes)
    which = np.minimum(random.zipf(1.2, (rows, 30)) - 1, 19_999)
    text = [" ".join(f"word{one}" for one in row) for row in which.tolist()]
    frame[["x0", "label"]].round(4).assign(text=text).to_csv(path, index=False)


def _losses(path: Path, rows: int, classes: int) -> None:
    import pandas as pd

    random = np.random.default_rng(1)
    pd.DataFrame(random.random((rows, 10)).round(4)).add_prefix("arm").to_csv(path, index=False)


_WRITERS: dict[str, Callable[[Path, int, int], None]] = {
    "svm": _text,
    "vw": _wabbit,
    "csv": _csv,
    "short.csv": _short,
    "mixed.csv": _mixed,
    "words.csv": _words,
    "losses.csv": _losses,
    "parquet": _parquet,
}


def read_bytes(path: Path) -> None:
    """What no reader of a file can do without."""
    block = bytearray(BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass


def read_arrays(*arrays: Array) -> None:
    """Look at every byte of arrays once."""
    for array in arrays:
        words = array.reshape(-1).view(np.uint8)
        np.bitwise_xor.reduce(words[: len(words) // 8 * 8].view(np.uint64))
