"""Ridge logistic regression of a sample of the rows, in hindsight: vectors that comparators are chosen among."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from ... import _core
from ...data.batch import Array, Batch
from ...data.sample import joined, owned
from ..comparators.question import Question

ENTRIES = 500_000  # of a sample by which vectors are chosen, all targets together


@dataclass(slots=True)
class SampledRows:
    """Some of the rows, by which vectors are chosen.

    Attributes
    ----------
    rows : Batch
        With those columns alone that have an entry.
    places : ndarray of int
        Which of all columns these are, the constant feature first.
    codes : ndarray of int, shape (rows,)
        What the kernel plays.
    part : float
        Which part of all rows they are.
    above : ndarray, shape (targets,)
        How many of all rows are of each target.
    total : int
        How many rows there are.
    """

    rows: Batch
    places: Array
    codes: Array
    part: float
    above: Array
    total: int


def sample_rows(question: Question) -> SampledRows:
    """A sample of the rows, and how many of all are of each target.

    Parameters
    ----------
    question : Question
        Its rounds are read once, unless a sample of them is in memory and their classes were counted.

    Returns
    -------
    SampledRows
        All rows where they are few; else a part of them, drawn at random with the same seed every time.
    """
    targets, total = question.state.targets, 0
    above, chosen, draw = np.zeros(targets), [], None
    rounds = question.rounds if question.sample is None or question.counts is None else question.sample
    share = question.rows / max(1, question.rows if rounds is question.rounds else sum(len(b) for b, _ in rounds()))
    part = 1.0
    for batch, codes in rounds():
        if total == 0 and len(batch):
            entries = question.rows * batch.entries / len(batch)
            part = min(1.0, share * ENTRIES / targets / max(entries, 1))
            draw = np.random.default_rng(0) if part < 1 else None  # to import it takes longer than a few rows
        total += len(batch)
        above += np.bincount(codes, minlength=targets) if targets > 1 else int((codes > 0).sum())
        if draw is not None:
            here = draw.random(len(batch)) < part
            batch, codes = batch.only(here), codes[here]
        chosen.append((batch if question.in_memory else owned(batch), codes))
    ((rows, its_codes),) = joined(chosen) or [(_no_rows(question), np.zeros(0, dtype=np.int32))]
    if question.counts is not None:
        above, total = question.counts, question.rows
    part = len(rows) / total if total else 1.0
    return SampledRows(*_with_entries(rows), its_codes, part, above, total)


def _with_entries(rows: Batch) -> tuple[Batch, Array]:
    """The columns that have an entry, and where these are among all, the constant feature first."""
    if rows.indices is None or rows.starts is None:
        return rows, np.arange(1 + rows.columns)
    present = np.flatnonzero(np.bincount(rows.indices, minlength=1))
    if len(present) == rows.columns:
        return rows, np.arange(1 + rows.columns)
    numbers = np.zeros(present[-1] + 1 if len(present) else 1, dtype=np.int32)
    numbers[present] = np.arange(len(present))
    compact = Batch(rows.values, None, len(present), numbers[rows.indices], rows.starts)
    return compact, np.append(0, 1 + present)


def _no_rows(question: Question) -> Batch:
    return Batch(np.zeros((0, question.state.columns)), None, question.state.columns)


def ridge_regression(
    sample: SampledRows,
    signs: Array,
    penalty: Array,
    intercept: float,
    part: float,
    reach: float = inf,
    slopes: Array | None = None,
) -> Array:
    """About the minimiser of the log loss of all rows plus sum penalty u^2 / 2, from a sample of the rows.

    Parameters
    ----------
    sample : SampledRows
    signs : ndarray, shape (rows,)
        Labels, -1 or 1.
    penalty : ndarray, shape (1 + columns,)
        Of each column, >= 0; where it is 0, the column was never met.
    intercept : float
        Size of the constant feature.
    part : float
        Which part of all rounds the sample is, above 0 and at most 1.
    reach : float, default=inf
        Scores whose size is above it cost a steep square besides.
    slopes : ndarray, shape (columns,), optional
        <slopes, u> is added.

    Returns
    -------
    ndarray, shape (1 + columns,)
        About the minimiser, by Newton's method; 0 where the penalty is.
    """
    rows, places = sample.rows, sample.places
    units = 1 / np.sqrt(np.where(penalty > 0, penalty, inf))
    tilts = np.zeros(len(units)) if slopes is None else units * slopes
    some = slice(None) if len(places) == len(units) else places
    unit, tilt = units[some], tilts[some]
    best = np.zeros(len(places))
    values = rows.values * (unit[1:] if rows.indices is None else unit[1:][rows.indices])
    _core.ridge_regression(
        values, rows.indices, rows.starts, signs, intercept * float(unit[0]), tilt, 1 / (part or 1.0), reach, best
    )
    whole = np.negative(tilts)  # of columns without an entry in the sample, where only the penalty and the slope count
    whole[some] = best
    whole *= units
    return whole
