"""Public data sets as they come: no scaling, no words taken out, streams and texts in their own order."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.accuracy_data import words_of
from regretless.data import load_svmlight

Array = np.ndarray[Any, np.dtype[Any]]
Rows = tuple[Any, Array]
ORDER = 0  # the seed of the one order in which tables are played that have none of their own


def table(path: str, folder: Path, target: str = "label", drop: tuple[str, ...] = ()) -> Rows:
    """A table: numbers as they are, words as one feature each, what is missing left out."""
    import pandas as pd

    with lzma.open(folder / path) as file:
        frame = pd.read_csv(file, low_memory=False).drop(columns=list(drop))
    labels = frame.pop(target)
    parts = []
    for name in frame:
        column = frame[name]
        if column.dtype.kind in "biuf":
            parts.append(sp.csr_array(np.nan_to_num(column.to_numpy(float)).reshape(-1, 1)))
            continue
        codes, values = pd.factorize(column)
        known = np.flatnonzero(codes >= 0)
        parts.append(sp.csr_array((np.ones(len(known)), (known, codes[known])), shape=(len(column), len(values))))
    return sp.hstack(parts, format="csr"), np.unique(labels.to_numpy(), return_inverse=True)[1]


def sparse(path: str, folder: Path) -> Rows:
    """A file of svmlight."""
    X, y = load_svmlight(folder / path)
    return sp.csr_array(X), np.unique(y, return_inverse=True)[1]


def texts(path: str, folder: Path) -> Rows:
    """Words of texts, counted."""
    import pandas as pd

    with lzma.open(folder / path) as file:
        frame = pd.read_csv(file)
    return words_of(frame["text"].tolist(), known_from=len(frame)), np.unique(frame["label"], return_inverse=True)[1]


def arrays(path: str, folder: Path, scale: float = 1.0) -> Rows:
    """Rows and labels in one archive."""
    with np.load(folder / path) as parts:
        X = next(parts[name] for name in ("X", "X_train_x1000") if name in parts)
        y = next(parts[name] for name in ("y", "y_train") if name in parts)
    return sp.csr_array(X / scale), np.unique(y, return_inverse=True)[1]


# name -> how it is read, and whether its order is kept
SETS: Mapping[str, tuple[Callable[[Path], Rows], bool]] = {
    "a9a": (partial(sparse, "sparse/a9a.svm.xz"), True),
    "agaricus": (partial(sparse, "sparse/agaricus_train.svm.xz"), False),
    "house_votes84": (partial(table, "dense/house_votes84.csv.xz"), False),
    "imdb": (partial(sparse, "sparse/imdb_train.svm.xz"), True),
    "lingspam": (partial(texts, "text/lingspam_bare.csv.xz"), False),
    "rt_polarity": (partial(texts, "text/rt_polarity.csv.xz"), False),
    "sms": (partial(texts, "text/sms_spam.csv.xz"), True),
    "banknote": (partial(table, "dense/banknote.csv.xz"), False),
    "breast_cancer": (partial(table, "dense/breast_cancer_wisconsin.csv.xz"), False),
    "gene_alon": (partial(arrays, "dense/gene_alon.npz"), False),
    "german": (partial(sparse, "sparse/german_numer_scale.svm.xz"), False),
    "heart": (partial(sparse, "sparse/heart_scale.svm.xz"), False),
    "ionosphere": (partial(table, "dense/ionosphere.csv.xz"), False),
    "higgs": (partial(table, "dense/lightgbm_higgs_sample.csv.xz"), False),
    "musk1": (partial(table, "dense/musk1.csv.xz"), False),
    "phoneme": (partial(table, "dense/phoneme.csv.xz"), False),
    "pima": (partial(table, "dense/pima_diabetes.csv.xz"), False),
    "sonar": (partial(table, "dense/sonar.csv.xz"), False),
    "spambase": (partial(table, "dense/spambase.csv.xz"), False),
    "svmguide1": (partial(sparse, "sparse/svmguide1.svm.xz"), False),
    "elec2": (partial(table, "drift/elec2.csv.xz"), True),
    "luxembourg": (partial(table, "drift/luxembourg.csv.xz"), True),
    "sea": (partial(table, "drift/sea_concepts.csv.xz"), True),
    "spamassassin": (partial(sparse, "drift/spamassassin_stream.svm.xz"), True),
    "soybean": (partial(table, "dense/soybean.csv.xz"), False),
    "usps": (partial(arrays, "dense/usps.npz", scale=1000.0), False),
    "vehicle": (partial(table, "dense/vehicle.csv.xz"), False),
    "keystroke": (partial(table, "drift/keystroke.csv.xz"), True),
    "news20": (partial(sparse, "sparse/news20_bydate.svm.xz"), True),
    "uscongress": (partial(texts, "text/uscongress_bills.csv.xz"), False),
}


def load(name: str, folder: Path, seed: int | None = None) -> Rows:
    """The rows in one order: their own where that is kept, unless a seed is given."""
    read, keeps = SETS[name]
    X, y = read(folder)
    X.eliminate_zeros()
    X = sp.csr_array((X.data.astype(float), X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    if keeps and seed is None:
        return X, y
    order = np.random.default_rng(ORDER if seed is None else seed).permutation(len(y))
    return X[order], y[order]
