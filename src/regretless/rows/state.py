"""What a learner over rows remembers: plain arrays, so that copying, saving and resuming come for free."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import groupby
from math import inf, prod, sqrt
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .. import _core
from ..arrays import set_own
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import FIELDS, Ledger
from ..memory import allowed, more, shown
from .narrowed import FewColumns, Narrow, few_columns

LONG = 1 << 13  # numbers of a vector that is read once for its length, if that is possible
LEAST_SQUARES = 1e-200  # beside which squares that are no floats of full precision are nothing
LEAST_ENTRY, MOST_ENTRY = _core.LEAST_ENTRY, _core.MOST_ENTRY  # of rows: numbers whose fourth powers are floats


@dataclass(frozen=True, slots=True)
class Rules:
    """The composition that a learner's name and parameters stand for."""

    geometry: str = "euclidean"
    loss: str = "perceptron"
    rate: str = "constant"
    radius: float = 0.0
    eta: float = 1.0
    tie: float = 0.0
    intercept: float = 0.0
    limit: float = 1.0
    margin: float = 0.0


Report = tuple[int, str | None]
"""Where a player ended, and what stopped it before the end; None if nothing did."""


class BatchRounds(NamedTuple):
    """The rounds begin <= t < end of some rows, as players take them.

    Attributes
    ----------
    values, indices, starts : ndarray
        The rows; dense ones have no indices and no starts.
    labels, weights : ndarray
        By row; no weights: all are 1.
    order : ndarray of int, optional
        The row of each round.
    begin, end : int
        -1 is the end of all rounds.
    """

    values: Array
    indices: Array | None
    starts: Array | None
    labels: Array
    weights: Array | None = None
    order: Array | None = None
    begin: int = 0
    end: int = -1

    @property
    def total(self) -> int:
        """How many rounds there are, from 0 on."""
        return len(self.labels if self.order is None else self.order)

    def rows(self, columns: int) -> Batch:
        """The rows, without labels."""
        return Batch(self.values, None, columns, self.indices, self.starts)


class BatchPlayer(ABC):
    """A player in Python around a compiled one, which is called in the same way."""

    def play(self, *rounds: Any) -> Report:
        """Play rounds, which are given as the fields of `BatchRounds`."""
        return self.play_rounds(BatchRounds(*rounds))

    def one(self, x: Array, label: int, weight: float = 1.0) -> Report:
        """Play one dense round."""
        return self.play(x[None], None, None, np.array([label], dtype=np.int32), np.array([weight]))

    @abstractmethod
    def play_rounds(self, rounds: BatchRounds) -> Report:
        """Play these rounds."""


