"""What the aggregated classifier remembers: two cache lines a feature, and the books of its members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, Self

import numpy as np

from ... import _core
from ...data.batch import Array
from ...ledger import FIELDS, Ledger
from ...rows.mixture_state import FULL, LANES, RATES, MixtureState
from ...rows.narrowed import Narrow
from ...rows.state import BaseState, Rules, length, zeros_on_lines
from .first_row import FirstRowPlayer

COIN, STACK = _core.AGGREGATED_COIN, _core.AGGREGATED_STACK  # the places of the bettor and of the stacked member
FULLS = STACK - FULL
CELL, _CELL, _MEMORY = _core.AGGREGATED_CELL_SIZE, _core.aggregated_cell(), _core.aggregated_memory()
ROUNDS = FIELDS.index("rounds")
SUMS, SQUARES = (slice(_CELL[name], _CELL[name] + RATES) for name in ("sum", "square"))
COIN_SUM, COIN_SQUARE, GAIN = (_CELL[name] for name in ("coin_sum", "coin_square", "gain"))
MOST, ROOT = _CELL["most"], _CELL["root"]
MOST_WEIGHT = _MEMORY["most_weight"]
LAST_OF_STACK = [16 + 16 * (row // 4) + 12 + row % 4 for row in range(STACK)]  # in the kernel's order of eight columns
SINGLE, STRETCH = (1e-12, 1e12), 2.0**-20  # sizes of features whose metric is in single precision; see the kernel
FULL_PRIOR, SKETCH_PRIOR, STACK_PRIOR = 0.01, 10.0, 0.1
MOST_RANK = _core.MOST_SKETCH_ROWS // 2
MOST_SKETCHED = 10_000  # columns up to which members have sketches
WIDE, DENSE = 256, 16  # a first row is dense that reaches beyond so many columns, one of 16 of which is not 0
# Of members with a sketch: places of `sketch`, and 1 / D of a feature that was never met, as in sketch.hpp.
WEIGHTS, SHED, DRAWN, DRAWN_SQUARES, LARGEST, INVERSE = range(6)
NEVER_MET = 1 / 1e-290
BLOCK = 4096  # columns whose cells are turned over at once


@dataclass(frozen=True, slots=True)
class AggregatedRules(Rules):
    """What the members are.

    Attributes
    ----------
    rates, curvatures : tuple of float
        Of the rates and of the full members.
    stack_curvature : float
        Of the stacked member.
    coins, share : bool
        Whether there is a bettor, and whether a part of the weight goes round.
    full_prior : float
        Of members with all of the matrix, times twice the squared size of each feature.
    heaviest : float
        The largest weight of a class, at least 1. Members go by sizes of rows times it, which are known before the
        label is; a row's own weight would tell its class.
    """

    rates: tuple[float, ...] = ()
    curvatures: tuple[float, ...] = ()
    coins: bool = True
    share: bool = True
    full_prior: float = FULL_PRIOR
    stack_curvature: float = 0.0
    heaviest: float = 1.0


@dataclass(frozen=True, slots=True)
class MixtureMember:
    """One of the eight places of a mixture.

    Attributes
    ----------
    name : str
        What lines and tables call it; empty where there is none.
    kind : {"rate", "coins", "full", "stacked"}
        Which theorems are about it.
    reach : float
        How far from 0 scores of a full or stacked member's comparators may be; infinite of others.
    """

    name: str
    kind: str
    reach: float = inf


class AggregatedState(MixtureState):
    """Cells of features, books of members.

    `cells` is (room, targets * `CELL`), a row a feature. `memory` is (targets, ...): the cell of the constant
    feature, five numbers for each member, and what the stacked one knows: weights, scales and the factor of a matrix of
    eight features. While there are few columns, full members have `weights` and `scales`
    of shape (targets, 2 * (1 + columns)) and `factor`: the inverse of each matrix is U D U' with D the scales, and the
    factor holds U above the diagonal, in the kernel's order. What belongs to the first columns comes first. Or they
    have a sketch each, D + B'B: `sketch`, (6, targets * 2, 1 + columns), has their weights, what D has from rows that B
    has shed, the sums of that times the weights of the time and times their squares, the largest squares, and 1 / D;
    `directions`, (targets * 2, 2 rank, 1 + columns), is B; and `small` two matrices of each.

    Parameters
    ----------
    columns, targets : int
        As of any state.
    members : tuple of bool
        Which of the eight places have a member.
    limit : int
        Up to how many columns members with all of the matrix stay; those with sketches do up to 10,000.
    rank : int
        How many directions a sketch has besides its diagonal; 0: full members have all of the matrix.
    dense : int
        The rank that sketches are to have if the first row that is played is dense; 0: `rank` stands. That is decided
        by its numbers that are not 0, however they are stored.
    """

    sketch: Array
    directions: Array
    small: Array

    TARGETS: ClassVar[dict[str, int]] = {"memory": _core.AGGREGATED_MEMORY_SIZE}
    CELL: ClassVar[int] = CELL
    FULLS: ClassVar[int] = FULLS

    def __init__(
        self,
        columns: int,
        targets: int,
        *,
        members: tuple[bool, ...],
        limit: int | None,
        rank: int = 0,
        dense: int = 0,
    ) -> None:
        self.rank, self.dense, self._most_full = rank, dense, limit
        super().__init__(columns, targets, members=members, limit=MOST_SKETCHED if rank else limit)
        if self.rank and self.full:
            self.sketch[INVERSE] = NEVER_MET
        self.part("stack_scales")[:] = 1 / (2 * STACK_PRIOR)

    def options(self) -> dict[str, Any]:
        """Which members there are, how long the full ones stay, and of what rank their sketches are."""
        ranks = {"rank": self.rank, "dense": self.dense}
        return super().options() | {"limit": self._most_full} | {name: rank for name, rank in ranks.items() if rank}

    def _layout(self, columns: int) -> dict[str, tuple[int, ...]]:
        layout = super()._layout(columns)
        if not self.rank or len(layout) == 1:
            return layout
        members, rows, n = self.targets * FULLS, 2 * self.rank, 1 + columns
        each = {"sketch": (6, members, n), "directions": (members, rows, n), "small": (2 * members, rows, rows)}
        return {"cells": layout["cells"], **each}

    def _widen(self, columns: int) -> None:
        if not self.rank:
            super()._widen(columns)
            return
        for name, shape in self._layout(columns).items():
            if name != "cells":
                old, larger = getattr(self, name), zeros_on_lines(shape)
                larger[tuple(map(slice, old.shape))] = old
                setattr(self, name, larger)
        self.sketch[INVERSE, :, 1 + self.columns :] = NEVER_MET
        self._player = None

    def adopt(self, columns: int, tensors: Mapping[str, Array]) -> None:
        """Take over what `tensors` gave; which matrices were kept is seen from it."""
        directions = tensors.get("directions")
        rank = directions.shape[1] // 2 if directions is not None and directions.ndim == 3 else 0
        if rank != self.rank and (rank or "factor" in tensors):
            self._begin_with(rank, 0)
        super().adopt(columns, tensors)
        if rank and (self.sketch[[SHED, LARGEST, INVERSE]] < 0).any():
            raise ValueError("its matrix is not positive")

    def _begin_with(self, rank: int, columns: int) -> None:
        """Begin anew with matrices of this kind."""
        other, rules, steady = self.blank(columns, self.targets, rank), self.rules, self.steady
        vars(self).clear()
        vars(self).update(vars(other))
        self.rules, self.steady = rules, steady

    def blank(self, columns: int, targets: int, rank: int | None = None) -> AggregatedState:
        """An empty state of the same kind, or with sketches of another rank."""
        other = {} if rank is None else {"rank": rank}
        return type(self)(columns, targets, **self.options() | other)

    @property
    def begun(self) -> bool:
        """Whether a round was played."""
        return bool(self.books[-1, ROUNDS])

    def begin(self, row: Array, width: int) -> None:
        """Choose the matrices by the first row.

        Parameters
        ----------
        row : ndarray
            Its numbers.
        width : int
            How many columns it has, up to the last number that is not 0.
        """
        rank = self.dense if width > WIDE and DENSE * np.count_nonzero(row) >= width else 0
        if rank != self.rank:
            self._begin_with(rank, self.columns)

    def full_prior(self, rules: AggregatedRules) -> float:
        """What the matrices begin with, over twice the squared size of each feature."""
        return SKETCH_PRIOR if self.rank else rules.full_prior

    def _full_weights(self, target: int) -> Array:
        """The weights of members with matrices, shape (members, 1 + columns), to be read and written."""
        if self.rank:
            return np.asarray(self.sketch[WEIGHTS, target * FULLS : (target + 1) * FULLS])
        return np.asarray(self.weights[target].reshape(FULLS, -1))

    def shed(self, target: int, lane: int) -> Array:
        """What the diagonal of a member's matrix has from rows that its sketch has shed, shape (1 + columns,)."""
        if not (self.rank and self.full):
            return np.zeros(1 + self.columns)
        return np.asarray(self.sketch[SHED, target * FULLS + lane])

    def sketched_away(self, target: int, lane: int, vector: Array) -> float:
        """By how much what a member's sketch has shed may raise its quadratic form at a vector: the sum of
        shed_i (u_i - w_i)^2 / 2 over the features and times, w being the weights of the time."""
        if not (self.rank and self.full):
            return 0.0
        part = self.sketch[:, target * FULLS + lane]
        terms = part[SHED] * vector * vector - 2 * part[DRAWN] * vector + part[DRAWN_SQUARES]
        return float(terms.sum()) / 2

    def _enlist(self, members: tuple[bool, ...]) -> None:
        """Give these members equal prior weights, and share among them what others have had."""
        present = np.array(members)
        prior, weight = self.part("prior"), self.part("weight")
        prior[:] = present / present.sum()
        weight[:] = np.where(present, weight, 0)
        alive = weight.sum(axis=1, keepdims=True)
        weight[:] = np.where(alive > 0, weight / np.where(alive > 0, alive, 1), prior)

    def part(self, name: str) -> Array:
        """A number of each member, by its name in the kernel, shape (targets, 8), to be read and written."""
        begin = _MEMORY[name]
        return self.memory[:, begin : begin + LANES]

    @property
    def present(self) -> Array:
        """Which members there are now."""
        return np.asarray(self.part("prior")[0] > 0)

    def played(self, target: int) -> Array:
        """Which members there are, and which have retired after they learned something."""
        played = self.part("prior")[target] > 0
        played[FULL:STACK] |= self.part("energy")[target, FULL:STACK] != 0
        return np.asarray(played)

    def make_player(self, rules: Rules) -> Any:
        """The loop over rows that keeps these arrays; before the first row, one that looks at it."""
        return FirstRowPlayer(self, rules) if self.dense and not self.begun else self.compiled(rules)

    def compiled(self, rules: Rules) -> Any:
        """The loop over rows that keeps these arrays."""
        assert isinstance(rules, AggregatedRules)
        full = {name: getattr(self, name) for name in self._layout(0) if name != "cells"} if self.full else {}
        return _core.AggregatedPlayer(
            self.cells,
            self.memory,
            self.books,
            **full,
            rates=list(rules.rates),
            curvatures=list(rules.curvatures),
            full_prior=self.full_prior(rules),
            stack_curvature=rules.stack_curvature,
            intercept=rules.intercept,
            tie=rules.tie,
            heaviest=rules.heaviest,
            share=rules.share,
        )

    # ---- what it means

    def narrowed(self, which: Narrow) -> Self | None:
        """Without matrices: what no row has says nothing."""
        if self.full:
            return None
        other, columns = self._of_columns(which), which.used
        other.cells = _by_columns(len(columns), self.cells.shape[1])  # as `cells_of` reads them; nothing plays them
        for begin in range(0, len(columns), BLOCK):
            other.cells[begin : begin + BLOCK] = self.cells[columns[begin : begin + BLOCK]]
        return other

    def coefficients(self) -> Array:
        """Mean of the members' weights by their posterior, shape (columns, targets): a summary, not what predicts."""
        return np.stack([self.mean(target)[1:] for target in range(self.targets)], axis=1)

    def biases(self) -> Array:
        """The same of the constant feature, shape (targets,)."""
        return np.array([self.mean(target)[0] for target in range(self.targets)])

    def sizes(self) -> Array:
        """The largest size of each feature so far, shape (columns,)."""
        cells = self.cells[: self.columns].reshape(self.columns, self.targets, CELL)
        return np.asarray(cells[:, 0, MOST] if self.targets == 1 else cells[:, :, MOST].max(axis=1))

    def norms(self) -> list[float]:
        """Length of each target's weights, the constant feature's included."""
        means = (self.mean(target) for target in range(self.targets))
        return [length(mean[1:], float(mean[0])) for mean in means]

    def mean(self, target: int) -> Array:
        """The members' weights by their posterior, the constant feature first."""
        return _products(self.member_weights(target), self.part("weight")[target])

    def member_weights(self, target: int) -> Array:
        """The weights of all members, shape (1 + columns, 8), the constant feature first; of full ones those that
        scores begin with, before they shrink; of the stacked one, what it makes of the others' weights."""
        cells = self.cells_of(target)
        return self.weights_from(target, cells, self.metric_of(cells))

    def weights_from(self, target: int, cells: Array, metric: Array) -> Array:
        """The same from the cells and the metric of the target, which take long to make."""
        rules, (unknown,) = self.rules, np.nonzero(cells[:, MOST] == 0)
        weights = _by_columns(len(cells), LANES)
        if not isinstance(rules, AggregatedRules):
            return weights
        with np.errstate(divide="ignore", invalid="ignore"):
            weights[:, :RATES] = np.array([*rules.rates, *[0] * RATES])[:RATES] * cells[:, SUMS] / metric
            root = np.sqrt(cells[:, COIN_SQUARE] + cells[:, MOST] ** 2)
            share = np.clip(cells[:, COIN_SUM] / root, -1, 1)
            weights[:, COIN] = share * (1 + cells[:, GAIN]) / (2 * root)
        weights[unknown] = 0
        if self.full:
            weights[:, FULL:STACK] = self._full_weights(target).T
        absent = ~self.present
        weights[:, absent] = 0
        stack = self.part("stack_weights")[target]
        weights[:, STACK] = _products(weights[:, :STACK], stack[:STACK])
        if rules.intercept:
            weights[0, STACK] += stack[STACK] / rules.intercept
        weights[:, absent] = 0
        return weights

    def cells_of(self, target: int) -> Array:
        """The cells of one target, shape (1 + columns, `CELL`), the constant feature first; each number of theirs
        lies beside that of the next column, for one is looked at of all columns."""
        cells = _by_columns(1 + self.columns, CELL)
        cells[0] = self.memory[target, :CELL]
        own = self.cells[: self.columns, target * CELL : (target + 1) * CELL]
        for begin in range(0, self.columns, BLOCK):
            cells[1 + begin : 1 + begin + BLOCK] = own[begin : begin + BLOCK]
        return cells

    def slopes_of(self, target: int) -> tuple[Array, Array]:
        """What `cells_of` gives of a target up to the bettor's sum of slopes, in about half the memory, and the metric;
        of many columns most of what that takes is memory."""
        cells, metric = _by_columns(1 + self.columns, COIN_SUM + 1), _by_columns(1 + self.columns, RATES)
        constant = self.memory[[target], :CELL]
        cells[0], metric[0] = constant[0, : COIN_SUM + 1], self._roots(constant)[0]
        if self.cells.flags.c_contiguous:
            places = target * CELL, SQUARES.start, MOST, ROOT
            _core.turn_cells(self.cells[: self.columns], *places, (*SINGLE, STRETCH), cells.T, metric.T)
            return cells, metric
        for begin in range(0, self.columns, BLOCK):
            part = self.cells[begin : min(begin + BLOCK, self.columns), target * CELL : (target + 1) * CELL]
            cells[1 + begin : 1 + begin + len(part)] = part[:, : COIN_SUM + 1]
            metric[1 + begin : 1 + begin + len(part)] = self._roots(part)
        return cells, metric

    def metric_of(self, cells: Array) -> Array:
        """What the rates divide by, shape (1 + columns, 4), from the cells of a target: the root mean square of a
        feature times the root of its squared gradients; 0 where it was never met."""
        metric = _by_columns(len(cells), RATES)
        for begin in range(0, len(cells), BLOCK):
            metric[begin : begin + BLOCK] = self._roots(cells[begin : begin + BLOCK])
        return metric

    @staticmethod
    def _roots(cells: Array) -> Array:
        """As the kernel computes them, whose rounding is part of what is certified."""
        single = np.float32
        most, root = cells[:, MOST : MOST + 1], cells[:, ROOT : ROOT + 1]
        squared = cells[:, SQUARES] + most * most
        with np.errstate(over="ignore", under="ignore", divide="ignore"):
            metric = 1 / (1 / (root.astype(single) * np.sqrt(squared.astype(single)))).astype(np.float64)
        (other,) = np.nonzero(((most < SINGLE[0]) | (most > SINGLE[1]))[:, 0])
        exact = root[other] * np.where(most[other] > 1, 1 + STRETCH, 1 - STRETCH) * np.sqrt(squared[other])
        metric[other] = exact
        return np.asarray(metric)

    def ledger(self) -> Ledger:
        """With several targets, the log loss is that of the class that came, their probabilities divided by their
        sum."""
        whole = super().ledger()
        if self.targets == 1:
            return whole
        total = Ledger.read(self.books[-1])
        return replace(total, updates=total.rounds, update_norm2=total.total_norm2)  # every round moves every target

    # ---- what can be done with it

    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target."""
        signed = [*range(RATES), COIN_SUM]
        places = [target * CELL + place for place in signed]
        self.cells[:, places] = 0 - self.cells[:, places]
        self.memory[target, signed] = 0 - self.memory[target, signed]
        if self.full:
            own = self._full_weights(target)
            own[:] = 0 - own
            if self.rank:
                drawn = self.sketch[DRAWN, target * FULLS : (target + 1) * FULLS]
                drawn[:] = 0 - drawn
        # Scores of the others change their sign, and the constant does not: so do its weight and its column of U.
        odd = [_MEMORY["stack_weights"] + STACK, *(_MEMORY["stack_factor"] + place for place in LAST_OF_STACK)]
        self.memory[target, odd] = 0 - self.memory[target, odd]

    def copy_target(self, source: BaseState, i: int, j: int) -> None:
        """Take over what target i of another state of this kind has learned, as target j."""
        if not isinstance(source, AggregatedState) or source.options() != self.options():
            raise TypeError("targets are copied between states of one kind")
        if self.full and not source.full:
            self._retire()
        self.memory[j], self.books[j] = source.memory[i], source.books[i]
        mine, theirs = slice(j * CELL, (j + 1) * CELL), slice(i * CELL, (i + 1) * CELL)
        self.cells[: source.columns, mine] = source.cells[: source.columns, theirs]
        if self.full and not self.rank:
            for name in ("weights", "scales", "factor"):
                getattr(self, name)[j] = getattr(source, name)[i]
        elif self.full:
            self._copy_sketches(source, i, j)

    def _copy_sketches(self, source: AggregatedState, i: int, j: int) -> None:
        n, theirs, ours = 1 + source.columns, slice(i * FULLS, (i + 1) * FULLS), slice(j * FULLS, (j + 1) * FULLS)
        self.sketch[:, ours, :n] = source.sketch[:, theirs]
        self.directions[ours, :, :n] = source.directions[theirs]
        for mine, from_it in zip(np.split(self.small, 2), np.split(source.small, 2), strict=True):
            mine[ours] = from_it[theirs]


def _by_columns(rows: int, columns: int) -> Array:
    """Zeros of this shape, those of a column side by side."""
    return np.zeros((columns, rows)).T


def _products(rows: Array, vector: Array) -> Array:
    """<row, vector> of each row, without a BLAS, whose sums depend on the machine; of rows that lie side by side."""
    blocks = [np.ascontiguousarray(rows[begin : begin + BLOCK]) for begin in range(0, len(rows), BLOCK)]
    return np.concatenate([np.einsum("ij,j->i", block, vector) for block in blocks])
