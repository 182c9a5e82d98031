"""One round at a time, 30 features: ours, scikit-learn, and river if installed."""

from __future__ import annotations

import argparse
import importlib.util
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import Perceptron as TheirPerceptron

from benchmarks import timing
from regretless.linear import Perceptron


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3000)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    random = np.random.default_rng(0)
    X = random.normal(size=(rounds, 30))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=rounds) > 0, 1, -1)
    rows, labels = list(X), y.tolist()
    batch = Perceptron().partial_fit(X[:1], y[:1], classes=[-1, 1])
    single = Perceptron().partial_fit(X[:1], y[:1], classes=[-1, 1])
    theirs = TheirPerceptron(fit_intercept=False).partial_fit(X[:1], y[:1], classes=[-1, 1])

    def partial(learner: Perceptron | TheirPerceptron) -> Callable[[], None]:
        def play() -> None:
            for t in range(rounds):
                learner.partial_fit(X[t : t + 1], y[t : t + 1])

        return play

    def one_by_one() -> None:
        for x, label in zip(rows, labels, strict=True):
            single.update_one(x, label)

    contest: dict[str, Callable[[], object]] = {
        "regretless partial_fit": partial(batch),
        "regretless update_one": one_by_one,
        "scikit-learn partial_fit": partial(theirs),
    }
    if importlib.util.find_spec("river"):
        contest["river learn_one"] = _river(rows, labels)
    best = timing.in_process(contest, 3)
    microseconds = {name: seconds / rounds * 1e6 for name, seconds in best.items()}
    timing.show("one round of 30 features", microseconds, "microseconds", "regretless partial_fit")


def _river(rows: list[np.ndarray], labels: list[int]) -> Callable[[], None]:
    from river.linear_model import Perceptron as RiverPerceptron

    learner = RiverPerceptron()
    named = [dict(enumerate(x.tolist())) for x in rows]

    def play() -> None:
        for x, label in zip(named, labels, strict=True):
            learner.learn_one(x, label > 0)

    return play


if __name__ == "__main__":
    main()
