"""What a learner that was played live is compared with, draws that wait for their losses included."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from ..comparator import BanditComparator
from ..errors import ParameterError, RegretlessError
from ..ledger import BanditLedger
from .comparators import hindsight, in_units
from .online import Drawing
from .validation import advices_of, table_of

Array = np.ndarray[Any, Any]
TOLERANCE = 1e-6  # a round; a table may be one of floats of 32 bits


def unseen(learner: Drawing, switches: int | None) -> list[BanditComparator]:
    """The comparators of a learner that does not know what the other arms lost."""
    book = learner.ledger_
    if learner.info.advised:
        return [BanditComparator("best_expert", "the best expert", nan, book.loss, book.rounds)]
    compared = [_revealed(learner, book) or BanditComparator("best_arm", "the best arm", nan, book.loss, book.rounds)]
    if switches is not None:
        label = f"the best sequence with {switches} switch{'' if switches == 1 else 'es'}"
        compared.append(BanditComparator("best_sequence", label, nan, book.loss, book.rounds, switches=switches))
    return compared


def _revealed(learner: Drawing, book: BanditLedger) -> BanditComparator | None:
    """The best arm of a learner with full information; None without it."""
    if not learner.info.informed or book.restricted:  # what an arm lost is mixed with what others lost while it slept
        return None
    place = int(np.argmin(book.estimates))
    name, lost = learner._label(place), float(book.estimates[place])
    return BanditComparator("best_arm", f"best arm {name}", lost, book.loss, book.settled, place, detail={"arm": name})


def in_hindsight(learner: Drawing, losses: Any, advice: Any, switches: int | None) -> list[BanditComparator]:
    """The comparators by the losses of all arms in the rounds that were drawn.

    The rows are taken on trust but for their sums. A learner with full information knows what each lost
    in all, if none ever slept; any other one knows how often it drew an arm and what that cost: as many rows of the
    arm's column must be able to add up to that.

    Raises
    ------
    RegretlessError
        If these are other rounds, as far as that can be seen, or the learner's loss in some of them is not known.
    """
    board, book = learner._known(), learner.ledger_
    table, _ = table_of(losses, learner.arm_names_, board.arms)
    if len(table) != board.rounds:
        raise RegretlessError(f"losses of {len(table)} rounds; {board.rounds} were drawn, and each needs a row")
    if book.lost:
        raise RegretlessError(
            f"draws were withdrawn ({book.lost:.0f}): which, and what they lost, is not known; certify without losses"
        )
    advised = None
    if learner.info.advised:
        if advice is None:
            raise ParameterError("advice", "", "is missing: what an expert lost depends on it", " ")
        advised = advices_of(advice, len(table), board.comparators, board.arms, learner.arm_names_)
    seen = hindsight(table, board.scale, learner.names(), advice=advised, switches=switches)
    _refuse_others(learner, book, table, seen.losses)
    return seen.comparators(_faced(learner, book, table), learner.names())


def _faced(learner: Drawing, book: BanditLedger, table: Array) -> BanditLedger:
    """The book as it will be once the draws that wait are settled."""
    loss, missed = book.loss, book.missed.copy()
    for arm, _, _, number in learner._pending.values():
        row = in_units(table[number - 1], learner._scale)
        loss += float(row[arm])
        missed[np.isnan(row)] += row[arm]
    return replace(book, loss=loss, missed=missed)


def _refuse_others(learner: Drawing, book: BanditLedger, table: Array, sums: Array) -> None:
    """Refuse losses that cannot be those that the learner received."""
    apart = TOLERANCE * max(1.0, book.rounds)
    if learner.info.informed and not book.unsettled and not book.restricted:
        wrong = np.abs(sums - book.estimates) > apart
    else:
        settled = book.draws.copy()
        for arm, _, _, _ in learner._pending.values():
            settled[arm] -= 1
        least, most = _extremes(in_units(table, learner._scale), settled.astype(np.int64))
        wrong = ~((least - apart <= book.losses) & (book.losses <= most + apart))
    if wrong.any():
        name = learner.names()[int(np.argmax(wrong))]
        raise RegretlessError(
            f"arm {name}: these are not the losses that were reported when it was drawn; a row for each draw, in their "
            "order, is expected"
        )


def _extremes(units: Array, many: Array) -> tuple[Array, Array]:
    """The least and the largest sum of so many losses of each arm; nan if it was awake less often."""
    least, most = np.full((2, units.shape[1]), nan)
    for arm, taken in enumerate(many.tolist()):
        awake = np.sort(units[:, arm][~np.isnan(units[:, arm])])
        if taken <= len(awake):
            least[arm], most[arm] = awake[:taken].sum(), awake[len(awake) - taken :].sum()
    return least, most
