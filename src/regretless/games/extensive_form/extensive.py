"""Extensive games: trees of moves of several players and of chance, their sequence form and strategic form.

A walk through the tree collects sequences, plans and payoffs of two players. A plan of a player names an action at each
information set that the plan itself can reach: at every set whose parent sequence is in the plan, one of its sequences
is too. The plans are the rows and columns of the reduced strategic form. Mixtures of plans and probabilities at
information sets are equally good under perfect recall (Kuhn 1953), so that equilibria of this form are those of the
game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from os import PathLike
from typing import IO, Any

import numpy as np

from ...checks import one_of
from ...data.exact_numbers import Exact
from ...data.gambit_efg import CHANCE, GameTree, InformationSet, Node, read_efg_file, read_efg_text
from ...errors import DataError, ParameterError, RegretlessError
from ..general_sum.bimatrix import BimatrixGame
from ..payoffs import Array, distinct
from .sequence import SequenceGame
from .sequence_form import PLAYERS, Player


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
            raise refusal(self.tree, count, "games of two players are solved")
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


EMPTY = "∅"
# The most cells of the form: each of them is a sum of fractions.
MOST_CELLS = 100_000
MANY = 10**9  # counts of plans end here
Set = tuple[int, int, int]  # parent sequence, first sequence, number of actions; a set comes after its parent's set
Plan = list[int]  # its sequences in ascending order, the empty one first
# (the path before, the last action), so that paths share their beginnings; the empty one is ().
Path = tuple[Any, ...]


SMALLER = "divide all payoffs by something"


def refusal(tree: GameTree, fault: str, advice: str) -> DataError:
    """The error about a tree."""
    return DataError(tree.source, None, None, fault, advice)


@dataclass(frozen=True, slots=True)
class TreePoint:
    """A node and the path to it."""

    node: Node
    sequences: tuple[int, int]
    chance: Fraction
    won: tuple[Exact, ...]  # integers stay integers, which is faster
    path: Path


class PlayerSequences:
    """One player's information sets and sequences, in the order of the walk."""

    def __init__(self) -> None:
        # Each with its parent, its first sequence, and the path on which the walk reached it first.
        self.sets: dict[int, tuple[InformationSet, int, int, Path]] = {}
        self.count = 1

    def enter(self, moves: InformationSet, sequence: int, path: Path) -> int:
        """The first sequence of an information set, which is added on the first visit."""
        known = self.sets.get(moves.number)
        if known is None:
            known = self.sets[moves.number] = moves, sequence, self.count, path
            self.count += len(moves.actions)
        return known[2]

    def constraints(self) -> tuple[list[int], list[int], list[float], tuple[int, int]]:
        """The matrix E of this player."""
        rows, columns, values = [0], [0], [1.0]
        for place, (moves, parent, first, _) in enumerate(self.sets.values()):
            rows += [place + 1] * (len(moves.actions) + 1)
            columns += [parent, *range(first, first + len(moves.actions))]
            values += [-1.0] + [1.0] * len(moves.actions)
        return rows, columns, values, (len(self.sets) + 1, self.count)

    def places(self) -> list[Set]:
        """Parent sequence, first sequence and number of actions of each information set."""
        return [(parent, first, len(moves.actions)) for moves, parent, first, _ in self.sets.values()]

    def plans(self) -> list[Plan]:
        """All plans of this player."""
        return pure_plans(self.places(), self.count)

    def plan_names(self, plans: list[Plan]) -> list[str]:
        """Names of plans by their sequences."""
        names, _, _ = self.names()
        return distinct(", ".join(names[sequence] for sequence in plan[1:]) or EMPTY for plan in plans)

    def names(self) -> tuple[list[str], list[str], list[str]]:
        """Names of the sequences, of the information sets, and of the actions."""
        sets = distinct(moves.name or str(moves.number) for moves, *_ in self.sets.values())
        actions, sequences = [EMPTY], [EMPTY]
        for name, (moves, *_) in zip(sets, self.sets.values(), strict=True):
            own = distinct(action or str(place + 1) for place, action in enumerate(moves.actions))
            actions += own
            sequences += [f"{name}: {action}" for action in own]
        return distinct(sequences), sets, actions


