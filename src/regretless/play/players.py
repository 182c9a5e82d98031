"""Players: learners of a finite class, combiners of experts, whose votes are 0 or 1, and linear learners of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..certificate import Certificate
from ..data.arrays import ArrayStream
from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import RegretlessError
from ..finite_classes.learners.standard_optimal import SearchingLearner
from ..info import info_of
from .player import AT_ONCE, NARROW, WATCHED, CurvePoint, LabelPlayer, LabelRound, Player

if TYPE_CHECKING:
    from ..environments import Environment, Oblivious
    from ..environments.labels import Labels, ObliviousLabels
    from ..experts.base import ExpertLearner
    from ..finite_classes.learners.base import ClassLearner
    from ..linear.base import OnlineClassifier


Array = np.ndarray[Any, Any]
BARE = "table"  # the loss of learners that take losses, and forecast nothing


class ClassPlayer(LabelPlayer):
    """It knows the points of the class; their labels are 0 and 1.

    Parameters
    ----------
    learner : ClassLearner
    environment : Labels
        Of the learner's own class.
    run : int
    """

    more = "alive"

    def __init__(self, learner: ClassLearner, environment: Labels, run: int) -> None:
        if environment.finite_class is None:
            raise RegretlessError(
                f"{environment.name} has no points of a class, and {learner.name} learns nothing else"
            )
        if environment.finite_class != learner.finite_class:
            raise RegretlessError(f"{environment.name} is of another class than {learner.name}")
        self.learner = learner
        super().__init__(environment, run)

    @property
    def draws(self) -> bool:
        """Whether it draws its labels."""
        return bool(self.learner.info.draws)

    @property
    def deterministic(self) -> bool:
        """Whether it does not."""
        return not self.draws

    @property
    def blocks(self) -> bool:
        """Draws have to be seen one by one."""
        return not self.draws

    @property
    def careful(self) -> bool:  # type: ignore[override]
        """Where each round may be a search, blocks begin small, so that a run can be stopped."""
        return isinstance(self.learner, SearchingLearner)

    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Predict the point."""
        self._prediction = self.learner.predict(point)
        if not self.draws:
            return 2 * int(self._prediction) - 1, None
        chance = float(self._prediction.probability)
        return (1 if chance >= 0.5 else -1), chance

    def update(self, row: Array, label: int) -> tuple[int, float]:
        """Let the learner learn the label."""
        truth = (label + 1) // 2
        wrong = self.learner.update(truth)
        return wrong, abs(float(self._prediction.probability) - truth) if self.draws else wrong

    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int, float]:
        """Play them all."""
        wrong = self.learner.play(points, (labels > 0).astype(np.uint8)).mistakes
        return wrong, wrong

    def point(self) -> CurvePoint:
        """Mistakes, and how many hypotheses are left."""
        tally = self.tally
        counted = float(tally.mistakes or 0)
        return CurvePoint(self.rounds, counted, tally.best, self.learner.ledger_.alive)

    def after(self, turn: LabelRound) -> dict[str, Any]:
        """How many hypotheses are left."""
        return {"alive": int(self.learner.ledger_.alive)}


def draws(learner: ExpertLearner) -> bool:
    """Whether it follows one of its experts, that it draws."""
    return bool(info_of(learner).draws)


def bare(learner: ExpertLearner) -> bool:
    """Whether it takes losses alone."""
    return learner._loss.name == BARE


