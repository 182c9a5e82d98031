"""Single calls from Python, in microseconds: a row, a round, a draw, a game."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.game_players import EXACT
from benchmarks.table.inputs import Array
from benchmarks.table.row import Contest, Job, Row, installed
from regretless.bandits import Exp3IX
from regretless.experts import Hedge, MLPoly
from regretless.games import MatrixGame
from regretless.linear import AggregatedClassifier, Perceptron

COLUMNS, CALLS, FEW = 30, 1000, 200
CALL = "us a call"


def rows() -> Iterator[Row]:
    """Rows one at a time, then rounds of experts and of bandits, then games."""
    yield Row("Perceptron.predict_one, 30 columns", CALL, _predict_one)
    yield Row("Perceptron.predict, one row of 30", CALL, _predict)
    yield Row("Perceptron.update_one, 30 columns", CALL, _update_one)
    yield Row("Perceptron.partial_fit, one row of 30", CALL, _partial_fit)
    yield Row("AggregatedClassifier, predict_one and update_one", CALL, _default)
    hedge = partial(Hedge, n_experts=10, eta=0.1, loss="square")
    yield Row("Hedge, predict and update, 10 experts", CALL, partial(_experts, hedge))
    yield Row("MLPoly, predict and update, 10 experts", CALL, partial(_experts, partial(MLPoly, n_experts=10)))
    yield Row("Exp3IX, draw and update, 10 arms", CALL, partial(_bandit, False))
    yield Row("Exp3IX, the same without tickets", CALL, partial(_bandit, True))
    yield Row("Exp3IX, rounds in one call, 10 arms", "ns a round", _simulated)
    yield Row("MatrixGame.solve, 10 x 10", CALL, partial(_game, 10, 500))
    yield Row("MatrixGame.solve, 100 x 100", CALL, partial(_game, 100, 1))
    yield Row("MatrixGame.solve, 1,000 x 1,000", CALL, partial(_game, 1000, 1), large=True)


def _problem() -> tuple[Array, Array]:
    random = np.random.default_rng(0)
    X = random.normal(size=(CALLS, COLUMNS))
    return X, np.where(X[:, 0] + 0.3 * random.normal(size=CALLS) > 0, 1, -1)


def each(call: Callable[[Any], object], items: Any) -> Job:
    """A call for each item, in microseconds a call."""
    items = list(items)

    def work() -> None:
        for item in items:
            call(item)

    return Job(work, len(items))


def _theirs(X: Array, y: Array) -> Any:
    from sklearn.linear_model import Perceptron as Theirs

    warnings.simplefilter("ignore")
    return Theirs(fit_intercept=False).fit(X, y)


def _rows_of(X: Array, y: Array) -> list[tuple[Array, Array]]:
    return [(X[t : t + 1], y[t : t + 1]) for t in range(len(X))]


def _named(X: Array, y: Array) -> list[tuple[dict[int, float], bool]]:
    return [(dict(enumerate(x)), label > 0) for x, label in zip(X.tolist(), y.tolist(), strict=True)]


def _river(X: Array, y: Array) -> Any:
    from river.linear_model import Perceptron as Theirs

    learner = Theirs()
    for x, label in _named(X, y):
        learner.learn_one(x, label)
    return learner


def _predict_one() -> Contest:
    X, y = _problem()
    ours = Perceptron().fit(X, y)
    beside = {}
    if installed("river"):
        river = _river(X, y)
        beside["river"] = each(lambda pair: river.predict_one(pair[0]), _named(X, y)[:FEW])
    return Contest(each(ours.predict_one, X), beside)


def _predict() -> Contest:
    X, y = _problem()
    ours, theirs = Perceptron().fit(X, y), _theirs(X, y)
    one_row = _rows_of(X, y)
    beside = {"scikit-learn": each(lambda pair: theirs.predict(pair[0]), one_row[:FEW])}
    return Contest(each(lambda pair: ours.predict(pair[0]), one_row), beside)


def _update_one() -> Contest:
    X, y = _problem()
    ours, beside = Perceptron().fit(X, y), {}
    if installed("river"):
        river = _river(X, y)
        beside["river"] = each(lambda pair: river.learn_one(*pair), _named(X, y)[:FEW])
    return Contest(each(lambda pair: ours.update_one(*pair), zip(X, y.tolist(), strict=True)), beside)


def _partial_fit() -> Contest:
    X, y = _problem()
    ours, theirs = Perceptron().fit(X, y), _theirs(X, y)
    one_row = _rows_of(X, y)
    beside = {"scikit-learn": each(lambda pair: theirs.partial_fit(*pair), one_row[:FEW])}
    return Contest(each(lambda pair: ours.partial_fit(*pair), one_row), beside)


def _default() -> Contest:
    X, y = _problem()
    ours, beside = AggregatedClassifier().fit(X, y), {}

    def both(pair: Any) -> None:
        ours.predict_one(pair[0])
        ours.update_one(*pair)

    if installed("river"):
        from river.linear_model import LogisticRegression

        river = LogisticRegression()

        def theirs(pair: Any) -> None:
            river.predict_one(pair[0])
            river.learn_one(*pair)

        beside["river LogisticRegression"] = each(theirs, _named(X, y)[:FEW])
    return Contest(each(both, zip(X, y.tolist(), strict=True)), beside)


def _experts(make: Callable[[], Any]) -> Contest:
    random = np.random.default_rng(0)
    learner = make()

    def both(pair: Any) -> None:
        learner.predict(pair[0])
        learner.update(pair[1])

    return Contest(each(both, zip(random.random((CALLS, 10)), random.random(CALLS).tolist(), strict=True)))


def _bandit(bare: bool) -> Contest:
    bandit = Exp3IX(10, seed=0)
    ours: Any = bandit.bare() if bare else bandit
    beside = {}
    if installed("river"):
        from river.bandit import Exp3

        river, arms = Exp3(gamma=0.01, seed=0), range(10)
        beside["river"] = each(lambda _: river.update(river.pull(arms), 0.5), range(FEW))
    return Contest(each(lambda _: ours.update(ours.draw(), 0.5), range(CALLS)), beside)


def _simulated() -> Contest:
    rounds, few, means = 200_000, 2000, np.full((1, 10), 0.5)
    means[0, 3] = 0.3

    def compiled() -> None:
        core, done = Exp3IX(10, seed=0).bare(), 0
        while done < rounds:
            done += core.play_bernoulli(means, np.zeros(1, np.int64), 7, done, rounds)[0]

    return Contest(Job(compiled, rounds), {"loop in numpy": Job(lambda: numpy_exp3(means[0], few), few)})


def numpy_exp3(means: Array, rounds: int) -> None:
    """Exp3-IX as a loop over numpy arrays."""
    random, arms = np.random.default_rng(0), len(means)
    rate, losses = np.sqrt(2 * np.log(arms) / (arms * 1e7)), np.zeros(arms)
    for _ in range(rounds):
        sums = np.exp(-rate * (losses - losses.min())).cumsum()
        arm = int(sums.searchsorted(random.random() * sums[-1], side="right"))
        if random.random() < means[arm]:
            p = (sums[arm] - (sums[arm - 1] if arm else 0)) / sums[-1]
            losses[arm] += 1 / (p + rate / 2)


def _game(size: int, calls: int) -> Contest:
    A = np.random.default_rng(0).uniform(-1, 1, (size, size))
    peers = ("HiGHS", "quantecon", "nashpy") if size < 1000 else ("HiGHS", "quantecon")
    # What they import and compile the first time does not count: the best of several turns does. All play as often in a
    # row, since the first calls of microseconds after another program's take many times as long.
    beside = {name: each(EXACT[name][1], [A] * calls) for name in peers if installed(EXACT[name][0])}
    return Contest(each(lambda _: MatrixGame(A).solve(), range(calls)), beside)
