"""The result of `learn`: lines, notes on the data, JSON and report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalogue import DEFAULT
from ..rows.validation import free_text
from .members import ageing, member_lines, members_of, mixture_of
from .output import Output, certificate_values, classifier_values, label_text, share_text, short, target_of
from .read_model import largest

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.batch import Array, Batch
    from ..linear.base import OnlineClassifier
    from ..linear.progressive import Progressive
    from ..report import Report
    from ..run.linear import Run


SCHEMA = "regretless.learn/1"


@dataclass
class LearnOutput(Output):
    """A run that is over.

    Attributes
    ----------
    run : Run
    path : str
        The file, as the user called it.
    seconds : float
        How long the learning took.
    skipped : int
        Rows passed over.
    certificates : list of Certificate
    notes : list of str
        Notes on the data.
    quiet : bool
        Whether people are to read the certificates alone.
    """

    run: Run
    path: str
    seconds: float
    skipped: int
    certificates: list[Certificate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quiet: bool = False

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ..report import page_of_run, write_report

        write_report(path, page_of_run(report_of(self)))

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "schema": SCHEMA,
            **classifier_values(self.run.learner),
            **mixture_values(self.run.learner, self.run.progressive),
            "progressive": self.run.progressive.summary(),
            "seconds": self.seconds,
            "curve": [list(point) for point in self.run.whole_curve],
            **certificate_values(self.certificates),
            "model": None if self.run.save is None else os.fspath(self.run.save),
            "notes": self.notes,
            "input": self.input(),
        }

    def lines(self) -> Iterator[str]:
        """How the rows were predicted, beside simple rules, and by which members."""
        if self.quiet:
            return
        learner = self.run.learner
        yield from progressive_lines(learner, self.run.progressive)
        if (mixture := mixture_of(learner)) is not None:
            yield from member_lines(members_of(mixture), learner.ledger_.rounds, len(learner.classes_))

    def input(self) -> dict[str, Any]:
        """What was read in one pass."""
        return {
            "path": self.path,
            "rows": self.run.place.rows,
            "features": self.run.learner.state_.columns,
            "nonzeros": self.run.place.nonzeros,
            "skipped": self.skipped,
            **target_of(self.run.stream),
        }


def mixture_values(learner: OnlineClassifier, counts: Progressive) -> dict[str, Any]:
    """Log losses in nats, and members, as JSON values; nothing of a learner that is no mixture."""
    mixture = mixture_of(learner)
    if mixture is None:
        return {}
    losses = {"log_loss": counts.log_loss, "best_constant_log_loss": counts.best_constant()}
    return {**losses, "members": members_of(mixture)}


MOST_SHOWN = 12  # classes
ENOUGH_ROWS = 100  # to say that a simple rule errs less


def progressive_lines(learner: OnlineClassifier, counts: Progressive) -> Iterator[str]:
    """Log loss and errors of a first pass, each row predicted before it was learned, beside those of simple rules."""
    rows = counts.rounds
    if not rows:
        return
    if counts.log_loss is not None:
        yield f"log loss, each row predicted before it is learned: {loss_text(counts.log_loss, rows)}"
        yield f"  the best constant probabilities, known in hindsight: {loss_text(counts.best_constant(), rows)}"
        yield f"  the best constant probabilities so far: {loss_text(counts.constant_so_far(), rows)}"
    auc = counts.auc()
    area = "" if auc is None else f"; AUC {sum(auc) / 2:.4f}"
    by, last = learner.predicted_by, "last function" if learner.holds_rows else "last weights"
    late = by == "vote" and counts.last is None
    how = f"by the {last}: votes would take too long" if late else f"by the {last}" if by == "support" else ""
    errors = share_text(counts.errors, rows)
    yield f"errors, each row predicted before it is learned: {errors}{area}{how and f' ({how})'}"
    mistakes = int(learner.ledger_.mistakes)
    if by == "average" and learner.ledger_.rounds == rows:
        yield f"  by the {last} instead of the mean, as the theorems count: {share_text(mistakes, rows)}"
    if counts.last is not None:
        yield f"  by the {last} instead of votes, as the theorems count: {share_text(counts.last.errors, rows)}"
    most = label_text(counts.frequent)
    yield f"  always the most frequent label so far (now {most}): {share_text(counts.constant, rows)}"
    yield f"  always the label of the row before: {share_text(counts.previous, rows)}"
    classes = counts.by_class()
    if classes and len(classes) <= MOST_SHOWN:
        yield "{:<24} {:>12} {:>12} {:>12}".format("label", "rows", "recall", "precision")
        for one in classes:
            label = short(label_text(one["label"]), 22)
            yield f"  {label:<22} {one['rows']:>12,} {_rate(one['recall']):>12} {_rate(one['precision']):>12}"


def loss_text(loss: float, rows: int) -> str:
    """A log loss in all and a row, as ``10,818 (0.3322 a row)``."""
    return f"{loss:,.1f} ({loss / rows:.4f} a row)"


def _rate(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"


def worse_than_a_rule(counts: Progressive) -> str | None:
    """What to say where a rule that looks at no feature errs less than the learner; None where none does."""
    rules = (
        (counts.constant, "always the most frequent label so far"),
        (counts.previous, "always the label of the row before"),
    )
    errors, rule = min(rules, key=lambda pair: pair[0])
    if counts.rounds < ENOUGH_ROWS or counts.errors <= errors:
        return None
    mine, theirs = share_text(counts.errors, counts.rounds), share_text(errors, counts.rounds)
    return f"{rule} errs less: {theirs}, and the learner in {mine}; bounds hold, and it has learned little all the same"


MOST_WEIGHTS = 30


def report_of(outcome: LearnOutput) -> Report:
    """The run as a report shows it."""
    from ..report import Report

    run = outcome.run
    learner = run.learner
    return Report(
        title=f"{type(learner).__name__} on {os.path.basename(run.stream.name)}",
        learner=learner,
        source={**outcome.input(), "passes": run.place.number + 1},
        curve=run.whole_curve,
        certificates=outcome.certificates,
        weights=largest_weights(learner, run.stream.schema()),
        seconds=outcome.seconds,
        progressive=run.progressive.summary(),
        worse=worse_than_a_rule(run.progressive),
        snapshots=run.whole_snapshots,
        reliability=_reliability(run),
    )


def _reliability(run: Run) -> dict[str, Any] | None:
    """How often what was said to be probable came, of a learner of probabilities of two labels."""
    from ..linear.progressive import reliability

    table = reliability(run.progressive) if run.learner.scores_are_log_odds else None
    return None if table is None else table.describe()


def largest_weights(learner: OnlineClassifier, schema: dict[str, Any] | None) -> list[tuple[str, float]]:
    """The largest weights by the names of their features; of several classes, with the class."""
    each = largest(learner, schema, MOST_WEIGHTS)
    if len(each) == 1:
        return each[0][1]
    return [(f"{feature} → {label}", weight) for label, weights in each for feature, weight in weights]


MANY_WHOLE = 20  # different whole numbers; of more it is said that each is a class
ENOUGH = 50  # rows, to judge by
FEW_VALUES = 20  # different values of a column of text that are no trap, however few rows there are
HALF = 0.5
# Features, the share of them in a row, and up to how many a full matrix is advised.
MANY, DENSE, WIDEST = 100, 0.1, 2000
FAR = 100.0
# Up to how many rows of a class may be slips, a share of its fair one that is not seldom, and how many are named.
SELDOM, SHARE, MOST_RARE = 3, 50, 5
FEW_ROWS = 10


def traps(run: Run) -> Iterator[str]:
    """Notes on the data that the user should know, in a line each."""
    yield from run.stream.notes
    yield from _many_labels(run.learner)
    yield from _rare_classes(run)
    if (worse := worse_than_a_rule(run.progressive)) is not None:
        yield worse + _without_intercept(run)
    yield from _constants(run.progressive)
    yield from _free_text(run)
    yield from _row_numbers(run)
    mixture = mixture_of(run.learner)
    if mixture is not None and (age := ageing(mixture)) is not None:
        yield age
    first = run.first
    if mixture is not None or first is None or len(first) < FEW_ROWS or not first.columns:
        return
    adaptive = run.learner.info.geometry.startswith("second order")
    if adaptive:
        yield from _dense_diagonal(run.learner, first)
    else:
        yield from _scales(run, first)


def _many_labels(learner: OnlineClassifier) -> Iterator[str]:
    """Numbers of which each is learned as a class."""
    classes = learner.classes_
    if classes.dtype.kind != "U" and len(classes) > MANY_WHOLE:
        yield (
            f"each of the {len(classes):,} different numbers of the labels ({label_text(classes.tolist()[0])} to "
            f"{label_text(classes.tolist()[-1])}) is learned as a class; of a quantity make a few classes first"
        )


def _rare_classes(run: Run) -> Iterator[str]:
    """Classes of so few rows that they may be slips."""
    counts = dict(zip(run.progressive.labels, run.progressive.counts.tolist(), strict=True))
    rows = run.progressive.rounds
    most = min(SELDOM, rows / (SHARE * max(len(counts), 1)))
    rare = {label: count for label, count in counts.items() if count <= most}
    usual = {label_text(label): label for label in counts if label not in rare}
    for label, count in list(rare.items())[:MOST_RARE]:
        often = "once" if count == 1 else f"{count} times"
        where = f", first at {run.stream.place_of(run.first_rows[label])}" if label in run.first_rows else ""
        near = get_close_matches(label_text(label), usual, 1) if isinstance(label, str) else []
        meant = f"; if {usual[near[0]]!r} is meant, mend it" if near else "; if it is a slip, mend it"
        learned = f"it is learned as one of {len(counts):,}"
        yield f"class {_shown(label)} came {often} in {rows:,} rows{where}: {learned}{meant}"
    if len(rare) > MOST_RARE:
        yield f"and {len(rare) - MOST_RARE:,} more classes came as seldom"


def _shown(label: Any) -> str:
    return repr(label) if isinstance(label, str) else label_text(label)


def _constants(counts: Progressive) -> Iterator[str]:
    """Probabilities that lose more than those which look at no feature."""
    if counts.log_loss is None or counts.rounds < ENOUGH_ROWS or counts.log_loss <= counts.constant_so_far():
        return
    mine, theirs = loss_text(counts.log_loss, counts.rounds), loss_text(counts.constant_so_far(), counts.rounds)
    yield f"constant probabilities, the best ones so far, lose less: {theirs}, and the learner {mine}"


def _without_intercept(run: Run) -> str:
    """What to try where a learner without an intercept errs more often than the most frequent label."""
    counts, intercept = run.progressive, run.learner.get_params().get("intercept")
    if intercept != 0 or counts.errors <= counts.constant:
        return ""
    return f"; it has no intercept: try --set intercept=1, or the default learner ({DEFAULT})"


def _free_text(run: Run) -> Iterator[str]:
    """Columns of text in which nearly every row has a value of its own."""
    rows = max(run.rounds // (run.place.number + 1), 1)
    for name, count in free_text(run.stream.schema(), rows):
        yield (
            f"column {name!r} has {count:,} different values in {rows:,} rows ({count / rows:.0%}), each "
            "a feature of its own: what is learned of one says nothing of others. If it is text, make features of "
            f"its words with --text {name}; if it names the rows, leave it out with --ignore"
        )


def _row_numbers(run: Run) -> Iterator[str]:
    """Columns of whole numbers that grow by one from row to row."""
    batch, schema = run.first, run.stream.schema()
    if batch is None or batch.indices is not None or schema.get("format") != "table" or len(batch) < ENOUGH:
        return
    from .read_model import namer

    name = namer(run.learner, schema)
    for column in np.flatnonzero((np.diff(batch.values, axis=0) == 1).all(axis=0)).tolist():
        yield f"column {name(column)!r} numbers the rows: leave it out with --ignore"


def _dense_diagonal(learner: OnlineClassifier, batch: Batch) -> Iterator[str]:
    if getattr(learner.state_, "full", True) or not MANY <= batch.columns <= WIDEST:
        return
    present = np.count_nonzero(batch.values) / (len(batch) * batch.columns)
    if present >= DENSE:
        yield (
            f"of {batch.columns:,} features a row has {present:.0%}, and a diagonal matrix learns each by "
            "itself; --set matrix=full learns how they go together too, and errs less if they do (in more time)"
        )


def _scales(run: Run, batch: Batch) -> Iterator[str]:
    """Columns that most rows have, some of them in far larger numbers than others."""
    columns, sizes = _sizes(batch)
    if len(sizes) < 2 or sizes.max() <= FAR * sizes.min():
        return
    from .read_model import namer

    name = namer(run.learner, run.stream.schema())
    large, small = int(sizes.argmax()), int(sizes.argmin())
    yield (
        f"feature {name(int(columns[large]))!r} is about {sizes[large]:.3g} in size and "
        f"{name(int(columns[small]))!r} about {sizes[small]:.3g}; {run.learner.name} sees little but the largest: "
        f"scale the columns beforehand, or take the default learner ({DEFAULT}), which minds no scale"
    )


def _sizes(batch: Batch) -> tuple[Array, Array]:
    """The columns that are not 0 in at least half of the rows, and their root mean squares."""
    values: Any = batch.values.reshape(-1).astype(np.float64)
    if batch.indices is None:
        columns, places = np.arange(batch.columns), np.tile(np.arange(batch.columns), len(batch))
    else:
        columns, places = np.unique(batch.indices, return_inverse=True)
    with np.errstate(over="ignore"):
        squares = np.bincount(places, values**2, minlength=len(columns))
    present = np.bincount(places, values != 0, minlength=len(columns))
    often = (present >= HALF * len(batch)) & (squares > 0) & np.isfinite(squares)
    return columns[often], np.sqrt(squares[often] / len(batch))
