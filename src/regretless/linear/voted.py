"""The voted perceptron."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from ..checks import one_of
from ..data.batch import Array, Batch
from ..info import Cost, LinearInfo, LinearWords
from ..ledger import FIELDS
from ..rows.estimator import with_constructor
from ..rows.state import BaseState, BatchPlayer, BatchRounds, Report, Rules
from ..theory.perceptron import PERCEPTRON
from .averaged import WHEN
from .perceptron import Perceptron
from .state import State
from .weight_history import NAMES, UpdateRows, ballot, lifetimes, lifetimes_until

ROUNDS = FIELDS.index("rounds")
MOST_PRODUCTS = 200_000_000  # of rounds and what their votes cost, up to which these are counted while learning
EACH = 64  # numbers, as which an update counts besides those of its row: batches of a file may be small
MOST_VOTES = 1 << 22  # numbers of votes that are at hand at once


class VotedState(State):
    """The weights of the perceptron, and every update that they ever had.

    Parameters
    ----------
    columns, targets : int
        As of any state.
    when : {"before", "after"}
        Whether the weights vote once for each round before which they were there, or after which.
    """

    def __init__(self, columns: int, targets: int, *, when: str = "before") -> None:
        super().__init__(columns, targets)
        self._when = when
        self._support = [UpdateRows.empty(targets)]

    @property
    def support(self) -> UpdateRows:
        """All updates so far."""
        self._support = [UpdateRows.joined(self._support)]
        return self._support[0]

    def options(self) -> dict[str, Any]:
        """Which rounds give a vote."""
        return {"when": self._when}

    def make_player(self, rules: Rules) -> Any:
        """The perceptron's player, which notes its updates and scores by votes."""
        return _VotingPlayer(super().make_player(rules), self, rules)

    def tensors(self) -> dict[str, Array]:
        """The weights and the updates."""
        return super().tensors() | self.support.tensors()

    def adopt(self, columns: int, tensors: Mapping[str, Array]) -> None:
        """Take over what `tensors` gave, in a state that is empty and has as many targets.

        Raises
        ------
        KeyError, ValueError
            If it does not fit together.
        """
        super().adopt(columns, {name: array for name, array in tensors.items() if name not in NAMES})
        support = UpdateRows.read(tensors, columns, self.targets)
        if len(support.rounds) and support.rounds[-1] > self.books[-1, ROUNDS]:
            raise ValueError("it was updated in rounds that it never played")
        self._support = [support]

    def copy_target(self, source: BaseState, i: int, j: int) -> None:
        """Take over what target i of another state has learned, as target j."""
        super().copy_target(source, i, j)
        if not isinstance(source, VotedState):
            return
        theirs, ours = source.support, self.support
        moves = ours.moves if len(ours.rounds) else np.zeros((len(theirs.rounds), self.targets))
        moves[:, j] = theirs.moves[:, i]
        self._support = [UpdateRows(theirs.values, theirs.indices, theirs.starts, moves, theirs.rounds)]

    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target."""
        super().mirror(target)
        moves = self.support.moves
        moves[:, target] = 0 - moves[:, target]

    def note(self, batch: Batch, rows: Array, moves: Array, rounds: Array) -> None:
        """Keep the updates that some rows were.

        Parameters
        ----------
        batch : Batch
        rows : ndarray of int, shape (updates,)
            Which of its rows.
        moves : ndarray, shape (updates, targets)
            By how much of the row each target moved.
        rounds : ndarray of int, shape (updates,)
            Which rounds they were, the first one being 1.
        """
        self._support.append(UpdateRows.of(batch, rows, moves, rounds))

    def votes_in_time(self, batch: Batch, first: int, rules: Rules) -> Array | None:
        """What `vote` would have given for rows just played, each before it was learned, shape (rows, targets).

        Parameters
        ----------
        batch : Batch
        first : int
            The number of its first row among the rounds, counted from 1.
        rules : Rules

        Returns
        -------
        ndarray or None
            None if that takes too long for the rounds so far, whatever batches they came in.
        """
        whole, support = float(self.books[-1, ROUNDS]), self.support
        if whole * (len(support.values) + EACH * len(support.rounds)) > MOST_PRODUCTS:
            return None
        out = np.empty((len(batch), self.targets))
        for target in range(self.targets):
            late, mine = whole - float(self.books[target, ROUNDS]), support.of_target(target)
            before = first - late + np.arange(len(batch)) - 1  # rounds that the target had played
            step = max(1, MOST_VOTES // (len(mine.rounds) + 1))
            for begin in range(0, len(batch), step):
                rows = slice(begin, min(begin + step, len(batch)))
                votes = lifetimes_until(mine.rounds - late, before[rows], self._when)
                ballot(batch.slice(rows.start, rows.stop), mine, votes, rules, out[rows, target])
            out[:, target] /= np.maximum(before, 1)
        return out

    def vote(self, batch: Batch, rules: Rules, out: Array) -> None:
        """The share of all votes that are for +1, less that for -1.

        Parameters
        ----------
        batch : Batch
            Rows to vote on.
        rules : Rules
            Where a score of 0 goes.
        out : ndarray, shape (rows, targets)
            Receives the shares.
        """
        whole, support = float(self.books[-1, ROUNDS]), self.support
        for target in range(self.targets):
            played = float(self.books[target, ROUNDS])
            mine = support.of_target(target)
            votes = lifetimes(mine.rounds - (whole - played), played, self._when)
            ballot(batch, mine, votes, rules, out[:, target])
            out[:, target] /= max(played, 1)


class _VotingPlayer(BatchPlayer):
    """Plays as the perceptron does, and notes its updates; scores by votes."""

    def __init__(self, player: Any, state: VotedState, rules: Rules) -> None:
        self._player, self._state, self._rules = player, state, rules
        self._watched = False
        self.votes_in_time: Array | None = None  # of the rounds that were watched last; None if that took too long

    def watch(self, scores: Array | None) -> None:
        """Write the scores that each round of the next plays is predicted by into this array; or stop."""
        self._watched = scores is not None
        if scores is not None:
            self.votes_in_time = np.empty_like(scores)
        self._player.watch(scores)

    def play_rounds(self, rounds: BatchRounds) -> Report:
        """Play them, and note the updates."""
        state = self._state
        before = int(state.books[-1, ROUNDS])
        begin, order, batch = rounds.begin, rounds.order, rounds.rows(state.columns)
        moves = np.zeros((rounds.total, state.targets))
        played, why = self._player.play(*rounds, moves)
        (moved,) = np.nonzero(moves[begin:played].any(axis=1))
        if len(moved):
            places = moved + begin
            state.note(batch, places if order is None else order[places], moves[places], before + 1 + moved)
        if self._watched and self.votes_in_time is not None:
            part = batch.slice(begin, played)
            votes = state.votes_in_time(part, before + 1, self._rules) if order is None else None
            self.votes_in_time = None if votes is None else self.votes_in_time
            if self.votes_in_time is not None:
                self.votes_in_time[begin:played] = votes
        return played, why

    def score(self, values: Array, indices: Array | None, starts: Array | None, out: Array) -> tuple[int, str | None]:
        """Votes of all rows."""
        outcome: tuple[int, str | None] = self._player.score(values, indices, starts, out)  # looks for what is amiss
        if outcome[1] is None:
            self._state.vote(Batch(values, None, self._state.columns, indices, starts), self._rules, out)
        return outcome


@with_constructor
class VotedPerceptron(Perceptron):
    """The voted perceptron (Freund & Schapire 1999): all the weights that the perceptron ever had vote, each as often
    as it had rounds.

    ::

        learn     w <- w + rate * y * x    when y <w, x> <= 0
        predict   the sign of the sum over t of sign <w_t, x>

    If the rounds are drawn independently from one source, the expected risk of the vote is at most twice the expected
    share of mistakes that the perceptron made as it learned, whatever the data: where the vote errs, half the voters
    do. (Of several classes it is at most the sum of the shares that each of them against the rest made: where the vote
    errs, the shares that err for the right class and for the one that wins add up to 1.) For the mean of the weights,
    which `AveragedPerceptron` predicts by, there is no such theorem, and the two differ.

    The vectors are kept as the updates that made them, row by row: memory for M rows, and for each row that is
    predicted as many products as there were updates, M of them. They are computed in blocks, with the very bits that
    the scores had when the vectors were learned.

    Parameters
    ----------
    votes : {"before", "after"}, default="before"
        Whether w_1, ..., w_T vote, by which the T rounds were predicted and which the theorem is about, or w_2, ...,
        w_{T+1}, as they were after each round. The first vector is zero and votes for the label that a score of 0
        predicts.
    rate, intercept, ties
        As in `Perceptron`. With `ties` = -1 a score of 0, and a tie of the votes, stands for ``classes_[0]``.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`; the rounds of all passes vote.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The last weights, which learn on; the vote is not linear.
    classes_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`. `decision_function` gives shares of votes, those for ``classes_[1]`` less those for
        ``classes_[0]``, or for each class less those for the rest: from -1 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import AveragedPerceptron, VotedPerceptron
    >>> X, y = np.array([[-1.0, 0.0], [-2.0, -1.0], [-1.0, 0.0]]), [-1, 1, -1]
    >>> new = np.array([[1.0, 1.0]])  # the weights before the three rounds were (0, 0), (1, 0) and (-1, -1)
    >>> VotedPerceptron().fit(X, y).predict(new).tolist(), AveragedPerceptron().fit(X, y).predict(new).tolist()
    ([1], [-1])
    >>> VotedPerceptron().fit(X, y).decision_function(new).round(3).tolist()
    [0.333]
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="voted-perceptron",
        task="classification",
        default_of="",
        charged="max(0, -m)",
        geometry="euclidean",
        rate="constant",
        unit_free=False,
        predicts_by="vote",
        plain="Perceptron",
        lazy=False,
        additive=True,
        not_mixed="it votes with all the weights it ever had, and of several shards they are too many to travel",
        by_sums=True,
        constant=True,
        twin="perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m ≤ 0",
        update="as `perceptron`; predicts by the vote of w₁, ..., w_T",
        costs=(Cost("", "n", "d and M rows", "M n"),),
        small_if="as `perceptron`",
        at_most="(r₂ / ρ)²",
    )

    theorems = PERCEPTRON

    state_: VotedState = field(init=False)
    initial: Any = field(default=None, init=False)  # the mean and the vote begin with what was learned

    votes: str = "before"

    def rules(self) -> Rules:
        """Those of the perceptron."""
        one_of("votes", self.votes, WHEN)
        return super().rules()

    def new_state(self, columns: int, targets: int) -> BaseState:
        """Weights and their updates."""
        return VotedState(columns, targets, when=self.votes)
