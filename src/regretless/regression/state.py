"""What a learner of numbers remembers: a few numbers a feature, the books of its members, and full matrices of few
features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from .. import _core
from ..data.batch import Array
from ..errors import RegretlessError
from ..rows.mixture_state import BLOCK, FULL, LANES, RATES, MixtureState
from ..rows.narrowed import Narrow
from ..rows.state import Rules
from .losses import FORECAST_LOSSES, ForecastLoss
from .validation import NEGATIVE

FULLS = LANES - FULL  # places of members with matrices
CELL = _core.REGRESSION_CELL_SIZE
SUMS, SQUARES = slice(0, RATES), slice(RATES, 2 * RATES)  # of a cell
MOST, ROOT = 2 * RATES + 2, 2 * RATES + 3
PARTS = ("prior", "weight", "log_weight", "loss", "linear", "energy", "least")  # of the memory, one for each member
SINGLE = ("origin", "low", "high", "eta", "gap", "second", "mean", "spread")  # of the memory, one for all


@dataclass(frozen=True, slots=True)
class RegressionRules(Rules):
    """What the members are.

    Attributes
    ----------
    tau : float
        Of the pinball loss; where Huber's turns from squares into lines.
    schedule : str
        Of the steps of gradient descent; empty of other learners.
    matrix : {"full", "newton", "diagonal"}
        Of the full members: by the rows, or by their slopes; or a diagonal in their place.
    rates, priors : tuple of float
        Of the rates and of the full members.
    share : bool
        Whether a part of the weight goes round.
    """

    tau: float = 0.5
    schedule: str = ""
    matrix: str = "full"
    rates: tuple[float, ...] = ()
    priors: tuple[float, ...] = ()
    share: bool = True

    @property
    def newton(self) -> bool:
        """Whether full members go by slopes."""
        return self.matrix == "newton"

    @property
    def diagonal(self) -> bool:
        """Whether a diagonal is in the place of the full members."""
        return self.matrix == "diagonal"

    @property
    def charged(self) -> ForecastLoss:
        """The loss."""
        return FORECAST_LOSSES[self.loss]

    @property
    def level(self) -> float:
        """Of the quantile that is forecast; the median's where the loss is none of quantiles."""
        return self.tau if self.charged.parameter == "quantile" else 0.5

    @property
    def counts(self) -> bool:
        """Whether outcomes are counts, and scores the logarithms of their means."""
        return self.charged.outcomes == "counts"

    def worst(self, low: float, high: float, origin: float) -> float:
        """The largest loss of a round, where score and outcome lie within a range that is measured from the origin."""
        if self.counts:  # no count at the highest mean, or the largest at the lowest
            return float(self.lost(np.array([high, low]), np.array([0.0, np.exp(origin + high)]), origin).max())
        return float(self.lost(np.zeros(2), np.array([high - low, low - high]), 0.0).max())

    def lost(self, scores: Array, outcomes: Array, origin: float) -> Array:
        """What scores cost beside outcomes: these are measured from the origin as scores are, or counts."""
        return self.charged.value(scores, outcomes, origin, self.tau)

    def steepest(self, low: float, high: float, origin: float) -> float:
        """The largest slope where score and outcome lie within a range that is measured from the origin."""
        return self.charged.steepest(low, high, origin, self.tau)

    def lost_by(self, forecasts: Array, outcomes: Array) -> Array:
        """What forecasts cost beside outcomes, both as users have them.

        Raises
        ------
        RegretlessError
            If an outcome is below 0, and the loss is of counts.
        """
        if not self.counts:
            return self.lost(forecasts, outcomes, 0.0)
        if (outcomes < 0).any():
            raise RegretlessError(f"the outcome {outcomes.min():g} {NEGATIVE}")
        return self.lost(np.log(forecasts), outcomes, 0.0)


