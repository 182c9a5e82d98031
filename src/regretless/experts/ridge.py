"""Online ridge regression on the forecasts: any linear combination may win."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import log1p, nan, sqrt
from typing import Any, ClassVar, Literal

import numpy as np

from .._core import rotate_triangle, solve_triangle, sum_of_products
from ..checks import one_of, positive
from ..errors import ParameterError, RegretlessError
from ..info import ExpertInfo
from ..ledger import ExpertLedger
from ..theorem import Theorem
from ..theory.mixable import RIDGE
from ..turns import Turn, in_turn
from .base import ExpertLearner
from .losses import Own
from .state import FIELDS, OWN, CombinerRules, ExpertState

Array = np.ndarray[Any, np.dtype[np.float64]]
MOST = 5000  # experts
MOST_SUMMED, MOST_SQUARED = 1e290, 1e145  # of a round: sums stay floats for as long as rounds can be counted
AT = {name: place for place, name in enumerate(FIELDS)}


class RidgeState(ExpertState):
    """A triangle R with R'R = a I + sum x x', the targets rotated with it, and the books; it is its own kernel.

    The inverse itself is never formed: forecasts of one quantity are nearly parallel, and it would lose all digits.

    Parameters
    ----------
    prior : ndarray, shape (experts,)
    rules : CombinerRules
    a : float
    average : bool
        Whether targets are counted from the experts' average.
    """

    ARRAYS = ("triangle", "book", "tallies")

    def __init__(self, prior: Array, rules: CombinerRules, a: float, average: bool) -> None:
        experts = len(prior)
        self.prior, self.width, self.rules, self.a = prior, 1, rules, a
        self.room = 2 * experts + 1
        self.start = np.full(experts, 1.0 / experts) if average else np.zeros(experts)
        # The last column holds the rotated targets, the last place ln det(I + sum x x' / a), and the first place of the
        # last row by how much rounding made the rounds miss the identity.
        self.triangle = np.zeros((experts + 1, experts + 1))
        self.triangle[range(experts), range(experts)] = sqrt(a)
        self.book, self.tallies = np.zeros(len(FIELDS)), np.zeros((5, experts))
        self.book[AT["lowest"]], self.book[AT["highest"]] = np.inf, -np.inf
        self.turn = Turn()
        self.core: Any = self

    @classmethod
    def shapes(cls, rules: CombinerRules, experts: int, width: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays of such a state."""
        return {"triangle": (experts + 1, experts + 1), "book": (len(FIELDS),), "tallies": (5, experts)}

    @classmethod
    def refuse(cls, rules: CombinerRules, arrays: Mapping[str, Array]) -> None:
        """Refuse arrays that no run can have left, and a triangle that cannot be solved."""
        super().refuse(rules, arrays)
        if not np.diagonal(arrays["triangle"])[:-1].all():
            raise ValueError("its triangle cannot be solved")

    def _core(self) -> Any:
        return self

    def copy(self) -> ExpertState:
        """A copy of the state."""
        other = RidgeState(self.prior, self.rules, self.a, bool(self.start[0]))
        other.adopt(self.arrays())
        return other

    @property
    def apart(self) -> float:
        """Above 0 if an outcome came late and it mattered."""
        return abs(float(self.book[AT["delay"]]))

    @property
    def log_det(self) -> float:
        """ln det(I + sum of x x' / a)."""
        return float(self.triangle[-1, -1])

    @property
    def missed(self) -> float:
        """By how much the losses of single rounds missed, for rounding, what the identity says of them, in all."""
        return float(self.triangle[-1, 0])

    @property
    def sizes(self) -> Array:
        """Lengths of the columns of forecasts, a unit vector times sqrt(a) below each."""
        sizes: Array = np.linalg.norm(self.triangle[:-1, :-1], axis=0)
        return sizes

    def ledger(self) -> ExpertLedger:
        """What was observed so far."""
        book = dict(zip(FIELDS, self.book.tolist(), strict=True))
        own, none = self.tallies[OWN].copy(), np.zeros(len(self.prior))
        faced = np.full(len(own), book["loss"])
        spoke = np.full(len(own), book["rounds"])
        return ExpertLedger(
            **book,
            losses=own,
            regrets=faced - own,
            delays=none,
            faced=faced,
            spoke=spoke,
            squares=none,
            drags=none,
        )

    # The manners of the compiled core.

    def weights(self, out: Array | None = None) -> Array:
        """The linear weights as they stand; they need not sum to one."""
        weights = self.triangle[:-1, -1].copy()
        solve_triangle(self.triangle, weights, False)
        weights += self.start
        if out is not None:
            out[:] = weights
        return weights

    def rate(self) -> float:
        """There is none."""
        return nan

    def gap(self) -> float:
        """What the rounds added to the difference from the best linear weights and their price."""
        return float(self.book[AT["gap"]])

    def log_potential(self) -> float:
        """There is none."""
        return nan

    @in_turn
    def open(self, advice: Array, waiting: Array) -> float | tuple[str, int]:
        """Predict a row, and keep what its outcome will need."""
        if len(advice) != len(self.prior):
            raise ValueError("advice has the wrong shape")
        experts = len(self.prior)
        waiting[:experts] = advice
        why, column = self.predict(waiting[:experts], waiting[experts:-1], waiting[-1:])
        return float(waiting[-1]) if why is None else (why, column)

    @in_turn
    def close(self, waiting: Array, outcome: float) -> float | tuple[str, int]:
        """Learn the outcome of such a row."""
        experts = len(self.prior)
        loss, why, column = self.settle(waiting[:experts], waiting[experts:-1], waiting[-1:], outcome)
        return loss if why is None else (why, column)

    def predict(self, advice: Array, p: Array, prediction: Array) -> tuple[str | None, int]:
        """Prediction, and the weights that make it."""
        bad = np.flatnonzero(~np.isfinite(advice))
        if len(bad):
            return "silent" if np.isnan(advice[bad[0]]) else "not finite", int(bad[0])
        beyond = np.flatnonzero(np.abs(advice) >= MOST_SQUARED)
        if len(beyond):
            return "infinite loss", int(beyond[0])
        outside = np.flatnonzero((advice < self.rules.low) | (advice > self.rules.high))
        if len(outside):
            return "out of range", int(outside[0])
        p[:] = self.weights()
        prediction[0] = self._predict(advice, self._lever(advice))
        return None, -1

    def _lever(self, advice: Array) -> Array:
        """R'^-1 x, whose squared length is x' A^-1 x."""
        lever = advice.copy()
        solve_triangle(self.triangle, lever, True)
        return lever

    def _predict(self, advice: Array, lever: Array) -> float:
        targets = self.triangle[:-1, -1].copy()
        return self._started(advice) + sum_of_products(targets, lever) / (1 + sum_of_products(lever, lever))

    def _started(self, advice: Array) -> float:
        """What u_0 predicts."""
        return sum_of_products(self.start, advice)

    @np.errstate(over="ignore", invalid="ignore")
    def settle(self, advice: Array, p: Array, prediction: Array, outcome: float) -> tuple[float, str | None, int]:
        """Suffer and update."""
        if not np.isfinite(outcome):
            return nan, "outcome" if np.isnan(outcome) else "not finite", -1
        if abs(outcome) >= MOST_SQUARED:
            return nan, "infinite loss", -1
        if not self.rules.low <= outcome <= self.rules.high:
            return nan, "out of range", -1
        lever = self._lever(advice)
        missed, prompt = float(prediction[0] - outcome), self._predict(advice, lever) - outcome
        loss, prompt = missed * missed, prompt * prompt
        target, stretch = outcome - self._started(advice), sum_of_products(lever, lever)
        own = (advice - outcome) ** 2
        ahead = self._predict(advice, lever) - self._started(advice)
        added = target * target * stretch / (1 + stretch) - ahead * ahead * stretch
        summed = (loss, prompt, target * target, added, stretch, float(own.max()))
        if not all(abs(one) < MOST_SUMMED for one in summed):
            return nan, "infinite loss", -1
        self._write(loss, prompt, target, own)
        self.book[AT["gap"]] += added
        grown, missed = self.log_det + log1p(stretch), self.missed
        self.triangle[-1, :-1], self.triangle[-1, -1] = advice, target
        rotate_triangle(self.triangle)
        # The square of what rotations leave of the target is what the least of a |u - u_0|^2 + L(u) grows by.
        missed += abs(prompt - self.triangle[-1, -1] ** 2 - added)
        self.triangle[-1, 0], self.triangle[-1, -1] = missed, grown
        return float(loss), None, -1

    def _write(self, loss: float, prompt: float, target: float, own: Array) -> None:
        book = self.book
        book[AT["rounds"]] += 1
        book[AT["loss"]] += loss
        book[AT["charge"]] += prompt
        book[AT["delay"]] += loss - prompt
        book[AT["max_outcome2"]] = max(book[AT["max_outcome2"]], target**2)
        book[AT["lowest"]] = min(book[AT["lowest"]], own.min())
        book[AT["highest"]] = max(book[AT["highest"]], own.max())
        self.tallies[OWN] += own

    @in_turn
    def play(self, advice: Array, outcomes: Array, *, predictions: Array, losses: Array, weights: Any) -> Any:
        """Every row in its order."""
        return self._each(advice, outcomes, range(len(advice)), None, predictions, losses, weights)

    @in_turn
    def play_delayed(self, advice: Array, outcomes: Array, *late: Any, **out: Any) -> Any:
        """Every row in its order, its outcome later."""
        settle, starts, _, _ = late
        return self._each(advice, outcomes, settle, starts, out["predictions"], out["losses"], out["weights"])

    def _each(
        self, advice: Array, outcomes: Array, order: Any, starts: Any, forecasts: Array, losses: Array, state: Any
    ) -> Any:
        wide = advice.astype(np.float64)
        for row, predicted in _events(len(wide), order, starts):
            if predicted:
                p = np.empty(wide.shape[1])
                why, column = self.predict(wide[row], p, forecasts[row])
                if state is not None:
                    state[row] = p
            else:
                losses[row], why, column = self.settle(wide[row], self.start, forecasts[row], float(outcomes[row]))
            if why is not None:
                return row, why, column
        return len(wide), None, -1


