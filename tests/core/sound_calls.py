"""What the library itself gives to the compiled core, written down, so that tests can change one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import aslinearoperator

from regretless import _core
from regretless.alarms import EDetector
from regretless.catalogue import BANDITS, CONTEXTUAL_BANDITS, EXPERT_LEARNERS, bandit_class, class_of, expert_class
from regretless.finite_classes import FiniteClass, Halving
from regretless.games import MatrixGame
from regretless.games.duel import Duel
from regretless.games.extensive_form.extensive import read_efg
from regretless.games.payoffs import Payoffs
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    KernelPerceptron,
    Perceptron,
    PNormPerceptron,
    SecondOrderPerceptron,
    Winnow,
)
from regretless.regression import AggregatedQuantile, AggregatedRegressor, OnlineGradientDescent, VovkAzouryWarmuth

from ..catalogue import needed_by
from ..finite_classes.trees import kuhn

CLASSES = ("Player", "MirrorPlayer", "SecondOrderPlayer", "Combiner", "KernelMachine", "Puller", "Voter", "Dueler")
CLASSES += ("AggregatedPlayer", "RegressionPlayer", "Explorer", "Tree", "TreeDuel", "Payer")
READERS = ("add_words", "columns_of", "cross_rows", "fill_places", "number_columns", "number_keys")  # by name
FUNCTIONS = ("sight", "sight_margins", "charge", "climb", "sum_of_squares", "squares", "turn_cells")
FUNCTIONS += ("column_squares", "divide_columns", "simplex_sums", "take_positive", "rows_of", "read_diagonal")
FUNCTIONS += ("join_columns", "join_table", "hinge_sums", "ridge_regression", "detect", "shorten_payoffs", "enclose")
FUNCTIONS += ("solve_game", "zeros", "leads", "multiples", "least_by_span", *READERS)
UNRECORDED = _core.RegressionPlayer
PASSED_ON = ("Tree", "Payer")  # which the core itself takes: they are handed out as they are

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Made = Callable[[], tuple[Any, Any]]  # a function, and what it borrows
Calls = dict[str, list[tuple[Made, Arguments]]]


def copied(arguments: Arguments) -> Arguments:
    """The same with arrays of its own."""
    args, named = arguments
    own = [one.copy() if isinstance(one, np.ndarray) else one for one in args]
    return tuple(own), {name: one.copy() if isinstance(one, np.ndarray) else one for name, one in named.items()}


class Recorder:
    """Stands in the place of a class or a function of the core, and notes what it is called with."""

    def __init__(self, name: str, function: Any, calls: Calls, of: Made) -> None:
        self._name, self._function, self._calls, self._of = name, function, calls, of

    def __call__(self, *args: Any, **named: Any) -> Any:
        before, function = copied((args, named)), self._function
        name = f"{self._name}.__init__" if isinstance(function, type) else self._name
        self._calls.setdefault(name, []).append((self._of, before))
        answer = function(*args, **named)
        if not isinstance(function, type) or self._name in PASSED_ON:
            return answer

        def again() -> tuple[Any, Any]:
            own = copied(before)
            return function(*own[0], **own[1]), own

        return Recorder(self._name, answer, self._calls, again)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._function, name)
        if not callable(attribute):
            return attribute

        def of() -> tuple[Any, Any]:
            one, borrowed = self._of()
            return getattr(one, name), borrowed

        return Recorder(f"{self._name}.{name}", attribute, self._calls, of)


@contextmanager
def recording() -> Iterator[Calls]:
    """All calls of the core within the block: what gives the function, and the arguments."""
    calls: Calls = {}
    with pytest.MonkeyPatch.context() as patch:
        for name in (*CLASSES, *FUNCTIONS):
            own = getattr(_core, name)
            patch.setattr(_core, name, Recorder(name, own, calls, lambda own=own: (own, None)))
        yield calls


@cache
def sound_calls() -> Calls:
    """By name, the calls that small runs of every kind of learner make."""
    draw = np.random.default_rng(0)
    X, y, table = draw.normal(size=(6, 3)), np.array([0, 1, 0, 1, 0, 1]), draw.random((6, 3))
    with recording() as calls:
        for rows in (X, csr_array(X)):
            for learner in (
                Perceptron(),
                Winnow(),
                Winnow(balanced=True),
                PNormPerceptron(),
                AROW(),
                AggregatedClassifier(),
                KernelPerceptron(),
            ):
                learner.fit(rows, y).decision_function(rows)
            SecondOrderPerceptron(matrix="full").fit(rows, y).decision_function(rows)
            for number in (AggregatedRegressor(), AggregatedQuantile(), VovkAzouryWarmuth(), OnlineGradientDescent()):
                number.fit(rows, np.arange(6.0)).predict(rows)
            three = Perceptron().fit(rows, [0, 1, 2] * 2)
            three.certify(rows, [0, 1, 2] * 2)
            three.certify(rows, [0, 1, 2] * 2, against=np.ones((3, 3)))
        _minimised(X)
        EDetector(0.2, 10).play(np.ones(6))
        for name in EXPERT_LEARNERS:
            _combined(name, table)
        for name in BANDITS:
            bandit = bandit_class(name)(3, **needed_by(name, horizon=6, n_experts=2))
            if bandit.info.advised:
                bandit.play(table, advice=np.array([[0, 1], [1, 2]] * 3))
            else:
                bandit.play(table)
        Halving(FiniteClass(np.eye(3, dtype=bool))).play([0, 1], [1, 0])
        for payoffs in (table, csr_array(table), aslinearoperator(table)):
            for method in ("rm+", "rm"):
                MatrixGame(payoffs).solve(method, rounds=3)
        MatrixGame(table).solve()
        Duel(Payoffs(table), "rm+", single=True)
        _explored(X, table)
        _read(np.float64)
        _read(np.float32)
        for rule in ("cfr", "cfr+"):
            read_efg(kuhn()).sequence_form().solve(rule, rounds=3)
    return calls


def _minimised(X: Any) -> None:
    """One pass of machines over dense and over sparse rows, and the ridge regression of these."""
    sparse, four = csr_array(X), _core.PENALTIES
    for values, *where in ((X, None, None), (sparse.data, sparse.indices, sparse.indptr)):
        labels, order = np.array([-1, 1] * 3, np.int32), np.arange(6)
        for of, width in ((labels, four), (np.array([0, 1, 2] * 2, np.int32), 3 * four)):
            vectors, multipliers, lacks = (np.zeros((n, width)) for n in (3, 6, 4))
            biases = np.zeros(width)
            _core.climb(values, *where, of, order, 1.0, vectors, biases, multipliers, np.ones(four), lacks)
        _core.leads(
            values, *where, np.array([0, 1, 2] * 2, np.int32), 1.0, np.ones((3, 6)), np.ones(6), 3, np.ones((6, 2))
        )
        _core.sum_of_squares(values, *where, np.ones(3))
        _core.ridge_regression(values, *where, labels, 1.0, np.zeros(4), 1.0, np.inf, np.zeros(4))
    _core.squares(np.ones(9))
    _core.column_squares(np.ones((9, four)), np.ones(9))
    _core.divide_columns(np.ones((9, four)), [1.0] * four, 0.5)
    _core.simplex_sums(np.ones((9, four)), np.ones(9), [0.0] * four)
    _core.take_positive(np.ones((9, four)))
    _core.rows_of(np.ones((9, four)), np.array([0, 3, 8]))
    joined = _core.join_columns(np.ones(4), np.array([0, 1, 1, 2], np.int32), np.array([0, 2, 4]), 3, 3, np.ones(3))
    assert joined is not None
    _core.join_table(np.ones((3, four)), *joined[3:7])
    _core.simplex_sums(np.ones((9, four)), np.ones(9), [0.0] * four, np.ones((2, 3)))
    _core.zeros(9)
    _core.turn_cells(np.ones((9, 16)), 0, 4, 8, 9, (0.1, 10.0, 0.1), np.ones((9, 10)), np.ones((4, 10)))
    _core.read_diagonal(np.ones((9, four)), 1.0, True, 1e-9)
    ray = np.array([3, 5]), np.ones((3, 3)), (1.0, 0.5, 1.0, 0.0, 0.0)
    _core.multiples([ray], [(0, 0, 9)], 2, [(0, 0.0)])
    _core.least_by_span([np.ones(3)], [0, 1, 3])


def _explored(X: Any, table: Any) -> None:
    """Bandits that draw by features, whose core takes players, which are handed out as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "RegressionPlayer", UNRECORDED)
        for name in CONTEXTUAL_BANDITS:
            bandit = class_of("contextual", name)(3, seed=1)
            bandit.play(X, table)
            bandit.learn(bandit.act(X[0], [0, 2]), 0.5)
            bandit.forecasts(X[0])
            bandit.probabilities(X[0])