class TreeWalk:
    """A walk from the root to all leaves, which collects sequences and payoffs."""

    def __init__(self, tree: GameTree, players: list[str]) -> None:
        self._tree, self._players = tree, players
        self._sides = PlayerSequences(), PlayerSequences()
        self._ends: list[TreePoint] = []
        self._total: tuple[Exact, Path] | None = None
        self.other: tuple[Exact, Path] | None = None  # a sum of payoffs that differs from the first one
        self._go()

    def _go(self) -> None:
        nodes = self._tree.nodes
        waiting = [TreePoint(nodes[0], (0, 0), Fraction(1), (0, 0), ())]
        while waiting:
            point = self._past(waiting.pop())
            moves = point.node.moves
            if moves is None:
                self._end(point)
                continue
            first = 0 if moves.player == CHANCE else self._enter(moves, point)
            for place in reversed(range(len(moves.actions))):
                waiting.append(self._step(point, moves, place, first, nodes[point.node.children[place]]))

    def _end(self, point: TreePoint) -> None:
        """Add a leaf, if its probability of chance is positive."""
        if not point.chance:
            return
        total = sum(point.won)
        if self._total is None:
            self._total = total, point.path
        elif total != self._total[0] and self.other is None:
            self.other = total, point.path
        self._ends.append(point)

    def sequence_form(self) -> SequenceGame:
        if self.other is not None and self._total is not None:
            raise refusal(
                self._tree,
                f"this is no zero-sum game: together the players win {self._total[0]} {_after(self._total[1])}, but"
                f" {self.other[0]} {_after(self.other[1])}",
                "a constant sum is expected, strategic_form takes any",
            )
        payoffs = self._payoffs(0)
        places = list(payoffs)
        try:
            values = [float(payoff) for payoff in payoffs.values()]
        except OverflowError as error:
            raise refusal(self._tree, "a payoff is too large for floats", SMALLER) from error
        row, column = self._sides
        triplets = [place[0] for place in places], [place[1] for place in places], values, (row.count, column.count)
        rows, row_sets, row_actions = row.names()
        cols, col_sets, col_actions = column.names()
        return SequenceGame(
            triplets,
            row.constraints(),
            column.constraints(),
            rows=rows,
            cols=cols,
            row_infosets=row_sets,
            col_infosets=col_sets,
            row_actions=row_actions,
            col_actions=col_actions,
            total=float(self._total[0]) if self._total else 0.0,
            exact_payoffs=payoffs,
        )

    def strategic_form(self) -> BimatrixGame:
        row, column = self._sides
        many, others = (count_plans(side.places(), side.count) for side in self._sides)
        if many * others > MOST_CELLS:
            raise refusal(
                self._tree,
                f"{many:,} x {others:,} plans, or more",
                f"at most {MOST_CELLS:,} pairs of plans are expected",
            )
        rows, columns = row.plans(), column.plans()
        tables = [payoffs_of_plans(self._payoffs(player), rows, columns) for player in (0, 1)]
        try:
            return BimatrixGame(tables[0], tables[1], row.plan_names(rows), column.plan_names(columns))
        except RegretlessError as error:
            raise refusal(self._tree, str(error), SMALLER) from error

    def behaviour(self, player: int, mixture: list[Any]) -> dict[str, dict[str, Any]]:
        side = self._sides[player]
        plans = side.plans()
        if len(mixture) != len(plans):
            raise ParameterError("mixture", None, f"{len(mixture)} probabilities; one for each of {len(plans)} plans")
        reach = reach_of_sequences(plans, mixture, side.count)
        _, names, actions = side.names()
        return {
            name: {actions[place]: reach[place] / reach[parent] for place in range(first, first + count)}
            for name, (parent, first, count) in zip(names, side.places(), strict=True)
            if reach[parent] > 0
        }

    def _payoffs(self, player: int) -> dict[tuple[int, int], Fraction]:
        """Payoffs of a player, by sequences.

        A constant part of all payoffs goes to the empty sequences, so that the others are rounded less.
        """
        won = [point.won[player] for point in self._ends]
        lowest, highest = min(won), max(won)
        always = max(lowest, 0) + min(highest, 0)
        payoffs: dict[tuple[int, int], Exact] = {(0, 0): always}
        for point in self._ends:
            payoffs[point.sequences] = payoffs.get(point.sequences, 0) + point.chance * (point.won[player] - always)
        return {place: Fraction(payoff) for place, payoff in payoffs.items() if payoff}

    def _past(self, point: TreePoint) -> TreePoint:
        """The point with the payoffs of the node's own outcome added."""
        if point.node.outcome is None:
            return point
        won = tuple(before + more for before, more in zip(point.won, point.node.outcome.payoffs, strict=True))
        return TreePoint(point.node, point.sequences, point.chance, won, point.path)

    def _enter(self, moves: InformationSet, point: TreePoint) -> int:
        side = self._sides[moves.player - 1]
        first = side.enter(moves, point.sequences[moves.player - 1], point.path)
        _, parent, _, path = side.sets[moves.number]
        if parent != point.sequences[moves.player - 1]:
            raise refusal(
                self._tree,
                f"player {self._players[moves.player - 1]!r} lacks perfect recall: information set"
                f" {moves.name or str(moves.number)!r} comes {_after(path)}, but also {_after(point.path)}, where the"
                " player has done something else",
                "games of perfect recall are solved",
            )
        return first

    def _step(self, point: TreePoint, moves: InformationSet, place: int, first: int, node: Node) -> TreePoint:
        row, column = point.sequences
        sequences, chance = point.sequences, point.chance
        if moves.player == CHANCE:
            chance = chance * moves.chances[place]
        else:
            sequences = (first + place, column) if moves.player == 1 else (row, first + place)
        path = (point.path, moves.actions[place] or str(place + 1))
        return TreePoint(node, sequences, chance, point.won, path)


