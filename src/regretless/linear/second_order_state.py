"""What second-order learners remember: sums and the matrix A = a I + sum of x x' over the updates, its diagonal, or a
sketch of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .. import _core
from ..data.batch import Array
from ..errors import RegretlessError
from ..rows.factor import put_upper, upper_of
from ..rows.narrowed import JoinedColumns, Narrow
from ..rows.state import BaseState, BatchPlayer, BatchRounds, Report, Rules, length, zeros_on_lines
from .sketch import Sketch

PRIOR, SUM, SQUARE, WEIGHT, VOLUME, SIZE = range(6)  # columns of `memory`
LEAST_PRIOR = 1e-290  # of a feature, in whatever units: as in second_order_scales.hpp
MOST_COLUMNS = 2000  # of a full matrix
SPARE = "spare_"  # before the names of arrays


class Diagonal(NamedTuple):
    """What is asked of a diagonal matrix A of one target, the constant feature apart.

    Attributes
    ----------
    weights, roots, inverse : ndarray, shape (columns,)
        The weights; the square roots of the entries of A, and the inverses of these entries.
    energy, volume : float
        u'A^-1 u, and ln det(A) over what A started with.
    """

    weights: Array
    roots: Array
    inverse: Array
    energy: float
    volume: float


class SecondOrderState(BaseState):
    """With a diagonal matrix, sums and squares of features; with a full one, sums, weights and the factors of an
    inverse; with a sketch, sums, weights, a diagonal D and some rows B.

    With a diagonal matrix there is one array, `records`, a row a feature: the sums of y x over the updates of each
    target, then those of x^2; or, where weights are kept, the weights, the sums of x^2, the sums of y x and, if the
    prior is in units of that, the largest x^2 of the updates. With a full one there are `sums`, `weights` and `scales`
    of shape (targets, 1 + columns), the constant feature first, and `factor`, of which each target has
    `_core.factor_size(1 + columns)` numbers: the inverse of A is U D U' with D the scales, and the factor holds U as
    `rows.factor` says. With a sketch there are, of shape (targets, 1 + columns), `sums`, `weights`, `shed`, what D has
    from rows that B no longer has, `largest`, the largest squares of the updates, and `inverse`, 1 / D; `directions`,
    which is B, has the shape (targets, 2 rank, 1 + columns), and `gram` and `lower`, B D^-1 B' and the lower triangle L
    with L L' = I + B D^-1 B', are (targets, 2 rank, 2 rank).

    Parameters
    ----------
    columns, targets : int
        As of any state.
    prior : float
        The a that the matrix starts with. It is part of what is remembered: learning goes on with the a it began with.
    full : bool
        Whether all of the matrix is kept.
    weighted : bool
        Whether a learner with a diagonal matrix keeps weights besides the sums.
    sized : bool
        Whether such a learner's prior, or that of one with a sketch, is in units of the largest square of each feature
        so far.
    rank : int
        How many directions a sketch has besides its diagonal; 0 for none.

    Attributes
    ----------
    spare : SecondOrderState or None
        While classes may still come, one target that has seen -1 in every round: what a class that comes starts from.
    """

    TARGETS: ClassVar[dict[str, int]] = {"memory": _core.SECOND_ORDER_MEMORY_SIZE}

    memory: Array
    records: Array
    sums: Array
    weights: Array
    scales: Array
    factor: Array
    shed: Array
    largest: Array
    inverse: Array
    directions: Array
    gram: Array
    lower: Array
    spare: SecondOrderState | None = None
    diagonal: Diagonal | None = None  # of a narrowed state with one target, which is not played on
    stretch: Array | None = None  # with lone entries joined: x'x of what a column stands for, over its own square

    def __init__(
        self,
        columns: int,
        targets: int,
        *,
        prior: float = 1.0,
        full: bool = False,
        weighted: bool = False,
        sized: bool = False,
        rank: int = 0,
    ) -> None:
        self.full = full
        self.rank = rank
        self._weighted = weighted
        self.sized = sized and weighted and not full
        super().__init__(columns, targets)
        self._refuse_many(columns)
        self.memory[:, PRIOR] = prior
        self.memory[:, SIZE] = 0 if self.sized else -1
        for name, shape in self._layout(columns).items():
            setattr(self, name, zeros_on_lines(shape))
        if full:
            self.scales[:] = 1 / prior
        if rank:
            self.inverse[:] = 1 / self._least()

    @property
    def prior(self) -> float:
        """The a that the matrix started with."""
        return float(self.memory[0, PRIOR])

    def options(self) -> dict[str, Any]:
        """Which matrix is kept, and what it starts with."""
        return {"prior": self.prior, "full": self.full, "weighted": self._weighted, "sized": self.sized} | (
            {"rank": self.rank} if self.rank else {}
        )

    @property
    def matrix(self) -> str:
        """Which matrix is kept."""
        return "full" if self.full else "sketch" if self.rank else "diagonal"

    @property
    def _apart(self) -> bool:
        """Whether arrays are kept target after target, the constant feature first."""
        return self.full or self.rank > 0

    def make_player(self, rules: Rules) -> Any:
        """The loop over rows that keeps these arrays, and those of the spare target."""
        rows = 2 * self.rank
        player = _core.SecondOrderPlayer(
            **{name: getattr(self, name) for name in self._layout(0)},
            memory=self.memory,
            books=self.books,
            scratch=np.zeros(5 * self.targets + 4 * (self._room() + 8) + 2 * rows * (rows + 1)),
            loss=rules.loss,
            tie=rules.tie,
            intercept=rules.intercept,
        )
        return player if self.spare is None else _SparePlayer(player, self.spare, rules)

    # ---- what it means

    def narrowed(self, which: Narrow) -> Self | None:
        """Of a diagonal matrix: the sums of other columns are 0."""
        if self._apart:
            return None
        other = self._of_columns(which, ("records",))
        if self._weighted and self.targets == 1:
            numbers = _core.read_diagonal(other.records, self.prior, self.sized, LEAST_PRIOR)
            other.diagonal = Diagonal(*numbers)
        return other

    def joined(self, which: JoinedColumns) -> Self:
        """What was narrowed, to one target, with the lone entries of rows joined: of weights in lone columns the
        nearest in A that are multiples of A^-1 x."""
        assert self.diagonal is not None
        weights, _, inverse, energy, volume = self.diagonal
        other = copy(self)
        other.columns = which.size
        its = np.concatenate([inverse[which.used], which.metric[:, 0]])
        other.diagonal = Diagonal(which.nearest(weights / inverse) * its, np.sqrt(1 / its), its, energy, volume)
        other.stretch = np.concatenate([np.ones(len(which.used)), which.metric[:, 1]])
        return other

    def coefficients(self) -> Array:
        """The weights that scores are made of; with sums alone, those that short rows are scored by, u / A."""
        if self._apart:
            return np.ascontiguousarray(self.weights[:, 1:].T)
        if self.diagonal is not None:
            return self.diagonal.weights[:, None]
        first = self._part(0)
        return np.array(first) if self._weighted else np.asarray(first / self._diagonal())

    def biases(self) -> Array:
        """Weights of the constant feature, shape (targets,)."""
        if self._apart:
            return np.array(self.weights[:, 0])
        if self._weighted:
            return np.array(self.memory[:, WEIGHT])
        return np.asarray(self.memory[:, SUM] / self._constants())

    def stretched(self, vector: Array, bias: float, target: int, triangle: Array | None = None) -> float:
        """sqrt(v'A v), the constant feature included; of many vectors with a `triangle` that is made once."""
        if self.rank:
            return self.sketch(target).stretched(np.append(bias, vector))
        if self.full:
            t = np.append(vector[::-1], bias)
            _core.solve_triangle(self.triangle(target) if triangle is None else triangle, t, True)
            return length(t[::-1] / np.sqrt(self.scales[target]))
        roots, constant = self.roots(target)
        return length(vector * roots, bias * constant)

    def triangle(self, target: int) -> Array:
        """U of a full matrix as `_core.solve_triangle` takes it, which eliminates from the first entry on: its rows and
        columns in reverse, transposed."""
        size = 1 + self.columns
        triangle = np.zeros((size + 1, size + 1))
        triangle[:size, :size] = upper_of(self.factor[target], size)[::-1, ::-1].T
        return triangle

    def energy(self, target: int) -> float:
        """u'A^-1 u."""
        if self.rank:
            return self.sketch(target).energy(self.sums[target])
        if self.full:
            u, scales = self.sums[target], self.scales[target]
            products = (scales[j] * (u[j] + column @ u[:j]) ** 2 for j, column in self._columns_of_factor(target))
            return float(sum(products))
        of_constant = float(self.memory[target, SUM] ** 2 / self._constants()[target])
        if self.diagonal is not None:
            return self.diagonal.energy + of_constant
        u, a = self._part(2 if self._weighted else 0)[:, target], self._diagonal(target)
        return float((u / a) @ u) + of_constant

    def volume(self, target: int) -> float:
        """ln det(A / a), the sum over the entries of a diagonal matrix, each over what it starts with."""
        if self.rank:
            return self.sketch(target).volume()
        if self.full:
            return float(self.memory[target, VOLUME])
        if self.diagonal is not None:
            start = float(self._start(self.memory[target, SIZE])) if self.sized else self.prior
            return self.diagonal.volume + float(np.log1p(self.memory[target, SQUARE] / start))
        squares = np.append(self._part(1)[:, target], self.memory[target, SQUARE])
        sizes = np.append(self._part(3)[:, target], self.memory[target, SIZE]) if self.sized else np.ones(1)
        return float(np.log1p(squares / self._start(sizes)).sum())

    def roots(self, target: int) -> tuple[Array, float]:
        """Square roots of the entries of a diagonal A, and that of the constant feature."""
        if self.diagonal is not None:
            return self.diagonal.roots, sqrt(self._constants()[target])
        return np.sqrt(self._diagonal(target)), sqrt(self._constants()[target])

    def inverse_of(self, target: int) -> tuple[Array, float]:
        """The inverses of the entries of a diagonal A, and that of the constant feature's."""
        roots, constant = self.roots(target)
        return 1 / np.square(roots) if self.diagonal is None else self.diagonal.inverse, 1 / constant**2

    def sketch(self, target: int) -> Sketch:
        """The matrix of a target where a sketch is kept, the constant feature first."""
        start = self._start(self.largest[target]) if self.sized else np.full(1 + self.columns, self.prior)
        return Sketch(start, self.shed[target], self.directions[target])

    def root(self, target: int) -> Array:
        """A matrix R with R R' = A^-1, where A is full: U sqrt(D)."""
        return np.asarray(upper_of(self.factor[target], 1 + self.columns) * np.sqrt(self.scales[target]))

    def _part(self, place: int) -> Array:
        """One of the numbers of each record, shape (columns, targets)."""
        return self.records[: self.columns, place * self.targets : (place + 1) * self.targets]

    def _diagonal(self, target: int | slice = slice(None)) -> Array:
        """Of A, shape (columns, targets), or that of one target alone, shape (columns,)."""
        start = self._start(self._part(3)[:, target]) if self.sized else self.prior
        return np.asarray(start + self._part(1)[:, target])

    def entries(self) -> Array:
        """Of a diagonal A, the constant feature's first, shape (1 + columns, targets)."""
        return np.vstack([self._constants()[None], self._diagonal()])

    def _constants(self) -> Array:
        """The entries of a diagonal A for the constant feature, shape (targets,)."""
        start = self._start(self.memory[:, SIZE]) if self.sized else self.prior
        return np.asarray(start + self.memory[:, SQUARE])

    def _start(self, sizes: Array) -> Array:
        """What entries start with, by the largest squares; by 1 where no update had the feature."""
        return np.asarray(np.maximum(self.prior * np.where(sizes > 0, sizes, 1.0), LEAST_PRIOR))

    def _columns_of_factor(self, target: int) -> Iterator[tuple[int, Array]]:
        """The columns of U above the diagonal, the last first."""
        upper = upper_of(self.factor[target], 1 + self.columns)
        for j in range(self.columns, -1, -1):
            yield j, upper[:j, j]

    # ---- what can be done with it

    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target."""
        if self._apart:
            for array in (self.sums, self.weights):
                array[target] = 0 - array[target]
        else:
            for place in (0, 2) if self._weighted else (0,):
                part = self._part(place)
                part[:, target] = 0 - part[:, target]
        self.memory[target, [SUM, WEIGHT]] = 0 - self.memory[target, [SUM, WEIGHT]]

    def copy_target(self, source: BaseState, i: int, j: int) -> None:
        """Take over what target i of another state of this kind has learned, as target j."""
        super().copy_target(source, i, j)
        if not isinstance(source, SecondOrderState) or source.options() != self.options():
            raise TypeError("targets are copied between states of one kind")
        if self._apart:
            for name in self._layout(0):
                ours, theirs = getattr(self, name)[j], getattr(source, name)[i]
                ours[..., : theirs.shape[-1]] = theirs
        else:
            for place in range(self._numbers()):
                self._part(place)[: source.columns, j] = source._part(place)[:, i]

    def grow(self, columns: int) -> None:
        """Make room for columns that the stream has revealed; what is new owes nothing to the rest."""
        if self.spare is not None:
            self.spare.grow(columns)
        if columns > self._room():
            self._refuse_many(columns)
            # A matrix is as large as it must be: it grows seldom, and room would be dear.
            room = columns if self._apart else max(columns, min(2 * self._room(), 2 * columns))
            for name, shape in self._layout(room).items():
                larger, old = zeros_on_lines(shape), getattr(self, name)
                larger[tuple(map(slice, old.shape))] = old
                setattr(self, name, larger)
            if self.full:
                self.scales[:, 1 + self.columns :] = 1 / self.prior
            if self.rank:
                self.inverse[:, 1 + self.columns :] = 1 / self._least()
            self._player = None
        super().grow(columns)

    def tensors(self) -> dict[str, Array]:
        """All that must be kept of it, by name, and of the spare target."""
        arrays = {name: getattr(self, name) for name in self._layout(0)}
        if not self._apart:
            arrays["records"] = self.records[: self.columns]
        spare = {} if self.spare is None else self.spare.tensors()
        return {**arrays, **super().tensors(), **{SPARE + name: array for name, array in spare.items()}}

    def shapes(self, columns: int) -> dict[str, tuple[int, ...]]:
        """The shapes of what `tensors` gives when there are so many columns."""
        return {**self._layout(columns), **super().shapes(columns)}

    def adopt(self, columns: int, tensors: Mapping[str, Array]) -> None:
        """Take over what `tensors` gave; which matrix was kept is seen from it.

        Raises
        ------
        ValueError
            If arrays are missing, too many, of another shape, or hold something else than they must.
        """
        full, rows = "factor" in tensors, tensors.get("directions")
        sized = not full and "memory" in tensors and tensors["memory"].size > SIZE and tensors["memory"].flat[SIZE] >= 0
        rank = rows.shape[1] // 2 if rows is not None and rows.ndim == 3 else 0
        if (full, sized, rank) != (self.full, self.sized, self.rank):
            options = self.options() | {"full": full, "sized": bool(sized), "rank": rank}
            other = type(self)(0, self.targets, **options)
            vars(self).clear()
            vars(self).update(vars(other))
        spare = {name.removeprefix(SPARE): array for name, array in tensors.items() if name.startswith(SPARE)}
        self.spare = None
        own = {name: array for name, array in tensors.items() if not name.startswith(SPARE)}
        if self.full and own["factor"].shape == (self.targets, (1 + columns) * columns // 2):
            own["factor"] = _by_fours(own["factor"], 1 + columns)
        super().adopt(columns, own)
        self._check_signs()
        if spare:
            self.spare = self.blank(columns, 1)
            self.spare.adopt(columns, spare)
            if self.spare.spare is not None or self.spare.options() != self.options():
                raise ValueError("its spare target is of another kind")

    def _check_signs(self) -> None:
        """Refuse what no matrix that was learned has."""
        positive = [self.memory[:, PRIOR]]
        squares = [self.memory[:, [SQUARE, VOLUME]]]
        if self.full:
            positive.append(self.scales)
        elif self.rank:
            positive.append(self.inverse)
            squares += [self.shed, self.largest, np.diagonal(self.lower, axis1=1, axis2=2)]
        else:
            squares.append(self._part(1))
        if self.sized and not self.rank:
            squares += [self.memory[:, SIZE], self._part(3)]
        if any((array <= 0).any() for array in positive) or any((array < 0).any() for array in squares):
            raise ValueError("its matrix is not positive")

    def add_spare(self) -> None:
        """Let one more target see -1 in every round from here on."""
        self.spare, self._player = self.blank(self.columns, 1), None

    def drop_spare(self) -> None:
        """All classes are known."""
        self.spare, self._player = None, None

    def size(self, columns: int) -> int:
        """How many bytes it takes when there are so many columns."""
        return super().size(columns) + (0 if self.spare is None else self.spare.size(columns))

    def _least(self) -> float:
        """What the entry of a sketch's diagonal is for a feature that no update had."""
        return LEAST_PRIOR if self.sized else self.prior

    def _layout(self, columns: int) -> dict[str, tuple[int, ...]]:
        """The arrays besides memory and books, and their shapes for so many columns."""
        if self.rank:
            rows = 2 * self.rank
            return {
                **dict.fromkeys(("sums", "weights", "shed", "largest", "inverse"), (self.targets, 1 + columns)),
                "directions": (self.targets, rows, 1 + columns),
                **dict.fromkeys(("gram", "lower"), (self.targets, rows, rows)),
            }
        if not self.full:
            # One target's three numbers are filled up to four, which a register holds.
            filled = self._weighted and self.targets == 1
            return {"records": (columns, 4 if filled else self._numbers() * self.targets)}
        size = 1 + columns
        return {
            **dict.fromkeys(("sums", "weights", "scales"), (self.targets, size)),
            "factor": (self.targets, _core.factor_size(size)),
        }

    def _numbers(self) -> int:
        """How many there are of a feature and a target."""
        return 2 + self._weighted + self.sized

    def _room(self) -> int:
        return self.sums.shape[1] - 1 if self._apart else len(self.records)

    def _refuse_many(self, columns: int) -> None:
        if self.full and columns > MOST_COLUMNS:
            raise RegretlessError(
                f"there are {columns:,} features, and matrix='full' takes {MOST_COLUMNS:,}; give matrix='diagonal'"
            )


def _by_fours(columns: Array, size: int) -> Array:
    """The factors that a model of version 0.1 has: the columns of each above the diagonal, one after the other."""
    factors = np.zeros((len(columns), _core.factor_size(size)), columns.dtype)
    for target, column in zip(factors, columns, strict=True):
        lower = np.zeros((size, size))
        lower[np.tril_indices(size, -1)] = column
        put_upper(target, lower.T)
    return factors


class _SparePlayer(BatchPlayer):
    """Plays the rounds, and each of them once more as -1 for the spare target."""

    def __init__(self, player: Any, spare: SecondOrderState, rules: Rules) -> None:
        self.score, self.watch = player.score, player.watch
        self._player, self._spare, self._rules = player, spare, rules

    def play_rounds(self, rounds: BatchRounds) -> Report:
        """Play them, and those that were played once more."""
        played, why = self._player.play(*rounds)
        if played > rounds.begin:
            again = rounds._replace(labels=np.full_like(rounds.labels, -1), end=played)
            self._spare.player(self._rules).play(*again)
        return played, why

    def one(self, x: Array, label: int, weight: float = 1.0) -> Report:
        """Play one dense round."""
        outcome: Report = self._player.one(x, label, weight)
        if outcome[1] is None:
            self._spare.player(self._rules).one(x, -1, weight)
        return outcome
