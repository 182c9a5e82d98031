"""The rounds of a report on labels: its rows with their constant feature, their signs, and how they were learned."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from ..info import LinearInfo
from ..learner_table import LEARNERS
from ..textbook import linear as rules
from ..textbook import linear_runs as runs
from .arriving_classes import ArrivingClasses

Array = np.ndarray[Any, Any]

SMALLEST = 1e-140  # numbers of rows up to which their squares have few digits, or none


class LearnedRounds:
    """Of one report.

    Parameters
    ----------
    report, rows, labels
        As for `linear.check`.
    """

    def __init__(self, report: Mapping[str, Any], rows: Any, labels: Array) -> None:
        self.report, self.rows, self.labels = report, rows, labels
        self.parameters, entry = report["parameters"], LEARNERS.get(str(report["learner"]))
        self.info: LinearInfo | None = entry and entry.info
        self.twin = getattr(rules, self.info.twin) if self.info and self.info.twin else None
        self.classes = list(report["classes"])
        self.count = len(labels)
        self.passes = float(report["rounds"]) / max(self.count, 1)
        self.constant = float(self.parameters.get("intercept") or 0.0)
        self.dual, self.mixture = "kernel" in self.parameters, "rates" in self.parameters
        squares = rows.multiply(rows).sum(axis=1) if hasattr(rows, "multiply") else (rows * rows).sum(axis=1)
        self.weights = self._weights()
        self.norms2 = (np.asarray(squares, dtype=np.float64).ravel() + self.constant**2) * self.weights**2
        self.arriving = ArrivingClasses(labels, self.classes)
        self.each_alone = len(self.classes) > 2 and self.twin not in runs.ALL_IN_ONE
        self.targets: list[int | None] = [*range(len(self.classes))] if self.each_alone else [None]

    def has_classes(self) -> bool:
        """Whether the labels are the classes of the report, where scores of all classes are compared."""
        several = self.twin in runs.ALL_IN_ONE and any(one["applies"] for one in self.report["certificates"])
        return not several or set(self.labels.tolist()) == set(self.classes)

    def _weights(self) -> Array:
        """What rows weigh by their class, where theorems are about the rows times that; of a mixture they are not."""
        weights, by_class = np.ones(self.count), self.parameters.get("class_weight") or {}
        if self.mixture:
            return weights
        if by_class == "balanced":
            _, places, counts = np.unique(self.labels, return_inverse=True, return_counts=True)
            return np.asarray((self.count / len(counts) / counts)[places])
        for name, weight in by_class.items():
            with suppress(ValueError):  # where labels are numbers, a word is none of them
                weights[self.labels == (name if self.labels.dtype.kind == "U" else float(name))] = weight
        return weights

    def signs(self, target: int | None) -> Array:
        """+1 where the label is the target's, or the larger of two; a class that is alone has a sign of its own."""
        if len(self.classes) < 2:
            return np.full(self.count, self.arriving.first_sign)
        label = self.classes[-1 if target is None else target]
        return np.where(self.labels == label, 1.0, -1.0)

    def turns(self) -> bool:
        """Whether the smaller of two classes was +1 while it was alone."""
        return any(end > begin and plus != len(self.classes) - 1 for begin, end, plus in self.arriving.phases())

    @property
    def predicts_otherwise(self) -> bool:
        """Whether rows are predicted by other weights than those whose mistakes are counted: by means or votes."""
        return self.info is not None and self.info.predicts_by in ("average", "vote")

    @property
    def are_short(self) -> bool:
        """Whether the rows are so short that their squares have few digits, or none."""
        return bool(self.rows.shape[1] and 0 < abs(self.rows).max() < SMALLEST)

    @property
    def is_one_sided(self) -> bool:
        """Whether a class against the rest is learned otherwise than the rest against it."""
        return self.parameters.get("balanced") is False

    @property
    def width(self) -> int:
        """How many columns there are, the constant feature being one."""
        return int(self.rows.shape[1]) + bool(self.constant)

    def with_constant(self) -> Array:
        """The rows, dense, with their constant feature last."""
        dense = np.asarray(self.rows.toarray() if hasattr(self.rows, "toarray") else self.rows, np.float64)
        return np.column_stack([dense, np.full(self.count, self.constant)]) if self.constant else dense
