"""What a learner of mirror steps remembers, dual coordinates and the weights that follow from them; and how the
theorems of Winnow and of the p-norm perceptron measure a comparator, and where they look for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any, ClassVar, Self

import numpy as np

from .. import _core
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..ledger import FIELDS
from ..rows.narrowed import MANY_COLUMNS, FewColumns, JoinedColumns, Narrow, few_columns, joined_columns
from ..rows.state import BaseState, Rules
from ..theory.rounding import EPSILON
from .separation.budget import Budget
from .state import EUCLIDEAN, Geometry

# columns of `memory`
COLUMNS, POWER, MET, REFERENCE, BASE, SUM, REST, PEAK, TOUCHED, STEPS, BIAS, BIAS_CACHED, REACH = range(
    _core.MIRROR_MEMORY_SIZE
)

REVERSED = "reversed."  # before the names of the arrays of reversed rounds
_OWN = ("memory", "books")
MISTAKES = FIELDS.index("mistakes")
MOST_LP_ENTRIES = 200_000  # beyond these a linear program takes longer than its direction is worth
MOST_LP_WORK = 1e10  # multiplications, about 5 seconds
UNLIKELY = 10  # times as dear is a program from which nothing is to be expected

Duals = Callable[[int], tuple[Array, float]]


@dataclass(frozen=True, slots=True)
class MirrorRules(Rules):
    """Rules of a mirror step.

    Attributes
    ----------
    power : float
        p of the power link; 0 for whatever the state began with.
    gamma, made_for : float
        The margin and the largest absolute entry that the rate was made for; a gamma of 0 if it was made for none.
    """

    power: float = 0.0
    gamma: float = 0.0
    made_for: float = 1.0


class MirrorState(BaseState):
    """Dual coordinates of one or several targets.

    The truth is `theta`; `cached` holds the weights relative to a reference, and `memory` what keeps their normaliser.
    Both lie side by side in `pairs`, shape (room, 2 * targets): an update finds one where it has read the other.

    Parameters
    ----------
    columns, targets : int
        As of any state.
    link : {"simplex", "balanced", "power"}
        How weights follow from dual coordinates.
    constant : bool
        Whether there is a constant feature.
    power : float
        p of the power link.
    """

    FEATURES: ClassVar[dict[str, float]] = {"theta": 0.0, "cached": 0.0}
    TARGETS: ClassVar[dict[str, int]] = {"memory": _core.MIRROR_MEMORY_SIZE}

    pairs: Array
    memory: Array
    # The same rounds with their signs reversed, while one class alone is known and may turn out to be either sign:
    # weights without negative entries cannot be turned round afterwards.
    reversed: MirrorState | None = None
    # Of a narrowed state, which is not played on: the numbers that lone entries are joined to, and weights.
    joins: JoinedColumns | None = None
    _joined: dict[int, tuple[Array, float]]

    def __init__(
        self, columns: int, targets: int, *, link: str = "simplex", constant: bool = False, power: float = 2.0
    ) -> None:
        self.link, self.constant, self.power = link, constant, power
        super().__init__(columns, targets)
        self.pairs = np.zeros((columns, 2 * targets))
        for target in range(targets):
            self.begin(target)

    def features(self) -> dict[str, float]:
        """Both arrays, once the pairs are there that hold them."""
        return self.FEATURES if hasattr(self, "pairs") else {}

    @property
    def cached(self) -> Array:
        """Weights relative to the reference, shape (room, targets)."""
        return self.pairs[:, : self.targets]

    @cached.setter
    def cached(self, array: Array) -> None:
        self._lengthen(len(array))
        self.pairs[:, : self.targets] = array

    @property
    def theta(self) -> Array:
        """Dual coordinates, shape (room, targets)."""
        return self.pairs[:, self.targets :]

    @theta.setter
    def theta(self, array: Array) -> None:
        self._lengthen(len(array))
        self.pairs[:, self.targets :] = array

    def _lengthen(self, room: int) -> None:
        pairs = self.pairs
        if len(pairs) != room:
            self.pairs = np.zeros((room, 2 * self.targets))
            self.pairs[: min(room, len(pairs))] = pairs[:room]

    def options(self) -> dict[str, Any]:
        """The link."""
        return {"link": self.link, "constant": self.constant, "power": self.power}

    def make_player(self, rules: Rules) -> Any:
        """Mirror steps over rows.

        Raises
        ------
        RegretlessError
            If the rules are of another geometry than the state.
        """
        power = getattr(rules, "power", 0.0) or self.power
        if (rules.geometry, rules.intercept > 0, power) != (self.link, self.constant, self.power):
            raise RegretlessError("what the weights are made of cannot change after the first round; fit anew")
        return _core.MirrorPlayer(
            self.pairs,
            self.memory,
            self.books,
            np.zeros(2 * self.targets),
            link=self.link,
            rate=rules.eta,
            tie=rules.tie,
            intercept=rules.intercept,
        )

    def grow(self, columns: int) -> None:
        """Make room for columns that the stream has revealed: their dual coordinates are 0."""
        if self.reversed is not None:
            self.reversed.grow(columns)
        before = self.columns
        super().grow(columns)
        if self.columns > before:
            if self.link == "simplex":
                self.cached[before : self.columns] = self.memory[:, BASE]
            self.memory[:, COLUMNS] = self.columns

    def adopt(self, columns: int, tensors: Mapping[str, Array]) -> None:
        """Take over what `tensors` gave."""
        twins = {name[len(REVERSED) :]: array for name, array in tensors.items() if name.startswith(REVERSED)}
        self.reversed = None
        if twins:
            twin = self.blank(columns, self.targets)
            twin.adopt(columns, twins)
            self.reversed = twin
        super().adopt(columns, {name: array for name, array in tensors.items() if not name.startswith(REVERSED)})
        if (self.memory[:, COLUMNS] != columns).any():
            raise ValueError("its memory counts other columns than it has")
        power = float(self.memory[0, POWER])
        if not power >= 2 or (self.memory[:, POWER] != power).any():
            raise ValueError("its memory holds a power that is none")
        self.power = power

    def copy_target(self, source: BaseState, i: int, j: int) -> None:
        """Take over what target i of another state has learned, as target j."""
        super().copy_target(source, i, j)
        self.memory[j, COLUMNS] = self.columns

    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target.

        Nonnegative weights cannot be negated. Where the rounds were played with reversed signs beside, those weights
        take the place of these, which predicted the rounds: their mistakes stay. Else such a target starts anew, with
        an empty ledger.
        """
        if self.link == "simplex":
            if self.reversed is not None:
                self.reversed.books[:, MISTAKES] = self.books[:, MISTAKES]
                self.pairs, self.memory, self.books = (getattr(self.reversed, name) for name in ("pairs", *_OWN))
                self.reversed, self._player = None, None
                return
            self.pairs[:, [target, self.targets + target]] = 0
            self.begin(target)
            return
        self.theta[:, target] = 0 - self.theta[:, target]
        self.cached[:, target] = 0 - self.cached[:, target]
        for column in (BIAS, BIAS_CACHED):
            self.memory[target, column] = 0 - self.memory[target, column]

    def tensors(self) -> dict[str, Array]:
        """The arrays, and those of the reversed rounds."""
        twins = {} if self.reversed is None else self.reversed.tensors()
        return {**super().tensors(), **{REVERSED + name: array for name, array in twins.items()}}

    def compared(self) -> dict[str, Array]:
        """Both arrays of features as they lie side by side: apart they are read with gaps, four times as slowly."""
        apart = {name: array for name, array in self.tensors().items() if name not in self.FEATURES}
        return {**apart, "pairs": self.pairs[: self.columns]}

    def coefficients(self) -> Array:
        """The weights, normalised: shape (columns, targets)."""
        return np.column_stack([self._weights(c)[0] for c in range(self.targets)])

    def biases(self) -> Array:
        """Weights of the constant feature, shape (targets,)."""
        if not self.constant:
            return np.zeros(self.targets)
        return np.array([self._weights(c)[1] for c in range(self.targets)])

    def begin(self, target: int) -> None:
        """Start this target from nothing; its pairs are zeros."""
        if self.link == "simplex":  # the others' pages are left alone until a round needs them
            self.cached[: self.columns, target] = 1
        self.memory[target] = 0
        self.memory[target, [COLUMNS, POWER]] = self.columns, self.power
        self.memory[target, REFERENCE] = self.link == "power"
        self.memory[target, BASE] = self.link != "power"
        self.memory[target, BIAS_CACHED] = self.link == "simplex"
        self.books[target] = 0

    def few_columns(self, batch: Batch) -> FewColumns | None:
        """With lone entries joined where a simplex is measured, and no linear program tried, in which lone entries are
        not worth their squares; or in the columns that occur."""
        few = None
        if self.link != "power" and batch.entries > MOST_LP_ENTRIES:
            few = joined_columns(batch, sums=True, apart=self.link == "simplex")
        return few or few_columns(batch)

    def narrowed(self, which: Narrow) -> Self | None:
        """The dual coordinates of other columns are 0, and of lone entries multiples of these; how many there are in
        all, the memory says."""
        other = self._of_columns(which, ("pairs",))
        other.joins, other._joined = which if isinstance(which, JoinedColumns) else None, {}
        other.whole = False  # for another number of columns would be played otherwise
        return other

    def duals(self, target: int) -> tuple[Array, float]:
        """Dual coordinates of the features and of the constant one."""
        return self.theta[: self.columns, target], float(self.memory[target, BIAS])

    @property
    def weighed(self) -> int:
        """Over how many weights the simplex is: N."""
        features = int(self.memory[0, COLUMNS]) + self.constant
        return 2 * features if self.link == "balanced" else features

    def _all(self, target: int) -> Array:
        theta, bias = self.duals(target)
        return np.append(theta, bias) if self.constant else theta

    def _weights(self, target: int) -> tuple[Array, float]:
        theta = self._all(target)
        if not theta.size:
            return theta, 0.0
        if self.joins is not None:
            if target not in self._joined:  # asked for more than once
                self._joined[target] = self._joined_weights(theta, self.joins)
            return self._joined[target]
        weights = _LINKS[self.link](theta, self.power)
        return weights[: self.columns], float(weights[-1]) if self.constant else 0.0

    def _joined_weights(self, theta: Array, joins: JoinedColumns) -> tuple[Array, float]:
        """Of weights in lone columns, which are no multiples of the entries, the nearest that are: they have the same
        scores."""
        shared, count = len(joins.used), len(joins.lone)
        numbers = theta[shared : self.columns], theta[:shared], theta[self.columns :]
        weights = _LINKS[self.link](np.concatenate([joins.alone(numbers[0]), *numbers[1:]]), self.power)
        alone = np.add.reduceat(weights[:count] * joins.shares, joins.starts[:-1])
        return np.concatenate([weights[count : count + shared], alone]), float(weights[-1]) if self.constant else 0.0


