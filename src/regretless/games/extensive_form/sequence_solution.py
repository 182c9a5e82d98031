"""A solved game in sequence form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ...checks import one_of
from ...errors import RegretlessError
from ..formatting import written
from ..solution import Solution
from .treeplex import Treeplex

Player = Literal["row", "column"]
PLAYERS: tuple[Player, Player] = ("row", "column")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class SequenceSolution(Solution):
    """Plans of both players, and an interval that contains the value of the game.

    `rows` and `columns` name sequences, the empty ones first, and `row` and `column` are their realisation
    probabilities: the products of the player's own probabilities of actions. All else is as in `Solution`.

    Attributes
    ----------
    row_tree, column_tree : Treeplex
    total : float
        The sum of both players' payoffs.
    """

    row_tree: Treeplex
    column_tree: Treeplex
    total: float = 0.0

    def behaviour(self, player: Player, exact: bool = False) -> dict[str, dict[str, Any]]:
        """A player's probabilities of actions at each information set that its own strategy reaches.

        Parameters
        ----------
        player : {"row", "column"}
        exact : bool
            In fractions; of an exact solution.

        Raises
        ------
        RegretlessError
            If there is no such player, or the solution is not exact.
        """
        one_of("player", player, PLAYERS)
        tree = self.row_tree if player == "row" else self.column_tree
        if not exact:
            return tree.named((self.row if player == "row" else self.column).tolist())
        if self.exact is None:
            raise RegretlessError("exact: the solution has no fractions; solve(exact=True) finds them")
        return tree.named(self.exact.row if player == "row" else self.exact.column)

    def describe(self) -> dict[str, Any]:
        """The solution as JSON values; strategies are by information set; sequences of probability 0 are left out."""
        # A dataclass with slots is another class than the one whose body this is, so that super() without it fails.
        record = Solution.describe(self)
        record["row_sequences"], record["column_sequences"] = record.pop("row_strategy"), record.pop("column_strategy")
        record["information_sets"] = {"row": len(self.row_tree.sets), "column": len(self.column_tree.sets)}
        record["row_strategy"], record["column_strategy"] = self.behaviour("row"), self.behaviour("column")
        record["total"] = self.total
        if self.exact is not None:
            for player in PLAYERS:
                record["exact"][f"{player}_sequences"] = record["exact"].pop(f"{player}_strategy")
                record["exact"][f"{player}_strategy"] = _shown(self.behaviour(player, exact=True))
        return record


def _shown(behaviour: dict[str, dict[str, Any]]) -> dict[str, dict[str, str]]:
    return {name: {action: written(chance) for action, chance in own.items()} for name, own in behaviour.items()}
