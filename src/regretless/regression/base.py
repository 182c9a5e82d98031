"""What the learners of numbers share: scikit-learn's interface around one compiled loop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np

from ..data.batch import Array, Batch
from ..errors import RegretlessError, RowError
from ..frames import as_array
from ..info import RegressionInfo
from ..picture import TIMES_SIZES, Bars
from ..rows.estimator import with_constructor
from ..rows.learner import RowLearner, played_in_order
from ..rows.sample_weights import read_weights
from ..rows.validation import read_rows
from ..theorem import Theorem
from ..theory.regression import cost
from ..turns import in_turn
from .certificates import CertifiedRegressor
from .state import RegressionRules, RegressionState
from .validation import LARGEST, NEGATIVE, TOO_LARGE, read_outcomes, refuse_negative, refuse_unfit


@with_constructor
class OnlineRegressor(RowLearner, CertifiedRegressor):
    """Linear learners of numbers played over the rows of X, once and in their order.

    Subclasses name their theorems and turn their parameters into rules. The others are
    measured from the first outcome: until it is known the forecast is 0, and it is charged to nobody.
    """

    info: ClassVar[RegressionInfo]
    theorems: ClassVar[tuple[Theorem, ...]]
    product: ClassVar[bool] = False  # whether its forecast is <w, x> of the weights `coef_`, cut to `range_`
    kind = "regression"
    _sklearn_type = "regressor"
    _begins = "partial_fit(X[:1], y[:1])"

    state_: RegressionState = field(init=False)
    _playing: RegressionRules = field(init=False)

    # called with the forecasts of rounds, and their outcomes
    on_forecasts: Callable[[Array, Array], None] | None = field(default=None, init=False, repr=False)

    @abstractmethod
    def rules(self) -> RegressionRules:
        """The members that the parameters stand for.

        Raises
        ------
        RegretlessError
            If a parameter has no meaning.
        """

    def checked(self) -> RegressionRules:
        """The members that the parameters stand for, made again where one of these has changed."""
        rules = super().checked()
        assert isinstance(rules, RegressionRules)
        return rules

    @abstractmethod
    def new_state(self, columns: int) -> RegressionState:
        """An empty state for so many columns."""

    # ---- learning

    @in_turn
    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything, then play the rows of X once.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rounds, features)
            float32 and float64 arrays and CSR matrices with int32 or int64 indices are read where they stand. Of a
            table's columns of text or categories each value is a feature, ``city=Paris``.
        y : array-like, shape (rounds,)
            Numbers, at most 1e70 in size.

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If X or y cannot be used; the message says where.
        """
        rules = self.checked()
        self._forget()
        batch = read_rows(X, learner=self, reset=True, in_order=False, text="learn")
        outcomes = _read(y, len(batch), rules)
        self._go_on(batch, outcomes, rules)
        return self

    @in_turn
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Play the rows of X after all that came before.

        Parameters
        ----------
        X, y
            As in `fit`.

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If a row cannot be used. The rows before it have been learned then; the message says how many.
        """
        rules = self.checked()
        fitted = hasattr(self, "state_")
        batch = read_rows(X, learner=self, reset=not fitted, in_order=False, text="learn")
        outcomes = _read(y, len(batch), rules)
        self._go_on(batch, outcomes, rules)
        return self

    @in_turn
    def observe(self, batch: Batch) -> None:
        """Play a batch of a stream, whose columns may be new.

        Parameters
        ----------
        batch : Batch
            Rows with numbers for labels; the feature count is the batch's from then on.

        Raises
        ------
        RegretlessError
            If a row cannot be used; the rows before it have been learned.
        """
        outcomes = outcomes_of(batch)
        self._go_on(batch, outcomes, self.checked())
        self.n_features_in_ = self.state_.columns

    @in_turn
    def begin(self, columns: int) -> None:
        """Forget everything, and stand ready for rounds of so many features; the forecast is 0 until one was played.

        Parameters
        ----------
        columns : int
        """
        rules = self.checked()
        self._forget()
        self._adopt(self.new_state(columns), rules)
        self.n_features_in_, self.n_iter_ = columns, 1

    def update_one(self, x: Array | Mapping[str, float | str], outcome: float) -> None:
        """Play one round without the checks of `partial_fit`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,), or mapping of str to float or str, or pandas.Series
            Contiguous, as wide as the rows before. Or the values of columns by their names, read as a table is: numbers
            that are not named are 0, names that the learner does not know contribute nothing if it knows one of them,
            and a word that is new in a column of words becomes a feature, as by `partial_fit`.
        outcome : float

        Raises
        ------
        RegretlessError
            As `predict_one`; or if the row or the outcome is not finite, or too large.
        """
        if not abs(outcome) <= LARGEST:
            refuse_unfit(np.array([outcome], dtype=np.float64))
        if outcome < 0 and self.__sklearn_is_fitted__() and self.played_rules().counts:
            refuse_negative(np.array([outcome], dtype=np.float64))
        self._play_one(x, outcome)

    # ---- predicting

    def predict(self, X: Any) -> Array:
        """The forecast of each row of X, within the range of the outcomes so far.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, features)

        Returns
        -------
        ndarray of float64, shape (rows,)

        Raises
        ------
        RegretlessError
            If X cannot be used, or nothing was learned yet.
        """
        forecasts: Array = self._boxed(self._scores_of(X)[:, 0], X)
        return forecasts

    def predict_one(self, x: Array | Mapping[str, float | str]) -> float:
        """The forecast of one row, without the checks of `predict`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,), or mapping of str to float or str, or pandas.Series
            Contiguous, as wide as the rows before. Or the values of columns by their names, read as a table is: numbers
            that are not named are 0, and names or words that the learner does not know contribute nothing, if it knows
            one of the names.

        Raises
        ------
        RegretlessError
            If nothing was learned yet, the row has another shape, a column of numbers holds something else, or the
            learner knows none of the names.
        """
        return float(self.scores_one(x)[0, 0])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2: one less the squared loss over that of the mean of y.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, columns)
        y : array-like, shape (rows,)
            The outcomes.
        sample_weight : array-like, shape (rows,), optional
            How much each row counts.

        Returns
        -------
        float
            1 is best; 0 where all outcomes are alike and were missed.
        """
        predicted = as_array(self.predict(X))
        outcomes = read_outcomes(y, len(predicted))
        weights = read_weights(sample_weight, len(outcomes))
        weights = np.ones(len(outcomes)) if weights is None else weights
        spread = float(weights @ (outcomes - np.average(outcomes, weights=weights)) ** 2)
        missed = float(weights @ (outcomes - predicted) ** 2)
        if spread == 0:
            return float(missed == 0)
        return 1 - missed / spread

    # ---- what was learned

    @property
    def coef_(self) -> Array:
        """The mean of the members' weights by their posterior, shape (features,): a summary, which is not what
        predicts."""
        self._require_fitted()
        return self.state_.coefficients()[:, 0]

    @property
    def intercept_(self) -> float:
        """What the constant feature adds, and the first outcome."""
        self._require_fitted()
        return float(self.state_.biases()[0] * self.rules().intercept + self.state_.one("origin"))

    @property
    def best_constant_loss_(self) -> float:
        """The squared loss of the best constant forecast, known in hindsight, of all rounds but the first."""
        self._require_fitted()
        return self.state_.one("spread")

    @property
    def range_(self) -> list[float]:
        """The least and the largest outcome so far, between which forecasts are kept; no count is taken as 1/2."""
        self._require_fitted()
        ends = [self.state_.one("origin") + self.state_.one(end) for end in ("low", "high")]
        return [float(np.exp(end)) for end in ends] if self.played_rules().counts else ends

    def bars(self) -> list[Bars]:
        """The weights, the constant feature's left out, times how large features have been."""
        sizes = self.state_.sizes()
        return [Bars(f"Weights{TIMES_SIZES}", self._feature_names(), self.coef_ * sizes)]

    def played_rules(self) -> RegressionRules:
        """The rules of the rounds played last; they outlive a change of parameters."""
        rules = self.state_.rules or self.rules()
        assert isinstance(rules, RegressionRules)
        return rules

    def snapshot(self) -> dict[str, Any] | None:
        """What a report draws over the rounds, as JSON values: the loss, that of the best constant, the members'."""
        digits = 7
        return {
            "rounds": int(self.ledger_.rounds),
            "loss": float(f"{self.ledger_.loss:.{digits}g}"),
            "constant": float(f"{self.best_constant_loss_:.{digits}g}") if self.rules().charged.squares else None,
            "cost": float(f"{cost(self.ledger_, self.facts()):.{digits}g}"),
            "members": self.members_,
            "losses": [float(f"{loss:.{digits}g}") for loss in self.losses_.tolist()],
            "posterior": [float(f"{weight:.{digits}g}") for weight in self.posterior_.tolist()],
        }

    @abstractmethod
    def _names(self) -> list[str]:
        """What the eight places of members are called."""

    @property
    def members_(self) -> list[str]:
        """What the members are called."""
        self._require_fitted()
        return [name for name, there in zip(self._names(), self.state_.present, strict=True) if there]

    @property
    def posterior_(self) -> Array:
        """The members' weights for the next round, shape (members,)."""
        self._require_fitted()
        return np.array(self.state_.part("weight")[self.state_.present])

    @property
    def losses_(self) -> Array:
        """The members' losses, shape (members,)."""
        self._require_fitted()
        return np.array(self.state_.part("loss")[self.state_.present])

    # ---- in a file

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner as `state_dict` described it."""
        learner = cls(**description["parameters"])
        rules = learner.checked()
        state = learner.new_state(0)
        learner._restore(state, description, tensors)
        learner._adopt(state, rules)
        learner.n_iter_ = 1
        return learner

    # ---- what scikit-learn asks

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "state_")

    # ---- inside

    def _adopt(self, state: RegressionState, rules: RegressionRules) -> None:
        _ = self.turn
        self.state_ = state
        self._playing = rules

    def _go_on(self, batch: Batch, outcomes: Array, rules: RegressionRules) -> None:
        """Play a batch after all that came before, if anything did."""
        if hasattr(self, "state_"):
            self.state_.grow(batch.columns)
            self._playing = rules
        else:
            self._adopt(self.new_state(batch.columns), rules)
        self._play(batch, outcomes, rules)
        self.n_iter_ = 1

    def _play_batch(self, batch: Batch, outcome: Any, *weight: float) -> None:
        self._play(batch, np.array([outcome], np.float64), self._playing)

    def _play(self, batch: Batch, outcomes: Array, rules: RegressionRules) -> None:
        if not len(batch):
            return
        self.state_.follow(rules)
        forecasts = None if self.on_forecasts is None else np.empty(len(batch))
        fit = np.abs(outcomes) <= LARGEST
        if rules.counts:
            fit &= outcomes >= 0
        end = len(batch) if fit.all() else int(np.argmin(fit))
        player = self.state_.player(rules)
        batch, played, why = played_in_order(
            batch,
            0,
            lambda rows, first: player.play(rows.values, rows.indices, rows.starts, outcomes, first, end, forecasts),
        )
        if why is None and end < len(batch):
            why = "outcome"
        if self.on_forecasts is not None and forecasts is not None:
            self.on_forecasts(forecasts[:played], outcomes[:played])
        if why == "outcome" and rules.counts and -LARGEST <= outcomes[played] < 0:
            fault, _, advice = f"has the outcome {outcomes[played]:g}, which {NEGATIVE}".partition("; ")
            raise RowError(f"y[{played}] = {outcomes[played]:g} {NEGATIVE}", played, played, fault, advice)
        if why == "outcome":
            fault = f"has the outcome {outcomes[played]:g}, which {TOO_LARGE.partition(';')[0]}"
            words = f"y[{played}] = {outcomes[played]:g} {TOO_LARGE}"
            raise RowError(words, played, played, fault, "scale the outcomes")
        if why is not None:
            raise self._refused(batch, played, why, played)


def _read(y: Any, rows: int, rules: RegressionRules) -> Array:
    """Outcomes that the loss is of."""
    outcomes = read_outcomes(y, rows)
    if rules.counts:
        refuse_negative(outcomes)
    return outcomes


def outcomes_of(batch: Batch) -> Array:
    """The outcomes of a batch.

    Raises
    ------
    RegretlessError
        If it has none, or they are no numbers.
    """
    if batch.labels is None:
        raise RegretlessError("rounds without outcomes teach nothing")
    if batch.labels.dtype.kind == "U":
        fault = f"the outcome of its first row is {str(batch.labels[0])!r}, which is no number"
        raise RegretlessError(f"{fault}; numbers are expected, and labels are learned with --task classification")
    return np.ascontiguousarray(batch.labels, dtype=np.float64)