def _simplex(theta: Array, power: float) -> Array:
    weights = np.exp(theta - theta.max())
    return np.asarray(weights / weights.sum())


def _balanced(theta: Array, power: float) -> Array:
    sizes = np.abs(theta)
    largest = float(sizes.max())
    up, down = np.exp(sizes - largest), np.exp(-sizes - largest)
    near = np.sinh(np.minimum(sizes, 1.0)) * np.exp(-largest)  # the digits of small weights are kept
    return np.asarray(np.copysign(np.where(sizes < 1, near, (up - down) / 2), theta) / ((up + down) / 2).sum())


def _power(theta: Array, power: float) -> Array:
    largest = float(np.abs(theta).max())
    if largest == 0:
        return np.zeros_like(theta)
    shares = np.abs(theta) / largest
    norm = float((shares**power).sum()) ** (1 / power)
    return np.asarray(largest * norm * np.copysign((shares / norm) ** (power - 1), theta))


_LINKS = {"simplex": _simplex, "balanced": _balanced, "power": _power}


# ---- comparators


class DualGeometry(Geometry):
    """Of learners that keep dual coordinates.

    Parameters
    ----------
    duals : callable
        Of a target: the dual coordinates of its features, and that of the constant feature.
    """

    def __init__(self, duals: Duals) -> None:
        self.duals = duals

    def product(self, vector: Array, bias: float, target: int) -> float:
        """<v, theta>, the constant feature included."""
        theta, theta_bias = self.duals(target)
        return float((vector * theta[: len(vector)]).sum()) + bias * theta_bias


