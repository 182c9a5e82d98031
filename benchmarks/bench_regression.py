"""The learners of numbers beside Vowpal Wabbit, scikit-learn and river, nothing chosen: each row forecast before it is
learned.

``python -m benchmarks.bench_regression --data DATA`` prints the mean squared error of one pass over four fifths of the
rows, the first one left out, and of the frozen models on the last fifth; what the certificate says; and pinball losses.
Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import lzma
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from regretless.regression import AggregatedQuantile, AggregatedRegressor, VovkAzouryWarmuth

Array = np.ndarray[Any, np.dtype[Any]]
Rows = tuple[Any, Array]
Split = tuple[Any, Array, Any, Array]
Forecasts = tuple[Array, Array]  # of the rows that are learned, before each is; of the others, by the frozen model
BLOCKS = ((500, 1), (3000, 5), (1 << 62, 50))  # rows that scikit-learn forecasts at once, up to so many
TAUS = (0.1, 0.5, 0.9)
DENSE = 0.3  # the share of entries from which rows are played dense


def table(path: str, target: str, drop: tuple[str, ...], folder: Path) -> Rows:
    """A table: numbers as they are, words as one feature each, what is missing left out; rows without outcome too."""
    import pandas as pd

    with lzma.open(folder / path) as file:
        frame = pd.read_csv(file, low_memory=False).drop(columns=list(drop)).dropna(subset=[target])
    y = frame.pop(target).to_numpy(float)
    parts = []
    for name in frame:
        column = frame[name]
        if column.dtype.kind in "biuf":
            parts.append(sp.csr_array(np.nan_to_num(column.to_numpy(float)).reshape(-1, 1)))
            continue
        codes, values = pd.factorize(column)
        known = np.flatnonzero(codes >= 0)
        parts.append(sp.csr_array((np.ones(len(known)), (known, codes[known])), shape=(len(column), len(values))))
    rows = sp.csr_array(sp.hstack(parts, format="csr"))
    rows.eliminate_zeros()
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)  # as scikit-learn wants
    return rows, y


def diabetes(_: Path) -> Rows:
    """The table that comes with scikit-learn, in its own units and one random order."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(scaled=False, return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return sp.csr_array(X[order]), y[order]


SETS: Mapping[str, Callable[[Path], Rows]] = {
    "airlines": partial(table, "drift/airlines2007_arrdelay.csv.xz", "label", ("FlightNum",)),
    "epf_BE": partial(table, "experts/epf_BE.csv.xz", "Real price", ("time",)),
    "epf_FR": partial(table, "experts/epf_FR.csv.xz", "Real price", ("time",)),
    "trump": partial(table, "experts/trump_approval.csv.xz", "five_thirty_eight", ()),
    "uw_precip": partial(table, "experts/uw_precip_dj.csv.xz", "observations", ("dates",)),
    "elec2 demand": partial(table, "drift/elec2.csv.xz", "nswdemand", ("label", "date")),
    "elec2 price": partial(table, "drift/elec2.csv.xz", "nswprice", ("label", "date")),
    "diabetes": diabetes,
}


def rows_for(learner: Any, X: Any) -> Any:
    """Dense where many entries are not 0."""
    return X.toarray() if X.nnz > DENSE * X.shape[0] * X.shape[1] else X


def ours(make: Callable[[], Any], split: Split) -> Forecasts:
    """This library's."""
    X, y, later, _ = split
    learner, parts = make(), []
    learner.on_forecasts = lambda forecasts, _: parts.append(forecasts)
    learner.fit(rows_for(learner, X), y)
    return np.concatenate(parts), learner.predict(rows_for(learner, later))


