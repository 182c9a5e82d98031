"""Extensive games: trees of moves of several players and of chance, their sequence form and strategic form."""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from typing import IO, Any

from ...checks import one_of
from ...data.gambit_efg import GameTree, read_efg_file, read_efg_text
from ...errors import DataError, ParameterError
from ..general_sum.bimatrix import BimatrixGame
from ..payoffs import distinct
from .sequence import SequenceGame
from .sequence_form import PLAYERS, Player
from .tree_walk import TreeWalk, refusal


class ExtensiveGame:
    """A game in extensive form: a tree of moves.

    Parameters
    ----------
    tree : GameTree
        The tree of a file.

    Attributes
    ----------
    tree : GameTree
    title : str
    players : list of str
        Their names; by default their numbers.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.title = tree.title
        self.players = distinct(name or str(place + 1) for place, name in enumerate(tree.players))

    def __repr__(self) -> str:
        players = ", ".join(map(repr, self.players))
        return f"<ExtensiveGame {self.title!r}: {players}, {len(self.tree.nodes)} nodes>"

    def sequence_form(self) -> SequenceGame:
        """The sequence form, with the first player as the row player.

        Payoffs are computed in fractions; exact solutions are of these, and intervals include the rounding to floats.

        Returns
        -------
        SequenceGame

        Raises
        ------
        RegretlessError
            If there are not two players, the sum of their payoffs is not constant, or one of them has no perfect
            recall.
        """
        return self._walk.sequence_form()

    @property
    def is_constant_sum(self) -> bool:
        """Whether the sum of both players' payoffs is the same at every leaf that chance allows.

        Raises
        ------
        RegretlessError
            If there are not two players, or one of them has no perfect recall.
        """
        return self._walk.other is None

    def strategic_form(self) -> BimatrixGame:
        """The reduced strategic form, with the first player as the row player: for games of any sum.

        A row or column is a plan, named by its actions: an action at each information set that the plan itself can
        reach. Payoffs are fractions. The number of plans may be exponential in the number of information sets.

        Returns
        -------
        BimatrixGame

        Raises
        ------
        RegretlessError
            If there are not two players, one of them has no perfect recall, or there are more than 100,000 pairs of
            plans.

        Examples
        --------
        >>> from regretless.games import read_efg
        >>> entry = (
        ...     'EFG 2 R "Entry" { "New" "Old" } p "" 1 1 "market" { "stay out" "enter" } 0 t "" 1 "" { 0 2 } '
        ...     'p "" 2 1 "reply" { "fight" "share" } 0 t "" 2 "" { -1 -1 } t "" 3 "" { 1 1 }'
        ... )
        >>> game = read_efg(entry).strategic_form()
        >>> game.pure_equilibria()
        [('market: stay out', 'reply: fight'), ('market: enter', 'reply: share')]
        """
        return self._walk.strategic_form()

    def behaviour(self, player: Player, mixture: Any) -> dict[str, dict[str, Any]]:
        """The probabilities of actions that a mixture of plans amounts to (Kuhn 1953).

        Parameters
        ----------
        player : {"row", "column"}
            The first or the second player.
        mixture : sequence
            A probability, float or fraction, for each plan of `strategic_form`.

        Returns
        -------
        dict
            For each information set that the player's own plans reach, the probability of each action.

        Raises
        ------
        RegretlessError
            If there is no such player, or not one probability for each plan.
        """
        return self._walk.behaviour(PLAYERS.index(one_of("player", player, PLAYERS)), list(mixture))

    @cached_property
    def _walk(self) -> TreeWalk:
        if len(self.players) != 2:
            count = f"{len(self.players)} players" if len(self.players) != 1 else "one player"
            raise refusal(self.tree, f"{count}; games of two players are solved")
        return TreeWalk(self.tree, self.players)


def read_efg(source: str | PathLike[str] | IO[Any]) -> ExtensiveGame:
    """An extensive game from Gambit's ``.efg`` format.

    Parameters
    ----------
    source : path, the text of a file, or an open file
        Compressed files are known by their suffix, a text by its beginning with ``EFG``; ``-`` is standard input.

    Raises
    ------
    DataError
        If it is no such file; the message has the place.
    RegretlessError
        If `source` is empty.
    """
    if not isinstance(source, str | PathLike) and hasattr(source, "read"):
        return ExtensiveGame(_read_open(source))
    if not isinstance(source, str | PathLike) or not str(source).strip():
        raise ParameterError("source", repr(source), "a path, an open file or the text of one is expected")
    if isinstance(source, str) and source.lstrip().startswith("EFG") and len(source.split(None, 3)) == 4:
        return ExtensiveGame(read_efg_text(source))
    return ExtensiveGame(read_efg_file(source))


def _read_open(file: IO[Any]) -> GameTree:
    text, name = file.read(), str(getattr(file, "name", "<efg>"))
    try:
        return read_efg_text(text if isinstance(text, str) else text.decode(), name)
    except UnicodeDecodeError as error:
        raise DataError(name, None, None, "not UTF-8", "open the text of a file") from error
