"""Extensive games: trees of moves of several players and of chance, and their sequence form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import IO, Any

from ...data.exact_numbers import Exact
from ...data.gambit_efg import CHANCE, GameTree, InformationSet, Node, read_efg_file, read_efg_text
from ...errors import DataError, ParameterError, RegretlessError
from .sequence import SequenceGame

EMPTY = "∅"
# (the path before, the last action), so that paths share their beginnings; the empty one is ().
Path = tuple[Any, ...]


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
        if len(self.players) != 2:
            count = f"{len(self.players)} players" if len(self.players) != 1 else "one player"
            raise self._refusal(f"{count}; zero-sum games of two players are solved")
        return _Walk(self).game()

    def _refusal(self, why: str) -> RegretlessError:
        return RegretlessError(f"{self.tree.source}: {why}")


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


def distinct(names: Iterable[str]) -> list[str]:
    """Distinct names: names that occur more than once are numbered."""
    texts = list(names)
    counts, used, unique = Counter(texts), set(texts), []
    numbers: Counter[str] = Counter()
    for name in texts:
        new = name
        while counts[name] > 1 and (new == name or new in used):
            numbers[name] += 1
            new = f"{name} ({numbers[name]})"
        used.add(new)
        unique.append(new)
    return unique


@dataclass(frozen=True, slots=True)
class _Point:
    """A node and the path to it."""

    node: Node
    sequences: tuple[int, int]
    chance: Fraction
    won: tuple[Exact, ...]  # integers stay integers, which is faster
    path: Path


class _Side:
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

    def names(self) -> tuple[list[str], list[str], list[str]]:
        """Names of the sequences, of the information sets, and of the actions."""
        sets = distinct(moves.name or str(moves.number) for moves, *_ in self.sets.values())
        actions, sequences = [EMPTY], [EMPTY]
        for name, (moves, *_) in zip(sets, self.sets.values(), strict=True):
            own = distinct(action or str(place + 1) for place, action in enumerate(moves.actions))
            actions += own
            sequences += [f"{name}: {action}" for action in own]
        return distinct(sequences), sets, actions


class _Walk:
    """A walk from the root to all leaves, which collects sequences and payoffs."""

    def __init__(self, of: ExtensiveGame) -> None:
        self._of = of
        self._sides = _Side(), _Side()
        self._ends: list[_Point] = []
        self._total: tuple[Exact, Path] | None = None

    def _go(self) -> None:
        nodes = self._of.tree.nodes
        waiting = [_Point(nodes[0], (0, 0), Fraction(1), (0, 0), ())]
        while waiting:
            point = self._past(waiting.pop())
            moves = point.node.moves
            if moves is None:
                self._end(point)
                continue
            first = 0 if moves.player == CHANCE else self._enter(moves, point)
            for place in reversed(range(len(moves.actions))):
                waiting.append(self._step(point, moves, place, first, nodes[point.node.children[place]]))

    def _end(self, point: _Point) -> None:
        """Add a leaf, if its probability of chance is positive."""
        if not point.chance:
            return
        total = sum(point.won)
        if self._total is None:
            self._total = total, point.path
        elif total != self._total[0]:
            raise self._of._refusal(
                f"this is no zero-sum game: together the players win {self._total[0]} {_after(self._total[1])}, but"
                f" {total} {_after(point.path)}; two-player games whose payoffs sum to a constant are solved"
            )
        self._ends.append(point)

    def game(self) -> SequenceGame:
        """The sequence form.

        Raises
        ------
        RegretlessError
            If the game is not one of a constant sum, or has no perfect recall.
        """
        self._go()
        payoffs = self._payoffs()
        places = list(payoffs)
        try:
            values = [float(payoff) for payoff in payoffs.values()]
        except OverflowError as error:
            raise self._of._refusal("a payoff is too large for floats") from error
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

    def _payoffs(self) -> dict[tuple[int, int], Fraction]:
        """Payoffs of the row player, by sequences.

        A constant part of all payoffs goes to the empty sequences, so that the others are rounded less.
        """
        lowest, highest = min(point.won[0] for point in self._ends), max(point.won[0] for point in self._ends)
        always = max(lowest, 0) + min(highest, 0)
        payoffs: dict[tuple[int, int], Exact] = {(0, 0): always}
        for point in self._ends:
            payoffs[point.sequences] = payoffs.get(point.sequences, 0) + point.chance * (point.won[0] - always)
        return {place: Fraction(payoff) for place, payoff in payoffs.items() if payoff}

    def _past(self, point: _Point) -> _Point:
        """The point with the payoffs of the node's own outcome added."""
        if point.node.outcome is None:
            return point
        won = tuple(before + more for before, more in zip(point.won, point.node.outcome.payoffs, strict=True))
        return _Point(point.node, point.sequences, point.chance, won, point.path)

    def _enter(self, moves: InformationSet, point: _Point) -> int:
        side = self._sides[moves.player - 1]
        first = side.enter(moves, point.sequences[moves.player - 1], point.path)
        _, parent, _, path = side.sets[moves.number]
        if parent != point.sequences[moves.player - 1]:
            raise self._of._refusal(
                f"player {self._of.players[moves.player - 1]!r} lacks perfect recall: information set"
                f" {moves.name or str(moves.number)!r} comes {_after(path)}, but also {_after(point.path)}, where the"
                " player has done something else; games of perfect recall are solved"
            )
        return first

    def _step(self, point: _Point, moves: InformationSet, place: int, first: int, node: Node) -> _Point:
        row, column = point.sequences
        sequences, chance = point.sequences, point.chance
        if moves.player == CHANCE:
            chance = chance * moves.chances[place]
        else:
            sequences = (first + place, column) if moves.player == 1 else (row, first + place)
        path = (point.path, moves.actions[place] or str(place + 1))
        return _Point(node, sequences, chance, point.won, path)


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
