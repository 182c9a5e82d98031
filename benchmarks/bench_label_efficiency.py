"""Errors from few labels: the selective perceptron, as many labels at random, and Vowpal Wabbit's `--active`.

``python -m benchmarks.bench_label_efficiency --data DATA`` plays each set in five random orders, every row predicted
before it may be learned, and prints errors on all rows in percent and how many labels were asked. Vowpal Wabbit, which
has no budget, is given the mellowness of `MELLOWNESS` whose number of labels is nearest; it is left out where it is not
installed, and of several classes. Sets without "raw" are scaled as for the page on accuracy. Rows have a constant
feature as `learn` appends it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.accuracy_data import TASKS
from benchmarks.default_data import load
from regretless.data.batch import Batch
from regretless.linear import MulticlassPerceptron, Perceptron, SelectiveSamplingPerceptron
from regretless.run.first_rows import fitting_size

Array = np.ndarray[Any, np.dtype[Any]]
Outcome = tuple[float, float]  # the share of errors, and of labels
SETS = ("a9a", "imdb", "sms", "spambase", "usps", "raw elec2", "raw phoneme", "raw spambase")
SHARES = (0.01, 0.05, 0.2)
ORDERS, MOST_ROWS = 5, 20_000
MELLOWNESS = (1e-6, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 8.0)


def errors_of(learner: Any, X: Any, y: Array) -> Outcome:
    """What a learner makes of the rows, and of how many labels."""
    ledger = learner.fit(X, y).ledger_
    return ledger.mistakes / ledger.rounds, getattr(ledger, "asked", ledger.rounds) / ledger.rounds


def at_random(learner: Any, X: Any, y: Array, share: float, seed: int) -> Outcome:
    """The perceptron on so many labels, drawn beforehand; rows that are not drawn weigh nothing."""
    labelled = np.zeros(len(y))
    labelled[np.random.default_rng(seed).choice(len(y), round(share * len(y)), replace=False)] = 1
    learner.partial_fit(X, y, classes=np.unique(y), sample_weight=labelled)
    return learner.ledger_.mistakes / len(y), float(labelled.mean())


def wabbit(lines: list[str], y: Array, mellowness: float) -> Outcome | None:
    """Vowpal Wabbit in simulated active learning: it is given all labels, those that it would not ask weigh nothing;
    None where its forecasts are no numbers any more."""
    from vowpalwabbit import Workspace

    machine = Workspace(f"--quiet --loss_function logistic -b 20 --active --simulation --mellowness {mellowness}")
    wrong = queries = 0
    for line, label in zip(lines, y.tolist(), strict=True):
        example = machine.parse(line)
        machine.learn(example)
        prediction = example.get_simplelabel_prediction()
        if prediction != prediction:  # a label that was hardly to be asked weighs too much
            return None
        wrong += (prediction > 0) != (label > 0)
        queries += example.get_simplelabel_weight() > 0
        machine.finish_example(example)
    machine.finish()
    return wrong / len(y), queries / len(y)


def lines_of(X: Any, y: Array) -> list[str]:
    """The rows as Vowpal Wabbit reads them."""
    lines = []
    for row, label in enumerate(y.tolist()):
        part = slice(X.indptr[row], X.indptr[row + 1])
        words = " ".join(f"{i}:{v:.9g}" for i, v in zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True))
        lines.append(f"{2 * label - 1} | {words}")
    return lines


def rows_of(name: str, folder: Path, seed: int) -> tuple[Any, Array]:
    """Rows in a random order: raw ones as the file has them, others as `accuracy_data` prepares them."""
    if name.startswith("raw "):
        X, y = load(name.removeprefix("raw "), folder, seed)
        return X[:MOST_ROWS], y[:MOST_ROWS]
    task = TASKS[name](folder)
    order = np.random.default_rng(seed).permutation(len(task.y))[:MOST_ROWS]
    X = sp.csr_array(task.X)[order]
    X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X, np.unique(task.y, return_inverse=True)[1][order]


def play(name: str, folder: Path, seed: int) -> Iterator[tuple[str, Outcome]]:
    """All players over one order of a set."""
    X, y = rows_of(name, folder, seed)
    size = fitting_size(Batch(X.data, None, X.shape[1], X.indices, X.indptr))
    classes = len(np.unique(y))
    full = Perceptron if classes == 2 else MulticlassPerceptron
    yield "perceptron, all labels", errors_of(full(intercept=size), X, y)
    yield "selective, no budget", errors_of(SelectiveSamplingPerceptron(intercept=size, seed=seed), X, y)
    for share in SHARES:
        asking = SelectiveSamplingPerceptron(intercept=size, seed=seed, share=share, most_labels=round(share * len(y)))
        queries = errors_of(asking, X, y)
        yield f"selective, {share:.0%}", queries
        yield f"at random, {share:.0%}", at_random(full(intercept=size), X, y, queries[1], seed)
    if classes == 2 and find_spec("vowpalwabbit") is not None:
        lines = lines_of(X, y)
        each = [one for mellowness in MELLOWNESS if (one := wabbit(lines, y, mellowness)) is not None]
        for share in SHARES:
            yield f"VW --active, nearest to {share:.0%}", min(each, key=lambda one: abs(np.log(one[1] / share)))


def share_text(percent: float) -> str:
    """A share of labels."""
    return f"{percent:.0f} %" if percent >= 9.5 else f"{percent:.2g} %"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("REGRETLESS_DATA"), help="folder of public data")
    parser.add_argument("--sets", default=",".join(SETS), help="which, with commas between them")
    parser.add_argument("--orders", type=int, default=ORDERS)
    options = parser.parse_args()
    if options.data is None:
        parser.error("give --data, the folder of public data")
    sets = options.sets.split(",")
    table: dict[str, dict[str, list[Outcome]]] = {}
    for name in sets:
        for seed in range(options.orders):
            for player, outcome in play(name, options.data, seed):
                table.setdefault(player, {}).setdefault(name, []).append(outcome)
    print(f"| | {' | '.join(sets)} |")
    print("| --- |" + " --- |" * len(sets))
    for player, row in table.items():
        cells = [np.mean(row[name], axis=0) * 100 if name in row else None for name in sets]
        print(f"| {player} | {' | '.join('' if c is None else f'{c[0]:.2f} ({share_text(c[1])})' for c in cells)} |")


if __name__ == "__main__":
    main()
