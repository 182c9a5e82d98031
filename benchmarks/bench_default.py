"""The default learner beside Vowpal Wabbit and scikit-learn, nothing chosen: each row predicted before it is learned.

``python -m benchmarks.bench_default --data DATA`` prints log loss a row, errors in percent, and what the certificate
says. ``--orders 5`` plays every set in five random orders. Vowpal Wabbit is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.default_data import SETS, load
from regretless.linear import AggregatedClassifier
from regretless.theory.aggregated import EVERY_VECTOR

Array = np.ndarray[Any, np.dtype[Any]]
Scores = dict[str, float]
Player = Callable[[Any, Array, int], Scores]
BLOCKS = ((500, 1), (3000, 5), (1 << 62, 50))  # rows that scikit-learn predicts at once, up to so many
FAR = 50.0  # scores beyond it count as that, for others' log losses are infinite at times


def judged(log_probabilities: Array, y: Array) -> Scores:
    """Log loss and errors of what was said of each row."""
    predictions = log_probabilities.argmax(axis=1)
    loss = -log_probabilities[np.arange(len(y)), y].mean()
    return {"log loss": float(loss), "errors": float(100 * (predictions != y).mean())}


def of_scores(scores: Array, many: bool) -> Array:
    """Logarithms of probabilities from log odds, of one against the rest if there are many classes."""
    scores = np.clip(scores, -FAR, FAR)
    if not many:
        return -np.logaddexp(0, np.stack([scores, -scores], axis=1))
    each = -np.logaddexp(0, -scores)
    return np.asarray(each - np.logaddexp.reduce(each, axis=1, keepdims=True))


def default(X: Any, y: Array, classes: int) -> Scores:
    """This library's, with its certificate: what was observed over the bound, and the bound over a constant's loss."""
    learner = AggregatedClassifier().fit(X, y)
    ledger = learner.ledger_
    result = {"log loss": ledger.loss / ledger.rounds, "errors": 100 * ledger.mistakes / ledger.rounds}
    counts = np.bincount(y) / len(y)
    constant = -float((counts[counts > 0] * np.log(counts[counts > 0])).sum())
    bounds = [c for c in learner.certify(X, y) if c.theorem in EVERY_VECTOR and c.applies]
    best = min(bounds, key=lambda c: c.bound)
    assert all(c.holds for c in bounds), "a bound is violated"
    result |= {"observed / bound": best.observed / best.bound, "constant": constant}
    return result | {"bound": best.bound / ledger.rounds}


def wabbit(options: str, probabilities: bool) -> Player:
    """Vowpal Wabbit, which reads a file and predicts each line before it learns it."""

    def play(X: Any, y: Array, classes: int) -> Scores:
        from vowpalwabbit import Workspace

        many = classes > 2
        kind = f"--oaa {classes} {'--probabilities' if probabilities else ''}" if many else ""
        with tempfile.TemporaryDirectory() as folder:
            rows, predictions = Path(folder, "rows"), Path(folder, "predictions")
            with rows.open("w") as file:
                for row in range(len(y)):
                    part = slice(X.indptr[row], X.indptr[row + 1])
                    words = " ".join(
                        f"{i}:{v:.9g}" for i, v in zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
                    )
                    file.write(f"{y[row] + 1 if many else 2 * y[row] - 1} | {words}\n")
            Workspace(f"-d {rows} -p {predictions} -b 20 --quiet {kind} {options}").finish()
            lines = predictions.read_text().splitlines()
        if many and probabilities:
            each = np.array([[float(cell.split(":")[1]) for cell in line.split()] for line in lines])
            return judged(np.log(np.maximum(each, 1e-300)), y)
        if many:
            wrong = np.array([float(line.split()[0]) for line in lines]).astype(int) - 1 != y
            return {"errors": float(100 * wrong.mean())}
        scores = np.array([float(line.split()[0]) for line in lines])
        result = judged(of_scores(scores, False), y)
        return result if probabilities else {"errors": result["errors"]}

    return play


def scikit(loss: str) -> Player:
    """scikit-learn's gradient descent, row by row at first, later in small blocks."""

    def play(X: Any, y: Array, classes: int) -> Scores:
        from sklearn.linear_model import SGDClassifier

        learner = SGDClassifier(loss=loss, shuffle=False)
        scores = np.zeros((len(y), classes) if classes > 2 else len(y))
        begin = 0
        while begin < len(y):
            end = min(len(y), begin + next(size for most, size in BLOCKS if begin < most))
            if begin:
                scores[begin:end] = learner.decision_function(X[begin:end])
            learner.partial_fit(X[begin:end], y[begin:end], classes=np.arange(classes))
            begin = end
        result = judged(of_scores(scores, classes > 2), y)
        return result if loss == "log_loss" else {"errors": result["errors"]}

    return play


