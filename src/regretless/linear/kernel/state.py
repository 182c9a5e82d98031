"""What a kernel perceptron remembers: the support, and the books."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, ClassVar, cast

import numpy as np

from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...ledger import FIELDS
from ..state import BaseState, Rules
from .rules import GAMMA_KERNELS, KernelRules
from .support import Support

ROUNDS = FIELDS.index("rounds")
MOST_COLUMNS = MOST_PERIOD = np.iinfo(np.int32).max
LENGTHS, TIMES = range(2)  # columns of `removed`


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
                f"the support has {self.support.count} rows, more than budget={rules.budget}; fit anew"
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
