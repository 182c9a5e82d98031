"""What a learner that was played live is compared with, draws that wait for their losses included."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparator import BanditComparator
from ..errors import RegretlessError
from ..ledger import BanditLedger
from .hindsight import hindsight, in_units
from .intake import advices_of, table_of

if TYPE_CHECKING:
    from .base import Bandit

Array = np.ndarray[Any, Any]


def unseen(learner: Bandit, switches: int | None) -> list[BanditComparator]:
    """The comparators of a learner nobody has told what the other arms lost."""
    book = learner.ledger_
    if learner.advised:
        return [BanditComparator("best_expert", "the best expert", nan, book.loss, book.rounds)]
    found = [_revealed(learner, book) or BanditComparator("best_arm", "the best arm", nan, book.loss, book.rounds)]
    if switches is not None:
        label = f"the best sequence with {switches} switch{'' if switches == 1 else 'es'}"
        found.append(BanditComparator("best_sequence", label, nan, book.loss, book.rounds, switches=switches))
    return found


def _revealed(learner: Bandit, book: BanditLedger) -> BanditComparator | None:
    """The best arm of a learner that was told every arm's loss; None if it was not."""
    if not learner.sees_all or book.restricted:  # what an arm lost is mixed with what others lost while it slept
        return None
    place = int(np.argmin(book.estimates))
    name, lost = learner._label(place), float(book.estimates[place])
    return BanditComparator("best_arm", f"best arm {name}", lost, book.loss, book.settled, place, detail={"arm": name})


def in_hindsight(learner: Bandit, losses: Any, advice: Any, switches: int | None) -> list[BanditComparator]:
    """The comparators by the losses of all arms in the rounds that were drawn.

    Raises
    ------
    RegretlessError
        If these are other rounds, or nobody knows what the learner lost in some of them.
    """
    board, book = learner._known(), learner.ledger_
    table, _ = table_of(losses, learner.arm_names_, board.arms)
    if len(table) != board.rounds:
        raise RegretlessError(f"losses of {len(table)} rounds; {board.rounds} were drawn, and each needs a row")
    if book.lost:
        raise RegretlessError(
            f"{book.lost:.0f} draws were withdrawn: which, and what they lost, is not known; certify without losses"
        )
    told = None
    if learner.advised:
        if advice is None:
            raise RegretlessError("advice= is missing: what an expert lost depends on it")
        told = advices_of(advice, len(table), board.comparators, board.arms)
    seen = hindsight(table, board.scale, learner.names(), advice=told, switches=switches)
    return seen.comparators(_faced(learner, book, table), learner.names())


def _faced(learner: Bandit, book: BanditLedger, table: Array) -> BanditLedger:
    """The book as it will be once the draws that wait are settled."""
    loss, missed = book.loss, book.missed.copy()
    for arm, _, _, number in learner._pending.values():
        row = in_units(table[number - 1], learner._scale)
        loss += float(row[arm])
        missed[np.isnan(row)] += row[arm]
    return replace(book, loss=loss, missed=missed)