def batch(X: Any, y: Array, classes: int) -> Scores:
    """scikit-learn's logistic regression on scaled columns, trained on four fifths and tried on the last one."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    cut = len(y) * 4 // 5
    model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(max_iter=200))
    wrong = model.fit(X[:cut], y[:cut]).predict(X[cut:]) != y[cut:]
    ours = AggregatedClassifier().fit(X[:cut], y[:cut]).predict(X[cut:]) != y[cut:]
    return {"test errors": float(100 * wrong.mean()), "test errors of the default": float(100 * ours.mean())}


PLAYERS: dict[str, Player] = {
    "default": default,
    "VW logistic": wabbit("--loss_function logistic", True),
    "VW hinge": wabbit("--loss_function hinge", False),
    "VW --coin": wabbit("--coin --loss_function logistic", True),
    "SGD logistic": scikit("log_loss"),
    "SGD hinge": scikit("hinge"),
    "batch": batch,
}


TESTED = ("test errors", "test errors of the default")  # of batch


def measure(name: str, folder: Path, players: list[str], orders: int) -> dict[str, list[Scores]]:
    """What each player scored on a set, in each order."""
    result: dict[str, list[Scores]] = {player: [] for player in players}
    for seed in [None] if orders == 1 else range(orders):
        X, y = load(name, folder, seed)
        for player in players:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result[player].append(PLAYERS[player](X, y, int(y.max()) + 1))
            print(f"  {name:14} {player:14} {result[player][-1]}", file=sys.stderr, flush=True)
    return result


def table(measured: dict[str, Any], what: str, players: list[str], digits: int) -> str:
    """One number of all players on all sets, the mean over the orders with its deviation."""
    lines = ["| | " + " | ".join(players) + " |", "|" + " --- |" * (len(players) + 1)]
    for name, scores in measured.items():
        means = {
            p: np.mean([one[what] for one in scores[p]]) for p in players if scores.get(p) and what in scores[p][0]
        }
        cells = []
        for player in players:
            values = [one[what] for one in scores.get(player, []) if what in one]
            spread = f" ± {np.std(values):.{digits}f}" if len(values) > 1 else ""
            text = f"{np.mean(values):.{digits}f}{spread}" if values else ""
            cells.append(f"**{text}**" if values and means[player] == min(means.values()) else text)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def mean(scores: list[Scores], what: str) -> float:
    """One number of a player, over the orders."""
    return float(np.mean([one[what] for one in scores]))


def summary(measured: dict[str, Any]) -> str:
    """How the default stands beside Vowpal Wabbit, over all orders, and how tight its certificate is."""
    raced = [s for s in measured.values() if s.get("VW logistic")]
    ours = [one for s in measured.values() for one in s["default"]]
    lines = []
    if raced:
        ratios = [mean(s["default"], "log loss") / mean(s["VW logistic"], "log loss") for s in raced]
        peers = [min(mean(s[one], "errors") for one in ("VW logistic", "VW hinge")) for s in raced]
        gaps = [mean(s["default"], "errors") - peer for s, peer in zip(raced, peers, strict=True)]
        lines.append(
            f"log loss over that of Vowpal Wabbit: mean {np.mean(ratios):.3f}, below 1 on "
            f"{sum(r < 1 for r in ratios)} of {len(ratios)}, largest {max(ratios):.3f}"
        )
        lines.append(
            f"errors below the better of its two losses on {sum(g < 0 for g in gaps)} of {len(gaps)}, as many "
            f"on {sum(g == 0 for g in gaps)}, at most {max(gaps):.2f} points more"
        )
    tight = [one["observed / bound"] for one in ours]
    lines.append(
        f"observed over bound: median {np.median(tight):.3f}, least {min(tight):.3f}; the bound is below the "
        f"loss of the best constant on {sum(o['bound'] < o['constant'] for o in ours)} of {len(ours)}"
    )
    return "\n".join(lines)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    parser.add_argument("--orders", type=int, default=1, help="random orders; 1: the one of the set")
    parser.add_argument("--players", default=",".join(PLAYERS), help="who plays, with commas between them")
    parser.add_argument("--file", type=Path, help="a file that takes what was measured, as JSON")
    options = parser.parse_args()
    if options.data is None:
        print("nothing to measure: give the folder of the data with --data")
        return
    players = [
        name
        for name in options.players.split(",")
        if find_spec("vowpalwabbit") is not None or not name.startswith("VW")
    ]
    measured = {name: measure(name, Path(options.data), players, options.orders) for name in options.sets.split(",")}
    if options.file:
        options.file.write_text(json.dumps(measured))
    racers = [player for player in players if player != "batch"]
    for what, digits in (("log loss", 4), ("errors", 2)):
        print(f"\n{what}\n\n{table(measured, what, racers, digits)}")
    if "batch" in players:
        batches = {
            name: {key: [{"test": one[key]} for one in s["batch"]] for key in TESTED} for name, s in measured.items()
        }
        print(f"\nerrors on the last fifth\n\n{table(batches, 'test', list(TESTED), 2)}")
    print(f"\n{summary(measured)}")


if __name__ == "__main__":
    main()