class BaseState(ABC):
    """Named arrays of one or several targets, and what can be done with them whatever they mean.

    A subclass says which arrays there are and how they are played. Arrays of `FEATURES` are (room, targets), with
    room for at least `columns` features; those of `TARGETS` are (targets, size).

    Parameters
    ----------
    columns : int
        How many features there are so far.
    targets : int
        How many learners play side by side: 1 for two classes, one for each class otherwise.
    """

    whole: bool = True  # of a narrowed state: whether it has all that is not 0, as it is
    FEATURES: ClassVar[dict[str, float]] = {}  # name -> what stands in the row of a feature that is new
    TARGETS: ClassVar[dict[str, int]] = {}  # name -> numbers a target

    def __init__(self, columns: int, targets: int) -> None:
        self.columns = columns
        self.targets = targets
        self.books = np.zeros((targets + (targets > 1), len(FIELDS)))
        self._refuse_large(columns)
        for name, fill in self.features().items():
            setattr(self, name, _full(columns, targets, fill))
        for name, size in self.TARGETS.items():
            setattr(self, name, np.zeros((targets, size)))
        self.steady = True  # whether all rounds were played by the same rules
        self.rules: Rules | None = None
        self._player: tuple[Rules, Any] | None = None

    @abstractmethod
    def make_player(self, rules: Rules) -> Any:
        """A compiled player over these arrays."""

    @abstractmethod
    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target; 0 - w, because -0 would be another bit pattern than 0."""

    @abstractmethod
    def coefficients(self) -> Array:
        """The weights that scores are made of, shape (columns, targets)."""

    @abstractmethod
    def biases(self) -> Array:
        """Weights of the constant feature, shape (targets,)."""

    def sizes(self) -> Array | None:
        """The largest size of each feature so far, shape (columns,); None of a state that does not know it."""
        return None

    def features(self) -> dict[str, float]:
        """The arrays of shape (room, targets) that this state has, and what new rows of theirs hold."""
        return self.FEATURES

    def options(self) -> dict[str, Any]:
        """What the constructor needs besides columns and targets to make another state of this kind, as JSON values."""
        return {}

    def blank(self, columns: int, targets: int) -> Self:
        """An empty state of the same kind."""
        return type(self)(columns, targets, **self.options())

    def tensors(self) -> dict[str, Array]:
        """All that must be kept of it, by name."""
        arrays = {name: getattr(self, name)[: self.columns] for name in self.features()}
        return {**arrays, **{name: getattr(self, name) for name in self.TARGETS}, "books": self.books}

    def shapes(self, columns: int) -> dict[str, tuple[int, ...]]:
        """The shapes of what `tensors` gives when there are so many columns."""
        return {
            **dict.fromkeys(self.features(), (columns, self.targets)),
            **{name: (self.targets, size) for name, size in self.TARGETS.items()},
            "books": self.books.shape,
        }

    def adopt(self, columns: int, tensors: Mapping[str, Array]) -> None:
        """Take over what `tensors` gave, in a state that is empty and has as many targets.

        Raises
        ------
        ValueError
            If arrays are missing, too many, of another shape, or hold something else than finite numbers.
        """
        if {name: array.shape for name, array in tensors.items()} != self.shapes(columns):
            raise ValueError("its arrays have other shapes than its classes and columns ask for")
        if any(array.dtype != np.float64 or not np.isfinite(array).all() for array in tensors.values()):
            raise ValueError("its arrays hold something else than finite numbers")
        self.columns = columns
        for name, array in tensors.items():
            setattr(self, name, array)
        self._player = None

    def compared(self) -> dict[str, Array]:
        """The arrays in which states that are the same have the same bits."""
        return self.tensors()

    def same(self, other: BaseState) -> bool:
        """Whether another state holds the same bits."""
        ours, theirs = self.compared(), other.compared()
        return ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)

    def copy_target(self, source: BaseState, i: int, j: int) -> None:
        """Take over what a target of another state of this kind has learned.

        Parameters
        ----------
        source : BaseState
            Of as many columns, or fewer.
        i, j : int
            Its target, and the one here that it becomes.
        """
        for name in self.features():
            getattr(self, name)[: source.columns, j] = getattr(source, name)[: source.columns, i]
        for name in (*self.TARGETS, "books"):
            getattr(self, name)[j] = getattr(source, name)[i]

    def copy_targets(self, source: BaseState, places: Mapping[int, int]) -> None:
        """Take over targets of another state of this kind: target i as target places[i]."""
        if type(self).copy_target is not BaseState.copy_target:
            for i, j in places.items():
                self.copy_target(source, i, j)
            return
        # Column by column, each would read all of the memory that the others stand in; by lists of numbers, four times
        # as slowly as by slices. A class that comes leaves those on either side of it together.
        for old, new in _runs(places):
            for name in self.features():
                getattr(self, name)[: source.columns, new] = getattr(source, name)[: source.columns, old]
            for name in (*self.TARGETS, "books"):
                getattr(self, name)[new] = getattr(source, name)[old]

    def grow(self, columns: int) -> None:
        """Make room for columns that the stream has revealed."""
        if columns <= self.columns:
            return
        self._refuse_large(columns)
        for name, fill in self.features().items():
            array = getattr(self, name)
            if columns > len(array):
                room = max(columns, min(2 * len(array), 2 * columns))
                setattr(self, name, _with_rows(array, room, fill))
                self._player = None
        self.columns = columns

    def few_columns(self, batch: Batch) -> FewColumns | None:
        """The rounds that were played in fewer columns, in which it can be narrowed; None where most are needed."""
        return few_columns(batch)

    def narrowed(self, which: Narrow) -> Self | None:
        """The state as it stands in some columns, the only ones that its rounds had; to be read, not to be played on.

        None of a state that says something of other columns than those of its rounds.
        """
        return None

    def _of_columns(self, which: Narrow, names: Iterable[str] | None = None) -> Self:
        """A copy that has some rows of these arrays, the features' by default, and shares what is of targets."""
        other = copy(self)
        other.columns, other._player, other.whole = which.size, None, True
        for name in self.features() if names is None else names:
            rows, clean = which.of(getattr(self, name))
            setattr(other, name, rows)
            other.whole &= clean
        return other

    def size(self, columns: int) -> int:
        """How many bytes it takes when there are so many columns."""
        return 8 * sum(prod(shape) for shape in self.shapes(columns).values())

    def _refuse_large(self, columns: int) -> None:
        """Refuse arrays that would take more memory than is allowed: one number of a file may ask for all of them."""
        size = self.size(columns)
        if size > allowed():
            classes = f" for each of {self.targets:,} classes" if self.targets > 1 else ""
            problem = f"what is learned of {columns:,} features{classes} would take {shown(size)} of memory"
            raise RegretlessError(f"{problem}; hash the features (--hash-bits), or {more()}")

    def player(self, rules: Rules) -> Any:
        """The compiled player over these arrays; made once and used until they move."""
        if self._player is None or (self._player[0] is not rules and self._player[0] != rules):
            self._player = rules, self.make_player(rules)
        return self._player[1]

    def follow(self, rules: Rules) -> None:
        """Take note of the rules that the next rounds are played by."""
        if self.rules is not rules and self.rules is not None and self.rules != rules:
            self.steady = False
        self.rules = rules

    def norms(self) -> list[float]:
        """Length of each target's weights, the constant feature's included."""
        weights, biases = self.coefficients(), self.biases()
        return [length(weights[:, c], float(biases[c])) for c in range(self.targets)]

    def ledgers(self) -> list[Ledger]:
        """One ledger a target."""
        return [Ledger.read(book) for book in self.books[: self.targets]]

    def ledger(self) -> Ledger:
        """The ledger of the whole: with several targets, rounds and mistakes are those of the class that is predicted,
        and what the targets were charged and moved adds up."""
        whole = Ledger.read(self.books[-1])
        if self.targets == 1:
            return whole
        parts = self.books[: self.targets]
        total = dict(zip(FIELDS, parts.sum(axis=0).tolist(), strict=True))
        most = dict(zip(FIELDS, parts.max(axis=0).tolist(), strict=True))
        return Ledger(
            rounds=whole.rounds,
            updates=total["updates"],
            mistakes=whole.mistakes,
            loss=total["loss"],
            slope2=total["slope2"],
            step2=total["step2"],
            max_norm2=whole.max_norm2,
            update_norm2=total["update_norm2"],
            total_norm2=whole.total_norm2,
            reach2=most["reach2"],
            first_rate=most["first_rate"],
            last_rate=float(parts[:, FIELDS.index("last_rate")].min()),
            weighted=whole.weighted,
        )

    def scores(self, batch: Batch, rules: Rules) -> tuple[Array, tuple[int, str | None]]:
        """Scores of all rows, shape (rows, targets), and how far the kernel came."""
        out = np.empty((len(batch), self.targets))
        outcome = self.player(rules).score(batch.values, batch.indices, batch.starts, out)
        return out, outcome

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_player"} | {"_player": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        set_own(self, state)


