"""Several learners over one stream, mixed by fixed share: about as good as the best sequence of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_write import replacing
from ..catalogue import DEFAULT_MIXING, expert_class
from ..certificate import Certificates
from ..data.batch import Array
from ..errors import ModelError, ParameterError, RegretlessError
from ..experts.base import ExpertLearner
from ..frames import as_array
from ..linear.base import OnlineClassifier
from ..linear.labels import read_labels, stored_classes
from ..persist.format import MIXTURE
from ..persist.model import read, write
from ..persist.validation import count, one
from ..theory.majority import vote_mistakes
from ..turns import Turn, in_turn

LAST = "last-label"


class LearnerMixture:
    """Learners that go over one stream side by side, and a vote by weights that fixed share moves.

    ::

        weights   p_i = 1 / N
        predict   the class whose members have the largest weight together
        suffer    each member 1 if its label is wrong, else 0; in expectation <p, losses>
        update    p_i in proportion to p_i exp(-eta loss_i); then a share alpha is dealt out again

    The expected loss is what a member drawn by its weight would err. Against every sequence of members with m
    switches it is larger by at most ((m + 1) ln(N / alpha) + stays) / eta and the mixability gaps, whatever the rows
    and however many classes there are (Herbster & Warmuth 1998; see `FixedShare`); `certify` says the numbers. The
    vote errs in at most twice as many rounds: where it does, the members of the true class have no more weight than
    those of the predicted one, hence at most 1/2, so that the expected loss of the round is at least 1/2.

    It stands in no catalogue and has no `info`: it is made of learners that were made before, each with an entry of its
    own, and of `FixedShare`, so that no name and no parameters in a file or on a command line say what it is. It is
    saved in a folder; the files in there are models of its members and of the combiner, which verbs take one by one.

    A round whose class is new, where classes are not announced, is a mistake of every member: nobody could say it.

    Parameters
    ----------
    learners : sequence of OnlineClassifier
        Of any kinds, with nothing learned yet; they are used as they are.
    last_label : bool, default=True
        Whether there is one member more, which says the label of the row before; before the first, what the first
        learner says.
    share : float, default=0.01
        The alpha of `FixedShare`, between 0 and 1: about the number of switches over the number of rounds.

    Attributes
    ----------
    members_ : list of str
        What the members are called.
    weights_ : ndarray, shape (members,)
        Their weights for the next row.
    rounds_, mistakes_ : int
        Rows so far, and how many of them the vote predicted wrongly before they were learned.
    expected_loss_ : float
        The expected mistakes of a member drawn in each round.
    member_mistakes_ : ndarray, shape (members,)
    classes_ : ndarray
        The labels that were announced or came, ascending.

    Raises
    ------
    ParameterError
        If there is no learner, one of them has learned something, or the share is none.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless import LearnerMixture
    >>> from regretless.linear import AROW, Perceptron
    >>> random = np.random.default_rng(0)
    >>> X, y = random.normal(size=(900, 4)), np.repeat(random.integers(0, 3, 30), 30)
    >>> mixture = LearnerMixture([AROW(), Perceptron()]).partial_fit(X, y)
    >>> mixture.members_, mixture.member_mistakes_.tolist(), mixture.mistakes_
    (['arow', 'perceptron', 'last-label'], [526.0, 487.0, 23.0], 24)
    """

    def __init__(self, learners: Sequence[OnlineClassifier], *, last_label: bool = True, share: float = 0.01) -> None:
        self.learners = list(learners)
        if not self.learners or not all(isinstance(learner, OnlineClassifier) for learner in self.learners):
            raise ParameterError("learners", repr(learners), "must be learners of weights, one at least", " ")
        if len({id(learner) for learner in self.learners}) < len(self.learners):
            raise ParameterError("learners", repr(learners), "has one of them twice", " ")
        if any(hasattr(learner, "classes_") for learner in self.learners):
            raise ParameterError("learners", repr(learners), "must not have learned anything yet", " ")
        self.last_label = bool(last_label)
        self.share = share
        combiner = expert_class(DEFAULT_MIXING)
        self._begin(combiner(loss=None, value_range=(0, 1), alpha=share, n_experts=len(self.members_)))

    def _begin(self, combiner: ExpertLearner) -> None:
        self._combiner = combiner
        self._losses: list[Array] = []
        self._last: Any = None
        self._apart = ""
        self.classes_: Array = np.zeros(0)
        self.mistakes_ = 0
        self.turn = Turn()

    # ---- learning

    @in_turn
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> LearnerMixture:
        """Let all learners predict each row and learn it, and move the weights.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rounds, features)
            As in `partial_fit` of the learners.
        y : array-like, shape (rounds,)
            Any labels.
        classes : array-like, optional
            All classes that will ever come; without it they are met as they come.

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If a learner refuses a row. As the learners have not learned the same rows then, the mixture learns no more.
        """
        if self._apart:
            raise RegretlessError(f"the learners have not learned the same rows, for {self._apart}")
        predictions = [self._learn(learner, X, y, classes) for learner in self.learners]
        if not len(predictions[0]):
            return self
        labels = read_labels(y, len(predictions[0]))
        if classes is not None:
            self._know(np.asarray(read_labels(classes, len(classes))))
        first = np.sort(np.unique(labels, return_index=True)[1])
        new = first[~np.isin(labels[first], self.classes_)] if len(self.classes_) else first
        if self.last_label:
            before = predictions[0][:1] if self._last is None else np.asarray([self._last])
            predictions.append(np.concatenate([before, labels[:-1]]))
        table = np.column_stack(predictions)
        wrong = table != labels[:, None]
        wrong[new] = True
        played = self._combiner.play(wrong.astype(np.float64), weights=True)
        voted = _votes(table, np.asarray(played.weights)) != labels
        voted[new] = True
        self.mistakes_ += int(voted.sum())
        self._losses.append(wrong)
        self._last = labels[-1]
        self._know(labels)
        return self

    def _learn(self, learner: OnlineClassifier, X: Any, y: Any, classes: Any) -> Array:
        """What a learner says of each row before it has learned it."""
        predictions: list[Array] = []

        def write_down(scores: Array, codes: Array, known: Array, tie: float, votes: Array | None) -> None:
            predictions.append(learner.labels(scores if votes is None else votes))

        watching, learner.on_scores = learner.on_scores, write_down
        try:
            learner.partial_fit(X, y, classes)
        except BaseException as error:
            if any(_rounds(one) != self.rounds_ for one in self.learners):
                self._apart = f"{learner.name} was stopped: {error}"
            raise
        finally:
            learner.on_scores = watching
        return np.concatenate(predictions) if predictions else np.zeros(0)

    def _know(self, labels: Array) -> None:
        self.classes_ = np.unique(np.concatenate([self.classes_, labels]) if len(self.classes_) else labels)

    # ---- predicting

    def predict(self, X: Any) -> Array:
        """The label of each row, by the vote of the members as they are now.

        Raises
        ------
        RegretlessError
            If X cannot be used, or nothing was learned yet.
        """
        predictions = [as_array(learner.predict(X)) for learner in self.learners]
        if self.last_label:
            predictions.append(np.full(len(predictions[0]), self._last))
        table = np.column_stack(predictions)
        return _votes(table, np.broadcast_to(self.weights_, table.shape))

    # ---- what was learned

    @property
    def members_(self) -> list[str]:
        """What the members are called; of several of one name, with their places."""
        names = [learner.name for learner in self.learners]
        names = [name if names.count(name) == 1 else f"{name} {place}" for place, name in enumerate(names, 1)]
        return [*names, LAST] if self.last_label else names

    @property
    def weights_(self) -> Array:
        """Their weights for the next row."""
        return self._combiner.weights

    @property
    def rounds_(self) -> int:
        """How many rows were learned."""
        return int(self._combiner.ledger_.rounds)

    @property
    def expected_loss_(self) -> float:
        """How many mistakes a member drawn in each round makes in expectation."""
        return float(self._combiner.ledger_.loss)

    @property
    def member_mistakes_(self) -> Array:
        """How many mistakes each member made."""
        return np.array(self._combiner.ledger_.losses)

    def certify(self, switches: Sequence[int] = (0, 1, 2, 5, 10, 20, 50)) -> Certificates:
        """What the mistakes of the vote are at most, twice the expected loss; and the theorems of fixed share about the
        expected loss, against members and sequences of them, of which the vote hence errs at most twice the bound.

        Parameters
        ----------
        switches : sequence of int
            How many switches the sequences have that the run is compared with.

        Returns
        -------
        list of Certificate
        """
        if not self._losses:
            raise RegretlessError("nothing was learned yet: there is nothing to certify")
        fewer = [number for number in switches if number < self.rounds_]
        ledger, losses = self._combiner.ledger_, np.concatenate(self._losses).astype(np.float64)
        voted = vote_mistakes.certify(replace(ledger, mistakes=float(self.mistakes_)), [None], self._combiner.facts())
        return Certificates([voted, *self._combiner.certify(losses, switches=fewer)])

    # ---- in a folder

    @in_turn
    def save(self, folder: str | PathLike[str]) -> None:
        """Write the mixture into a folder, which `LearnerMixture.load` reads: a model for each learner and one more.

        Parameters
        ----------
        folder : path-like
            Made if it is not there. What was saved in it before stays whole until all is written.

        Raises
        ------
        RegretlessError
            If nothing was learned yet, the learners have not learned the same rows, or one cannot be saved.
        OSError
            If a file cannot be written.
        """
        if self._apart or not self._losses:
            raise RegretlessError(f"there is nothing to save, for {self._apart or 'nothing was learned yet'}")
        place, rounds = Path(folder), self.rounds_
        place.mkdir(exist_ok=True)
        for number, learner in enumerate(self.learners):
            learner.save(place / f"member-{number}-{rounds}.rgl")
        with replacing(place / f"losses-{rounds}.npy") as file:
            np.save(file, np.concatenate(self._losses))
        extra = {
            "last_label": self.last_label,
            "classes": self.classes_.tolist(),
            "labels": self.classes_.dtype.kind,
            "last": np.asarray(self._last).item(),
            "mistakes": self.mistakes_,
        }
        write(place / MIXTURE, self._combiner, extra)
        for old in [*place.glob("member-*-*.rgl"), *place.glob("losses-*.npy")]:
            if not old.stem.endswith(f"-{rounds}"):
                old.unlink()

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> LearnerMixture:
        """Read a mixture that `save` wrote; it goes on as if it had not stopped.

        Raises
        ------
        ModelError
            If a file is damaged, or they do not fit together.
        OSError
            If one is missing.
        """
        place = Path(folder)
        combiner, extra = read(place / MIXTURE, "experts")
        try:
            if type(combiner) is not expert_class(DEFAULT_MIXING):
                raise ValueError("its combiner is another")
            last_label, rounds = one(extra["last_label"], bool, "last_label"), int(combiner.ledger_.rounds)
            learners = [
                read(place / f"member-{number}-{rounds}.rgl", "linear")[0]
                for number in range(combiner.n_experts_ - last_label)
            ]
            losses = np.load(place / f"losses-{rounds}.npy", allow_pickle=False)
            if losses.shape != (rounds, combiner.n_experts_) or losses.dtype != np.bool_:
                raise ValueError("its losses have another shape")
            mixture = cls.__new__(cls)
            mixture.learners, mixture.last_label, mixture.share = learners, last_label, combiner.alpha
            mixture._begin(combiner)
            mixture.classes_ = stored_classes(extra["classes"], extra["labels"])
            mixture._last = mixture.classes_[mixture.classes_.tolist().index(extra["last"])]
            mixture.mistakes_ = count(extra["mistakes"], "mistakes")
            mixture._losses = [losses]
        except (LookupError, TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"{place}: the mixture does not fit together ({error}); it cannot be used") from error
        return mixture


def _rounds(learner: OnlineClassifier) -> int:
    return int(learner.ledger_.rounds) if hasattr(learner, "classes_") else 0


def _votes(table: Array, weights: Array) -> Array:
    """The label of the largest weight in each row; of equal ones, that of the member that comes first."""
    votes = np.zeros(table.shape)
    for member in range(table.shape[1]):
        votes += weights[:, [member]] * (table == table[:, [member]])
    return np.asarray(table[np.arange(len(table)), votes.argmax(axis=1)])
