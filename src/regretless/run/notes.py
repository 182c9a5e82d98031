"""Notes on the data of a run, which a user should know: columns, labels, and what a simple rule loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalogue import DEFAULT
from ..data.names import namer
from ..ledger import FIELDS
from ..linear.labels import weights_without_rows
from ..report.terminal import LOG_LOSS, label_text, loss_text, share_text
from ..rows.validation import JUDGED_ROWS, free_text
from .first_rows import fitting_size, forecast_instead, said_of
from .members import ageing, mixture_of

if TYPE_CHECKING:
    from ..data.batch import Array, Batch
    from ..linear.base import OnlineClassifier
    from ..linear.progressive import Progressive
    from .linear import Run

COMPARED_ROWS = 100  # the fewest by which a learner is compared with a simple rule
FEW_ROWS = 10  # to judge nothing by
HALF = 0.5
FAR = 100.0  # times as large as others
MANY_WHOLE = 10  # different whole numbers; of more it is said that each is a class
# Features, the share of them in a row, and up to how many another matrix is advised.
MANY, DENSE, WIDEST = 100, 0.1, 2000
LONGEST_SKETCHED = 1e7  # times the root of the prior: half of the digits of a float
# Up to how many rows of a class may be slips, a share of its fair one that is not seldom, and how many are named.
SELDOM, SHARE, MOST_RARE = 3, 50, 5


def traps(run: Run) -> Iterator[str]:
    """Notes on the data that the user should know, in a line each."""
    yield from _many_labels(run.learner)
    yield from _constant_feature(run)
    yield from rare_classes(run)
    yield from weights_without_rows(getattr(run.learner, "class_weight", None), run.learner.classes_)
    if (worse := worse_than_a_rule(run.progressive)) is not None:
        yield worse + _without_intercept(run)
    yield from _constants(run.progressive)
    yield from column_notes(run, DEFAULT)
    mixture = mixture_of(run.learner)
    if mixture is not None:
        age = ageing(mixture.member_rules().rates, mixture.influence(), mixture.posterior_)
        yield from () if age is None else (age,)
    if mixture is None and run.first is not None and len(run.first) >= FEW_ROWS:
        yield from _dense_diagonal(run.learner, run.first)
    yield from _inexact_sketch(run.learner)


def _many_labels(learner: OnlineClassifier) -> Iterator[str]:
    """Numbers of which each is learned as a class."""
    classes = learner.classes_
    if classes.dtype.kind != "U" and len(classes) > MANY_WHOLE:
        yield (
            f"each of the {len(classes):,} different numbers of the labels ({label_text(classes.tolist()[0])} to "
            f"{label_text(classes.tolist()[-1])}) is learned as a class; {forecast_instead(classes)}, or make a few "
            "classes of it"
        )


def rare_classes(run: Run) -> Iterator[str]:
    """Classes of so few rows that they may be slips."""
    counts = dict(zip(run.progressive.labels, run.progressive.counts.tolist(), strict=True))
    rows = run.progressive.rounds
    most = min(SELDOM, rows / (SHARE * max(len(counts), 1)))
    rare = {label: count for label, count in counts.items() if count <= most}
    usual = {label_text(label): label for label in counts if label not in rare}
    for label, count in list(rare.items())[:MOST_RARE]:
        from difflib import get_close_matches  # which takes its time, and seldom is a class rare

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
    if counts.log_loss is None or counts.rounds < COMPARED_ROWS or counts.log_loss <= counts.constant_so_far():
        return
    both = (counts.log_loss, counts.constant_so_far())
    mine, theirs = (loss_text(loss, counts.rounds, LOG_LOSS) for loss in both)
    yield f"constant probabilities, the best ones so far, lose less: {theirs}, and the learner {mine}"


def _without_intercept(run: Run) -> str:
    """What to try where a learner without an intercept errs more often than the most frequent label."""
    counts, intercept = run.progressive, run.learner.get_params().get("intercept")
    if intercept != 0 or counts.errors <= counts.constant:
        return ""
    size = 1.0 if run.first is None else fitting_size(run.first)
    return f"; it has no intercept: try --set intercept={size:g}, or the default learner ({DEFAULT})"


def _constant_feature(run: Run) -> Iterator[str]:
    """That rows were made longer, where nobody has asked for it."""
    if run.constant:
        yield said_of(run.learner)


def _dense_diagonal(learner: OnlineClassifier, batch: Batch) -> Iterator[str]:
    """Rows that another matrix would learn better."""
    if getattr(learner.state_, "matrix", "full") != "diagonal" or not MANY <= batch.columns <= WIDEST:
        return
    present = np.count_nonzero(batch.values) / (len(batch) * batch.columns)
    if present >= DENSE:
        matrix = "sketch" if "sketch" in getattr(learner, "_matrices", ()) else "full"
        yield (
            f"of {batch.columns:,} features a row has {present:.0%}, and a diagonal matrix learns each by "
            f"itself; --set matrix={matrix} learns how they go together too, and errs less if they do (in more time)"
        )


def _inexact_sketch(learner: OnlineClassifier) -> Iterator[str]:
    """Rows so long that the solutions of a sketch in their units may have lost their digits."""
    state = learner.state_
    if getattr(state, "matrix", "full") != "sketch" or getattr(state, "sized", True):
        return
    longest = float(np.sqrt(state.books[:, FIELDS.index("max_norm2")].max()))
    limit = LONGEST_SKETCHED * float(np.sqrt(learner.get_params()["r"]))
    if longest > limit:
        yield (
            f"rows are up to {longest:.3g} long, and a sketch with scale=none is inexact where they are longer than "
            f"{limit:.3g}: --set scale=auto measures each feature, and is exact at any size"
        )


def worse_than_a_rule(counts: Progressive) -> str | None:
    """What to say where a rule that looks at no feature errs less than the learner; None where none does."""
    rules = (
        (counts.constant, "always the most frequent label so far"),
        (counts.previous, "always the label of the row before"),
    )
    errors, rule = min(rules, key=lambda pair: pair[0])
    if counts.rounds < COMPARED_ROWS or counts.errors <= errors:
        return None
    mine, theirs = share_text(counts.errors, counts.rounds), share_text(errors, counts.rounds)
    return f"{rule} errs less: {theirs}, and the learner in {mine}; bounds hold, and it has learned little all the same"


# Columns.


def column_notes(run: Run, default: str) -> Iterator[str]:
    """Notes on columns, in a line each; `default` is the learner to take where columns differ in size."""
    yield from _free_text(run)
    yield from _row_numbers(run)
    first = run.first
    if not run.learner.info.unit_free and first is not None and len(first) >= FEW_ROWS and first.columns:
        yield from _scales(run, first, default)


def _free_text(run: Run) -> Iterator[str]:
    """Columns of text in which nearly every row has a value of its own."""
    yield from free_text_notes(run.stream.schema(), max(run.rounds // (run.place.number + 1), 1))


def free_text_notes(schema: Mapping[str, Any], rows: int) -> Iterator[str]:
    """Notes on columns of text in which nearly every one of so many rows has a value of its own."""
    for name, count in free_text(schema, rows):
        yield (
            f"column {name!r} has {count:,} different values in {rows:,} rows ({count / rows:.0%}), each "
            "a feature of its own: what is learned of one says nothing of others. If it is text, make features of "
            f"its words with --text {name}; if it names the rows, leave it out with --ignore"
        )


def _row_numbers(run: Run) -> Iterator[str]:
    """Columns of whole numbers that grow by one from row to row."""
    batch, schema = run.first, run.stream.schema()
    if batch is None or batch.indices is not None or schema.get("format") != "table" or len(batch) < JUDGED_ROWS:
        return
    name = namer(run.learner, schema)
    for column in np.flatnonzero((np.diff(batch.values, axis=0) == 1).all(axis=0)).tolist():
        yield f"column {name(column)!r} numbers the rows: leave it out with --ignore"


def _scales(run: Run, batch: Batch, default: str) -> Iterator[str]:
    """Columns that most rows have, some of them in far larger numbers than others."""
    columns, sizes = _sizes(batch)
    if len(sizes) < 2 or sizes.max() <= FAR * sizes.min():
        return
    name = namer(run.learner, run.stream.schema())
    large, small = int(sizes.argmax()), int(sizes.argmin())
    yield (
        f"feature {name(int(columns[large]))!r} is about {sizes[large]:.3g} in size and "
        f"{name(int(columns[small]))!r} about {sizes[small]:.3g}; {run.learner.name} sees little but the largest: "
        f"scale the columns beforehand, or take the default learner ({default}), which minds no scale"
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
