"""What the theorems say of a solution of a game in sequence form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...certificate import Certificate
from ...comparator import GameComparator
from ...ledger import GameLedger
from ...theory.games import OTHERS
from ...theory.sequence_form import BY_METHOD, SequenceFacts, counterfactual, gains_by_turns, reach
from ..certificates import EPSILON, SPARE, TINY, judged
from ..raw_solution import RawSolution
from .sequence_form import SequenceForm


def certificates(game: SequenceForm, raw: RawSolution, lower: float, upper: float) -> list[Certificate]:
    """Each theorem about plans of both players, which are in the kernels' order.

    Parameters
    ----------
    game : SequenceForm
    raw : RawSolution
    lower, upper : float
        What its plans guarantee, enclosed afresh.

    Returns
    -------
    list of Certificate
    """
    learner = facts(game, raw)
    theorems = BY_METHOD.get(raw.method, OTHERS)
    return judged(raw, upper - lower, theorems, _answers(game, raw, lower, upper), learner, learner.row_spread)


def facts(game: SequenceForm, raw: RawSolution) -> SequenceFacts:
    """What theorems may know of the two players of a solution."""
    known: dict[str, Any] = raw.settings or {}
    of_row, of_column = _reaches(game, True), _reaches(game, False)
    rows, columns = game.shape
    return SequenceFacts(
        rows,
        columns,
        raw.method,
        alternate=bool(known.get("alternate", False)),
        power=int(known.get("power", 0)),
        started=bool(known.get("started", False)),
        claim=raw.claim,
        row_reach=of_row[0],
        column_reach=of_column[0],
        row_sets=of_row[1],
        column_sets=of_column[1],
        row_spread=of_row[2],
        column_spread=of_column[2],
    )


def _reaches(game: SequenceForm, row: bool) -> tuple[float, float, float]:
    """Of one player: reach and sets of the facts, and by how much what a play is worth may differ."""
    tree = game.row if row else game.column
    low, high = game.reaches(row)
    return *reach(tree.first, tree.parent, low, high), float(high[0] - low[0])


def theorem_line(game: SequenceForm, raw: RawSolution) -> tuple[str, Callable[[float], float]] | None:
    """What the theorem promised of the gap before self-play began: its title, and the bound after so many rounds."""
    learner, nobody = facts(game, raw), GameComparator()

    def book(rounds: float) -> GameLedger:
        return GameLedger(rounds, weight=1.0)

    if raw.ledger is None or not gains_by_turns(learner):
        return None
    return counterfactual.title, lambda rounds: counterfactual.value(book(rounds), nobody, learner)


def _answers(game: SequenceForm, raw: RawSolution, lower: float, upper: float) -> GameComparator:
    """What each player could gain by answering the other, and what rounding may have to do with it."""
    x, y = raw.row, raw.column
    worth = min(upper, max(lower, float(x @ (game.inward @ y))))
    sizes = float(np.abs(game.payoffs.data).sum())  # no plans, and no sums on the way to them, come to more
    played = 0 if raw.ledger is None else raw.iterations
    return GameComparator(
        rounds=float(raw.iterations),
        rounding=(len(x) + len(y) + played + SPARE) * EPSILON * max(sizes, abs(lower), abs(upper)) + TINY,
        detail={"row_gain": upper - worth, "column_gain": worth - lower},
    )
