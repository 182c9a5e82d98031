"""What a kernel perceptron plays by and remembers: the rules, the state, and what goes beyond the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, cast

import numpy as np

from ...data.batch import Array, Batch
from ...errors import ParameterError, RegretlessError
from ...ledger import FIELDS
from ...rows.state import BaseState, Rules
from .support import Support

COMPILED = ("rbf", "linear", "poly")
KERNELS = (*COMPILED, "precomputed")
GAMMAS = ("scale", "auto")
GAMMA_KERNELS = ("rbf", "poly")
AVERAGES = (None, "averaged", "voted")
REMOVALS = ("oldest", "random", "smallest", "projection")
SHORTEST = 1e-140  # numbers whose variance has an inverse

ROUNDS = FIELDS.index("rounds")
MOST_COLUMNS = MOST_PERIOD = np.iinfo(np.int32).max
LENGTHS, TIMES = range(2)  # columns of `removed`


@dataclass(frozen=True, slots=True)
class KernelRules(Rules):
    """The composition of a kernel perceptron.

    Attributes
    ----------
    kernel : str
        "rbf", "linear", "poly", "precomputed" or "callable".
    function : callable or None
        The kernel, if it is the user's own.
    gamma : float or str
        Of the kernel; a word until the first rows are seen.
    degree, coef0
        Of the polynomial.
    average : str or None
        Which function predicts: the last, the average, or a vote of all.
    budget : int
        Most rows in the support; 0 for any number.
    removal : str
        What goes when there is one more.
    """

    kernel: str = "rbf"
    function: Callable[[Any, Any], Any] | None = None
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    average: str | None = None
    budget: int = 0
    removal: str = "oldest"

    @property
    def form(self) -> tuple[Any, ...]:
        """What, besides gamma, tells its kernel from others."""
        return self.kernel, self.intercept, *((self.degree, self.coef0) if self.kernel == "poly" else ())

    @property
    def external(self) -> bool:
        """Whether values of the kernel come from outside."""
        return self.kernel not in COMPILED


def resolved_gamma(gamma: float | str, batch: Batch) -> float:
    """scikit-learn's words as a number: 1 / (columns * variance of all values), or 1 / columns."""
    if not isinstance(gamma, str):
        return gamma
    columns = max(batch.columns, 1)
    if gamma == "auto":
        return 1 / columns
    largest = float(np.abs(batch.values).max(initial=0.0))
    if 0 < largest < SHORTEST:
        raise ParameterError(
            "gamma",
            repr(gamma),
            f"the numbers of X are so small (at most {largest:.3g}) that the inverse of their "
            "variance is no float; scale X, or give a number",
            ": ",
        )
    variance = _variance(batch)
    return 1 / (columns * variance) if variance > 0 else 1.0


def _variance(batch: Batch) -> float:
    values = batch.values.astype(np.float64, copy=False)
    size = len(batch) * batch.columns
    if not size:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float((values**2).sum() / size - (values.sum() / size) ** 2) if batch.sparse else float(values.var())
    return variance if np.isfinite(variance) else 0.0


