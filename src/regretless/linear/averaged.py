"""The averaged perceptron."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from ..checks import one_of
from ..data.batch import Array, Batch, narrow
from ..info import Cost, LinearInfo, LinearWords
from ..ledger import FIELDS
from ..rows.estimator import with_constructor
from ..rows.state import BaseState, Rules, length
from ..theory.perceptron import PERCEPTRON
from .perceptron import Perceptron
from .state import BIAS, CLOCK, LAG_BIAS, State

WHEN = ("before", "after")
FEW = 4  # how often the entries of some rows must fit into the columns, to be worth numbering afresh
ROUNDS = FIELDS.index("rounds")


class AveragedState(State):
    """The weights of the perceptron, which learn, and their mean over all rounds, which predicts.

    Parameters
    ----------
    columns, targets : int
        As of any state.
    when : {"before", "after"}
        Whether the mean is that of the weights before each round or after it.
    """

    def __init__(self, columns: int, targets: int, *, when: str = "before") -> None:
        super().__init__(columns, targets, average=True)
        self._when = when
        self._mean: State | None = None
        self._as_of: tuple[float, ...] = ()

    @property
    def ahead(self) -> int:
        """By how many rounds the weights that are averaged are ahead of those that predicted: 0 or 1."""
        return int(self._when == "after")

    def options(self) -> dict[str, Any]:
        """Which mean it is."""
        return {"when": self._when}

    def make_player(self, rules: Rules) -> Any:
        """The perceptron's player, which scores by the mean."""
        return _AveragingPlayer(super().make_player(rules), self, rules)

    def coefficients(self) -> Array:
        """The mean weights, shape (columns, targets)."""
        return self.mean().coefficients()

    def biases(self) -> Array:
        """The mean weights of the constant feature, shape (targets,)."""
        return self.mean().biases()

    def last(self) -> tuple[Array, Array]:
        """The weights that learn, as they are after the last round, and their constant feature's."""
        return super().coefficients(), super().biases()

    def norms(self) -> list[float]:
        """Length of the weights that learn: theorems are about them."""
        weights, biases = self.last()
        return [length(weights[:, c], float(biases[c])) for c in range(self.targets)]

    def mean(self) -> State:
        """The mean weights as the weights of a learner of their own, made anew when rounds were played."""
        if self._mean is None or not self.fresh:
            self._mean, self._as_of = self.mean_of(np.arange(self.columns)), self._played()
        return self._mean

    @property
    def fresh(self) -> bool:
        """Whether no round was played since the mean was last made."""
        return self._mean is not None and self._as_of == self._played()

    def mean_of(self, columns: Array) -> State:
        """The mean weights of some columns."""
        # The sum of the weights before each round; a round later the first ones, zero, make room for the last.
        times = self.memory[:, CLOCK] + self.ahead
        rounds = np.maximum(self.books[: self.targets, ROUNDS], 1)
        lag = self.weights if self.lag is None else self.lag
        state = State(len(columns), self.targets)
        # Adding +0 makes a zero of -0, which sums that were put in place may leave.
        state.weights[:] = (times * self.weights[columns] - lag[columns] + 0.0) / rounds
        state.memory[:, BIAS] = (times * self.memory[:, BIAS] - self.memory[:, LAG_BIAS] + 0.0) / rounds
        return state

    def _played(self) -> tuple[float, ...]:
        return self.columns, *self.books[: self.targets, ROUNDS].tolist()

    def mirror(self, target: int) -> None:
        """Exchange the two classes of a target."""
        super().mirror(target)
        self.forget_mean()

    def forget_mean(self) -> None:
        """Compute the mean again when it is asked for: the arrays were changed otherwise than by rounds."""
        self._mean = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_mean": None}