def _after(path: Path) -> str:
    """A path in words."""
    steps: list[str] = []
    while path:
        path, action = path
        steps.append(action)
    if not steps:
        return "at the start"
    shown = steps[::-1] if len(steps) <= 8 else [*steps[:-5:-1], "...", *steps[3::-1]]
    return "after " + ", ".join(repr(step) if step != "..." else step for step in shown)


def count_plans(sets: Sequence[Set], sequences: int) -> int:
    """The number of plans of a player, but no more than `MANY`."""
    counts = [1] * sequences
    for parent, first, actions in reversed(sets):
        counts[parent] = min(MANY, counts[parent] * sum(counts[first : first + actions]))
    return counts[0]


def pure_plans(sets: Sequence[Set], sequences: int) -> list[Plan]:
    """All plans of a player, in the order of their actions."""
    plans: list[list[Plan]] = [[[sequence]] for sequence in range(sequences)]
    for parent, first, actions in reversed(sets):
        below = [plan for sequence in range(first, first + actions) for plan in plans[sequence]]
        plans[parent] = [plan + more for plan in plans[parent] for more in below]
    return sorted(sorted(plan) for plan in plans[0])


def payoffs_of_plans(
    payoffs: Mapping[tuple[int, int], Fraction], rows: Sequence[Plan], columns: Sequence[Plan]
) -> Array:
    """Exact expected payoffs of each pair of plans, shape (rows, columns), from those of pairs of sequences: the sums
    over their leaves of payoff times the probability of chance's moves."""
    unit = lcm(*(value.denominator for value in payoffs.values()))
    table = np.zeros((len(rows), len(columns)), dtype=object)
    of_row, of_column = _holders(rows), _holders(columns)
    for (row, column), value in payoffs.items():
        table[np.ix_(of_row[row], of_column[column])] += value.numerator * (unit // value.denominator)
    fractions: Array = np.frompyfunc(lambda number: Fraction(number, unit), 1, 1)(table)
    return fractions


def _holders(plans: Sequence[Plan]) -> dict[int, list[int]]:
    """The plans that contain each sequence."""
    holders: dict[int, list[int]] = {}
    for place, plan in enumerate(plans):
        for sequence in plan:
            holders.setdefault(sequence, []).append(place)
    return holders


def reach_of_sequences(plans: Sequence[Plan], mixture: Sequence[Any], sequences: int) -> list[Any]:
    """The probability of each sequence under a mixture of plans."""
    reach: list[Any] = [0] * sequences
    for plan, chance in zip(plans, mixture, strict=True):
        for sequence in plan:
            reach[sequence] += chance
    return reach