def gram_of(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Array:
    """The user's kernel between two sets of rows, checked.

    Parameters
    ----------
    function : callable
        The kernel.
    left, right : ndarray or sparse matrix
        Rows, a set each.

    Returns
    -------
    ndarray of float64, shape (rows of left, rows of right)

    Raises
    ------
    RegretlessError
        If it gave another shape, or something else than finite numbers.
    """
    gram = np.ascontiguousarray(np.asarray(function(left, right), dtype=np.float64))
    wanted = (left.shape[0], right.shape[0])
    if gram.shape != wanted:
        raise RegretlessError(f"the kernel gave an array of shape {gram.shape} for {wanted[0]} and {wanted[1]} rows")
    if not np.isfinite(gram).all():
        raise RegretlessError("the kernel gave something else than finite numbers; does X hold NaN or infinity?")
    return gram


class DualArrays(BaseState):
    """A function for each target, all of them over one support.

    Parameters
    ----------
    columns, targets : int
        As of any state.
    gamma : float
        Of the kernel, once it is known; 0 before.
    period : int
        How many rows come again and again, pass after pass, each adding to its own coefficient; 0 where every round is
        a new row.
    seed : int
        Where random removals begin.
    logged : bool
        Whether every update is written down.
    form : tuple, optional
        Of the rules (`KernelRules.form`) that the functions are to stay with.
    """

    TARGETS: ClassVar[dict[str, int]] = {"norm2": 1, "removed": 2}

    norm2: Array
    removed: Array

    def __init__(
        self,
        columns: int,
        targets: int,
        *,
        gamma: float = 0.0,
        period: int = 0,
        seed: int = 0,
        logged: bool = False,
        form: tuple[Any, ...] | None = None,
    ) -> None:
        super().__init__(columns, targets)
        self.form = form
        self.gamma, self.period, self.seed = gamma, period, seed
        self.support = Support(columns, targets, logged=logged)
        self.slots: Array | None = None  # of each of the rows that come again, its slot or -1
        self.inverse: Array = np.zeros((0, 0))  # of the support's Gram matrix, where removing by projection needs it
        self.square: Array = np.zeros((0, 0))  # that matrix itself, as far as it is known

    def options(self) -> dict[str, Any]:
        """What tells this state from another of its kind before the first round."""
        mine = {"gamma": self.gamma, "period": self.period, "seed": self.seed, "form": self.form}
        return mine | {"logged": self.support.logged}

    def refuse_other(self, rules: Rules) -> None:
        """Refuse rules of another kernel, of a vote without its log, or of a budget that is exceeded.

        Raises
        ------
        RegretlessError
            If these rules cannot go on from, or predict with, what others have learned.
        """
        if self.form is None or not isinstance(rules, KernelRules):
            return
        other = rules.form != self.form or (rules.average == "voted") != self.support.logged
        if rules.kernel in GAMMA_KERNELS and not isinstance(rules.gamma, str):
            other |= self.gamma not in (0, rules.gamma)  # 0 before the first round
        if other:
            raise RegretlessError("what the function is made of cannot change after the first round; fit anew")
        if 0 < rules.budget < self.support.count:
            raise RegretlessError(
                f"the support has {self.support.count:,} rows, more than budget={rules.budget}; fit anew"
            )

    def follow(self, rules: Rules) -> None:
        """Take note of the rules that the next rounds are played by."""
        self.refuse_other(rules)
        super().follow(rules)

    def grow(self, columns: int) -> None:
        """Make room for columns that the stream has revealed."""
        if columns > self.columns:
            self.support.grow(columns)
            self.columns = columns
            self._player = None

    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target."""
        for array in (self.support.coefficients, self.support.lag, self.support.log_moves):
            array[:, target] = 0 - array[:, target]

    def copy_target(self, source: BaseState, i: int, j: int) -> None:
        """Take over a function of another state, and its support with the first one."""
        theirs = cast(DualArrays, source)
        if self.support.count == 0 and theirs.support.count:
            self.support.copy_rows(theirs.support)
            self.inverse = theirs.inverse.copy()
        super().copy_target(source, i, j)
        for name in ("coefficients", "lag", "log_moves"):
            getattr(self.support, name)[:, j] = getattr(theirs.support, name)[:, i]

    def coefficients(self) -> Array:
        """The weights that a linear kernel stands for, shape (columns, targets); of other kernels there are none."""
        if not isinstance(self.rules, KernelRules) or self.rules.kernel != "linear":
            return np.zeros((0, self.targets))
        if not self.support.count:
            return np.zeros((self.columns, self.targets))
        return np.asarray(self.support.matrix().T @ self.support.coefficients[: self.support.count])

    def biases(self) -> Array:
        """Weights of the constant feature, shape (targets,)."""
        size = 0.0 if self.rules is None else self.rules.intercept
        return np.asarray(self.support.coefficients[: self.support.count].sum(axis=0) * size)

    def norms(self) -> list[float]:
        """Length of each function, in the space of the kernel."""
        return [sqrt(max(value, 0.0)) for value in self.norm2[:, 0].tolist()]

    def averages(self) -> Array:
        """Coefficients of the mean of the functions before each round, shape (slots, targets)."""
        rounds = np.maximum(self.books[: self.targets, ROUNDS], 1)
        count = self.support.count
        return np.asarray((rounds * self.support.coefficients[:count] - self.support.lag[:count]) / rounds)

    def tensors(self) -> dict[str, Array]:
        """All that must be kept of it, by name."""
        arrays = {**super().tensors(), **self.support.tensors()}
        arrays["setup"] = np.array([self.gamma, self.period], dtype=np.float64)
        arrays["seed"] = np.array([self.seed], dtype=np.int64)
        return arrays | {"inverse": self.inverse} if self.inverse.size else arrays

    def adopt(self, columns: int, tensors: Mapping[str, Array]) -> None:
        """Take over what `tensors` gave, in a state that is empty and has as many targets.

        Raises
        ------
        ValueError
            If arrays are missing, of another shape, or hold something else than finite numbers.
        """
        if type(columns) is not int or not 0 <= columns <= MOST_COLUMNS:
            raise ValueError("its number of columns makes no sense")
        left = dict(tensors)
        for name in ("books", *self.TARGETS):
            wanted, value = getattr(self, name), left.pop(name)
            if value.shape != wanted.shape or value.dtype != wanted.dtype:
                raise ValueError(f"its {name} have the wrong shape")
            setattr(self, name, value)
        if not all(np.isfinite(array).all() for array in tensors.values()):
            raise ValueError("its arrays hold something else than finite numbers")
        if (self.norm2 < 0).any() or (self.removed < 0).any():
            raise ValueError("its lengths are negative")
        setup, seed = left.pop("setup"), left.pop("seed")
        if setup.shape != (2,) or seed.shape != (1,) or seed.dtype != np.int64 or not (setup >= 0).all():
            raise ValueError("its kernel is not described")
        count = len(left["coefficients"])
        if setup[1] > MOST_PERIOD or setup[1] % 1 or (count and not setup[0]):
            raise ValueError("its kernel is not described")
        self.gamma, self.period, self.seed = float(setup[0]), int(setup[1]), int(seed[0])
        inverse = left.pop("inverse", np.zeros((0, 0)))
        if inverse.shape not in ((0, 0), (count, count)) or inverse.dtype != np.float64:
            raise ValueError("the inverse has the wrong shape")
        self.inverse, self.columns, self._player = inverse, columns, None
        self.support.columns = columns
        # Squared lengths of rows are the same whatever the kernel, and nothing else is asked for here.
        self.support.adopt(left, ("linear",))
        unknown = left.keys() - self.support.tensors().keys()
        if unknown:
            raise ValueError(f"it has arrays that are not known: {', '.join(sorted(unknown))}")

    @property
    def support_rows(self) -> int:
        """How many rows the functions are made of."""
        return self.support.count

    def row_slots(self, rows: int, begin: int, order: Array | None) -> tuple[Array | None, int]:
        """Where the slots of rows that come again are noted, and the number of the first of these rows."""
        if not self.period:
            return None, 0
        first = 0 if order is not None else (int(self.books[-1, ROUNDS]) - begin) % self.period
        if first + rows > self.period:
            return None, 0
        if self.slots is None:
            self.slots = np.full(self.period, -1, dtype=np.int64)
        return self.slots, first

    def forget_rows(self) -> None:
        """From now on every round is a new row."""
        self.period, self.slots = 0, None

    def scores(self, batch: Batch, rules: Rules) -> tuple[Array, tuple[int, str | None]]:
        """Scores of all rows, shape (rows, targets), and how far they go."""
        out = np.empty((len(batch), self.targets))
        return out, self.player(rules).score(batch.values, batch.indices, batch.starts, out)


# ---- what goes when the support has one row more than its budget, and what that costs
#
# The length of all that is removed is added up, because with it the perceptron's bound still holds (see
# `regretless.theory.perceptron`); rounding errors are added on its side.

REFRESH = 256  # removals after which the inverse is computed afresh
RIDGE = 1e-10  # of the mean of the diagonal: what keeps the inverse of nearly dependent rows finite
DEPENDENT = 1e-8  # share of its squared length by which a row must leave the span of the others to count as new
ROUNDING, TINY = 2.0**-52, 1e-300


def remove_one(state: DualArrays, rules: KernelRules, row: Callable[[int], Array], square: Callable[[], Array]) -> int:
    """Remove a slot by the rules' policy; the last slot moves there.

    Parameters
    ----------
    state : DualArrays
    rules : KernelRules
    row : callable
        Gives the values of the kernel of a slot and each slot.
    square : callable
        Gives those of all pairs of slots.

    Returns
    -------
    int
        Which slot it was.
    """
    if rules.removal == "projection":
        return _project(state, square())
    slot = CHOICES[rules.removal](state, _own(state, rules))
    values = row(slot)
    parts, score = state.support.coefficients[slot].copy(), values @ state.support.coefficients[: state.support.count]
    _charge(state, np.abs(parts) * sqrt(values[slot]))
    state.norm2[:, 0] = np.maximum(state.norm2[:, 0] - parts * (2 * score - parts * values[slot]), 0)
    state.support.drop(slot)
    return slot


def _charge(state: DualArrays, lengths: Array) -> None:
    state.removed[:, LENGTHS] += lengths * (1 + 8 * ROUNDING)
    state.removed[:, TIMES] += 1


def _own(state: DualArrays, rules: KernelRules) -> Array:
    """K(s, s) of every slot."""
    support = state.support
    norm2 = support.norm2[: support.count]
    if rules.kernel == "rbf":
        return np.full(support.count, 1 + rules.intercept**2)
    if rules.kernel == "poly":
        return np.asarray((state.gamma * norm2 + rules.coef0) ** rules.degree + rules.intercept**2)
    return np.asarray(norm2 + rules.intercept**2)


# ---- which slot goes; never the one that was filled last


def _oldest(state: DualArrays, own: Array) -> int:
    return int(np.argmin(state.support.born[: state.support.count - 1]))


def _random(state: DualArrays, own: Array) -> int:
    # A generator for each removal, so that a run that is resumed draws what it would have drawn.
    random = np.random.default_rng([state.seed, int(state.removed[0, TIMES])])
    return int(random.integers(state.support.count - 1))


def _smallest(state: DualArrays, own: Array) -> int:
    """The slot whose part of the functions is shortest, the oldest among equals."""
    old = state.support.count - 1
    sizes = (state.support.coefficients[:old] ** 2).sum(axis=1) * own[:old]
    equals = np.flatnonzero(sizes == sizes.min())
    return int(equals[np.argmin(state.support.born[equals])])


CHOICES: dict[str, Callable[[DualArrays, Array], int]] = {"oldest": _oldest, "random": _random, "smallest": _smallest}


# ---- projection


def _project(state: DualArrays, gram: Array) -> int:
    """Replace a slot by the nearest combination of the others: the slot for which that costs least."""
    support = state.support
    count = support.count
    inverse = _bordered(state, gram)
    coefficients = support.coefficients[:count]
    if inverse is None:  # the new row depends on the others: they take it over
        slot, part = count - 1, np.append(-(state.inverse @ gram[:-1, -1]), 1.0)
    else:
        slot = int(np.argmin((coefficients**2).sum(axis=1) / np.maximum(np.diagonal(inverse), TINY)))
        part = inverse[slot] / inverse[slot, slot]
        inverse -= np.outer(part, inverse[slot].copy())
        state.inverse = _without(inverse, slot)
        part[slot] = 1.0
    # What is removed, for a coefficient of 1, is this combination of all rows. Its length may lose everything to
    # cancellation, so what it may have lost is added.
    mass = float(np.abs(part) @ np.sqrt(np.diagonal(gram)))
    length2 = max(float(part @ gram @ part), 0.0) + 4 * count * ROUNDING * mass**2
    _charge(state, np.abs(coefficients[slot]) * sqrt(length2))
    coefficients -= np.outer(part, coefficients[slot].copy())
    state.norm2[:, 0] = np.maximum((coefficients * (gram @ coefficients)).sum(axis=0), 0)
    support.drop(slot)
    state.square = _without(gram, slot)
    return slot


def _bordered(state: DualArrays, gram: Array) -> Array | None:
    """The inverse with the new row in it; None if the row is in the span of the others, up to rounding."""
    old, times = len(gram) - 1, int(state.removed[0, TIMES])
    if len(state.inverse) != old or times % REFRESH == 0:
        block = gram[:-1, :-1]
        mean = float(np.trace(block)) / old or 1.0  # 0 where all rows are
        state.inverse = np.linalg.inv(block + RIDGE * mean * np.eye(old))
    shares = state.inverse @ gram[:-1, -1]
    rest = float(gram[-1, -1] - shares @ gram[:-1, -1])
    if rest <= DEPENDENT * gram[-1, -1]:
        return None
    edge = np.append(-shares, 1.0)
    inverse = np.outer(edge, edge / rest)
    inverse[:-1, :-1] += state.inverse
    return inverse


def _without(square: Array, slot: int) -> Array:
    """The matrix without a slot, in the order of slots after the last one moved there."""
    square[slot], square[:, slot] = square[-1], square[:, -1]
    return np.ascontiguousarray(square[:-1, :-1])