def _runs(places: Mapping[int, int]) -> Iterator[tuple[slice, slice]]:
    """Which neighbours stay neighbours, as slices of the old places and of the new ones."""
    pairs = sorted(places.items())
    for _, run in groupby(enumerate(pairs), lambda one: (one[1][0] - one[0], one[1][1] - one[0])):
        (_, (old, new)), *more = run
        yield slice(old, old + len(more) + 1), slice(new, new + len(more) + 1)


def _with_rows(array: Array, rows: int, fill: float) -> Array:
    larger = _full(rows, array.shape[1], fill)
    larger[: len(array)] = array
    return larger


def _full(rows: int, targets: int, fill: float) -> Array:
    return np.full((rows, targets), fill) if fill else np.zeros((rows, targets))  # zeros cost nothing until they move


def zeros_on_lines(shape: tuple[int, ...]) -> Array:
    """Zeros that begin where a cache line does: what belongs to a feature, four numbers or more, would else lie in one
    line more than it fills. Many cost nothing until they move."""
    return _core.zeros(prod(shape)).reshape(shape)


def length_of(squares: float, bias: float) -> float | None:
    """Euclidean length by the sum of squares, and another number; None where squares may be no floats of full
    precision."""
    squares += bias * bias
    return sqrt(squares) if LEAST_SQUARES < squares < 1 / LEAST_SQUARES else None


def length(vector: Array, bias: float = 0.0) -> float:
    """Euclidean length, also of what is so small or so large that its squares are not floats."""
    if len(vector) > LONG and vector.flags.c_contiguous and vector.dtype == np.float64:
        size = length_of(_core.squares(vector), bias)
        if size is not None:
            return size
    largest = max(float(vector.max(initial=0.0)), -float(vector.min(initial=0.0)), abs(bias))
    if not 0 < largest < inf:
        return largest
    shares = np.asarray(vector / largest)
    squares = float(np.square(shares, out=shares).sum())  # with BLAS it would depend on the number of threads
    return largest * sqrt(squares + (bias / largest) ** 2)


def dot(a: Array, b: Array) -> float:
    """<a, b> without a BLAS, whose sums depend on the machine and on how many threads it has."""
    return float(np.einsum("i,i->", a, b))
