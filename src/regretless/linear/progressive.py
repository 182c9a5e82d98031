"""How rows were predicted before they were learned: errors, errors of each class, the log loss, and what simple rules
would have of them; and how often what was forecast as probable came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, lgamma
from typing import Any, ClassVar

import numpy as np

from ..data.batch import Array
from ..persist.validation import fits

MOST_CLASSES = 100  # of which it is counted for what each was taken
ENTRIES = 1 << 20  # rows times classes that are looked at together
SHIFT, BINS = 18, 1 << 14  # scores of single precision, by the sign, the exponent and five bits of the mantissa
SIGN = np.uint32(1 << 31)
STRETCHES = 20  # of probability, each of a twentieth


class Progressive:
    """Counts of a stream, each row predicted before it is learned.

    Two rules are counted beside the learner: always the label that was the most frequent so far, and the label of the
    row before. The first row is an error of both.

    Attributes
    ----------
    labels : list
        In the order in which they came.
    counts : ndarray of int, shape (labels,)
        Rows of each.
    confusion : ndarray of int, shape (labels, labels)
        How often each label (row) was taken for each (column). A row that was wrong while one label alone was
        known was taken for no other, and is missing here.
    rounds, errors : int
        Rows, and how many of them were predicted wrongly.
    constant, previous : int
        Errors of the two rules.
    last : Progressive or None
        Of a learner that votes, the counts of its last weights or function; None if it does not, or votes took too
        long: then all counts are those of the last.
    log_loss : float or None
        The sum over rows of minus the logarithm of the probability that the label had, in nats, where scores are log
        odds; None where they are not.
    """

    NUMBER: ClassVar[type] = int  # of what a curve has beside rounds

    def __init__(self) -> None:
        self.labels: list[Any] = []
        self.counts = np.zeros(0, dtype=np.int64)
        self.confusion = np.zeros((0, 0), dtype=np.int64)
        self.rounds = self.errors = self.constant = self.previous = 0
        self.log_loss: float | None = None
        self._last = -1  # the label of the row before
        self._scores = np.zeros((2, BINS), dtype=np.int64)  # of two classes: of rows of the smaller label, the larger
        self._places: dict[Any, int] = {}
        self.last: Progressive | None = None

    def __call__(self, scores: Array, codes: Array, classes: Array, tie: float, votes: Array | None = None) -> None:
        """Take in rounds that were played.

        Parameters
        ----------
        scores : ndarray, shape (rounds, targets)
            What each round was predicted by.
        codes : ndarray of int, shape (rounds,)
            Of one target the sign of the label, else its number among the classes.
        classes : ndarray
            The labels that the learner knows.
        tie : float
            Below 0 if a score of 0 stands for the smaller label.
        votes : ndarray, shape (rounds, targets), optional
            What a learner that votes predicts by; None if that takes too long from here on.
        """
        if not len(scores):
            return
        if votes is not None and not self.rounds:
            self.last = Progressive()
        if self.last is None:
            self._count(scores, codes, classes, tie)
            return
        self.last._count(scores, codes, classes, tie)
        if votes is None:
            vars(self).update(vars(self.last))
        else:
            self._count(votes, codes, classes, tie)

    def _count(self, scores: Array, codes: Array, classes: Array, tie: float) -> None:
        """Take in rounds that were predicted by these scores."""
        one = scores.shape[1] == 1
        predicted = (scores[:, 0] >= 0 if tie >= 0 else scores[:, 0] > 0) if one else scores.argmax(axis=1)
        true = codes > 0 if one else codes
        self.rounds += len(scores)
        self.errors += int(np.count_nonzero(predicted != true))
        if self.log_loss is not None:
            # One after the other, so that the sum is the same in whatever pieces rows come: `sum` adds them in pairs.
            self.log_loss = float(np.cumsum(np.append(self.log_loss, log_losses(scores, codes)))[-1])
        places = self._numbered(classes)
        alone = len(classes) == 1
        actual = np.full(len(scores), places[0]) if alone else places[true.view(np.int8) if one else true]
        self._rules(actual)
        if alone:
            self.confusion[places[0], places[0]] += np.count_nonzero(predicted == true)
        else:
            size = len(self.labels)
            if size <= MOST_CLASSES:
                pairs = actual * size + places[predicted.view(np.int8) if one else predicted]
                self.confusion += np.bincount(pairs, minlength=size * size).reshape(size, size)
            if one:
                for label in (0, 1):
                    self._scores[label] += np.bincount(_bins(scores[true == label, 0]), minlength=BINS)

    def _numbered(self, classes: Array) -> Array:
        """The numbers of the learner's classes, in the order in which they came."""
        for label in classes.tolist():
            self._places.setdefault(label, len(self._places))
        new = len(self._places) - len(self.labels)
        if new:
            self.labels = list(self._places)
            self.counts = np.append(self.counts, np.zeros(new, dtype=np.int64))
            self.confusion = np.pad(self.confusion, (0, new)) if len(self.labels) <= MOST_CLASSES else self.confusion
        return np.array([self._places[label] for label in classes.tolist()], dtype=np.int64)

    def _rules(self, actual: Array) -> None:
        self.previous += int(np.count_nonzero(actual[1:] != actual[:-1])) + int(actual[0] != self._last)
        self._last = int(actual[-1])
        if len(self.labels) == 2:
            self._most_of_two(actual)
            return
        step = max(1, ENTRIES // len(self.labels))
        for begin in range(0, len(actual), step):
            part = actual[begin : begin + step]
            labels = part[:, None] == np.arange(len(self.labels))
            before = self.counts + np.cumsum(labels, axis=0) - labels
            # of equally frequent labels the one that came first
            self._count_constant(before.argmax(axis=1) != part, labels.sum(axis=0))

    def _most_of_two(self, actual: Array) -> None:
        """The same of two labels, in a fraction of the time."""
        signs = (2 * actual - 1).astype(np.int32)
        ahead = np.cumsum(signs)  # by how much label 1 is more frequent than label 0, from here on
        lead = int(self.counts[1] - self.counts[0])
        seconds = int(actual.sum())
        self._count_constant((ahead - signs + lead > 0) != actual, np.array([len(actual) - seconds, seconds]))

    def _count_constant(self, wrong: Array, counts: Array) -> None:
        first = int(self.counts.sum() == 0)
        self.constant += int(np.count_nonzero(wrong[first:])) + first
        self.counts = self.counts + counts

    # ---- results

    @property
    def frequent(self) -> Any:
        """The most frequent label."""
        return self.labels[int(self.counts.argmax())]

    def auc(self) -> tuple[float, float] | None:
        """The area under the ROC curve of two classes: between what it would be if all ties of bins were wrong, and
        right. None if there are not two classes, or one has no row."""
        low, high = self._scores
        if len(self.labels) != 2 or not low.sum() or not high.sum():
            return None
        pairs = float(low.sum()) * float(high.sum())
        below = float((high * (np.cumsum(low) - low).astype(np.float64)).sum()) / pairs
        return below, below + float((high * low.astype(np.float64)).sum()) / pairs

    def score_counts(self) -> tuple[Array, Array, Array]:
        """Scores of two labels in bins: the middle of each, and how many rows of the smaller and of the larger label it
        has."""
        used = np.flatnonzero(self._scores.any(axis=0))
        low, high = self._scores[:, used]
        return _middles(used), low, high

    def best_constant(self) -> float:
        """The log loss of the best constant probabilities, known in hindsight: the shares of the rows."""
        counts = self.counts[self.counts > 0].astype(np.float64)
        return float(counts @ np.log(self.rounds / counts))

    def constant_so_far(self) -> float:
        """The log loss of the shares so far, each label counted half a row more (Krichevsky & Trofimov 1981).

        It depends on how many rows each label has and not on their order: (a + 1/2) / (t + K/2) is multiplied up.
        """
        labels = max(2, len(self.labels))
        each = sum(lgamma(count + 0.5) - lgamma(0.5) for count in self.counts.tolist())
        return lgamma(self.rounds + labels / 2) - lgamma(labels / 2) - each

    def by_class(self) -> list[dict[str, Any]]:
        """Rows, recall and precision of each label; empty if there are too many, or fewer than two."""
        if not 2 <= len(self.labels) <= MOST_CLASSES:
            return []
        predicted, right = self.confusion.sum(axis=0), np.diagonal(self.confusion)
        return [
            {
                "label": label,
                "rows": int(self.counts[place]),
                "recall": float(right[place] / self.counts[place]) if self.counts[place] else None,
                "precision": float(right[place] / predicted[place]) if predicted[place] else None,
            }
            for place, label in enumerate(self.labels)
        ]

    def summary(self) -> dict[str, Any]:
        """All of it as JSON values."""
        auc = self.auc()
        few = 2 <= len(self.labels) <= MOST_CLASSES
        losses = {
            "log_loss": self.log_loss,
            "best_constant_log_loss": self.best_constant(),
            "constant_so_far_log_loss": self.constant_so_far(),
        }
        return {
            "rows": self.rounds,
            "errors": self.errors,
            "error_rate": self.errors / self.rounds if self.rounds else None,
            **({} if self.log_loss is None else losses),
            "auc": None if auc is None else list(auc),
            "most_frequent_label": {"label": self.frequent, "errors": self.constant} if self.rounds else None,
            "previous_label": {"errors": self.previous} if self.rounds else None,
            "classes": self.by_class(),
            "confusion": {"labels": self.labels, "counts": self.confusion.tolist()} if few else None,
            **({} if self.last is None else {"last_weights": {"errors": self.last.errors}}),
        }

    # ---- to go on later

    def describe(self) -> dict[str, Any]:
        """What it takes to go on, as JSON values."""
        used = np.flatnonzero(self._scores.any(axis=0))
        return {
            "labels": self.labels,
            "counts": self.counts.tolist(),
            "taken": self.confusion.tolist() if len(self.labels) <= MOST_CLASSES else None,
            "sums": [self.rounds, self.errors, self.constant, self.previous, self._last],
            "bins": [used.tolist(), *self._scores[:, used].tolist()],
            **({} if self.last is None else {"last": self.last.describe()}),
            **({} if self.log_loss is None else {"log_loss": self.log_loss}),
        }

    @classmethod
    def read(cls, description: Mapping[str, Any] | None) -> Progressive:
        """What `describe` gave; nothing yet if it gave nothing.

        Raises
        ------
        ModelError
            If it does not fit together.
        """
        result = cls()
        if description is None:
            return result
        with fits("what the model says of its predictions"):
            result.labels = list(description["labels"])
            size = len(result.labels)
            result._places = {label: place for place, label in enumerate(result.labels)}
            result.counts = np.array(description["counts"], dtype=np.int64).reshape(size)
            if description["taken"] is not None:
                result.confusion = np.array(description["taken"], dtype=np.int64).reshape(size, size)
            sums = [int(number) for number in description["sums"]]
            result.rounds, result.errors, result.constant, result.previous, result._last = sums
            if "last" in description:
                result.last = cls.read(description["last"])
                if result.last.rounds != result.rounds or result.last.last is not None:
                    raise ValueError("its last weights predicted other rows")
            result.log_loss = None if description.get("log_loss") is None else float(description["log_loss"])
            used = np.array(description["bins"][0], dtype=np.int64)
            result._scores[:, used] = np.array(description["bins"][1:], dtype=np.int64).reshape(2, len(used))
            if (description["taken"] is None) != (size > MOST_CLASSES) or used.min(initial=0) < 0:
                raise ValueError("its tables are not of its labels")
            least = result.counts.min(initial=0), result.confusion.min(initial=0), result._scores.min(), *sums[:4]
            if min(least) < 0 or result.counts.sum() != result.rounds or not -1 <= result._last < max(size, 1):
                raise ValueError("its counts do not add up")
            if result.log_loss is not None and not 0 <= result.log_loss < inf:
                raise ValueError("its log loss is none")
        return result


def _bins(scores: Array) -> Array:
    """Numbers of the bins of scores, in their order: of floats the bits are in order, but for the sign."""
    with np.errstate(over="ignore"):
        bits = (scores.astype(np.float32) + np.float32(0)).view(np.uint32)  # -0 becomes 0
    ordered = np.where(bits & SIGN, ~bits, bits | SIGN)
    return (ordered >> np.uint32(SHIFT)).astype(np.int64)


def _middles(bins: Array) -> Array:
    """The scores in the middle of bins."""
    ordered = (bins.astype(np.uint32) << np.uint32(SHIFT)) + np.uint32(1 << (SHIFT - 1))
    bits = np.where(ordered & SIGN, ordered ^ SIGN, ~ordered)
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


# ---- probabilities


@dataclass(frozen=True, slots=True)
class Reliability:
    """Probabilities of the larger of two labels, in stretches, beside how often it came.

    The Brier score, the mean of (p - y)^2, is reliability - resolution + uncertainty (Murphy 1973): how far frequencies
    are from forecasts, how far they are from their mean, and what a constant would pay.

    Attributes
    ----------
    forecast, frequency : ndarray, shape (stretches,)
        The mean probability that was predicted in each, and the share of its rows with the larger label.
    rows : ndarray of int, shape (stretches,)
    """

    forecast: Array
    frequency: Array
    rows: Array

    @property
    def mean(self) -> float:
        """The share of rows with the larger label."""
        return float(self.frequency @ self.rows / self.rows.sum())

    @property
    def reliability(self) -> float:
        """Mean squared distance of frequencies from forecasts; 0 is best."""
        return float((self.forecast - self.frequency) ** 2 @ self.rows / self.rows.sum())

    @property
    def resolution(self) -> float:
        """Mean squared distance of frequencies from their mean: what the stretches tell apart."""
        return float((self.frequency - self.mean) ** 2 @ self.rows / self.rows.sum())

    @property
    def uncertainty(self) -> float:
        """What the best constant pays."""
        return self.mean * (1 - self.mean)

    @property
    def brier(self) -> float:
        """The Brier score of the means of the stretches."""
        return self.reliability - self.resolution + self.uncertainty

    def describe(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "forecast": self.forecast.tolist(),
            "frequency": self.frequency.tolist(),
            "rows": self.rows.tolist(),
            "brier": self.brier,
            "reliability": self.reliability,
            "resolution": self.resolution,
            "uncertainty": self.uncertainty,
        }


def reliability(counts: Progressive) -> Reliability | None:
    """What the rows of a first pass say of the probabilities that they were predicted with.

    Parameters
    ----------
    counts : Progressive
        Of two labels, whose scores are log odds, in bins three percent wide.

    Returns
    -------
    Reliability or None
        None if there are no rows of two labels.
    """
    scores, low, high = counts.score_counts()
    if len(counts.labels) != 2 or not low.sum() + high.sum():
        return None
    probability = np.exp(-np.logaddexp(0, -scores))
    place = np.minimum((probability * STRETCHES).astype(int), STRETCHES - 1)
    rows = np.bincount(place, low + high, STRETCHES)
    forecasts, labels = np.bincount(place, (low + high) * probability, STRETCHES), np.bincount(place, high, STRETCHES)
    used = rows > 0
    return Reliability(forecasts[used] / rows[used], labels[used] / rows[used], rows[used].astype(np.int64))


def log_probabilities(scores: Array, classes: int) -> Array:
    """Logarithms of the probabilities of all classes.

    Parameters
    ----------
    scores : ndarray, shape (rows, targets)
        Log odds: of the larger of two classes, or of each of several against the rest.
    classes : int

    Returns
    -------
    ndarray, shape (rows, classes)
        Of several classes, the odds of each against the rest are divided by their sum: the probabilities that labels
        drawn for each alone would have, if it is known that one of them came.
    """
    if classes == 1:
        return np.zeros((len(scores), 1))
    if scores.shape[1] == 1:
        return np.asarray(-np.logaddexp(0, np.hstack([scores, -scores])))
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


def log_losses(scores: Array, codes: Array) -> Array:
    """The log loss of each row, in nats.

    Parameters
    ----------
    scores : ndarray, shape (rows, targets)
    codes : ndarray of int, shape (rows,)
        Of one target the sign of the label, also while one class alone is known; else its number among the classes.
    """
    if scores.shape[1] == 1:
        margins = np.where(codes > 0, scores[:, 0], -scores[:, 0])
        return np.asarray(np.logaddexp(0, -margins))
    return -log_probabilities(scores, scores.shape[1])[np.arange(len(codes)), codes]
