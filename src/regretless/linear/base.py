"""What the linear learners share: scikit-learn's interface around one compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np

from ..checks import drawn_seed, whole
from ..data.batch import Array, Batch
from ..errors import RegretlessError
from ..rows.estimator import with_constructor
from ..rows.learner import played_in_order
from ..rows.sample_weights import read_weights
from ..rows.state import BaseState, Rules
from ..rows.validation import read_rows, warn_user
from ..turns import in_turn
from .certificates import CertifiedLearner
from .classifier import LabelPredictor
from .labels import (
    codes_until_new,
    encode,
    extend,
    read_classes,
    read_labels,
    stored_classes,
    targets_for,
    warn_of_quantity,
    weigh,
    weights_without_rows,
    with_class,
)
from .state import State

MOST_NAMED = 10  # classes, in a message


@with_constructor
class OnlineClassifier(LabelPredictor, CertifiedLearner):
    """A composition (geometry, loss, rate) played over the rows of X, in their order.

    Subclasses name their theorems and turn their parameters into rules. Rounds are played in the order in which they
    come; nothing is shuffled unless asked.
    """

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

    def _check(self) -> Rules:
        """The composition, once all other parameters are known to have a meaning too."""
        whole("passes", self.passes)
        whole("max_passes", self.max_passes)
        if self.class_weight is not None and isinstance(self.class_weight, Mapping):
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
        rules = self.checked()
        onwards = self.warm_start and hasattr(self, "classes_")
        if not onwards:
            self._forget()
        batch = read_rows(X, learner=self, reset=not onwards, in_order=self.shuffle, text="learn")
        labels, classes, codes = read_classes(y, len(batch))
        weights = read_weights(sample_weight, len(batch))
        if len(classes) < 2:
            raise RegretlessError(f"y holds one class only ({classes[0]}): there is nothing to tell it from")
        warn_of_quantity(labels, classes)
        weights = weigh(self.class_weight, labels, weights, classes)
        if onwards:
            self.repeats()  # for all that is known, these rows are the ones before
            self.state_.grow(batch.columns)
            self._expect(classes, batch.columns)
            codes, _ = encode(labels, self.classes_)
        else:
            self._begin(classes, batch.columns)
        self._play_passes(batch, codes, weights, rules)
        for message in weights_without_rows(self.class_weight, self.classes_):
            warn_user(message)
        return self

    def _begin(self, classes: Array, columns: int) -> None:
        """A state that has learned nothing, and knows all classes."""
        self._adopt(classes, self.new_state(columns, self.targets(classes)))
        self.lookahead_ = self.looks_ahead() or (self.looks_at_classes() if len(classes) > 2 else "")
        # Two classes are the two signs; more were not announced.
        self.unannounced_ = len(classes) if len(classes) > 2 else 0

    def _play_passes(self, batch: Batch, codes: Array, weights: Array | None, rules: Rules) -> None:
        """Play the rows `passes` times or until a pass is clean, each in a new order if they are shuffled."""
        random = None
        if self.shuffle:
            self.seed_ = drawn_seed(self.random_state)
            random = np.random.default_rng(self.seed_)
        for number in range(1, self.most_passes + 1):
            self.n_iter_ = number
            if number > 1:
                self.repeats()
            before = self.state_.ledger().updates
            order = None if random is None else random.permutation(len(batch))
            batch = self._play(batch, codes, weights, order, rules)
            if self.until_clean and self.state_.ledger().updates == before:
                break

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
    def observe(self, batch: Batch, weights: Array | None = None) -> None:
        """Play a batch of a stream, whose columns and classes may be new.

        Parameters
        ----------
        batch : Batch
            Rows with labels; the feature count is the batch's from then on.
        weights : ndarray of float64, shape (rows,), optional
            What each round's loss is multiplied by, besides the weight of its class.

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
        self._playing = self._known_rules() or self.rules()
        weights = weigh(self.class_weight, batch.labels, weights, None)
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

    def update_one(self, x: Array | Mapping[str, float | str], label: Any) -> None:
        """Play one round without the checks of `partial_fit`; the learner must be fitted.

        Parameters
        ----------
        x : ndarray of float64, shape (features,), or mapping of str to float or str, or pandas.Series
            Contiguous, as wide as the rows before. Or the values of columns by their names, read as a table is: numbers
            that are not named are 0, names that the learner does not know contribute nothing if it knows one of them,
            and a word that is new in a column of words becomes a feature, as by `partial_fit`.
        label
            One of ``classes_``.

        Raises
        ------
        RegretlessError
            As `predict_one`; or if the row is not finite, the label is none of the classes, `class_weight` asks for all
            labels at once, or the weights overflow.
        """
        try:
            code = self._codes[label]
        except AttributeError:
            self._require_fitted()
            raise
        except KeyError:
            known = ", ".join(map(repr, self.classes_.tolist()[:MOST_NAMED]))
            more = "" if len(self.classes_) <= MOST_NAMED else " and others"
            fault = f"the label {label!r} is none of those that were learned: {known}{more}"
            raise RegretlessError(f"{fault}; partial_fit takes new ones") from None
        if self.class_weight is None:
            self._play_one(x, code)
        else:
            self._play_one(x, code, *self._weight_of(label))

    def _weight_of(self, label: Any) -> tuple[float, ...]:
        """What a round of this label weighs by its class; nothing where classes have no weights."""
        if self.class_weight is None:
            return ()
        weights = weigh(self.class_weight, np.asarray([label]), None, None)
        assert weights is not None
        return (float(weights[0]),)

    @property
    def most_passes(self) -> int:
        """How many passes a run makes, or at most makes when it goes on until one is clean."""
        return self.max_passes if self.until_clean and self.passes == 1 else self.passes

    # ---- in a file

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Classes, columns and what the first pass was, and the arrays of the state."""
        described, tensors = super().state_dict()
        labels = {"classes": self.classes_.tolist(), "labels": self.classes_.dtype.kind}
        return labels | described | {"fresh": self.first_pass()}, tensors

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A learner as `state_dict` described it."""
        learner = cls(**description["parameters"])
        learner.checked()
        classes = stored_classes(description["classes"], description["labels"])
        state = learner.new_state(0, learner.targets(classes))
        learner._restore(state, description, tensors)
        learner._adopt(classes, state)
        learner.resume_first_pass(description.get("fresh"))
        return learner

    # ---- inside

    def _adopt(self, classes: Array, state: BaseState) -> None:
        _ = self.turn  # `update_one` relies on it
        self.state_ = state
        self._playing = self._known_rules() or self.rules()
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

    def _play_batch(self, batch: Batch, outcome: Any, *weight: float) -> None:
        self._play(batch, np.array([outcome], np.int32), np.array(weight) if weight else None, None, self._playing)

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
            codes, new = codes_until_new(labels, self.classes_, self._codes)
            end = len(batch) if new is None else new
            if end > begin:
                batch = self._play(batch, codes, weights, None, rules, begin, end)
            if new is not None:
                self.unannounced_ += 1
                self._meet(labels[new])
            begin = end

    def _before(self, batch: Batch) -> None:
        """Called before rounds of a batch are played."""

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
        self._before(batch)
        self.state_.follow(rules)
        player = self.state_.player(rules)
        scores = None
        if self.on_scores is not None:
            scores = np.full((len(codes if order is None else order), self.state_.targets), np.nan)
            player.watch(scores)
        try:
            batch, played, why = played_in_order(
                batch,
                begin,
                lambda rows, first: player.play(
                    rows.values, rows.indices, rows.starts, codes, weights, order, first, end
                ),
            )
        finally:
            if scores is not None:
                player.watch(None)
        if self.on_scores is not None and scores is not None:
            votes = getattr(player, "votes_in_time", None)
            their = codes[begin:played] if order is None else codes[order[begin:played]]
            self.on_scores(
                scores[begin:played],
                their,
                self.classes_,
                rules.tie,
                None if votes is None else votes[begin:played],
            )
        if why is not None:
            row = int(played if order is None else order[played])
            raise self._refused(batch, row, why, played)
        return batch
