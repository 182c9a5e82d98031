"""What learners of labels and of numbers share: rows that are scored and played, and the model that comes of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..certificate import Certificates
from ..data.batch import Array, Batch
from ..errors import ParameterError, RegretlessError, RowError
from ..info import HasInfo
from ..ledger import Ledger
from ..persist.model import Persistent
from ..picture import Pictured
from ..turns import BUSY
from .estimator import CHECKED, TURN, Estimator, same_parameters, scalar_parameters
from .faults import SCALE, explain_nonfinite, fault_of
from .one_row import RowAsTable, divided, divides_rows, row_in_order
from .state import BaseState, Rules
from .validation import ascending, read_rows


class RowLearner(HasInfo, Estimator, Persistent, Pictured):
    """Arrays that one compiled loop moves over the rows of X, in their order; the parameters stand for its rules."""

    state_: BaseState
    _playing: Rules  # those of the last rounds, at hand for single rows
    _checked: tuple[tuple[Any, ...], Rules]  # parameters, and the rules that they stand for

    @abstractmethod
    def rules(self) -> Rules:
        """The composition that the parameters stand for.

        Raises
        ------
        RegretlessError
            If a parameter has no meaning.
        """

    def _without_rows(self) -> Certificates:
        """Nothing: its theorems are read on the rows."""
        return Certificates()

    def checked(self) -> Rules:
        """The same, once all other parameters are known to have a meaning too.

        Raises
        ------
        RegretlessError
            If one has none.
        """
        known = self._known_rules()
        if known is None:
            known = self._check()
            values = scalar_parameters(self)
            if values is not None:
                self._checked = values, known
        return known

    def _check(self) -> Rules:
        """What `checked` does the first time."""
        return self.rules()

    def _known_rules(self) -> Rules | None:
        """The rules that were made last, if no parameter has changed since; to make them takes longer than a round."""
        values, rules = vars(self).get(CHECKED, (None, None))
        return rules if values is not None and same_parameters(self, values) else None

    def _plain(self, x: Any) -> Any:
        """A row that is to be learned, as `_play_one` takes it: an array, or a table where that is read anew."""
        return x if type(x) in (np.ndarray, RowAsTable) else self._row_of(x, learns=True)

    # ---- scoring

    def scores(self, batch: Batch) -> Array:
        """Scores of a batch, shape (rows, targets); the same bits that learning would see."""
        rules = self._known_rules() or self.rules()
        scores, (row, why) = self.state_.scores(batch, rules)
        if why == "unsorted":
            batch = ascending(batch)
            scores, (row, why) = self.state_.scores(batch, rules)
        if why is not None:
            raise self._refused(batch, row, why)
        return scores

    def scores_one(self, x: Array | Mapping[str, float | str]) -> Array:
        """The scores of one row, shape (1, targets), as `predict_one` sees them."""
        if type(x) is not np.ndarray:
            row = self._row_of(x)
            if isinstance(row, RowAsTable):
                return self._scores_of(row)
            x = row
        try:
            state = self.state_
        except AttributeError:
            self._require_fitted()
            raise
        if x.shape != (state.columns,):
            x = row_in_order(x, state.columns, vars(self).get("schema_"))
        if divides_rows(vars(self).get("schema_")):
            x = divided(x)
        scores = np.empty((1, state.targets))  # its own: others may predict meanwhile
        player = state.player(self._playing)
        try:
            _, why = player.score(x[None], None, None, scores)
        except TypeError:  # an array of other numbers
            _, why = player.score(row_in_order(x, state.columns)[None], None, None, scores)
        if why is not None:
            raise RegretlessError(f"the row was not predicted, for it is {why}")
        return scores

    def _scores_of(self, X: Any) -> Array:
        """Scores of what a user gives as rows."""
        self._require_fitted()
        return self.scores(read_rows(X, learner=self, reset=False, in_order=False, text="known"))

    # ---- playing

    def _play_one(self, x: Array | Mapping[str, float | str], outcome: Any, *weight: float) -> None:
        """Play one round without checks, with its outcome as the kernel takes it, and what it weighs if not 1."""
        row: Any = x if type(x) is np.ndarray else self._plain(x)
        try:
            turn, state = vars(self)[TURN], self.state_  # as `in_turn` takes it, at less cost
        except (KeyError, AttributeError):
            self._require_fitted()
            raise
        if not turn.acquire(False):
            raise RegretlessError(BUSY)
        try:
            if isinstance(row, RowAsTable):
                self._play_table(row, outcome, *weight)
                return
            if row.shape != (state.columns,):
                row = row_in_order(row, state.columns, vars(self).get("schema_"))
            schema = vars(self).get("schema_")
            if schema is not None and divides_rows(schema):  # the call alone costs a tenth of a round
                row = divided(row)
            state.rules = self._playing
            player = state.player(self._playing)
            try:
                _, why = player.one(row, outcome, *weight)
            except TypeError:  # numbers of another type
                _, why = player.one(row_in_order(row, state.columns), outcome, *weight)
        finally:
            turn.release()
        if why is not None:
            raise RegretlessError(f"the round was not played, for its row is {why}")

    def _play_table(self, table: RowAsTable, outcome: Any, *weight: float) -> None:
        """Play one round of a row that is read as tables are."""
        batch = read_rows(table, learner=self, reset=False, in_order=False, text="learn")
        self.state_.grow(batch.columns)
        self._play_batch(batch, outcome, *weight)

    @abstractmethod
    def _play_batch(self, batch: Batch, outcome: Any, *weight: float) -> None:
        """Play a batch of one row, with its outcome as the kernel takes it, and what it weighs if not 1."""

    def _refused(self, batch: Batch, row: int, why: str, learned: int = 0) -> RowError:
        """What to raise of a row at which the kernel stopped."""
        fault = fault_of(batch, row, why, self._against_overflow())
        return RowError(self._explain(batch, row, why), learned, row, *fault)

    def _against_overflow(self) -> str:
        """What to do where the weights would overflow."""
        return f"lower the rate or {SCALE}" if hasattr(self, "rate") else SCALE

    def _explain(self, batch: Batch, row: int, why: str) -> str:
        if why == "not finite":
            return explain_nonfinite(batch, row, getattr(self, "feature_names_in_", None))
        if why == "diverged":
            fault, advice = fault_of(batch, row, why, self._against_overflow())
            return f"Row {row} {fault}; {advice}."
        return f"X is not a valid sparse matrix: row {row} is {why}"

    # ---- what was learned

    @property
    def ledger_(self) -> Ledger:
        """What was observed so far."""
        self._require_fitted()
        return self.state_.ledger()

    def played_rules(self) -> Rules:
        """The rules of the rounds played last; they outlive a change of parameters."""
        return self.state_.rules or self.rules()

    def snapshot(self) -> dict[str, Any] | None:
        """What a report draws over the rounds besides counts, as JSON values; None for most learners."""
        return None

    # ---- in a file

    def _extra(self) -> dict[str, Any]:
        """What the columns of the table are from which it learned, if it had columns of text."""
        return {"schema": self.schema_} if "schema_" in vars(self) else {}

    def stored_params(self) -> dict[str, Any]:
        """The parameters; a generator of random numbers cannot be kept."""
        parameters = self.get_params()
        seed = parameters.get("random_state")
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise ParameterError(
                "random_state", repr(seed), "cannot be kept in a model file; give a whole number or None", " "
            )
        return parameters

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Columns and their names, and the arrays of the state."""
        self._require_fitted()
        state, names = self.state_, getattr(self, "feature_names_in_", None)
        description = {
            "columns": state.columns,
            "names": None if names is None else list(names),
            "steady": state.steady and state.rules in (None, self.rules()),
        }
        return description, state.tensors()

    def _restore(self, state: BaseState, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> None:
        """Fill an empty state with what `state_dict` gave, and set the columns that go with it.

        Raises
        ------
        ValueError
            If it does not fit together.
        """
        columns, names = description["columns"], description["names"]
        state.adopt(columns, tensors)
        state.steady = description["steady"] is True
        state.follow(self.rules())
        self.n_features_in_ = columns
        if names is not None:
            if not isinstance(names, list) or len(names) != columns or not all(isinstance(name, str) for name in names):
                raise ValueError("its features have other names than its columns ask for")
            self.feature_names_in_ = np.array(names, dtype=object)


def played_in_order(
    batch: Batch, begin: int, play: Callable[[Batch, int], tuple[int, str | None]]
) -> tuple[Batch, int, str | None]:
    """Play a batch; where the columns of a row do not ascend, sort them and go on.

    Parameters
    ----------
    batch : Batch
    begin : int
        Its first row to play.
    play : callable
        Plays rows of a batch from a row on; returns how far it came, and why not to the end.

    Returns
    -------
    batch : Batch
        With its rows in order, if they were not.
    played : int
        How far it came.
    why : str or None
        Why it stopped there; None at the end.
    """
    played, why = play(batch, begin)
    if why == "unsorted":
        batch = ascending(batch)
        played, why = play(batch, played)
    return batch, played, why
