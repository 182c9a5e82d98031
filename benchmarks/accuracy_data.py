"""Public data sets as the accuracy benchmark plays them: training rows, test rows, and how they were made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from regretless.data import load_svmlight

Array = np.ndarray[Any, np.dtype[Any]]
WORD = re.compile(r"[a-z0-9]+('[a-z]+)?")


@dataclass(frozen=True)
class Task:
    """A classification task, cut in two.

    Attributes
    ----------
    X, y : the rows to learn from, and their labels
    X_test, y_test : the rows to be right about
    """

    X: Any
    y: Array
    X_test: Any
    y_test: Array

    @property
    def sparse(self) -> bool:
        """Whether most values are 0 and left out."""
        return sp.issparse(self.X)

    @property
    def classes(self) -> Array:
        """The labels, ascending."""
        return np.unique(self.y)


def a9a(folder: Path) -> Task:
    """Adult, in binary features, with its own test set, whose labels are 0 and 1."""
    X, y = load_svmlight(folder / "sparse" / "a9a.svm.xz", n_features=123)
    X_test, y_test = load_svmlight(folder / "sparse" / "a9a_test.svm.xz", n_features=123)
    return Task(X, y, X_test, np.where(y_test > 0, 1.0, -1.0))


def imdb(folder: Path) -> Task:
    """Film reviews; the last fifth is for testing."""
    X, y = load_svmlight(folder / "sparse" / "imdb_train.svm.xz")
    return _cut(unit_rows(X), y, 20_000)


def news20(folder: Path) -> Task:
    """Usenet posts of twenty groups, cut by date as published."""
    X, y = load_svmlight(folder / "sparse" / "news20_bydate.svm.xz")
    return _cut(unit_rows(X), y, 11_314)


def sms(folder: Path) -> Task:
    """Text messages, of which the words are counted; the last fifth is for testing."""
    import pandas as pd

    table = pd.read_csv(folder / "text" / "sms_spam.csv.xz")
    X = words_of(table["text"].tolist(), known_from=4459)
    return _cut(unit_rows(X), np.where(table["label"] == "spam", 1.0, -1.0), 4459)


def spambase(folder: Path) -> Task:
    """Mail described by 57 numbers; every fifth row, of a file that is sorted by label, is for testing."""
    import pandas as pd

    table = pd.read_csv(folder / "dense" / "spambase.csv.xz")
    y = np.where(table.pop("label") == "spam", 1.0, -1.0)
    X = table.to_numpy(np.float64)
    test = np.arange(len(y)) % 5 == 4
    centre, spread = X[~test].mean(axis=0), X[~test].std(axis=0)
    X = (X - centre) / spread
    return Task(X[~test], y[~test], X[test], y[test])


def usps(folder: Path) -> Task:
    """Handwritten digits in 256 pixels from -1 to 1, with their own test set."""
    with np.load(folder / "dense" / "usps.npz") as parts:
        X, X_test = (parts[f"X_{part}_x1000"] / 1000.0 - 1.0 for part in ("train", "test"))
        return Task(X, parts["y_train"].astype(float), X_test, parts["y_test"].astype(float))


TASKS: Mapping[str, Callable[[Path], Task]] = {
    "a9a": a9a,
    "imdb": imdb,
    "spambase": spambase,
    "usps": usps,
    "sms": sms,
    "news20": news20,
}


def unit_rows(X: Any) -> Any:
    """The rows, each scaled to length 1."""
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1 / np.maximum(lengths, 1e-300)) @ X)


def words_of(texts: list[str], known_from: int) -> Any:
    """How often each word stands in each text, of the words in at least two of the first so many texts."""
    counts = [Counter(match[0] for match in WORD.finditer(text.lower())) for text in texts]
    spread = Counter(word for count in counts[:known_from] for word in count)
    place = {word: k for k, word in enumerate(sorted(word for word, texts in spread.items() if texts >= 2))}
    rows = [{place[word]: float(n) for word, n in count.items() if word in place} for count in counts]
    starts = np.cumsum([0, *map(len, rows)])
    ids = np.array([k for row in rows for k in sorted(row)], np.int32)
    values = np.array([row[k] for row in rows for k in sorted(row)])
    return sp.csr_array((values, ids, starts), shape=(len(rows), len(place)))


def _cut(X: Any, y: Array, at: int) -> Task:
    return Task(X[:at], y[:at], X[at:], y[at:])
