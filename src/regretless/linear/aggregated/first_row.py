"""The first row of an aggregated classifier chooses the matrices of its members."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.batch import Array
from ...rows.state import BatchPlayer, BatchRounds, Report, Rules


class FirstRowPlayer(BatchPlayer):
    """Chooses the members of a state by the first row, and has them play.

    Parameters
    ----------
    state : AggregatedState
    rules : AggregatedRules
    """

    def __init__(self, state: Any, rules: Rules) -> None:
        self._state, self._rules = state, rules
        self._watched: Array | None = None

    def watch(self, scores: Array | None) -> None:
        """Where the scores of rounds go."""
        self._watched = scores

    def score(self, *rows: Any, **more: Any) -> Report:
        """Scores of rows, which choose nothing."""
        report: Report = self._player().score(*rows, **more)
        return report

    def play_rounds(self, rounds: BatchRounds) -> Report:
        """Play rounds, of which the first may be the first of all."""
        if not self._state.begun and 0 <= rounds.begin < rounds.total:
            self._state.begin(*_first_row(rounds))
        player = self._player()
        player.watch(self._watched)
        try:
            report: Report = player.play(*rounds)
        finally:
            player.watch(None)
        return report

    def _player(self) -> Any:
        state = self._state
        if not state.begun:
            return state.compiled(self._rules)
        if isinstance((state._player or (None, None))[1], FirstRowPlayer):
            state._player = None
        return state.player(self._rules)


def _first_row(rounds: BatchRounds) -> tuple[Array, int]:
    """The numbers of the row that is played first, and its columns up to the last that is not 0; the kernel refuses
    what is no row."""
    at = rounds.begin if rounds.order is None else int(rounds.order[rounds.begin])
    if rounds.indices is None or rounds.starts is None:
        row = rounds.values[at : at + 1].reshape(-1)
        return row, 1 + int(np.flatnonzero(row).max(initial=-1))
    begin, *end = rounds.starts[at : at + 2].tolist() or [0]
    part = slice(begin, *(end or [begin]))
    row, columns = rounds.values[part], rounds.indices[part]
    return row, 1 + int(columns[np.flatnonzero(row[: len(columns)])].max(initial=-1))