class RegressionState(MixtureState):
    """Cells of features, books of members.

    `cells` is (room, `CELL`), a row a feature. `memory` is one row: the cell of the constant feature, numbers for each
    member, and those of `SINGLE`. While there are full members, F of them, they have `weights` and `scales`, of shape
    (1, F * (1 + columns)), and `factor`, (1, F * `_core.factor_size(1 + columns)`), as those of the
    aggregated classifier.

    Parameters
    ----------
    columns : int
        As of any state.
    targets : int
        One.
    members : tuple of bool
        Which of the eight places have a member; of full ones the first.
    limit : int or None
        Up to how many columns the full members stay; None: for ever.
    """

    TARGETS: ClassVar[dict[str, int]] = {"memory": _core.REGRESSION_MEMORY_SIZE}
    CELL: ClassVar[int] = CELL
    FULLS: ClassVar[int] = FULLS

    @classmethod
    def matrices(cls, members: tuple[bool, ...]) -> int:
        """One for each full member that there is."""
        return sum(members[FULL:])

    def _enlist(self, members: tuple[bool, ...]) -> None:
        """Give these members equal prior weights, and share among them what others have had."""
        present = np.array(members)
        prior, weight, log_weight = self.part("prior"), self.part("weight"), self.part("log_weight")
        prior[:] = present / present.sum()
        shares = np.where(present, weight, 0)
        total = shares.sum()
        weight[:] = shares / total if total > 0 else prior
        if self.one("eta") and total > 0:
            log_weight[:] = np.where(present, log_weight - np.log(total), 0)
        elif self.one("eta"):  # those that stay had next to nothing
            most = log_weight[present].max()
            log_weight[:] = np.where(present, log_weight - most - np.log(np.exp(log_weight[present] - most).sum()), 0)
            weight[:] = np.where(present, np.exp(log_weight), 0)

    def part(self, name: str) -> Array:
        """One of `PARTS` of all members, shape (8,), to be read and written."""
        begin = CELL + LANES * PARTS.index(name)
        return self.memory[0, begin : begin + LANES]

    def one(self, name: str) -> float:
        """One of `SINGLE`."""
        return float(self.memory[0, CELL + LANES * len(PARTS) + SINGLE.index(name)])

    def put(self, name: str, value: float) -> None:
        """Write one of `SINGLE`."""
        self.memory[0, CELL + LANES * len(PARTS) + SINGLE.index(name)] = value

    def declare(self, size: float, prior: float) -> None:
        """Let every feature have had this size already, with this prior of the one full member; nothing was learned."""
        self.cells[: self.columns, MOST] = size
        self.scales[0, 1:] = 1 / (prior * size * size)

    @property
    def present(self) -> Array:
        """Which members there are now."""
        return np.asarray(self.part("prior") > 0)

    @property
    def played(self) -> Array:
        """Which members there are, and which have retired."""
        return np.asarray(self.present | (np.array(self._members) & (self.part("loss") != 0)))

    def make_player(self, rules: Rules) -> Any:
        """The loop over rows that keeps these arrays."""
        assert isinstance(rules, RegressionRules)
        full = {name: getattr(self, name) for name in ("weights", "scales", "factor")} if self.full else {}
        return _core.RegressionPlayer(
            self.cells,
            self.memory,
            self.books,
            **full,
            loss=rules.loss,
            tau=rules.tau,
            schedule=rules.schedule,
            matrix=rules.matrix,
            step=rules.eta,
            rates=list(rules.rates),
            priors=list(rules.priors),
            intercept=rules.intercept,
            share=rules.share,
        )

    # ---- what it means

    def narrowed(self, which: Narrow) -> Self | None:
        """Without matrices: what no row has says nothing."""
        return None if self.full else self.of_columns(which)

    def of_columns(self, which: Narrow) -> Self:
        """As it stands in some columns, of a state without matrices."""
        other = self._of_columns(which)
        other.cells = self.cells[which.used]
        return other

    def coefficients(self) -> Array:
        """Mean of the members' weights by their posterior, shape (columns, 1)."""
        return self.mean()[1:, None]

    def biases(self) -> Array:
        """The same of the constant feature, shape (1,)."""
        return self.mean()[:1]

    def sizes(self) -> Array:
        """The largest size of each feature so far, shape (columns,)."""
        return self.cells[: self.columns, MOST]

    def mean(self) -> Array:
        """The members' weights by their posterior, the constant feature first."""
        return np.asarray(self.member_weights() @ self.part("weight"))

    def member_weights(self) -> Array:
        """The weights of all members, shape (1 + columns, 8), the constant feature first; of full ones the minimisers,
        which the row to be forecast shrinks."""
        return self.weights_from(self.all_cells())

    def weights_from(self, cells: Array) -> Array:
        """The same from all cells, which take long to make."""
        weights, rules = np.zeros((LANES, 1 + self.columns)).T, self.rules
        if not isinstance(rules, RegressionRules):
            return weights
        if rules.schedule or rules.diagonal:
            weights[:, 0] = cells[:, SQUARES][:, 0]
            return weights
        rates = np.array([*rules.rates, *[0] * RATES])[:RATES] * (self.one("high") - self.one("low"))
        for begin in range(0, len(cells), BLOCK):
            part = cells[begin : begin + BLOCK]
            metric = self.metric(part)
            with np.errstate(divide="ignore", invalid="ignore"):
                scaled = np.where(metric > 0, part[:, SUMS] / metric, 0)
            weights[begin : begin + BLOCK, :RATES] = rates * scaled
        if self.full:
            weights[:, FULL : FULL + self._fulls] = self.weights[0].reshape(self._fulls, -1).T
        weights[:, ~self.present] = 0
        return weights

    def all_cells(self) -> Array:
        """The cells, shape (1 + columns, `CELL`), the constant feature first; each number of theirs lies beside that of
        the next column."""
        cells = np.zeros((CELL, 1 + self.columns)).T
        cells[0] = self.memory[0, :CELL]
        for begin in range(0, self.columns, BLOCK):
            end = min(begin + BLOCK, self.columns)
            cells[1 + begin : 1 + end] = self.cells[begin:end]
        return cells

    def metric(self, cells: Array) -> Array:
        """What the rates divide by, shape (1 + columns, 4)."""
        assert isinstance(self.rules, RegressionRules)
        size = self.rules.steepest(self.one("low"), self.one("high"), self.one("origin")) * cells[:, [MOST]]
        return np.asarray(cells[:, [ROOT]] * np.sqrt(cells[:, SQUARES] + size * size))

    # ---- what can be done with it

    def mirror(self, target: int) -> None:
        """Numbers have no classes that could be exchanged."""
        raise TypeError("learners of numbers have no classes")
