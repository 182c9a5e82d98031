"""Playing rounds in the dual: the compiled loop, and what it stops for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ... import _core
from ...data.batch import Array, Batch, norms2
from ...errors import RegretlessError
from ...rows.state import BatchPlayer, BatchRounds, Report, Rules
from ..comparators.candidates import matrix_of
from .state import GAMMA_KERNELS, ROUNDS, DualArrays, KernelRules, gram_of, remove_one, resolved_gamma
from .support import BLOCK, LINES, Support, rows_of, widest_of

PAIRS = 1 << 21  # of a row and a support row, between two moments in which Python sees to Ctrl-C
CHUNK = 256  # rows for which a kernel of the user's is asked at once
STRETCH = 1024  # rounds that are handed over at once where each removal stops them
VOTES = 1 << 22  # values of the kernel that a vote looks at, at once
MOST_VOTED = 200_000_000  # rounds times updates, up to which votes are counted while learning


class DualPlayer(BatchPlayer):
    """Plays rounds on a state by some rules, in the manner of the compiled players.

    Parameters
    ----------
    state : DualArrays
    rules : KernelRules
    """

    def __init__(self, state: DualArrays, rules: KernelRules) -> None:
        self.state, self.rules = state, rules
        self._machine: tuple[tuple[Any, ...], _core.KernelMachine] | None = None
        self._scores: Array | None = None
        self.votes_in_time: Array | None = None  # of the rounds that were watched last; None if that took too long

    def watch(self, scores: Array | None) -> None:
        """Write what each of the rounds to come is predicted by there: the scores of the mean where it predicts, else
        those of the last function, and votes beside."""
        self._scores = scores
        if scores is not None:
            self.votes_in_time = np.empty_like(scores) if self.rules.average == "voted" else None

    def play_rounds(self, rounds: BatchRounds) -> Report:
        """Play them, with the votes of the time where they are watched."""
        before = self._rounds()
        played, why = self._play(rounds)
        if self._scores is not None and self.votes_in_time is not None:
            cost = self._rounds() * int(self.state.support.counts[LINES]) * self.state.targets
            if rounds.order is not None or cost > MOST_VOTED:
                self.votes_in_time = None
            else:
                part = self._rows(rounds).slice(rounds.begin, played)
                self._vote(part, self.votes_in_time[rounds.begin : played], before + np.arange(float(len(part))))
        return played, why

    def _rounds(self) -> int:
        return int(self.state.books[-1, ROUNDS])

    def _rows(self, rounds: BatchRounds) -> Batch:
        return rounds.rows(self._columns(rounds.values, rounds.starts))

    def _play(self, rounds: BatchRounds) -> Report:
        batch, begin, end, order = self._rows(rounds), rounds.begin, rounds.end, rounds.order
        if end < 0:
            end = len(batch) if order is None else len(order)
        if begin < end:
            self._settle(batch)
        if self.rules.kernel == "callable":
            return self._play_chunks(batch, rounds.labels, rounds.weights, order, begin, end)
        known, first = self.state.row_slots(len(batch), begin, order)
        gram = self._square_gram(batch) if self.rules.kernel == "precomputed" else None
        widest = widest_of(batch) if self.state.support.layout == "sparse" else 0
        while begin < end:
            machine = self._ready(BLOCK, self._entries(batch, order, begin), widest)
            until = min(end, begin + STRETCH) if self.rules.budget else end
            machine.watch(self._scores, averages=self.rules.average == "averaged")
            if gram is None:
                begin, why = machine.play(*rounds._replace(begin=begin, end=until), known, first)
            else:
                begin, why = machine.play_gram(gram, 0, rounds.labels, rounds.weights, order, begin, until, known)
            if why == "over":
                self._remove(known)
            elif why not in (None, "full"):
                return begin, why
        return end, None

    def score(self, values: Array, indices: Array | None, starts: Array | None, out: Array) -> Report:
        """Scores of all rows, by the function that predicts; the last one's are the bits that playing sees."""
        batch = Batch(values, None, self._columns(values, starts), indices, starts)
        if self.state.support.layout is None:
            out[:] = 0
            return len(batch), None
        if self.rules.average == "voted":
            return self._vote(batch, out)
        coefficients = None
        if self.rules.average == "averaged":
            coefficients = self.state.averages()
        return self.evaluate(batch, out, coefficients)

    def evaluate(self, batch: Batch, out: Array, coefficients: Array | None = None) -> Report:
        """The values of functions over the support at some rows: the last ones, or those of other coefficients."""
        support = self.state.support
        if coefficients is None:
            machine = self._ready(0, 0)
        else:
            targets = coefficients.shape[1]
            padded = np.zeros((len(support.norm2), targets))
            padded[: len(coefficients)] = coefficients
            books = np.zeros((targets + (targets > 1), self.state.books.shape[1]))
            machine = support.machine(books, np.zeros(targets), 0, padded)
            self._teach(machine)
        if self.rules.kernel == "precomputed":
            return machine.score_gram(self._gram(batch), out)
        if self.rules.kernel != "callable":
            step = max(1, PAIRS // max(1, support.count))
            for place in range(0, len(batch), step):
                part = batch.slice(place, min(place + step, len(batch)))
                row, why = machine.score(part.values, part.indices, part.starts, out[place : place + len(part)])
                if why is not None:
                    return place + row, why
            return len(batch), None
        theirs = support.matrix()
        support.column[: support.count] = np.arange(support.count)
        for place in range(0, len(batch), CHUNK):
            part = batch.slice(place, min(place + CHUNK, len(batch)))
            gram = gram_of(self._function, matrix_of(part), theirs)
            machine.score_gram(gram, out[place : place + len(part)])
        return len(batch), None

    def gram(self, batch: Batch) -> Array:
        """K(row, slot) of all rows and slots.

        Raises
        ------
        RegretlessError
            If a row cannot be used.
        """
        values, (row, why) = self._pairs(batch)
        if why is not None:
            raise RegretlessError(f"row {row} is {why}")
        return values

    def own(self, batch: Batch) -> Array:
        """K(row, row) of all rows."""
        rules, rows = self.rules, len(batch)
        if rules.kernel == "rbf":
            return np.full(rows, 1 + rules.intercept**2)
        if rules.kernel == "precomputed":
            return np.diagonal(self._gram(batch)).copy()
        if rules.kernel == "callable":
            return np.concatenate([np.zeros(0), *(np.diagonal(gram_of(self._function, p, p)) for p in _parts(batch))])
        norm2 = norms2(batch)
        if rules.kernel == "poly":
            norm2 = (self.state.gamma * norm2 + rules.coef0) ** rules.degree
        return norm2 + rules.intercept**2

    def beside(self, batch: Batch) -> DualPlayer:
        """A player of the same kernel whose support is these rows, each once, without coefficients."""
        state = DualState(self.state.columns, 1, gamma=self.state.gamma)
        support = state.support
        if self.rules.kernel == "precomputed":
            support.settle("given")
            support.make_room(len(batch))
            support.column[: len(batch)], support.counts[0] = np.arange(len(batch)), len(batch)
            return DualPlayer(state, self.rules)
        support.settle("sparse" if batch.sparse else "dense")
        support.make_room(len(batch) + BLOCK, batch.entries, widest_of(batch))
        player = DualPlayer(state, replace(self.rules, budget=0, average=None))
        row, why = player._ready(0, 0).adopt(batch.values, batch.indices, batch.starts)
        if why is not None:
            raise RegretlessError(f"row {row} is {why}")
        return player

    def row(self, slot: int) -> Array:
        """K(slot, s) of all slots s."""
        row: Array = self.gram(self.state.support.batch(slot, slot + 1))[0]
        return row

    def square(self) -> Array:
        """K of all pairs of slots; of the old ones, what the last removal left is kept."""
        state, count = self.state, self.state.support.count
        if len(state.square) != count - 1:
            return self.gram(state.support.batch())
        whole = np.empty((count, count))
        whole[:-1, :-1] = state.square
        whole[-1] = whole[:, -1] = self.row(count - 1)
        return whole

    # ---- inside

    def _pairs(self, batch: Batch) -> tuple[Array, Report]:
        support, rules = self.state.support, self.rules
        if rules.kernel == "precomputed":
            return self._gram(batch)[:, support.column[: support.count]], (len(batch), None)
        if rules.kernel == "callable":
            return gram_of(self._function, matrix_of(batch), support.matrix()), (len(batch), None)
        out, own = np.empty((len(batch), support.count)), np.empty(len(batch))
        return out, self._ready(0, 0).gram(batch.values, batch.indices, batch.starts, out, own)

    @property
    def _function(self) -> Any:
        if self.rules.function is None:
            raise RegretlessError("the kernel is a function of its user's, and it is not there")
        return self.rules.function

    def _columns(self, values: Array, starts: Array | None) -> int:
        return self.state.columns if starts is not None else int(values.shape[1])

    def _settle(self, batch: Batch) -> None:
        """What the first rows decide: how rows are kept, and what gamma stands for."""
        if self.state.gamma == 0:
            self.state.gamma = resolved_gamma(self.rules.gamma, batch) if self.rules.kernel in GAMMA_KERNELS else 1.0
        if self.state.support.layout is None:
            rows = "sparse" if batch.sparse else "dense"
            self.state.support.settle("given" if self.rules.kernel == "precomputed" else rows)

    def _ready(self, slots: int, entries: int, widest: int = 0) -> _core.KernelMachine:
        """The compiled loop, with room for what may come next."""
        support, state = self.state.support, self.state
        support.make_room(slots, entries, widest)
        if self._machine is None or self._machine[0] != _identity(support):
            machine = support.machine(state.books, state.norm2.reshape(-1), self.rules.budget)
            self._teach(machine)
            self._machine = _identity(support), machine
        return self._machine[1]

    def _teach(self, machine: _core.KernelMachine) -> None:
        rules = self.rules
        kind = "linear" if rules.external else rules.kernel
        machine.rules(kind, self.state.gamma, rules.coef0, rules.degree, rules.intercept**2, rules.tie)

    def _entries(self, batch: Batch, order: Array | None, begin: int) -> int:
        """How many entries the rows of the next block have; no more than there are, should the starts be broken."""
        if batch.starts is None:
            rows_left = min(BLOCK, len(batch))
            return rows_left * batch.columns if self.state.support.layout == "sparse" else 0
        if order is not None:
            rows = order[begin : begin + BLOCK]
            entries = int((batch.starts[rows + 1] - batch.starts[rows]).sum())
        else:
            entries = int(batch.starts[min(begin + BLOCK, len(batch))] - batch.starts[begin])
        return min(max(entries, 0), batch.entries)

    def _gram(self, batch: Batch) -> Array:
        """A Gram matrix that came as rows."""
        rows = matrix_of(batch)
        gram = np.ascontiguousarray(rows if batch.starts is None else rows.toarray(), dtype=np.float64)
        if not np.isfinite(gram).all():
            raise RegretlessError("Input X contains NaN or infinity, and a Gram matrix must be of finite numbers")
        return gram

    def _square_gram(self, batch: Batch) -> Array:
        """The same of rows with one another."""
        gram = self._gram(batch)
        if gram.shape[0] != gram.shape[1]:
            raise RegretlessError(f"X has shape {gram.shape}, and a precomputed kernel must be a square matrix")
        _refuse_negative(gram.diagonal(), np.arange(len(gram)))
        return gram

    def _remove(self, known: Array | None) -> None:
        slot, support = remove_one(self.state, self.rules, self.row, self.square), self.state.support
        if known is None:
            return
        gone, moved = int(support.source[support.count]), int(support.source[slot])
        if slot != support.count and moved >= 0:
            known[moved] = slot
        if gone >= 0:
            known[gone] = -1

    def _play_chunks(
        self, batch: Batch, labels: Array, weights: Array | None, order: Array | None, begin: int, end: int
    ) -> Report:
        """Rounds with a kernel of the user's: asked for a chunk of rows against the support and one another."""
        known, first = self.state.row_slots(len(batch), begin, order)
        while begin < end:
            places = np.arange(begin, min(begin + CHUNK, end)) if order is None else order[begin : begin + CHUNK]
            places = places[: end - begin]
            chunk = rows_of(batch, places)
            its_weights = None if weights is None else np.ascontiguousarray(weights[places])
            its_rows = None if known is None else first + places
            own = gram_of(self._function, matrix_of(chunk), matrix_of(chunk))
            _refuse_negative(own.diagonal(), places)
            its_labels = np.ascontiguousarray(labels[places])
            scores = None if self._scores is None else self._scores[begin : begin + len(places)].copy()
            played, why = self._play_chunk(chunk, own, its_labels, its_weights, known, its_rows, scores)
            if self._scores is not None:
                self._scores[begin : begin + len(places)] = scores
            begin += played
            if why is not None:
                return begin, why
        return end, None

    def _play_chunk(
        self,
        chunk: Batch,
        own: Array,
        labels: Array,
        weights: Array | None,
        known: Array | None,
        rows: Array | None,
        scores: Array | None,
    ) -> Report:
        support, done, before = self.state.support, 0, self.state.support.count
        theirs, ours = support.matrix(), matrix_of(chunk)
        gram = np.hstack([gram_of(self._function, ours, theirs), own]) if before else own
        support.column[:before] = np.arange(before)
        while done < len(chunk):
            machine, stored = self._ready(len(chunk), chunk.entries, widest_of(chunk)), support.count
            slots = None if known is None else np.ascontiguousarray(known[rows])
            machine.watch(scores, averages=self.rules.average == "averaged")
            done, why = machine.play_gram(gram, before, labels, weights, None, done, len(chunk), slots)
            new = support.column[stored : support.count] - before
            self._store(machine, rows_of(chunk, new), stored, np.diagonal(own)[new])
            if known is not None and rows is not None:
                known[rows], support.source[stored : support.count] = slots, rows[new]
            if why == "over":
                self._remove(known)
            elif why not in (None, "full"):
                return done, why
        return done, None

    def _store(self, machine: _core.KernelMachine, rows: Batch, first: int, own: Array) -> None:
        """Put rows where the compiled loop has filled slots without them."""
        support = self.state.support
        support.counts[0] = first
        machine.adopt(rows.values, rows.indices, rows.starts)
        support.norm2[first : support.count] = own

    def _vote(self, batch: Batch, out: Array, before: Array | None = None) -> Report:
        """The share of the rounds whose function says +1, less the share of the others: of all rounds, or of as many as
        were played before each row."""
        support, books, tie = self.state.support, self.state.books, 1.0 if self.rules.tie >= 0 else -1.0
        lines = int(support.counts[LINES])
        slots, moves, rounds = support.log_slot[:lines], support.log_moves[:lines], support.log_round[:lines]
        begins, ends = np.append(0.0, rounds), np.append(rounds, np.inf)
        until = np.full(len(batch), books[-1, ROUNDS]) if before is None else before
        block = max(1, VOTES // (lines + 1))
        for place in range(0, len(batch), block):
            part = batch.slice(place, min(place + block, len(batch)))
            values, (row, why) = self._pairs(part)
            if why is not None:
                return place + row, why
            terms, ended = values[:, slots], np.minimum(ends, until[place : place + len(part), None])
            scores = np.zeros((len(part), lines + 1))
            for c in range(self.state.targets):
                # A class that came late has no votes before it came.
                late = books[-1, ROUNDS] - books[c, ROUNDS]
                lives = np.maximum(ended - np.maximum(begins, late), 0)
                np.cumsum(terms * moves[:, c], axis=1, out=scores[:, 1:])
                signs = np.where(scores == 0, tie, np.sign(scores))
                votes = np.einsum("ij,ij->i", signs, lives)
                out[place : place + len(part), c] = votes / np.maximum(lives.sum(axis=1), 1.0)
        return len(batch), None


class DualState(DualArrays):
    """The same, with the loop over rounds."""

    def make_player(self, rules: Rules) -> Any:
        """What plays rounds."""
        self.refuse_other(rules)
        return DualPlayer(self, cast(KernelRules, rules))


def _refuse_negative(own: Array, rows: Array) -> None:
    """Refuse rows with a negative K(x, x)."""
    if own.min(initial=0.0) < 0:
        worst = int(own.argmin())
        raise RegretlessError(
            f"K(x, x) = {own[worst]:g} in row {rows[worst]}: that is no kernel, no length is negative"
        )


def _identity(support: Support) -> tuple[Any, ...]:
    """The arrays that a compiled loop was made for."""
    names = ("norm2", "rows", "begin", "values", "place", "column", "log_slot", "coefficients")
    return support.layout, support.columns, support.numbered, *(id(getattr(support, name)) for name in names)


def _parts(batch: Batch) -> Iterator[Any]:
    for place in range(0, len(batch), CHUNK):
        yield matrix_of(batch.slice(place, min(place + CHUNK, len(batch))))
