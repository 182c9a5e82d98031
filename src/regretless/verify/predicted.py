"""How rows were predicted before they were learned: what labels alone say of that, and what scores say."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log
from typing import Any

import numpy as np

from .arriving_classes import ArrivingClasses

Array = np.ndarray[Any, Any]

POINTS = 10  # of a curve, from one power of two to the next


def by_labels(arriving: ArrivingClasses, classes: Sequence[Any]) -> dict[str, Any]:
    """Rows, those of each label in the order in which they came, and what two rules would have of them: always the
    label that was the most frequent so far, and the one of the row before.

    Parameters
    ----------
    arriving : ArrivingClasses
    classes : sequence
        All of them, ascending.

    Returns
    -------
    dict
        By paths in a report.
    """
    order, rows = arriving.order, arriving.places.tolist()
    counts, best, wrong, loss = dict.fromkeys(order, 0), None, 0, 0.0
    for t, place in enumerate(rows):
        wrong += place != best
        loss -= log((counts[place] + 0.5) / (t + max(2, len(order)) / 2))
        counts[place] += 1
        best = max(order, key=lambda one: counts[one]) if best is None or counts[place] >= counts[best] else best
    labels = [classes[place] for place in order]
    numbers: dict[str, Any] = {f"progressive/classes/{k}/label": label for k, label in enumerate(labels)}
    numbers |= {f"progressive/classes/{k}/rows": counts[place] for k, place in enumerate(order)}
    numbers["progressive/confusion/labels"] = labels
    numbers["progressive/rows"] = len(rows)
    numbers["progressive/most_frequent_label/label"] = None if best is None else classes[best]
    numbers["progressive/most_frequent_label/errors"] = wrong
    changes = int(np.count_nonzero(np.diff(arriving.places)))
    numbers["progressive/previous_label/errors"] = changes + bool(rows)
    numbers["progressive/constant_so_far_log_loss"] = loss
    shares = np.array(list(counts.values())) / max(1, len(rows))
    numbers["progressive/best_constant_log_loss"] = float(-len(rows) * (shares @ np.log(shares)))
    return numbers


def by_confusion(arriving: ArrivingClasses, taken: Sequence[Sequence[int]]) -> dict[str, Any]:
    """What follows from how often each label was taken for each, in the order in which they came.

    A row that was wrong while one label alone was known was taken for no other, and is missing in the table.
    """
    table, rows = np.array(taken), len(arriving.places)
    right, predicted = np.diagonal(table), table.sum(axis=0)
    errors = rows - int(right.sum())
    numbers: dict[str, Any] = {"progressive/errors": errors, "progressive/error_rate": errors / rows}
    for k, place in enumerate(arriving.order):
        own = int(np.count_nonzero(arriving.places == place))
        numbers[f"progressive/classes/{k}/recall"] = float(right[k] / own)
        numbers[f"progressive/classes/{k}/precision"] = float(right[k] / predicted[k]) if predicted[k] else None
    return numbers


def predictions(scores: Array, arriving: ArrivingClasses, tie: float) -> Array:
    """The class, by its place, that each round was predicted to be.

    Parameters
    ----------
    scores : ndarray, shape (rounds, classes)
        Of each class against the rest.
    arriving : ArrivingClasses
        Of the first pass.
    tie : float
        Below 0 if of two classes a score of 0 stands for the one that is not +1.
    """
    known, rows = np.array(scores), len(arriving.places)
    for place in arriving.order:
        known[: arriving.first(place), place] = -np.inf
    predicted = known.argmax(axis=1)
    phases = arriving.phases()
    if len(arriving.order) == 2:
        phases = [*phases, phases[-1]._replace(begin=rows, end=len(scores))]
    for begin, end, plus in phases:
        (other,) = {*arriving.pair} - {plus}
        own = scores[begin:end, plus]
        predicted[begin:end] = np.where((own > 0) | ((own == 0) & (tie >= 0)), plus, other)
    return np.asarray(predicted)


def by_predictions(
    arriving: ArrivingClasses, predicted: Array, updated: Array | None, *, otherwise: bool
) -> dict[str, Any]:
    """Mistakes, the table of labels and those that they were taken for, and the curve.

    Parameters
    ----------
    arriving : ArrivingClasses
        Of the first pass.
    predicted : ndarray, shape (rounds,)
        Places of classes, in all passes.
    updated : ndarray, shape (runs, rounds), or None
        Whether each round was an update, of each class against the rest or of all at once, if that is known.
    otherwise : bool
        Whether the report counts how means or votes predicted rows, and of the last weights the errors alone.
    """
    rows = len(arriving.places)
    actual = np.tile(arriving.places, len(predicted) // rows)
    wrong = predicted != actual
    numbers: dict[str, Any] = {"mistakes": int(wrong.sum())}
    if otherwise:
        numbers["progressive/last_weights/errors"] = int(wrong[:rows].sum())
    else:
        there = (np.arange(rows) >= arriving.first(arriving.pair[1])) | ~wrong[:rows]
        ranks, table = np.argsort(arriving.order), np.zeros((len(arriving.order),) * 2, int)
        np.add.at(table, (ranks[actual[:rows]], ranks[predicted[:rows]]), there)
        numbers |= {"progressive/confusion/counts": table.tolist()} | by_confusion(arriving, table.tolist())
    if updated is not None:
        mistakes, updates = np.cumsum(wrong), np.cumsum(updated, axis=1)
        numbers["curve"] = [
            [t, int(mistakes[t - 1]), int(updates[_with_runs(arriving, len(updates), t), t - 1].sum())]
            for t in _points(len(wrong))
        ]
    return numbers


def _points(rounds: int) -> list[int]:
    """At which numbers of rounds a curve is drawn: ten in an octave, and at the end."""
    points = {ceil(2 ** (step / POINTS) - 1e-9) for step in range(POINTS * rounds.bit_length())}
    return sorted({*(point for point in points if point <= rounds), rounds})


def _with_runs(arriving: ArrivingClasses, runs: int, rounds: int) -> list[int]:
    """The numbers of the runs that there are after so many rounds: until a third class comes, two have one run."""
    known = [place for place in arriving.order if arriving.first(place) < rounds]
    return [0] if runs == 1 else known[: 1 if len(known) < 3 else None]
