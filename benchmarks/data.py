"""The benchmarks' data: sparse rows that look like text, with labels from a planted separator.

Run as a script it fills the cache; the other benchmarks call `arrays` and `text`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROWS, COLUMNS, PER_ROW, NOISE = 400_000, 47_236, 75, 0.05
CACHE = Path("build/bench")
CHUNK = 20_000


class Rows(NamedTuple):
    """Compressed sparse rows and their labels, -1 or 1."""

    values: np.ndarray[Any, np.dtype[np.float32]]
    indices: np.ndarray[Any, np.dtype[np.int32]]
    starts: np.ndarray[Any, np.dtype[np.int64]]
    labels: np.ndarray[Any, np.dtype[np.float64]]


def zipf_ranks(random: np.random.Generator, rows: int, columns: int, per_row: int) -> np.ndarray[Any, Any]:
    """Ascending distinct ranks from 0, each drawn with probability about 1 / (rank + 1)."""
    draws = np.sort(random.random((rows, per_row)), axis=1)
    ranks = np.floor(np.exp(draws * np.log(columns + 1.0))).astype(np.int64) - 1
    order = np.arange(per_row)
    # A repeated draw moves on to the next free rank; what this pushes past the last rank moves back.
    ranks = np.maximum.accumulate(ranks - order, axis=1)
    return np.minimum(ranks, columns - per_row) + order


def generate(rows: int = ROWS, columns: int = COLUMNS, per_row: int = PER_ROW, seed: int = 1) -> Rows:
    """The same rows for the same arguments, on every machine with the same numpy."""
    random = np.random.default_rng(seed)
    separator = random.standard_normal(columns)
    columns_by_rank = random.permutation(columns)  # in a vocabulary, frequent words stand anywhere
    values = np.empty((rows, per_row), np.float32)
    indices = np.empty((rows, per_row), np.int32)
    labels = np.empty(rows)
    for begin in range(0, rows, CHUNK):
        part = slice(begin, min(begin + CHUNK, rows))
        size = part.stop - begin
        indices[part] = np.sort(columns_by_rank[zipf_ranks(random, size, columns, per_row)], axis=1)
        weights = random.lognormal(sigma=1.5, size=(size, per_row))
        values[part] = weights / np.linalg.norm(weights, axis=1, keepdims=True)
        margins = np.einsum("ij,ij->i", separator[indices[part]], values[part])
        flips = np.where(random.random(size) < NOISE, -1.0, 1.0)
        labels[part] = np.where(margins > 0, 1.0, -1.0) * flips
    starts = np.arange(0, rows * per_row + 1, per_row, dtype=np.int64)
    return Rows(values.ravel(), indices.ravel(), starts, labels)


def write_text(path: Path, data: Rows) -> None:
    """One-based svmlight text, values with five significant digits."""
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="ascii", newline="\n") as file:
        for row, label in enumerate(data.labels):
            entries = slice(data.starts[row], data.starts[row + 1])
            ids, values = (data.indices[entries] + 1).tolist(), data.values[entries].tolist()
            pairs = [part for pair in zip(ids, values, strict=True) for part in pair]
            file.write(f"{label:.0f}" + " %d:%.5g" * len(ids) % tuple(pairs) + "\n")
    partial.rename(path)


def arrays(cache: Path = CACHE, rows: int = ROWS, columns: int = COLUMNS) -> Rows:
    """The rows from the cache, generated when they are not there."""
    path = cache / f"sparse-{rows}x{columns}.npz"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial.npz")
        np.savez(partial, **generate(rows, columns)._asdict())
        partial.rename(path)
    with np.load(path) as stored:
        return Rows(*(stored[name] for name in Rows._fields))


def text(cache: Path = CACHE, rows: int = ROWS, columns: int = COLUMNS) -> Path:
    """The path of the same rows as svmlight text."""
    path = cache / f"sparse-{rows}x{columns}.svm"
    if not path.exists():
        write_text(path, arrays(cache, rows, columns))
    return path


def main() -> None:
    """Fill the cache and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--columns", type=int, default=COLUMNS)
    options = parser.parse_args()
    path = text(options.cache, options.rows, options.columns)
    print(f"{path}: {path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
