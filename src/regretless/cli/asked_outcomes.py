"""`combine --label-budget`: what asks for few of the outcomes, and what is said of it, as lines and JSON values."""

from __future__ import annotations

from argparse import _ArgumentGroup
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import RegretlessError
from . import options
from .output import UsageError, number_text, share_text

if TYPE_CHECKING:
    from ..data.forecast_stream import ForecastStream
    from ..experts.base import ExpertLearner
    from ..experts.label_efficient import LabelEfficient


def add_budget(group: _ArgumentGroup) -> None:
    """The option."""
    group.add_argument(
        "--label-budget",
        type=options.label_budget,
        metavar="N|P%",
        help="learn from about N outcomes, or from P %% of them, asked at random, and forecast all rows",
    )


def asking_of(budget: str | None, learner: ExpertLearner, rows: Callable[[], ForecastStream]) -> LabelEfficient | None:
    """What asks for the outcomes, if not all are to be learned.

    Parameters
    ----------
    budget : str or None
        How many, or a share of them.
    learner : ExpertLearner
        It has played nothing.
    rows : callable
        Opens the rows, to count them where a number is to be asked.

    Raises
    ------
    UsageError
        If the learner cannot learn from few outcomes, or the rows cannot be counted.
    RegretlessError
        If there are too few rows.
    """
    from ..experts.label_efficient import LabelEfficient
    from ..experts.losses import WITHOUT_OUTCOME

    if budget is None:
        return None
    if learner._loss.name in WITHOUT_OUTCOME:
        raise UsageError(f"--label-budget {budget}: it is of outcomes, and --loss {learner._loss.name} has none")
    share = float(budget[:-1]) / 100 if budget.endswith("%") else _share(int(budget), rows())
    try:
        return LabelEfficient(learner, share)
    except RegretlessError as error:
        raise UsageError(f"--label-budget {budget}: {error}") from error


def _share(count: int, stream: ForecastStream) -> float:
    """With which probability to ask, so that about so many of all outcomes are."""
    if not stream.rereadable:
        raise UsageError(f"--label-budget {count}: rows that can be read once are not counted; give a share, as 5%")
    rows = sum(len(batch.with_outcomes()) for batch in stream.batches())
    if count >= rows:
        raise RegretlessError(f"{stream.name}: {rows:,} rows have an outcome; --label-budget {count} must be fewer")
    return count / rows


def asked_values(asking: LabelEfficient) -> dict[str, Any]:
    """Which outcomes were asked, as JSON values."""
    ledger = asking.ledger_
    return {
        "share": asking.share,
        "seed": asking.seed,
        "rounds": ledger.rounds,
        "outcomes": asking.asked_,
        "loss": ledger.loss,
        "mean_loss": ledger.loss / ledger.rounds if ledger.loss is not None and ledger.rounds else None,
    }


def asked_lines(asking: LabelEfficient) -> Iterator[str]:
    """The same for people."""
    values = asked_values(asking)
    if not values["rounds"]:
        return
    expected = asking.share * values["rounds"]
    share = share_text(values["outcomes"], values["rounds"])
    yield f"  outcomes asked: {share}; {expected:,.1f} were to be expected"
    if values["loss"] is not None:
        yield f"  loss in all rows: {number_text(values['loss'])}, {number_text(values['mean_loss'])} a row"
