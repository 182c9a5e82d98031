"""What the learners of numbers share: scikit-learn's interface around one compiled loop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np

from ..data.batch import Array, Batch
from ..errors import RegretlessError, RowRefused
from ..info import HasInfo, RegressionInfo
from ..ledger import Ledger
from ..linear.estimator import TURN, Estimator, with_constructor
from ..linear.validation import ascending, explain_nonfinite, fault_of, read_rows
from ..persist.model import Persistent
from ..pictured import Bars, Pictured
from ..theorem import Theorem
from ..theory.regression import cost
from ..turns import BUSY, in_turn
from .certificates import CertifiedRegressor
from .state import RegressionRules, RegressionState
from .validation import LARGEST, TOO_LARGE, read_outcomes, refuse_unfit


@with_constructor
class OnlineRegressor(HasInfo, Estimator, CertifiedRegressor, Persistent, Pictured):
    """Linear learners of numbers played over the rows of X, once and in their order.

    Subclasses name their theorems and turn their parameters into rules. The others are
    measured from the first outcome: until it is known the forecast is 0, and it is charged to nobody.
    """

    info: ClassVar[RegressionInfo]
    theorems: ClassVar[tuple[Theorem, ...]]
    kind = "regression"

    state_: RegressionState

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
        rules = self.rules()
        self._forget()
        batch = read_rows(X, learner=self, reset=True, in_order=False, text="learn")
        outcomes = read_outcomes(y, len(batch))
        self._adopt(self.new_state(batch.columns), rules)
        self._play(batch, outcomes, rules)
        self.n_iter_ = 1
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
        rules = self.rules()
        fitted = hasattr(self, "state_")
        batch = read_rows(X, learner=self, reset=not fitted, in_order=False, text="learn")
        outcomes = read_outcomes(y, len(batch))
        if fitted:
            self.state_.grow(batch.columns)
            self._playing = rules
        else:
            self._adopt(self.new_state(batch.columns), rules)
        self._play(batch, outcomes, rules)
        self.n_iter_ = 1
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
        rules = self.rules()
        if hasattr(self, "state_"):
            self.state_.grow(batch.columns)
            self._playing = rules
        else:
            self._adopt(self.new_state(batch.columns), rules)
        self._play(batch, outcomes, rules)
        self.n_features_in_, self.n_iter_ = self.state_.columns, 1

    def update_one(self, x: Array, outcome: float) -> None:
        """Play one round without the checks of `partial_fit`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,)
            Contiguous, as wide as the rows before.
        outcome : float

        Raises
        ------
        RegretlessError
            If the row or the outcome is not finite, or too large.
        """
        if not abs(outcome) <= LARGEST:
            refuse_unfit(np.array([outcome], dtype=np.float64))
        turn = vars(self)[TURN]  # as `in_turn` takes it, at less cost
        if not turn.acquire(False):
            raise RegretlessError(BUSY)
        try:
            self.state_.rules = self._playing
            _, why = self.state_.player(self._playing).one(x, outcome)
        finally:
            turn.release()
        if why is not None:
            raise RegretlessError(f"the round was not played, for its row is {why}")

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
        self._require_fitted()
        return self.scores(read_rows(X, learner=self, reset=False, in_order=False, text="known"))[:, 0]

    def predict_one(self, x: Array | Mapping[str, float | str]) -> float:
        """The forecast of one row, without the checks of `predict`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,), or mapping of str to float or str
            Contiguous, as wide as the rows before. Or the values of columns by their names: those that are not named
            are 0, and names or words that the learner does not know contribute nothing.

        Raises
        ------
        RegretlessError
            If features are named, and the learner learned from rows without names.
        """
        if isinstance(x, Mapping):
            x = self._row_of(x)
        out = np.empty((1, 1))
        self.state_.player(self._playing).score(x[None], None, None, out)
        return float(out[0, 0])

    def scores(self, batch: Batch) -> Array:
        """Forecasts of a batch, shape (rows, 1); the same bits that learning would see."""
        rules = self.rules()
        scores, (row, why) = self.state_.scores(batch, rules)
        if why == "unsorted":
            batch = ascending(batch)
            scores, (row, why) = self.state_.scores(batch, rules)
        if why is not None:
            raise self._refused(batch, None, row, why)
        return scores

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
        predicted = self.predict(X)
        outcomes = read_outcomes(y, len(predicted))
        weights = np.ones(len(outcomes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        spread = float(weights @ (outcomes - np.average(outcomes, weights=weights)) ** 2)
        missed = float(weights @ (outcomes - predicted) ** 2)
        if spread == 0:
            return float(missed == 0)
        return 1 - missed / spread

    # ---- what was learned

    @property
    def ledger_(self) -> Ledger:
        """What was observed so far; its loss is that of the forecasts, of all rounds but the first."""
        self._require_fitted()
        return self.state_.ledger()

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

    def bars(self) -> list[Bars]:
        """The weights, the constant feature's left out."""
        return [Bars("Weights", self._feature_names(), self.coef_)]

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
            "constant": float(f"{self.best_constant_loss_:.{digits}g}") if self.rules().loss == "square" else None,
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

    def _extra(self) -> dict[str, Any]:
        """What the columns of the table are from which it learned, if it had columns of text."""
        return {"schema": self.schema_} if "schema_" in vars(self) else {}

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Columns and names, and the arrays of the state."""
        self._require_fitted()
        state, names = self.state_, getattr(self, "feature_names_in_", None)
        description = {
            "columns": state.columns,
            "names": None if names is None else list(names),
            "steady": state.steady and state.rules in (None, self.rules()),
        }
        return description, state.tensors()

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner as `state_dict` described it."""
        learner = cls(**description["parameters"])
        rules = learner.rules()
        columns, names = description["columns"], description["names"]
        state = learner.new_state(0)
        state.adopt(columns, tensors)
        state.steady = description["steady"] is True
        state.follow(rules)
        learner.n_features_in_ = columns
        if names is not None:
            if not isinstance(names, list) or len(names) != columns or not all(isinstance(name, str) for name in names):
                raise ValueError("its features have other names than its columns ask for")
            learner.feature_names_in_ = np.array(names, dtype=object)
        learner._adopt(state, rules)
        learner.n_iter_ = 1
        return learner

    # ---- what scikit-learn asks

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "state_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import (  # type: ignore[import-untyped, unused-ignore]
            InputTags,
            RegressorTags,
            Tags,
            TargetTags,
        )

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(sparse=True),
        )

    # ---- inside

    def _adopt(self, state: RegressionState, rules: RegressionRules) -> None:
        _ = self.turn
        self.state_ = state
        self._playing = rules

    def _play(self, batch: Batch, outcomes: Array, rules: RegressionRules) -> None:
        if not len(batch):
            return
        self.state_.follow(rules)
        forecasts = None if self.on_forecasts is None else np.empty(len(batch))
        fit = np.abs(outcomes) <= LARGEST
        end = len(batch) if fit.all() else int(np.argmin(fit))
        player = self.state_.player(rules)
        played, why = player.play(batch.values, batch.indices, batch.starts, outcomes, 0, end, forecasts)
        if why == "unsorted":
            batch = ascending(batch)
            played, why = player.play(batch.values, batch.indices, batch.starts, outcomes, played, end, forecasts)
        if why is None and end < len(batch):
            why = "outcome"
        if self.on_forecasts is not None and forecasts is not None:
            self.on_forecasts(forecasts[:played], outcomes[:played])
        if why is not None:
            raise self._refused(batch, outcomes, played, why, played)

    def _refused(self, batch: Batch, outcomes: Array | None, row: int, why: str, learned: int = 0) -> RowRefused:
        if why == "outcome" and outcomes is not None:
            fault, advice = (
                f"has the outcome {outcomes[row]:g}, which {TOO_LARGE.partition(';')[0]}",
                "scale the outcomes",
            )
            return RowRefused(f"y[{row}] = {outcomes[row]:g} {TOO_LARGE}", learned, row, fault, advice)
        fault, advice = fault_of(batch, row, why)
        if why == "not finite":
            words = explain_nonfinite(batch, row, getattr(self, "feature_names_in_", None))
        else:
            words = f"Row {row} {fault}; {advice}."
        return RowRefused(words, learned, row, fault, advice)


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