def _read(dtype: Any) -> None:
    """What readers ask of the core for two rows of two features."""
    values, columns, starts = np.ones(4, dtype), np.array([0, 2, 1, 2]), np.array([0, 2, 4])
    words = np.array([0, 2, 3]), np.array([3, 3, 4], np.int32)
    _core.add_words(np.ones(4), columns.astype(np.int32), starts, *words)
    _core.number_columns(columns.astype(np.int32), 3)
    _core.columns_of(np.ones(4), columns.astype(np.int32), starts, np.array([0, -1, 1], np.int32))
    pairs = np.array([0], np.int32), np.array([1], np.int32)
    for left, right in (pairs, (np.empty(0, np.int32), np.empty(0, np.int32))):
        table = np.zeros(16, np.uint64), np.zeros(_core.TRIANGLE_SIZE, np.uint32), np.empty(8, np.int64), 0, 0, 8, True
        room = np.zeros(3, np.int64), np.empty(6, np.int32), np.empty(6, dtype)
        _core.cross_rows(values, columns, starts, left, right, not len(left), 0, *table, 0, False, *room)
    table = np.zeros(16, np.uint64), np.zeros(_core.TRIANGLE_SIZE, np.uint32), np.empty(8, np.int64)
    _core.number_keys(*table, 0, 0, 8, True, np.array([5, 7_000, 1 << 32, 3 << 32 | 5_000]), np.empty(4, np.int64))
    _core.fill_places(*table, 4)


def _combined(name: str, table: Any) -> None:
    kind = expert_class(name)
    if "majority" in name:
        more = {"beta": 0.5} if "randomized" in name else {}
        kind(**more).play((table > 0.5) * 1.0, [0, 1] * 3)
    else:
        kind(loss="square", **({} if name == "ridge" else {"value_range": (0, 1)})).play(table, table[:, 0])
