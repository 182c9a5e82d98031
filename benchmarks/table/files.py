"""From a file to a model in a process of its own, with and without certificates, and files to rows alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.table.inputs import file_of, read_bytes
from benchmarks.table.row import Contest, Job, Row, installed
from regretless.data import load_svmlight, open_stream
from regretless.data.losses import read_losses

SECONDS = "s a file"
FIT = "Perceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit"
THEIRS = {  # what one writes with scikit-learn
    "svm": f"""
import sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
X, y = load_svmlight_file(sys.argv[1])
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")  # it refuses 64-bit ones
{FIT}(X, y)
""",
    "csv": f"""
import sys, pandas
from sklearn.linear_model import Perceptron
table = pandas.read_csv(sys.argv[1])
y = table.pop("label")
{FIT}(table.to_numpy(), y)
""",
    "parquet": f"""
import sys, pandas
from sklearn.linear_model import Perceptron
table = pandas.read_parquet(sys.argv[1])
y = table.pop("label")
{FIT}(table.to_numpy(), y)
""",
}
WABBIT = """
import sys
from vowpalwabbit import Workspace
Workspace(f"-d {sys.argv[1]} --quiet --binary --loss_function hinge --sgd -l 1 --noconstant").finish()
"""
# learner, kind of file, rows, classes
CERTIFIED = (
    ("aggregated", "svm", 500, 2),
    ("aggregated", "svm", 100_000, 2),
    ("aggregated", "csv", 100_000, 2),
    ("aggregated", "parquet", 100_000, 2),
    ("aggregated", "svm", 20_000, 8),
    ("aggregated", "svm", 20_000, 32),
    ("perceptron", "svm", 100_000, 2),
    ("perceptron", "svm", 20_000, 8),
    ("perceptron", "svm", 20_000, 32),
    ("multiclass-perceptron", "svm", 20_000, 8),
    ("arow", "svm", 100_000, 2),
    ("winnow", "svm", 100_000, 2),
)
LARGE = (
    *((learner, "svm", 1_000_000, 2) for learner in ("aggregated", "perceptron", "arow", "winnow")),
    *(("aggregated", "svm", 20_000, classes) for classes in (4, 16)),
    *(("perceptron", "svm", 20_000, classes) for classes in (4, 16)),
    ("multiclass-perceptron", "svm", 20_000, 32),
)


def certified() -> Iterator[Row]:
    """`learn` as it is, beside the same without certificates."""
    for which, large in ((CERTIFIED, False), (LARGE, True)):
        for learner, kind, rows, classes in which:
            what = f"learn, {learner}, {_named(kind, rows, classes)}"
            yield Row(what, SECONDS, partial(_certified, learner, kind, rows, classes), large)


def models() -> Iterator[Row]:
    """`learn --no-certify`, beside what others do from a file to a model."""
    for rows, large in ((100_000, False), (1_000_000, True)):
        for kind in THEIRS:
            what = f"learn --no-certify, perceptron, {_named(kind, rows)}"
            yield Row(what, SECONDS, partial(_model, kind, rows), large)


def readers() -> Iterator[Row]:
    """Files to rows, in this process."""
    yield Row("load_svmlight", "ns a byte", _svmlight)
    yield Row("open_stream of CSV, 20 columns of 17 digits", "ns a byte", partial(_table, "csv"))
    yield Row("open_stream of CSV, 20 columns of 5 digits", "ns a byte", partial(_table, "short.csv"))
    yield Row("open_stream of CSV, 10 numbers, 5 words, a date", "ns a byte", partial(_table, "mixed.csv"))
    yield Row(
        "open_stream of CSV, a number and text of 30 words", "ns a byte", partial(_table, "words.csv", text=["text"])
    )
    yield Row("open_stream of Vowpal Wabbit's text", "ns a byte", _wabbit)
    yield Row("open_stream of Parquet, 20 columns", "ns a number", partial(_table, "parquet"))
    yield Row("read_losses of CSV, 10 columns", "ns a byte", _losses)
    yield Row("products of two columns, by name", "ns a product", partial(_products, None))
    yield Row("products of two columns, hashed", "ns a product", partial(_products, 18))


def _named(kind: str, rows: int, classes: int = 2) -> str:
    many = f", {classes} classes" if classes > 2 else ""
    return f"{ {'svm': 'svmlight', 'csv': 'CSV', 'parquet': 'Parquet'}[kind] }, {rows:,} rows{many}"


def _learn(path: Path, learner: str, *options: str) -> list[str]:
    verb = [sys.executable, "-m", "regretless", "learn", str(path), "--learner", learner, "--quiet"]
    return [*verb, *(["--target", "label"] if path.suffix != ".svm" else []), *options]


def _certified(learner: str, kind: str, rows: int, classes: int) -> Contest:
    path = file_of(kind, rows, classes)
    without = Job(_learn(path, learner, "--no-certify"))
    return Contest(Job(_learn(path, learner)), {"without certificates": without}, Job(partial(read_bytes, path)))


def _model(kind: str, rows: int) -> Contest:
    path = file_of(kind, rows)
    beside = {"scikit-learn": Job([sys.executable, "-c", THEIRS[kind], str(path)])}
    if kind == "svm" and installed("vowpalwabbit"):
        beside["Vowpal Wabbit, its format"] = Job([sys.executable, "-c", WABBIT, str(file_of("vw", rows))])
    return Contest(Job(_learn(path, "perceptron", "--no-certify")), beside, Job(partial(read_bytes, path)))


def _svmlight() -> Contest:
    path = file_of("svm", 100_000)
    size = path.stat().st_size
    from sklearn.datasets import load_svmlight_file

    beside = {"scikit-learn": Job(lambda: load_svmlight_file(str(path), zero_based=False), size)}
    return Contest(Job(lambda: load_svmlight(path), size), beside, Job(partial(read_bytes, path), size))


def _wabbit() -> Contest:
    path = file_of("vw", 100_000)
    size = path.stat().st_size
    return Contest(Job(lambda: _batches(path), size), {}, Job(partial(read_bytes, path), size))


def _table(kind: str, **how: object) -> Contest:
    """Rows of features; others stop at columns, whose words are not split."""
    path = file_of(kind, 100_000)
    size = 100_000 * 20 if kind == "parquet" else path.stat().st_size
    beside = {name: Job(partial(read, path), size) for name, read in _peers(path.suffix[1:]).items()}
    ours = Job(lambda: _batches(path, target="label", **how), size)
    return Contest(ours, beside, Job(partial(read_bytes, path), size))


def _losses() -> Contest:
    path = file_of("losses.csv", 200_000)
    size = path.stat().st_size
    beside = {name: Job(partial(read, path), size) for name, read in _peers("csv").items()}
    return Contest(Job(lambda: read_losses(path), size), beside, Job(partial(read_bytes, path), size))


def _peers(kind: str) -> dict[str, Callable[[Path], object]]:
    """Who reads tables, on one thread."""
    import pandas as pd
    from pyarrow import csv, parquet

    one = csv.ReadOptions(use_threads=False)
    arrow = {"csv": partial(csv.read_csv, read_options=one), "parquet": partial(parquet.read_table, use_threads=False)}
    peers: dict[str, Callable[[Path], object]] = {"pandas": getattr(pd, f"read_{kind}"), "pyarrow": arrow[kind]}
    if installed("polars"):
        import polars as pl

        peers["polars"] = getattr(pl, f"read_{kind}")
    return peers


def _products(bits: int | None) -> Contest:
    """All 190 of the 20 numbers of a row, or fewer where a column came twice; beside them the rows alone."""
    from sklearn.preprocessing import PolynomialFeatures

    path = file_of("svm", 2000)
    X, _ = load_svmlight(path)
    each = X.indptr[1:] - X.indptr[:-1]
    count = int((each * (each - 1) // 2).sum())
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
    theirs = PolynomialFeatures(2, interaction_only=True, include_bias=False)
    beside = {"scikit-learn": Job(lambda: theirs.fit_transform(X), count)}
    reading = Job(lambda: _batches(path), count)
    return Contest(Job(lambda: _batches(path, interactions=["*"], hash_bits=bits), count), beside, reading)


def _batches(path: Path, **how: object) -> None:
    for _ in open_stream(path, **how).batches():  # type: ignore[arg-type]
        pass