def wabbit(options: str, split: Split) -> Forecasts:
    """Vowpal Wabbit, which reads a file and forecasts each line before it learns it."""
    from vowpalwabbit import Workspace

    X, y, later, outcomes = split
    with tempfile.TemporaryDirectory() as folder:
        for name, rows, values in (("learn", X, y), ("later", later, outcomes)):
            with Path(folder, name).open("w") as file:
                for row in range(len(values)):
                    part = slice(rows.indptr[row], rows.indptr[row + 1])
                    pairs = zip(rows.indices[part].tolist(), rows.data[part].tolist(), strict=True)
                    file.write(f"{values[row]:.9g} | {' '.join(f'{i}:{v:.9g}' for i, v in pairs)}\n")
        Workspace(f"-d {folder}/learn {options} -b 20 -p {folder}/said -f {folder}/model --quiet").finish()
        Workspace(f"-d {folder}/later -t -i {folder}/model -p {folder}/then --quiet").finish()
        predictions, then = (np.loadtxt(Path(folder, name), usecols=0) for name in ("said", "then"))
        return predictions, then


def scikit(split: Split) -> Forecasts:
    """scikit-learn's gradient descent on raw columns, row by row at first, later in small blocks."""
    from sklearn.linear_model import SGDRegressor

    X, y, later, _ = split
    X, later = rows_for(None, X), rows_for(None, later)
    model, sums, begin = SGDRegressor(shuffle=False), np.zeros(len(y)), 0
    while begin < len(y):
        end = min(len(y), begin + next(size for most, size in BLOCKS if begin < most))
        if begin:
            sums[begin:end] = model.predict(X[begin:end])
        model.partial_fit(X[begin:end], y[begin:end])
        begin = end
    return sums, model.predict(later)


def scaled(split: Split) -> Forecasts:
    """The same trained in several passes on columns that were scaled by all of the rows; it forecasts the others
    alone."""
    from sklearn.linear_model import SGDRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, later, _ = split
    model = make_pipeline(StandardScaler(with_mean=False), SGDRegressor(random_state=0)).fit(X, y)
    return np.full(len(y), np.nan), model.predict(later)


def ridge(split: Split) -> Forecasts:
    """Ridge regression in hindsight, in the sizes of the columns; it forecasts the others alone."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    X, y, later, _ = split
    model = make_pipeline(MaxAbsScaler(), RidgeCV(alphas=(1e-4, 1e-2, 1.0))).fit(X.toarray(), y)
    return np.full(len(y), np.nan), model.predict(later.toarray())


def river(scale: bool, split: Split) -> Forecasts:
    """river's linear regression at its defaults, on raw or on scaled columns."""
    from river import compose, linear_model, preprocessing

    X, y, later, _ = split
    model: Any = linear_model.LinearRegression()
    if scale:
        model = compose.Pipeline(preprocessing.StandardScaler(), model)
    sums = np.zeros(len(y))
    for row in range(len(y)):
        features = named(X, row)
        sums[row] = model.predict_one(features)
        model.learn_one(features, float(y[row]))
    return sums, np.array([model.predict_one(named(later, row)) for row in range(later.shape[0])])


def named(X: Any, row: int) -> dict[int, float]:
    """A row by its columns."""
    part = slice(X.indptr[row], X.indptr[row + 1])
    return dict(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True))


PLAYERS: dict[str, Callable[[Split], Forecasts]] = {
    "aggregated": partial(ours, AggregatedRegressor),
    "VAW": partial(ours, VovkAzouryWarmuth),
    "VW": partial(wabbit, ""),
    "VW --coin": partial(wabbit, "--coin"),
    "SGD": scikit,
    "SGD scaled": scaled,
    "river": partial(river, False),
    "river scaled": partial(river, True),
    "ridge": ridge,
}
NEEDS = {"VW": "vowpalwabbit", "VW --coin": "vowpalwabbit", "river": "river", "river scaled": "river"}


def split_of(name: str, folder: Path) -> Split:
    """Four fifths of a set, and the last one."""
    X, y = SETS[name](folder)
    cut = len(y) * 4 // 5
    return X[:cut], y[:cut], X[cut:], y[cut:]


