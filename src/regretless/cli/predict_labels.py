"""``regretless predict`` of a model of labels: a label, or the scores or probabilities of all labels, for every row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalogue import DEFAULT
from ..errors import RegretlessError
from .output import UsageError, label_text
from .predict_output import Predictions, RowLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..data.batch import Array
    from ..data.stream import Stream
    from ..linear.base import OnlineClassifier
    from ..run.linear import Continuation
    from .arguments import PredictOptions
    from .predict_output import Scored


class PredictedLabels(Predictions):
    """Labels of rows."""

    learner: OnlineClassifier

    def __init__(self, arguments: PredictOptions, learner: OnlineClassifier, goes_on: Continuation) -> None:
        super().__init__(arguments, learner, goes_on)
        if arguments.interval:
            raise UsageError("--interval: this model predicts labels, and intervals are around forecasts of numbers")
        self.calibration = goes_on.calibration
        if arguments.probabilities:
            self._refuse_without_probabilities()
        several = arguments.probabilities or (arguments.scores and learner.state_.targets > 1)
        self.columns = tuple(map(label_text, learner.classes_.tolist())) if several else ()
        width = len(learner.classes_) if arguments.probabilities else learner.state_.targets * arguments.scores
        self.blank = "\t".join(["nan"] * width)

    def lines(self, scores: Array) -> list[str]:
        """The lines of some rows."""
        if self.arguments.probabilities:
            return _numbers(self.probabilities(scores), _rounded)
        return _numbers(scores) if self.arguments.scores else _labels(self.learner, scores)

    def probabilities(self, scores: Array) -> Array:
        """Of all labels: by the learner itself, or as its run has learned from its scores."""
        if self.calibration is None or self.learner.has_probabilities:
            return np.asarray(self.learner.probabilities(scores))
        larger = self.calibration.rule.probabilities(scores[:, 0])
        return np.column_stack([1 - larger, larger])

    def _refuse_without_probabilities(self) -> None:
        learner = self.learner
        if learner.has_probabilities or (self.calibration is not None and len(learner.classes_) == 2):
            return
        advice = f"--scores prints scores, learn --calibrate learns some, and the default of learn ({DEFAULT}) has some"
        fault = f"this model has no probabilities, for it is of {learner.name}"
        raise RegretlessError(f"{self.arguments.model}: {fault}; {advice}")

    def losses(self, labels: Array, scores: Array) -> list[float]:
        """1 for each mistake and 0 for none; a label that the model does not know is one."""
        classes = self.learner.classes_
        comparable = (labels.dtype.kind == "U") == (classes.dtype.kind == "U")
        wrong = labels != self.learner.labels(scores) if comparable else np.ones(len(labels), dtype=bool)
        there: list[float] = np.where(_there(labels, classes), wrong, np.nan).tolist()
        return there

    def counts(self, scored: Scored, stream: Stream) -> dict[str, Any]:
        """How often each label was predicted, and how often it was wrong; with the probabilities of all rows, if
        wanted."""
        classes = self.learner.classes_
        counts, errors, strange, labelled = np.zeros(len(classes), np.int64), 0, 0, 0
        each: list[list[float] | None] = []
        likely = RowLines(stream, None) if self.arguments.probabilities else None
        for batch, scores in scored:
            if likely is not None:
                each += likely.of(self.probabilities(scores).tolist())
            predicted = self.learner.labels(scores)
            counts += np.bincount(classes.searchsorted(predicted), minlength=len(classes))
            if batch.labels is None:
                continue
            there = _there(batch.labels, classes)
            labels = batch.labels[there]
            labelled += len(labels)
            comparable = (labels.dtype.kind == "U") == (classes.dtype.kind == "U")
            errors += int((labels != predicted[there]).sum()) if comparable else len(labels)
            strange += int((~np.isin(labels, classes)).sum()) if comparable else len(labels)
        rows = int(counts.sum())
        return {
            "rows": rows,
            "counts": {label_text(label): int(count) for label, count in zip(classes.tolist(), counts, strict=True)},
            **({"labelled": labelled} if 0 < labelled < rows else {}),
            "errors": errors if labelled else None,
            "error_rate": errors / labelled if labelled else None,
            "unknown_labels": strange if labelled else None,
            **({"probabilities": each + likely.of([])} if likely is not None else {}),
        }

    def complaints(self, counted: Mapping[str, Any]) -> Iterator[str]:
        """Labels that the model does not know."""
        if counted["unknown_labels"]:
            known = ", ".join(counted["counts"])
            yield f"{counted['unknown_labels']} labels are none of the model's ({known}) and count as errors"


def _labels(learner: OnlineClassifier, scores: Array) -> list[str]:
    names = [label_text(label) for label in learner.classes_.tolist()]
    places = learner.classes_.searchsorted(learner.labels(scores))
    return [names[place] for place in places.tolist()]


def _numbers(rows: Any, written: Callable[[float], str] = repr) -> list[str]:
    return ["\t".join(map(written, row)) for row in rows.tolist()]


def _rounded(probability: float) -> str:
    """Twelve digits; the last of all depend on the machine's exp."""
    return f"{probability:.12g}"


def _there(labels: Array, classes: Array) -> Array:
    """Which rows have a label; no text is none, unless the model knows it as one."""
    if labels.dtype.kind != "U":
        return np.asarray(~np.isnan(labels))
    return np.asarray(labels != "") | ("" in classes.tolist())
