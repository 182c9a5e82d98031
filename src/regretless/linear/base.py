"""What the linear learners share: scikit-learn's interface around one compiled loop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np

from ..checks import drawn_seed, whole
from ..data.batch import Array, Batch
from ..errors import ParameterError, RegretlessError, RowRefused
from ..info import HasInfo, LinearInfo
from ..ledger import Ledger
from ..persist.model import Persistent
from ..pictured import Bars, Pictured
from ..turns import BUSY, in_turn
from .certificates import CertifiedLearner
from .estimator import TURN, Estimator, with_constructor
from .labels import distinct, encode, extend, read_labels, stored_classes, targets_for, weigh, with_class
from .state import BaseState, Rules, State
from .validation import ascending, explain_nonfinite, fault_of, read_rows, read_weights

FEW = 16  # labels that are looked up one by one, which is quicker than numpy for a handful


@with_constructor
class OnlineClassifier(HasInfo, Estimator, CertifiedLearner, Persistent, Pictured):
    """A composition (geometry, loss, rate) played over the rows of X, in their order.

    Subclasses name their theorems and turn their parameters into rules. Rounds are played in the order in which they
    come; nothing is shuffled unless asked.
    """

    info: ClassVar[LinearInfo]
    holds_rows: ClassVar[bool] = False  # whether what it has learned are rows, that go by their number in the stream
    kind = "linear"

    passes: int = 1
    until_clean: bool = False
    max_passes: int = 1000
    shuffle: bool = False
    random_state: Any = None
    class_weight: Any = None
    warm_start: bool = False

    # called with the scores that rounds were predicted by, their codes, the classes, what a score of 0 means, and the
    # scores by votes where there are some
    on_scores: Callable[[Array, Array, Array, float, Array | None], None] | None = field(
        default=None, init=False, repr=False
    )

    @abstractmethod
    def rules(self) -> Rules:
        """The composition that the parameters stand for.

        Raises
        ------
        RegretlessError
            If a parameter has no meaning.
        """

    def checked(self) -> Rules:
        """The same, once all other parameters are known to have a meaning too.

        Raises
        ------
        RegretlessError
            If one has none.
        """
        whole("passes", self.passes)
        whole("max_passes", self.max_passes)
        if isinstance(self.class_weight, Mapping):
            weigh(self.class_weight, np.zeros(0), None, None)
        return self.rules()

    # ---- what learners of other kinds do in their own way

    def new_state(self, columns: int, targets: int) -> BaseState:
        """An empty state for so many columns and targets."""
        return State(columns, targets)

    def targets(self, classes: Array) -> int:
        """How many targets these classes need: one against the rest, unless there are two."""
        return targets_for(classes)

    def extended(self, classes: Array) -> BaseState:
        """The state as it is, ready for more classes."""
        return extend(self.state_, self.classes_, classes)

    # ---- learning

    @in_turn
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, then play the rows of X, `passes` times or until a pass is clean.

        With `warm_start` nothing is forgotten: the rows are played after all that came before.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rounds, features)
            float32 and float64 arrays and CSR matrices with int32 or int64 indices are read where they stand. Of a
            table's columns of text or categories each value is a feature, ``city=Paris``; values that come later
            are taken up by `partial_fit`, and contribute nothing in `predict`. Such a table is read by the names of
            its columns; one of numbers must have them in the order of `fit`, as scikit-learn asks.
        y : array-like, shape (rounds,)
            Any labels, of two classes or more.
        sample_weight : array-like, shape (rounds,), optional
            What each round's loss is multiplied by.

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If X or y cannot be used, or the weights overflow.
        """
        rules, most = self.checked(), self.most_passes
        onwards = self.warm_start and hasattr(self, "classes_")
        if not onwards:
            self._forget()
        batch = read_rows(X, learner=self, reset=not onwards, in_order=self.shuffle, text="learn")
        labels = read_labels(y, len(batch))
        weights = read_weights(sample_weight, len(batch))
        classes = distinct(labels)
        if len(classes) < 2:
            raise RegretlessError(f"y holds one class only ({classes[0]}): there is nothing to tell it from")
        weights = weigh(self.class_weight, labels, weights, classes)
        if onwards:
            self.repeats()  # for all that is known, these rows are the ones before
            self.state_.grow(batch.columns)
            self._expect(classes, batch.columns)
        else:
            self._adopt(classes, self.new_state(batch.columns, self.targets(classes)))
            self.lookahead_ = self.looks_ahead() or (self.looks_at_classes() if len(classes) > 2 else "")
            # Two classes are the two signs; more were not announced.
            self.unannounced_ = len(classes) if len(classes) > 2 else 0
        codes, _ = encode(labels, self.classes_)
        random = None
        if self.shuffle:
            self.seed_ = drawn_seed(self.random_state)
            random = np.random.default_rng(self.seed_)
        for number in range(1, most + 1):
            self.n_iter_ = number
            if number > 1:
                self.repeats()
            before = self.state_.ledger().updates
            order = None if random is None else random.permutation(len(batch))
            batch = self._play(batch, codes, weights, order, rules)
            if self.until_clean and self.state_.ledger().updates == before:
                break
        return self

    @in_turn
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Play the rows of X after all that came before.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            All classes that will ever come. Without it, classes are met as they come: a class that is new starts its
            one-against-rest learner from nothing in the round in which it appears; of second-order learners, from
            what it would have learned until then.

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If a row cannot be used. The rows before it have been learned then; the message says how many.
        """
        rules = self.checked()
        fitted = hasattr(self, "classes_")
        self._playing = rules
        batch = read_rows(X, learner=self, reset=not fitted, in_order=False, text="learn")
        if fitted:
            self.state_.grow(batch.columns)
        labels = read_labels(y, len(batch))
        weights = read_weights(sample_weight, len(batch), all_zero=True)
        weights = weigh(self.class_weight, labels, weights, None)
        if classes is not None:
            self._expect(np.unique(read_labels(classes, len(classes))), batch.columns)
        self._play_and_meet(batch, labels, weights, rules)
        return self

    @in_turn
    def observe(self, batch: Batch) -> None:
        """Play a batch of a stream, whose columns and classes may be new.

        Parameters
        ----------
        batch : Batch
            Rows with labels; the feature count is the batch's from then on.

        Raises
        ------
        RegretlessError
            If a row cannot be used; the rows before it have been learned.
        """
        if batch.labels is None:
            raise RegretlessError("rounds without labels teach nothing")
        if hasattr(self, "classes_"):
            self.state_.grow(batch.columns)
        else:
            self.lookahead_ = self.looks_at_columns()
        self._playing = self.rules()
        weights = weigh(self.class_weight, batch.labels, None, None)
        self._play_and_meet(batch, batch.labels, weights, self._playing)
        self.n_features_in_ = self.state_.columns

    @in_turn
    def announce(self, classes: Array, columns: int) -> None:
        """Forget everything, and stand ready for rounds of these classes.

        Parameters
        ----------
        classes : ndarray, shape (classes,)
            All classes, ascending.
        columns : int
            How many features are known so far.
        """
        self.checked()
        self._forget()
        self._adopt(classes, self.new_state(columns, self.targets(classes)))
        self.n_features_in_ = columns

    @in_turn
    def play_encoded(self, batch: Batch, codes: Array) -> None:
        """Play a batch of a stream whose labels are all known, as `observe` does; for loops over many small batches.

        Parameters
        ----------
        batch : Batch
            Rows with labels; its columns may be new.
        codes : ndarray of int32, shape (rows,)
            What `encode` makes of the labels.

        Raises
        ------
        RegretlessError
            If a row cannot be used; the rows before it have been learned.
        """
        self.state_.grow(batch.columns)
        weights = None if batch.labels is None else weigh(self.class_weight, batch.labels, None, None)
        self._play(batch, codes, weights, None, self._playing)

    def update_one(self, x: Array, label: Any) -> None:
        """Play one round without the checks of `partial_fit`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,)
            Contiguous, as wide as the rows before.
        label
            One of ``classes_``.

        Raises
        ------
        RegretlessError
            If the row is not finite or too wide, or the weights overflow.
        """
        turn = vars(self)[TURN]  # as `in_turn` takes it, at less cost
        if not turn.acquire(False):
            raise RegretlessError(BUSY)
        try:
            self.state_.rules = self._playing
            _, why = self.state_.player(self._playing).one(x, self._codes[label])
        finally:
            turn.release()
        if why is not None:
            raise RegretlessError(f"the round was not played, for its row is {why}")

    def predict_one(self, x: Array | Mapping[str, float | str]) -> Any:
        """The label of one row, without the checks of `predict`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,), or mapping of str to float or str
            Contiguous, as wide as the rows before. Or the values of columns by their names: those that are not named
            are 0, and names or words that the learner does not know contribute nothing.

        Returns
        -------
        label
            One of ``classes_``.

        Raises
        ------
        RegretlessError
            If features are named, and the learner learned from rows without names.
        """
        if isinstance(x, Mapping):
            x = self._row_of(x)
        return self._name(self.scores_one(x))[0]

    def scores_one(self, x: Array) -> Array:
        """The scores of one row, shape (1, targets), as `predict_one` sees them."""
        scores = np.empty((1, self.state_.targets))  # its own: others may predict meanwhile
        self.state_.player(self._playing).score(x[None], None, None, scores)
        return scores

    @property
    def most_passes(self) -> int:
        """How many passes a run makes, or at most makes when it goes on until one is clean."""
        return self.max_passes if self.until_clean and self.passes == 1 else self.passes

    # ---- predicting

    def decision_function(self, X: Any) -> Array:
        """Scores of the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, features)

        Returns
        -------
        ndarray of float64
            Shape (rows,) for two classes, positive for ``classes_[1]``; shape (rows, classes) otherwise.

        Raises
        ------
        RegretlessError
            If X cannot be used, or nothing was learned yet.
        """
        self._require_fitted()
        batch = read_rows(X, learner=self, reset=False, in_order=False, text="known")
        scores = self.scores(batch)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """The label of each row of X.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rows, features)

        Returns
        -------
        ndarray, shape (rows,)
            Members of ``classes_``; a score of 0 goes to ``classes_[1]`` unless `ties` is -1, and of several equal
            scores the first class wins.

        Raises
        ------
        RegretlessError
            If X cannot be used, or nothing was learned yet.
        """
        self._require_fitted()
        return self._name(self.scores(read_rows(X, learner=self, reset=False, in_order=False, text="known")))

    def scores(self, batch: Batch) -> Array:
        """Scores of a batch, shape (rows, targets); the same bits that learning would see."""
        rules = self.rules()
        scores, (row, why) = self.state_.scores(batch, rules)
        if why == "unsorted":
            batch = ascending(batch)
            scores, (row, why) = self.state_.scores(batch, rules)
        if why is not None:
            raise self._refused(batch, row, why)
        return scores

    def labels(self, scores: Array) -> Array:
        """The labels that go with some scores."""
        return self._name(scores)

    @property
    def predicted_by(self) -> str:
        """What predicts, in the words of its `info`, which parameters may change."""
        return self.info.predicts_by

    @property
    def scores_are_log_odds(self) -> bool:
        """Whether its probabilities are those whose log odds its scores are."""
        return False

    def probabilities(self, scores: Array) -> Array | None:
        """The probabilities that go with some scores, shape (rows, classes); None of a learner that has none."""
        return None

    # ---- what was learned

    @property
    def ledger_(self) -> Ledger:
        """What was observed so far."""
        self._require_fitted()
        return self.state_.ledger()

    @property
    def coef_(self) -> Array:
        """The weights, shape (1, features) for two classes, (classes, features) otherwise."""
        self._require_fitted()
        return np.ascontiguousarray(self.state_.coefficients().T)

    @property
    def intercept_(self) -> Array:
        """What the constant feature adds to the scores, shape (1,) or (classes,)."""
        self._require_fitted()
        return self.state_.biases() * self.rules().intercept

    def bars(self) -> list[Bars]:
        """The weights of each class, the constant feature's left out."""
        weights, names = self.coef_, self._feature_names()
        classes = self.classes_[-1:] if len(weights) == 1 else self.classes_
        return [Bars(f"Weights for {label}", names, row) for label, row in zip(classes, weights, strict=True)]

    def played_rules(self) -> Rules:
        """The rules of the rounds played last; they outlive a change of parameters."""
        return self.state_.rules or self.rules()

    def snapshot(self) -> dict[str, Any] | None:
        """What a report draws over the rounds besides counts, as JSON values; None for most learners."""
        return None

    def settled(self) -> dict[str, Any]:
        """The values chosen for parameters that left them open, as JSON values; the learner must be fitted."""
        return {}

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
        """Classes, columns and what the first pass was, and the arrays of the state."""
        self._require_fitted()
        state, names = self.state_, getattr(self, "feature_names_in_", None)
        description = {
            "classes": self.classes_.tolist(),
            "labels": self.classes_.dtype.kind,
            "columns": state.columns,
            "names": None if names is None else list(names),
            "steady": state.steady and state.rules in (None, self.rules()),
            "fresh": self.first_pass(),
        }
        return description, state.tensors()

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner as `state_dict` described it."""
        learner = cls(**description["parameters"])
        learner.checked()
        classes = stored_classes(description["classes"], description["labels"])
        columns, names = description["columns"], description["names"]
        state = learner.new_state(0, learner.targets(classes))
        state.adopt(columns, tensors)
        state.steady = description["steady"] is True
        state.follow(learner.rules())
        learner.n_features_in_ = columns
        if names is not None:
            if not isinstance(names, list) or len(names) != columns or not all(isinstance(name, str) for name in names):
                raise ValueError("its features have other names than its columns ask for")
            learner.feature_names_in_ = np.array(names, dtype=object)
        learner._adopt(classes, state)
        learner.resume_first_pass(description.get("fresh"))
        return learner

    # ---- inside

    def _adopt(self, classes: Array, state: BaseState) -> None:
        _ = self.turn  # `update_one` relies on it
        self.state_ = state
        self._playing = self.rules()
        self.classes_ = classes
        codes, _ = encode(classes, classes)
        self._codes = dict(zip(classes.tolist(), codes.tolist(), strict=True))

    def _expect(self, classes: Array, columns: int) -> None:
        """Take up classes that were announced."""
        if not hasattr(self, "classes_"):
            self._adopt(classes, self.new_state(columns, self.targets(classes)))
            return
        for label in classes:
            if label not in self.classes_:
                self._meet(label)

    def _meet(self, label: Any) -> None:
        classes = with_class(self.classes_, label)
        self._adopt(classes, self.extended(classes))

    def _play_and_meet(self, batch: Batch, labels: Array, weights: Array | None, rules: Rules) -> None:
        """Play a batch; where a class appears for the first time, take it up and go on."""
        if not len(batch):
            return
        if not hasattr(self, "classes_"):
            first = labels[:1]
            self.unannounced_ += 1
            self._adopt(first.copy(), self.new_state(batch.columns, self.targets(first)))
        begin = 0
        while begin < len(batch):
            codes, new = self._encode(labels)
            end = len(batch) if new is None else new
            if end > begin:
                batch = self._play(batch, codes, weights, None, rules, begin, end)
            if new is not None:
                self.unannounced_ += 1
                self._meet(labels[new])
            begin = end

    def _encode(self, labels: Array) -> tuple[Array, int | None]:
        """What the kernel plays, and where the first unknown class stands."""
        if len(labels) <= FEW:
            codes = [self._codes.get(label) for label in labels.tolist()]
            if None not in codes:
                return np.array(codes, dtype=np.int32), None
        places, known = encode(labels, self.classes_)
        if known.all():
            return places, None
        first = int(np.argmin(known))
        # The rows behind are played later; until then they need some number that the kernel accepts.
        places[~known] = places[0] if first else encode(self.classes_[:1], self.classes_)[0][0]
        return places, first

    def _play(
        self,
        batch: Batch,
        codes: Array,
        weights: Array | None,
        order: Array | None,
        rules: Rules,
        begin: int = 0,
        end: int = -1,
    ) -> Batch:
        """Play the rounds begin <= t < end of a batch; it comes back with its rows in order, if they were not."""
        self.state_.follow(rules)
        player = self.state_.player(rules)
        with self._watched(player, codes, order, begin, rules) as watched:
            played, why = player.play(batch.values, batch.indices, batch.starts, codes, weights, order, begin, end)
            if why == "unsorted":
                batch = ascending(batch)
                played, why = player.play(batch.values, batch.indices, batch.starts, codes, weights, order, played, end)
            watched.played = played
        if why is not None:
            row = int(played if order is None else order[played])
            raise self._refused(batch, row, why, played)
        return batch

    @contextmanager
    def _watched(self, player: Any, codes: Array, order: Array | None, begin: int, rules: Rules) -> Iterator[Any]:
        """Have the scores of the rounds written down for `on_scores`."""
        watched = SimpleNamespace(played=begin)
        if self.on_scores is None:
            yield watched
            return
        scores = np.full((len(codes if order is None else order), self.state_.targets), np.nan)
        player.watch(scores)
        try:
            yield watched
        finally:
            player.watch(None)
        end = watched.played
        their = codes[begin:end] if order is None else codes[order[begin:end]]
        votes = getattr(player, "votes_in_time", None)
        votes = None if votes is None else votes[begin:end]
        self.on_scores(scores[begin:end], their, self.classes_, rules.tie, votes)

    def _refused(self, batch: Batch, row: int, why: str, learned: int = 0) -> RowRefused:
        return RowRefused(self._explain(batch, row, why), learned, row, *fault_of(batch, row, why))

    def _explain(self, batch: Batch, row: int, why: str) -> str:
        if why == "not finite":
            return explain_nonfinite(batch, row, getattr(self, "feature_names_in_", None))
        if why == "diverged":
            fault, advice = fault_of(batch, row, why)
            return f"Row {row} {fault}; {advice}."
        return f"X is not a valid sparse matrix: row {row} is {why}"

    def _name(self, scores: Array) -> Array:
        if scores.shape[1] > 1:
            return np.asarray(self.classes_[scores.argmax(axis=1)])
        column = scores[:, 0]
        positive = column >= 0 if self.rules().tie >= 0 else column > 0
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(column))
        return np.asarray(self.classes_[positive.astype(np.intp)])