def squares(name: str, split: Split, players: list[str]) -> dict[str, tuple[float, float]]:
    """Mean squared errors of each player, before learning and after."""
    result = {}
    for player in players:
        if split[0].shape[1] > 256 and player == "VAW":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predictions, then = PLAYERS[player](split)
            result[player] = float(((predictions - split[1]) ** 2)[1:].mean()), float(((then - split[3]) ** 2).mean())
        print(
            f"  {name:12} {player:14} {result[player][0]:12.5g} {result[player][1]:12.5g}", file=sys.stderr, flush=True
        )
    return result


def certificate(split: Split) -> dict[str, float]:
    """Observed, smallest bound against vectors and best constant of the aggregated regressor, a row; and VAW's of its
    own."""
    X, y, _, _ = split
    result = {}
    for name, make in (("aggregated", AggregatedRegressor), ("VAW", VovkAzouryWarmuth)):
        if name == "VAW" and X.shape[1] > 256:
            continue
        rows = rows_for(None, X)
        learner: Any = make().fit(rows, y)
        bounds = [one for one in learner.certify(rows, y) if one.applies and one.theorem.name != "aggregation"]
        assert all(one.holds for one in bounds), "a bound is violated"
        least = min(one.bound for one in bounds)
        result[f"{name} bound / loss"] = least / learner.ledger_.loss
        result["bound / constant"] = min(result.get("bound / constant", np.inf), least / learner.best_constant_loss_)
    return result


def pinball(split: Split) -> dict[float, tuple[float, float]]:
    """Pinball losses a row of this library and of Vowpal Wabbit."""
    y, result = split[1], {}
    for tau in TAUS:
        each = [ours(partial(AggregatedQuantile, quantile=tau), split)[0]]
        if find_spec("vowpalwabbit"):
            each.append(wabbit(f"--loss_function quantile --quantile_tau {tau}", split)[0])
        missed = [(y - message)[1:] for message in each]
        losses = [float(np.maximum(tau * one, (tau - 1) * one).mean()) for one in missed]
        result[tau] = (losses[0], losses[1] if len(losses) > 1 else np.nan)
    return result


def shown(cells: Mapping[str, float], players: list[str]) -> str:
    """The numbers of a set, the least of them in bold."""
    there = [cells[player] for player in players if player in cells and np.isfinite(cells[player])]
    texts = []
    for player in players:
        value = cells.get(player, np.nan)
        text = f"{value:.4g}" if np.isfinite(value) else ""
        texts.append(f"**{text}**" if text and value == min(there) else text)
    return " | ".join(texts)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data: the folder of the data is needed")
    players = [name for name in PLAYERS if find_spec(NEEDS.get(name, "numpy"))]
    splits = {name: split_of(name, arguments.data) for name in arguments.sets.split(",")}
    measured = {name: squares(name, split, players) for name, split in splits.items()}
    for place, title in enumerate(("each row forecast before it is learned", "the last fifth, by the frozen model")):
        print(f"mean squared error, {title}\n\n| | {' | '.join(players)} |\n|{' --- |' * (len(players) + 1)}")
        for name, scores in measured.items():
            print(f"| {name} | {shown({player: one[place] for player, one in scores.items()}, players)} |")
        print()
    peers = [player for player in players if player not in ("aggregated", "VAW", "SGD scaled", "ridge")]
    below = sum(all(not s[p][0] <= s["aggregated"][0] for p in peers if p in s) for s in measured.values())
    print(f"aggregated is below all of {', '.join(peers)} on {below} of {len(measured)}\n")
    for name, split in splits.items():
        print(f"{name}: {', '.join(f'{what} {value:.3g}' for what, value in certificate(split).items())}", flush=True)
    print()
    wins = 0
    for name, split in splits.items():
        losses = pinball(split)
        wins += sum(mine < theirs for mine, theirs in losses.values())
        print(
            f"{name}: pinball " + ", ".join(f"{tau}: {a:.4g} (VW {b:.4g})" for tau, (a, b) in losses.items()),
            flush=True,
        )
    print(f"below VW on {wins} of {len(splits) * len(TAUS)}")


if __name__ == "__main__":
    main()