class ExpertPlayer(LabelPlayer):
    """Its forecast is the probability of the label 1, or it follows one expert.

    Parameters
    ----------
    learner : ExpertLearner
    environment : Labels
        One with votes.
    run : int
    """

    counts = "loss"

    def __init__(self, learner: ExpertLearner, environment: Labels, run: int) -> None:
        if not environment.votes:
            raise RegretlessError(f"the rows of {environment.name} are no votes, and {learner.name} combines experts")
        self.learner = learner
        self._bare, self._draws = bare(learner), draws(learner)
        learner._begin(environment.columns, 1)
        learner.expert_names_ = learner.expert_names_ or environment.names
        super().__init__(environment, run)

    @property
    def deterministic(self) -> bool:
        """Whether its forecast stands for a label."""
        return not (self._bare or self._draws)

    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Forecast, and return the likelier label."""
        learner = self.learner
        if self._bare:
            self._chance = float(np.asarray(learner.predict())[row > 0].sum())
        else:
            self._forecast = learner.predict((row + 1) / 2)
            weights = learner.waiting(self._forecast.ticket).weights
            self._chance = float(weights[row > 0].sum() if self._draws else self._forecast)
        self._chance = min(max(self._chance, 0.0), 1.0)
        return (1 if self._chance >= 0.5 else -1), self._chance

    def update(self, row: Array, label: int) -> tuple[int | None, float]:
        """Let the learner learn the label."""
        truth = (label + 1) / 2
        self.learner.update((row != label).astype(np.float64) if self._bare else truth)
        chance = abs(self._chance - truth)
        if self._bare:
            return None, chance
        predicted = float(self._forecast) if self._draws else float(self._chance >= 0.5)
        return int(predicted != truth), chance

    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int | None, float]:
        """Play them all."""
        if self._bare:
            return None, float(self.learner.play((rows != labels[:, None]).astype(np.float64)).losses.sum())
        truths = (labels + 1) / 2
        played = self.learner.play((rows + 1) / 2, truths)
        if played.chosen is not None:
            drawn = rows[np.arange(len(rows)), played.chosen]
            return int(np.count_nonzero(drawn != labels)), float(played.losses.sum())
        chances = np.clip(played.predictions, 0.0, 1.0)
        return int(np.count_nonzero((chances >= 0.5) != (truths > 0))), float(np.abs(chances - truths).sum())

    def point(self) -> CurvePoint:
        """The loss, and that of the best expert."""
        return _facts(self.learner, self.rounds)

    def observed(self) -> dict[str, float]:
        """Its own loss too."""
        return super().observed() | {"loss": float(self.learner.ledger_.loss)}


class ArmsPlayer(Player):
    """A learner with full information on the arms of an environment.

    Parameters
    ----------
    learner : ExpertLearner
        One without a loss of its own.
    environment : Environment
    run : int
    """

    counts = "loss"
    deterministic = False

    def __init__(self, learner: ExpertLearner, environment: Environment, run: int) -> None:
        if not bare(learner):
            raise RegretlessError(f"{learner.name} forecasts with loss={learner.loss!r}: arms have losses, loss=None")
        if environment.rewards:
            raise RegretlessError(f"{type(environment).__name__} gives rewards, and {learner.name} takes losses")
        if not (environment.oblivious or environment.foresees or draws(learner)):
            raise RegretlessError(f"{type(environment).__name__} watches the draws, and {learner.name} draws no arm")
        self.learner, self.environment, self.run, self.rounds = learner, environment, run, 0
        learner._begin(environment.arms, 1)
        if environment.named:
            learner.expert_names_ = learner.expert_names_ or environment.names
        self._opponent = None if environment.oblivious else environment.begin(run)

    def play(self, rounds: int) -> None:
        """Play in blocks where that can be done."""
        if self._opponent is None:
            count = min(rounds, max(1, AT_ONCE // self.environment.arms))
            self.learner.play(cast("Oblivious", self.environment).read(self.rounds, self.rounds + count, self.run))
            self.rounds += count
            return
        for _ in range(min(rounds, WATCHED)):
            weights = self.learner.predict()
            drawn = self.learner._drawn.get(weights.ticket) if draws(self.learner) else None
            losses = self._opponent.losses(np.asarray(weights))
            self.learner.update(losses)
            if drawn is not None:
                self._opponent.see(drawn)
            self.rounds += 1

    def point(self) -> CurvePoint:
        """The loss, and that of the best arm."""
        return _facts(self.learner, self.rounds)

    def observed(self) -> dict[str, float]:
        """Loss and regret."""
        point = self.point()
        sums = {"loss": point.count, "expected loss": float(self.learner.ledger_.expected)}
        return sums if point.regret is None else sums | {"regret": point.regret, "expected regret": point.regret}


def _facts(learner: ExpertLearner, rounds: int) -> CurvePoint:
    ledger = learner.ledger_
    best = learner.comparators()[0]
    return CurvePoint(rounds, float(ledger.loss), float(best.loss))


LABELS = (-1.0, 1.0)
MOST_STORED = 1 << 27  # numbers in rows of adaptive environments, which are stored for the certificates
TOGETHER = 1 << 13  # numbers for which room is made at once
LONG = 1 << 20  # numbers in rows that are not read again once the run was stopped


class LinearPlayer(LabelPlayer):
    """Rows of numbers with labels -1 and 1, both of which the learner knows beforehand.

    Parameters
    ----------
    learner : OnlineClassifier
        One that has learned nothing.
    environment : Labels
    run : int
    """

    more = "updates"

    def __init__(self, learner: OnlineClassifier, environment: Labels, run: int) -> None:
        self.learner = learner
        learner.checked()
        learner.n_features_in_ = environment.columns
        learner._expect(np.array(LABELS), environment.columns)
        super().__init__(environment, run)
        self._history = _History(environment.columns)

    @property
    def blocks(self) -> bool:
        """Where mistakes are not those of the ledger, each round has to be predicted."""
        return self.learner.predicted_by not in ("average", "vote")

    def predict(self, row: Array, point: int | None) -> tuple[int, float | None]:
        """Predict the row."""
        scores = self.learner.scores_one(row)
        self._prediction = int(self.learner.labels(scores)[0])
        self._score = float(scores[0, 0]) if scores.size == 1 else None
        return self._prediction, None

    def update(self, row: Array, label: int) -> tuple[int, float]:
        """Let the learner learn the label."""
        self.learner.update_one(row, float(label))
        self._history.add(row, label)
        wrong = int(self._prediction != label)
        return wrong, wrong

    def play_block(self, rows: Array, points: Array | None, labels: Array) -> tuple[int, float]:
        """Play them all."""
        before = self.learner.ledger_.mistakes
        self.learner.observe(Batch(np.ascontiguousarray(rows), labels, rows.shape[1]))
        if self._asker is not None:
            for row, label in zip(rows, labels.tolist(), strict=True):
                self._history.add(row, label)
        wrong = int(self.learner.ledger_.mistakes - before)
        return wrong, wrong

    def after(self, turn: LabelRound) -> dict[str, Any]:
        """The score that the row had when it was predicted, and the weights after its label, where they are few."""
        weights = getattr(self.learner, "coef_", None)
        shown = None if weights is None or weights.size > NARROW else weights.ravel().tolist()
        return {"score": self._score, "weights": shown}

    def observed(self) -> dict[str, float]:
        """Its updates too, which are more than its mistakes where a margin is asked for."""
        return super().observed() | {"updates": float(self.learner.ledger_.updates)}

    def point(self) -> CurvePoint:
        """Mistakes and updates."""
        return CurvePoint(self.rounds, float(self.tally.mistakes or 0), self.tally.best, self.learner.ledger_.updates)

    @property
    def is_long(self) -> bool:
        """Whether its certificates, for which the rows are read several times, take more than a moment."""
        return self.rounds * self.environment.columns > LONG

    def certificates(self) -> list[Certificate]:
        """Those of the learner, read against the rounds of this run."""
        from ..certify import certify_stream  # which takes long to load, and no other player needs it

        return certify_stream(self.learner, self._stream())

    def cheaply(self) -> list[Certificate]:
        """The same without looking for good comparators."""
        from ..certify import read_cheaply

        return read_cheaply(self.learner, self._stream())

    def _stream(self) -> Stream:
        if self._asker is None:
            return cast("ObliviousLabels", self.environment).stream(self.rounds, self.run)
        return _PlayedRows(self._history.batches(), name=self.environment.name, check=False)


class _PlayedRows(ArrayStream):
    """Rows that were played, which are counted from 1, as rounds are."""

    _first_number = 1


class _History:
    """Rows that depend on the predictions, and their labels."""

    def __init__(self, columns: int) -> None:
        self._columns, self._count = columns, 0
        self._step = max(1, TOGETHER // columns)
        self._rows: list[Array] = []
        self._labels: list[Array] = []

    def add(self, row: Array, label: int) -> None:
        """One more."""
        place = self._count % self._step
        if not place:
            if self._count * self._columns > MOST_STORED:
                raise RegretlessError(f"there is no room for more than {self._count:,} rows, which certificates need")
            self._rows.append(np.empty((self._step, self._columns)))
            self._labels.append(np.empty(self._step))
        self._rows[-1][place], self._labels[-1][place] = row, label
        self._count += 1

    def batches(self) -> list[Batch]:
        """All of them."""
        ends = [min(self._step, self._count - first) for first in range(0, self._count, self._step)]
        parts = zip(self._rows, self._labels, ends, strict=True)
        return [Batch(rows[:end], labels[:end], self._columns) for rows, labels, end in parts]


# ---- certificates without a search: of many runs those that are not shown
