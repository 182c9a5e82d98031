"""The page of a game in which both players have payoffs of their own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..games.formatting import written
from ..report.games import MOST_IN_PICTURE, EquilibriumRow, ExactGame, GameReport, JointRow
from .solve_bimatrix_result import BEST, SolvedBimatrix, kind_of, mixtures, named

if TYPE_CHECKING:
    from fractions import Fraction

    from ..games.general_sum.equilibria import Equilibrium


def report(outcome: SolvedBimatrix) -> GameReport:
    """The outcome, ready to be shown."""
    rows, columns = outcome.game.shape
    shown = max(rows, columns) <= MOST_IN_PICTURE
    found = outcome.equilibria
    return GameReport(
        title=f"{'Equilibria' if found is not None else 'An equilibrium'} of {os.path.basename(outcome.file.name)}",
        kind="bimatrix",
        method=found.method if found is not None else kind_of(outcome.known),
        rows=rows,
        columns=columns,
        whose="payoffs of both players",
        row_names=outcome.game.rows,
        column_names=outcome.game.cols,
        payoffs=outcome.game.row_payoffs.dense().tolist() if shown else None,
        column_payoffs=outcome.game.column_payoffs.dense().tolist() if shown else None,
        players=(outcome.file.players[0], outcome.file.players[1]),
        source={"path": outcome.file.name},
        note=(found.note if found is not None else outcome.lacking) or "",
        seconds=None if found is None else found.seconds,
        equilibria=[_row(outcome, one) for one in found or []],
        complete=None if found is None else found.complete,
        degenerate=found is not None and mixtures(found),
        joints=[] if outcome.correlated is None else [_joint(outcome)],
    )


def _row(outcome: SolvedBimatrix, one: Equilibrium) -> EquilibriumRow:
    exact = None
    if one.exact is not None and outcome.equilibria is not None and outcome.equilibria.stated:
        row, column = _texts(outcome.game.rows, one.exact.row), _texts(outcome.game.cols, one.exact.column)
        exact = ExactGame("", row, column)
    return EquilibriumRow(
        row=named(outcome.game.rows, one.row.tolist()),
        column=named(outcome.game.cols, one.column.tolist()),
        row_payoff=one.row_payoff,
        column_payoff=one.column_payoff,
        gain=0.0 if exact is not None else max(one.row_gain, one.column_gain),
        exact=exact,
        note="pure" if one.pure else "",
    )


def _joint(outcome: SolvedBimatrix) -> JointRow:
    one = outcome.known
    return JointRow(
        title=f"{kind_of(one).capitalize()} equilibrium, the best {BEST[one.objective]}",
        probabilities=one.joint.tolist(),
        row_payoff=one.row_payoff,
        column_payoff=one.column_payoff,
        gain=max(one.row_gain, one.column_gain),
    )


def _texts(names: Sequence[str], chances: Sequence[Fraction]) -> dict[str, str]:
    return {name: written(chance) for name, chance in zip(names, chances, strict=True) if chance > 0}
