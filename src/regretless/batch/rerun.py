"""One set of rows, played again and again with a row missing."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks import drawn_seed
from ..comparator import Comparator
from ..data.batch import Array, Batch
from ..data.stream import Stream
from ..errors import RegretlessError
from ..ledger import FIELDS
from ..linear.base import OnlineClassifier
from ..linear.labels import read_labels, weigh
from ..rows.sample_weights import read_weights
from ..rows.state import BaseState, Rules
from ..rows.validation import read_rows

UPDATES = FIELDS.index("updates")


@dataclass
class Orders:
    """The order of the rows in each pass; with shuffling, drawn once and then the same for every run.

    Attributes
    ----------
    rows : int
    seed : int or None
        None for the order in which the rows stand.
    """

    rows: int
    seed: int | None
    _drawn: list[Array] = field(default_factory=list)
    _random: np.random.Generator | None = None

    def __getitem__(self, number: int) -> Array | None:
        if self.seed is None:
            return None
        if self._random is None:
            self._random = np.random.default_rng(self.seed)
        while len(self._drawn) <= number:
            self._drawn.append(self._random.permutation(self.rows))
        return self._drawn[number]

    def place(self, number: int, row: int) -> int:
        """Where a row stands in a pass."""
        order = self[number]
        return row if order is None else int(np.flatnonzero(order == row)[0])

    def row(self, number: int, place: int) -> int:
        """Which row stands there."""
        order = self[number]
        return place if order is None else int(order[place])


@dataclass
class RerunTable:
    """Rows and labels as a learner plays them.

    Attributes
    ----------
    learner : OnlineClassifier
        Knows the classes and the columns; has played nothing.
    batch : Batch
    labels, codes : ndarray
        The labels, and what the kernel plays for each.
    weights : ndarray or None
        Of the rounds.
    orders : Orders
    rules : Rules
    visits : int
        How many rounds were played.
    gamma : float or None
        Of a kernel, once it was taken from all rows.
    undecided : str
        As in `leave_one_out`.
    """

    learner: OnlineClassifier
    batch: Batch
    labels: Array
    codes: Array
    weights: Array | None
    orders: Orders
    rules: Rules
    visits: int = 0
    gamma: float | None = None
    undecided: str = "predicted"

    @classmethod
    def read(
        cls, learner: OnlineClassifier, X: Any, y: Any, sample_weight: Any = None, *, undecided: str = "predicted"
    ) -> RerunTable:
        """The rows as a fresh copy of the learner would play them in `fit`.

        Parameters
        ----------
        learner : OnlineClassifier
            Its parameters.
        X : array-like, sparse matrix or table, shape (rows, features)
        y : array-like, shape (rows,)
        sample_weight : array-like, shape (rows,), optional
        undecided : {"predicted", "error"}
            As in `leave_one_out`.

        Raises
        ------
        RegretlessError
            If X or y cannot be used.
        """
        ours = type(learner)(**learner.get_params())
        rules = ours.checked()
        batch = read_rows(X, learner=ours, reset=True)
        labels = read_labels(y, len(batch))
        weights = read_weights(sample_weight, len(batch))
        classes = np.unique(labels)
        if len(classes) < 2:
            raise RegretlessError(f"y holds one class only ({classes[0]}): there is nothing to tell it from")
        weights = weigh(ours.class_weight, labels, weights, classes)
        ours._adopt(classes, ours.new_state(batch.columns, ours.targets(classes)))
        seed = drawn_seed(ours.random_state) if ours.shuffle else None
        orders = Orders(len(batch), seed)
        return cls(ours, batch, labels, ours.codes(labels), weights, orders, rules, undecided=undecided)

    def __len__(self) -> int:
        return len(self.batch)

    def fresh(self) -> BaseState:
        """A state that has played nothing."""
        return self.learner.new_state(self.batch.columns, self.learner.targets(self.learner.classes_))

    def play(self, state: BaseState, number: int, begin: int, end: int) -> None:
        """Play the places begin <= t < end of a pass.

        Parameters
        ----------
        state : BaseState
        number : int
            The pass, from 0.
        begin, end : int

        Raises
        ------
        RegretlessError
            If a row cannot be played; it is named.
        """
        if begin >= end:
            return
        order, batch = self.orders[number], self.batch
        state.follow(self.rules)
        player = state.player(self.rules)
        played, why = player.play(
            batch.values, batch.indices, batch.starts, self.codes, self.weights, order, begin, end
        )
        self.visits += end - begin
        if why is not None:
            row = int(played if order is None else order[played])
            raise RegretlessError(self.learner._explain(batch, row, why))

    def finish(self, state: BaseState, number: int, begin: int, row: int | None, *, moved: bool) -> tuple[int, bool]:
        """Play on to the end of the run, without a row if one is left out.

        Parameters
        ----------
        state : BaseState
        number, begin : int
            The pass, and the place in it to go on from.
        row : int or None
            To be left out, from here on.
        moved : bool
            Whether this pass has seen an update.

        Returns
        -------
        passes : int
            How many there were in all.
        clean : bool
            Whether the last one was without an update.
        """
        most = self.learner.most_passes
        while True:
            before = updates(state)
            end = len(self)
            if row is not None:
                gap = self.orders.place(number, row)
                if gap >= begin:
                    self.play(state, number, begin, gap)
                    begin = gap + 1
            self.play(state, number, begin, end)
            clean = not moved and updates(state) == before
            number += 1
            if number == most or (clean and self.learner.until_clean):
                return number, clean
            begin, moved = 0, False

    def mistakes(self, state: BaseState, rows: Array) -> Array:
        """Which of some rows a state mistakes."""
        self.learner._adopt(self.learner.classes_, state)
        return mistaken(self.learner, rows_of(self.batch, rows), self.codes[rows], self.undecided)


def mistaken(learner: OnlineClassifier, batch: Batch, codes: Array, undecided: str) -> Array:
    """The rows that a learner mistakes.

    Parameters
    ----------
    learner : OnlineClassifier
        Fitted.
    batch : Batch
    codes : ndarray, shape (rows,)
        What the kernel plays for the labels.
    undecided : str
        As in `leave_one_out`.

    Returns
    -------
    ndarray of bool, shape (rows,)
    """
    scores = learner.scores(batch)
    wrong = np.asarray(learner.codes(learner.labels(scores)) != codes)
    if undecided == "predicted" or learner.rules().tie != 0:
        return wrong
    if scores.shape[1] == 1:
        return np.asarray(codes * scores[:, 0] <= 0)
    each = np.arange(len(codes))
    true = scores[each, codes]
    scores[each, codes] = -np.inf
    return np.asarray(scores.max(axis=1) >= true)


@dataclass(frozen=True, slots=True, eq=False)
class Omissions:
    """What comes of leaving each row out, whatever is made of it; see `LeaveOneOut`."""

    errors: Array
    support: Array
    residual: int
    updates: int
    passes: int
    clean: bool
    lazy: bool


@dataclass(frozen=True, slots=True, eq=False)
class OmissionResult(Omissions):
    """Result of leaving each row out.

    Attributes
    ----------
    reruns : int
        Passes that a run for each row would have made, all together.
    widest : callable or None
        The vector of largest margin on all rows, where it takes the learner to find it.
    """

    reruns: int
    widest: Callable[[], Comparator | None] | None = None


def updates(state: BaseState) -> float:
    """Updates of all targets so far."""
    return float(state.books[: state.targets, UPDATES].sum())


def copy_state(state: BaseState) -> BaseState:
    """A state of its own that has learned the same."""
    return deepcopy(state)


def rows_of(batch: Batch, rows: Array) -> Batch:
    """Some rows of a batch, in this order."""
    if batch.starts is None or batch.indices is None:
        return Batch(np.ascontiguousarray(batch.values[rows]), None, batch.columns)
    lengths = np.diff(batch.starts)[rows]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(batch.starts.dtype)
    entries = np.repeat(batch.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
    return Batch(batch.values[entries], None, batch.columns, batch.indices[entries], starts)


def refuse_foreign(learner: Any, stream: Any = None) -> None:
    """Refuse what is no learner of regretless.linear, and rounds that are no stream.

    Raises
    ------
    RegretlessError
        Which says what to give.
    """
    if not isinstance(learner, OnlineClassifier):
        kind = learner.__name__ if isinstance(learner, type) else type(learner).__name__
        raise RegretlessError(f"{kind} is no learner of regretless.linear, one that was made with its parameters")
    if stream is not None and not isinstance(stream, Stream):
        kind = type(stream).__name__
        raise RegretlessError(
            f"the rounds are a {kind}; give a stream, read as far as needed, such as regretless.data.ArrayStream(X, y)"
        )