@dataclass(eq=False)
class Ridge(ExpertLearner):
    """Vovk, Azoury and Warmuth's forecaster on the experts' forecasts, for the square loss.

    It competes with every fixed linear combination u, at a price of a |u - u_0|^2 and a logarithm of the rounds. Each
    round costs the square of the number of experts, and every expert must speak.

    Parameters
    ----------
    a : float
        How much is charged for the squared distance from u_0.
    around : {"average", "zero"}
        u_0: the plain average of the experts, or nothing.

    References
    ----------
    Vovk 2001; Azoury and Warmuth 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.experts import Ridge
    >>> rng = np.random.default_rng(0)
    >>> outcomes = rng.random(1000)
    >>> forecasts = outcomes[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.3, 0.9]
    >>> learner = Ridge()
    >>> played = learner.play(forecasts, outcomes)
    >>> learner.weights.round(2).tolist()
    [0.86, 0.09, 0.02]
    >>> print(str(learner.certify(forecasts, outcomes)[0]).partition("  [")[0])
    Posterior regret: regret 1.8369 <= 1.8369, against best linear combination
    """

    a: float = 1.0
    around: Literal["average", "zero"] = "average"
    loss: str | Own | None = field(default="square", kw_only=True)

    info: ClassVar[ExpertInfo] = ExpertInfo(
        name="ridge",
        default_of="",
        summary="online ridge regression on the forecasts, against linear combinations",
        draws=False,
        forecasts=True,
        one_loss=True,
        linearizes=False,
        twin="ridge",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = RIDGE
    _state_class: ClassVar[type[ExpertState]] = RidgeState

    def _rules(self, experts: int) -> CombinerRules:
        positive("a", self.a)
        if experts > MOST:
            raise RegretlessError(f"{experts:,} experts: ridge keeps the square of their number; {MOST:,} at most")
        one_of("around", self.around, ("average", "zero"))
        if self.loss != "square" or self.linearize:
            raise ParameterError("loss", repr(self.loss), "ridge regression is of the plain square loss", ": ")
        if self.prior is not None:
            raise ParameterError("prior", "", "ridge regression starts from around=", ": ")
        return self._compose("hedge")

    def _make(self, prior: Array, width: int) -> ExpertState:
        if width > 1:
            raise RegretlessError("ridge regression is of single numbers")
        return RidgeState(prior, self._rules(len(prior)), float(self.a), self.around == "average")


def _events(rounds: int, order: Any, starts: Any) -> Iterator[tuple[int, bool]]:
    """What happens in which order: (row, True) is a prediction, (row, False) an outcome."""
    for row in range(rounds):
        if starts is None:
            yield row, True
            yield row, False
            continue
        yield from ((int(done), False) for done in order[starts[row] : starts[row + 1]])
        yield row, True
    if starts is not None:
        yield from ((int(done), False) for done in order[starts[rounds] :])