class _AveragingPlayer:
    """Plays by the weights that learn, scores by their mean."""

    def __init__(self, player: Any, state: AveragedState, rules: Rules) -> None:
        self.play, self.one, self._check, self._watch = player.play, player.one, player.score, player.watch
        self._state, self._rules = state, rules

    def watch(self, scores: Array | None) -> None:
        """Write down what the mean says of the rounds to come, before each."""
        self._watch(scores, averages=True, ahead=float(self._state.ahead))

    def score(self, values: Array, indices: Array | None, starts: Array | None, out: Array) -> tuple[int, str | None]:
        """Scores of all rows."""
        state = self._state
        if indices is None or state.fresh or FEW * len(indices) > state.columns:
            outcome: tuple[int, str | None] = state.mean().player(self._rules).score(values, indices, starts, out)
            return outcome
        # Between rounds of a stream the mean of all columns would cost more than the rows; these give the same bits.
        outcome = self._check(values, indices, starts, out)
        if outcome[1] is None:
            rows, used = narrow(Batch(values, None, state.columns, indices, starts))
            few = state.mean_of(used).player(self._rules)
            outcome = few.score(rows.values, rows.indices, rows.starts, out)
        return outcome


@with_constructor
class AveragedPerceptron(Perceptron):
    """The averaged perceptron (Freund & Schapire 1999; Collins 2002): learn as the perceptron does, predict by the mean
    of all the weights it had.

    ::

        learn     w <- w + rate * y * x    when y <w, x> <= 0
        predict   sign <mean of w_1, ..., w_T, x>

    One bad round at the end ruins the last weights, but hardly their mean. The mean is kept in time proportional to the
    updates, not to the rounds or the features.

    The ledger counts the updates and mistakes of the perceptron as it learned, and the theorems bound these; what they
    say of the mean is said by `regretless.batch`, for losses that are convex. (For the number of mistakes the votes of
    `VotedPerceptron` have such a theorem, the mean has none.)

    Parameters
    ----------
    average : {"before", "after"}, default="before"
        Whether the mean is that of w_1, ..., w_T, by which the T rounds were predicted, or of w_2, ..., w_{T+1}, as
        they were after each round. Theorems about the risk of the mean are about the first. It counts from the first
        round.
    rate : float, default=1.0
        Length of the steps, > 0; it changes the size of the weights and, but for rounding, no prediction.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    ties : {"update", 1, -1}, default="update"
        What a score of exactly 0 means, as in `Perceptron`.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`; the mean is that over all rounds of all passes.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The mean weights, by which rows are scored.
    last_coef_, last_intercept_ : ndarray
        The weights after the last round, which learn on.
    classes_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import AveragedPerceptron
    >>> X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]]), [1, 1, -1, -1, 1]
    >>> learner = AveragedPerceptron(average="after").fit(X, y)
    >>> learner.coef_.tolist(), learner.last_coef_.tolist()
    ([[1.8, 1.6]], [[3.0, 1.0]])
    >>> int(learner.ledger_.updates)
    2
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="averaged-perceptron",
        task="classification",
        default_of="learn over shards",
        charged="max(0, -m)",
        geometry="euclidean",
        rate="constant",
        unit_free=False,
        predicts_by="average",
        plain="Perceptron",
        lazy=False,
        additive=True,
        not_mixed="",
        by_sums=True,
        constant=True,
        twin="perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m ≤ 0",
        update="as `perceptron`; predicts by the mean of w₁, ..., w_T",
        costs=(Cost("", "n", "2 d", "n"),),
        small_if="as `perceptron`",
        at_most="(r₂ / ρ)²",
    )

    theorems = PERCEPTRON

    state_: AveragedState = field(init=False)
    initial: Any = field(default=None, init=False)  # the mean and the vote begin with what was learned

    average: str = "before"

    def rules(self) -> Rules:
        """Those of the perceptron."""
        one_of("average", self.average, WHEN)
        return super().rules()

    def new_state(self, columns: int, targets: int) -> BaseState:
        """Weights and what their mean needs."""
        return AveragedState(columns, targets, when=self.average)

    @property
    def last_coef_(self) -> Array:
        """The weights after the last round, shaped as `coef_`."""
        self._require_fitted()
        return np.ascontiguousarray(self.state_.last()[0].T)

    @property
    def last_intercept_(self) -> Array:
        """What the constant feature added to their scores, shaped as `intercept_`."""
        self._require_fitted()
        return self.state_.last()[1] * self.rules().intercept