class SimplexGeometry(DualGeometry):
    """The sum of absolute entries, and the divergence from the uniform start.

    Parameters
    ----------
    duals : callable
        As of any `DualGeometry`.
    weights : int
        How many weights there are: N.
    balanced : bool
        Whether entries may be negative.
    intercept : float
        Size of the constant feature.
    made_for_margin : bool, default=False
        Whether the rate was made for a margin, so that a vector that has it is worth a long search.
    groups : ndarray, shape (joined numbers, 3), optional
        Where lone entries are joined: of the sizes s of what each of the last columns stands for the sum, that of
        s ln s, and their number.
    """

    PART = "yours, its positive part"
    OF_MARGIN = EUCLIDEAN

    def __init__(
        self,
        duals: Duals,
        weights: int,
        *,
        balanced: bool,
        intercept: float,
        made_for_margin: bool = False,
        groups: Array | None = None,
    ) -> None:
        super().__init__(duals)
        self.weights, self.balanced, self.intercept = weights, balanced, intercept
        self.made_for_margin, self._groups = made_for_margin, groups

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """Sum of absolute entries, infinite where a negative one is not allowed; divergence of their shares."""
        wide = self._groups is not None or len(vector) > MANY_COLUMNS
        if wide and (self.balanced or (bias >= 0 and vector.min() >= 0)):
            measured = self.measure_columns(np.ascontiguousarray(vector)[:, None], [bias], target)
            if measured is not None:
                return measured[0][:2]
        sizes = np.append(vector, bias)
        if self.balanced:
            np.abs(sizes, out=sizes)
        elif sizes.min() < 0:
            return inf, 0.0
        total = float(sizes.sum())
        if not 0 < total < inf:
            return total, 0.0
        shares = sizes[sizes > 0]
        shares /= total
        logs = np.log(shares)
        logs *= shares
        # A difference, and near the start all of it may be lost: theorems divide it by what is as small.
        error = EPSILON * (len(shares) + 4) * (1 + log(self.weights))
        return total, max(0.0, log(self.weights) + float(logs.sum())) + error

    def measure_columns(
        self, table: Array, biases: Sequence[float], target: int
    ) -> list[tuple[float, float, float]] | None:
        """The sums, divergences and products of vectors that lie side by side and are allowed."""
        theta, theta_bias = self.duals(target)
        duals, rests = np.ascontiguousarray(theta[: len(table)]), np.abs(biases).tolist()
        numbers = _core.simplex_sums(table, duals, rests, self._groups)
        measured = []
        for bias, total, product, logs, count in zip(biases, *numbers, strict=True):
            if not 0 < total < inf:
                return None
            share = abs(bias) / total
            if share > 0:
                logs, count = logs + share * log(share), count + 1
            error = EPSILON * (count + 4) * (1 + log(self.weights))  # as above
            measured.append((total, max(0.0, log(self.weights) + logs) + error, product + bias * theta_bias))
        return measured

    def admissible(self, vector: Array, bias: float) -> tuple[Array, float]:
        """The vector without its negative entries, unless they are allowed."""
        return (vector, bias) if self.balanced else (np.maximum(vector, 0.0), max(bias, 0.0))

    def admit_columns(self, table: Array, biases: Sequence[float]) -> list[float]:
        """Their positive parts, unless negative entries are allowed."""
        if self.balanced:
            return list(biases)
        _core.take_positive(table)
        return [max(bias, 0.0) for bias in biases]

    def directions(
        self, batch: Batch, signs: Array, target: int, *, separable: bool | None = True, budget: Budget | None = None
    ) -> Sequence[tuple[str, Array, float]]:
        """The vector of the largest margin over the simplex, where the linear program is small for the budget."""
        from .separation.simplex_margin import max_margin_simplex_signed, program_work

        if separable is False or batch.entries > MOST_LP_ENTRIES:
            return ()
        if budget is None or self.made_for_margin:
            budget = Budget(work=MOST_LP_WORK)
        elif budget.late(program_work(batch, self.balanced) * (1 if separable else UNLIKELY)):
            return ()
        margin = max_margin_simplex_signed(
            batch, signs, balanced=self.balanced, intercept=self.intercept, budget=budget
        )
        if margin.lower <= 0:
            return ()
        columns = batch.columns
        bias = float(margin.weights[columns]) if self.intercept else 0.0
        return (("maximum margin over the simplex", margin.weights[:columns], bias),)


class DualNormGeometry(DualGeometry):
    """The norm that is dual to the one in which the weights move.

    Parameters
    ----------
    duals : callable
        As of any `DualGeometry`.
    p : float
        Of the weights' norm; |v|_q measures comparators, 1 / p + 1 / q = 1.
    """

    OF_MARGIN = EUCLIDEAN

    def __init__(self, duals: Duals, p: float) -> None:
        super().__init__(duals)
        self.q = p / (p - 1)

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """|v|_q."""
        return p_length(vector, bias, self.q), 0.0


def p_length(vector: Array, bias: float, p: float) -> float:
    """The p-norm of a vector and the constant feature's entry, also of what is very large or small.

    Parameters
    ----------
    vector : ndarray, shape (columns,)
    bias : float
        The entry of the constant feature.
    p : float
        > 1.
    """
    sizes = np.append(np.abs(vector), abs(bias))
    largest = float(sizes.max())
    if not 0 < largest < inf:
        return largest
    return largest * float(float(((sizes / largest) ** p).sum()) ** (1 / p))
