"""``regretless learn`` of labels: its run, lines, notes on the data, and what JSON and the report have of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError
from ...ledger import Ledger
from ...report.terminal import LOG_LOSS, label_text, loss_text, member_lines, share_text, short
from ...run.first_rows import fitting_size, is_open
from ...run.members import members_of, mixture_of
from ...run.notes import rare_classes, traps, worse_than_a_rule
from .. import options, shards
from ..output import UsageError
from ..read_model import largest
from ..signals import PointTable
from .result import MOST_WEIGHTS, LearnOutput, sizes_of

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...data.batch import Batch
    from ...data.stream import Stream
    from ...linear.base import OnlineClassifier
    from ...linear.progressive import Progressive
    from ...report import Report
    from ...run.calibration import RunCalibration
    from ...run.linear import Continuation, Run
    from .result import LearnOptions

    Point = tuple[int, int, int]


def doubling(rounds: int) -> bool:
    """Whether a round count has a row: powers of two do."""
    return rounds & (rounds - 1) == 0


class MistakeTable(PointTable):
    """Rows at doubling round counts; a point is rounds, mistakes and updates."""

    HEADER = "{:>12} {:>12} {:>12} {:>12} {:>12}".format("rounds", "mistakes", "rate so far", "since last", "updates")

    def row(self, point: Point, last: Point) -> str:
        """Mistakes so far and since the row before."""
        rounds, mistakes, updates = point
        recent = (mistakes - last[1]) / (rounds - last[0])
        return f"{rounds:>12} {mistakes:>12} {mistakes / rounds:>12.6f} {recent:>12.6f} {updates:>12}"


class LabelsOutput(LearnOutput):
    """A run of a learner of labels that is over."""

    run: Run

    @classmethod
    def refuse(cls, arguments: LearnOptions) -> None:
        """Refuse options that are about numbers."""
        options.refuse_set(
            {"--interval": arguments.interval, "--interval-step": arguments.interval_step},
            "is for forecasts of numbers, and labels are learned here (--task regression)",
        )

    @classmethod
    def run_of(cls, arguments: LearnOptions, learner: OnlineClassifier, extra: dict[str, Any], stream: Stream) -> Run:
        """The run that is to be played."""
        from ...data.sample import Sample
        from ...run.first_rows import refuse_quantities
        from ...run.linear import Continuation, Place, Run

        if arguments.resume is not None:
            shards.refuse_mixed(arguments.resume, extra)
        goes_on = Continuation.read(extra)
        goes_on.refuse_other(stream)
        if goes_on.passes is not None and arguments.passes not in (None, goes_on.passes):
            raise UsageError(f"--passes {arguments.passes}: the run to finish is one of {goes_on.passes}")

        constant = arguments.resume is None and is_open(learner, arguments.set)

        def on_first(batch: Batch) -> None:
            if constant:
                learner.set_params(intercept=fitting_size(batch))
            if arguments.resume is not None and arguments.target is not None:
                _refuse_other_target(learner, stream, batch, arguments.target)
            if not arguments.any_labels:
                refuse_quantities(stream, batch)

        run = Run(
            learner,
            stream,
            passes=goes_on.passes or learner.most_passes,
            save=arguments.save or arguments.resume,
            checkpoint_every=arguments.checkpoint_every,
            curve=list(goes_on.curve),
            snapshots=list(goes_on.snapshots),
            place=goes_on.place or Place(),
            last=goes_on.last,
            progressive=goes_on.progressive,
            on_first=on_first,
        )
        run.calibration = _calibration(arguments, learner, goes_on)
        run.constant = constant
        if run.rounds == 0 and not arguments.no_certify:
            run.sample = Sample()
        return run

    @classmethod
    def table_of(cls, run: Run, write: Callable[[str], None]) -> PointTable:
        """Mistakes at doubling round counts."""
        rows = [point for point in run.curve if doubling(point[0])]
        return MistakeTable(write, rows[-1] if rows else run.point)

    def observations(self) -> Iterator[str]:
        """Notes on the data, in a line each."""
        return traps(self.run)

    def complaints(self) -> Iterator[str]:
        """What is said even of a quiet run."""
        run, learner = self.run, self.run.learner
        if self.quiet:
            yield from (f"{self.path}: {note}" for note in rare_classes(run))
        if len(learner.classes_) == 1:
            only = label_text(learner.classes_.tolist()[0])
            yield f"{self.path} holds one class only, {only}: there is nothing yet to tell it from"
        if learner.until_clean and run.point[2] > run.place.updates:
            yield f"no pass was clean: this was pass {run.place.number + 1:,}, the last that it was allowed (--passes)"

    def certified(self, arguments: LearnOptions, against: Any, *, trusted: bool) -> list[Certificate]:
        """The certificates, for which the rows are read again."""
        from ...certify import certify_stream

        options.warn_idle_search(arguments, self.run.learner)
        how: dict[str, Any] = {"svm": arguments.svm, "deep": arguments.deep, "trusted": trusted}
        return certify_stream(self.run.learner, self.run.stream, against=against, sample=self.run.sample, **how)

    def without_rows(self, certificates: list[Certificate]) -> list[Certificate]:
        """These, and that of the calibration, whose scores are at hand."""
        calibration = self.run.calibration
        return certificates if calibration is None else [*certificates, *calibration.certify()]

    def future(self, arguments: LearnOptions) -> list[Certificate]:
        """The risk on rows to come; of this run itself, for which no row is read again."""
        return options.future(arguments, self.run.learner)

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ...report import page_of_run, write_report

        write_report(path, page_of_run(report_of(self)))

    def own_values(self) -> dict[str, Any]:
        """Of a mixture its log losses in nats, and its members; and how a calibration did."""
        learner, counts = self.run.learner, self.run.progressive
        if mixture_of(learner) is None:
            return {**asked_values(learner), **calibration_values(self.run.calibration)}
        losses = {"log_loss": counts.log_loss, "best_constant_log_loss": counts.best_constant()}
        return {**losses, "members": members_of(learner)}

    def own_lines(self) -> Iterator[str]:
        """How the rows were predicted, beside simple rules, and by which members."""
        learner = self.run.learner
        yield from progressive_lines(learner, self.run.progressive)
        yield from asked_lines(learner)
        yield from calibration_lines(self.run.calibration)
        if mixture_of(learner) is not None:
            several = len(learner.classes_) > 2
            yield from member_lines(members_of(learner), learner.ledger_.rounds, LOG_LOSS, several=several)


def _calibration(arguments: LearnOptions, learner: OnlineClassifier, goes_on: Continuation) -> RunCalibration | None:
    """Probabilities learned from scores, if they are asked for, or the model has them.

    Raises
    ------
    UsageError
        If the learner has probabilities of its own, or the model was learned without these.
    """
    if not arguments.calibrate or goes_on.calibration is not None:
        return goes_on.calibration
    from ...calibration import PlattScaling
    from ...run.calibration import RunCalibration as Calibration

    if hasattr(learner, "classes_"):
        raise UsageError("--calibrate contradicts the model, which learned without it")
    if learner.has_probabilities:
        raise UsageError(f"--calibrate: {learner.name} has probabilities of its own (predict --probabilities)")
    return Calibration(PlattScaling())


def calibration_values(calibration: RunCalibration | None) -> dict[str, Any]:
    """How the probabilities that were learned from scores did, as JSON values; nothing without them."""
    if calibration is None:
        return {}
    rule = calibration.rule
    values = {
        "rounds": int(rule.ledger_.rounds),
        "log_loss": rule.ledger_.loss,
        "best_constant_log_loss": rule.best_constant(),
        "calibration_error": calibration.error(),
        "slope": rule.slope_,
        "offset": rule.offset_,
    }
    return {"calibration": values}


def calibration_lines(calibration: RunCalibration | None) -> Iterator[str]:
    """The same for people."""
    if calibration is None or not calibration.rule.ledger_.rounds:
        return
    rule, rows = calibration.rule, int(calibration.rule.ledger_.rounds)
    yield f"log loss of calibrated scores, each before its label is known: {loss_text(rule.ledger_.loss, rows)}"
    yield f"  the best constant probability, known in hindsight: {loss_text(rule.best_constant(), rows)}"
    if (error := calibration.error()) is not None:
        yield f"  calibration error over ten bins: {100 * error:.4g} %"


def asked_values(learner: OnlineClassifier) -> dict[str, Any]:
    """Which labels were asked, as JSON values; nothing of a learner that learns from all."""
    ledger = learner.ledger_
    if type(ledger) is Ledger:
        return {}
    from ...theory.selective import SelectiveLedger

    if not isinstance(ledger, SelectiveLedger):
        return {}
    values = {
        "labels": int(ledger.asked),
        "expected": ledger.expected,
        "wrong": int(ledger.updates),
        "wrong_estimated": None if ledger.closed else ledger.estimate,  # of rounds without a question it knows nothing
        "closed": int(ledger.closed),
    }
    return {"asked": values}


def asked_lines(learner: OnlineClassifier) -> Iterator[str]:
    """The same for people."""
    values = asked_values(learner).get("asked")
    if values is None:
        return
    rows, labels = int(learner.ledger_.rounds), values["labels"]
    yield f"labels asked: {share_text(labels, rows)}; {values['expected']:,.1f} were to be expected"
    if labels:
        yield f"  predicted wrongly, or tied, where a label was asked: {share_text(values['wrong'], labels)}"
    if values["closed"]:
        yield f"  rows at which the budget allowed no question: {share_text(values['closed'], rows)}"
    else:
        yield f"  by these alone, so many of all rows are wrong or tied: about {values['wrong_estimated']:,.0f}"


MOST_SHOWN = 12  # classes


def progressive_lines(learner: OnlineClassifier, counts: Progressive) -> Iterator[str]:
    """Log loss and errors of a first pass, each row predicted before it was learned, beside those of simple rules."""
    rows = counts.rounds
    if not rows:
        return
    if counts.log_loss is not None:
        yield f"log loss, each row predicted before it is learned: {loss_text(counts.log_loss, rows, LOG_LOSS)}"
        best = loss_text(counts.best_constant(), rows, LOG_LOSS)
        yield f"  the best constant probabilities, known in hindsight: {best}"
        yield f"  the best constant probabilities so far: {loss_text(counts.constant_so_far(), rows, LOG_LOSS)}"
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


def _rate(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"


def report_of(outcome: LabelsOutput) -> Report:
    """The run as a report shows it."""
    from ...report import Report

    run = outcome.run
    learner, (sizes, weighed) = run.learner, sizes_of(run)
    return Report(
        title=outcome.title,
        learner=learner,
        source={**outcome.input(), "passes": run.place.number + 1},
        curve=run.whole_curve,
        certificates=outcome.certificates,
        weights=largest_weights(learner, run.stream.schema(), sizes),
        weighed=weighed,
        seconds=outcome.seconds,
        progressive=run.progressive.summary(),
        worse=worse_than_a_rule(run.progressive),
        snapshots=[one for one in run.whole_snapshots if "loss" in one],
        asked=[(one["rounds"], one["asked"]) for one in run.whole_snapshots if "asked" in one],
        reliability=_reliability(run),
    )


def _reliability(run: Run) -> dict[str, Any] | None:
    """Observed frequencies beside forecast probabilities, of a learner of two labels."""
    from ...linear.progressive import reliability

    table = reliability(run.progressive) if run.learner.scores_are_log_odds else None
    return None if table is None else table.describe()


def largest_weights(
    learner: OnlineClassifier, schema: dict[str, Any] | None, sizes: Any = None
) -> list[tuple[str, float]]:
    """The largest weights by the names of their features, times the sizes of these where they are known; of several
    classes, with the class."""
    each = largest(learner, schema, MOST_WEIGHTS, sizes)
    if len(each) == 1:
        return [(one.feature, one.effect) for one in each[0][1]]
    return [(f"{one.feature} → {label}", one.effect) for label, weights in each for one in weights]


def _refuse_other_target(learner: OnlineClassifier, stream: Stream, batch: Batch, target: str) -> None:
    """Refuse to go on with a column in which a model finds none of its labels.

    Raises
    ------
    DataError
        If none of the first rows has one.
    """
    known = getattr(learner, "classes_", None)
    if known is None or batch.labels is None or np.isin(batch.labels, known).any():
        return
    labels = ", ".join(map(label_text, known.tolist()[:MOST_SHOWN]))
    fault = f"the target {target!r} has none of the labels that the model knows ({labels}) in its first rows"
    raise DataError(stream.name, None, None, fault, "give the column that they stand in, or begin a model of its own")
