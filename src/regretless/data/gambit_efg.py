"""Gambit's files of extensive games, ``.efg``: a tree of moves, node by node from the root, first branches first."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..errors import DataError
from .exact_numbers import Exact
from .gambit_text import Token, Tokens
from .source import Source, name_of, read_text

# By how much probabilities that were rounded, as .333, may miss 1 together.
NEAR = Fraction(1, 1000)
CHANCE = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What every player wins when play comes past a node.

    Attributes
    ----------
    number : int
    name : str
    payoffs : tuple of int and Fraction
        One for each player.
    """

    number: int
    name: str
    payoffs: tuple[Exact, ...]


@dataclass(frozen=True, slots=True)
class InformationSet:
    """Nodes that the player who moves there cannot tell apart.

    Attributes
    ----------
    player : int
        From 1; 0 is chance.
    number : int
        One of its player's.
    name : str
    actions : tuple of str
        In the order of the branches; they may have no names, or the same.
    chances : tuple of Fraction
        Of chance: their probabilities, which sum to 1. Else empty.
    """

    player: int
    number: int
    name: str
    actions: tuple[str, ...]
    chances: tuple[Fraction, ...] = ()


@dataclass(slots=True)
class Node:
    """A point of the game.

    Attributes
    ----------
    name : str
    moves : InformationSet or None
        Who moves and how; None at an end.
    outcome : Outcome or None
    children : list of int
        Their places among the tree's nodes, one for each action.
    """

    name: str
    moves: InformationSet | None
    outcome: Outcome | None
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class GameTree:
    """What an ``.efg`` file says.

    Attributes
    ----------
    source : str
        What messages call the file.
    title, comment : str
    players : list of str
    nodes : list of Node
        The root first, and every node before what follows it.
    """

    source: str
    title: str
    comment: str
    players: list[str]
    nodes: list[Node]


def read_efg_file(source: Source) -> GameTree:
    """Read a file, decompressed by its suffix; ``-`` is standard input.

    Raises
    ------
    DataError
        If it cannot be read, or is no such file; the message says where.
    """
    return read_efg_text(read_text(source), name_of(source))


def read_efg_text(text: str, name: str = "<efg>") -> GameTree:
    """Read what stands in such a file.

    Parameters
    ----------
    text : str
    name : str
        What messages call it.

    Raises
    ------
    DataError
        If it is no such file; the message says where.
    """
    return _TreeReader(text, name).tree()


class _TreeReader:
    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._tokens = Tokens(name, text)
        self._players: list[str] = []
        self._sets: dict[tuple[int, int], InformationSet] = {}
        self._outcomes: dict[int, Outcome] = {}

    def tree(self) -> GameTree:
        title, comment = self._header()
        nodes: list[Node] = []
        waiting: list[int] = []  # nodes that lack branches, the one whose turn it is last
        while not nodes or waiting:
            node = self._node(nodes, waiting)
            if waiting:
                above = nodes[waiting[-1]]
                above.children.append(len(nodes))
                if above.moves is not None and len(above.children) == len(above.moves.actions):
                    waiting.pop()
            if node.moves is not None:
                waiting.append(len(nodes))
            nodes.append(node)
        if self._tokens.next.kind != "end":
            raise self._tokens.error(self._tokens.next, "the tree is complete, and the end of the file is expected")
        return GameTree(self._name, title, comment, self._players, nodes)

    def _header(self) -> tuple[str, str]:
        tokens = self._tokens
        for kind, words, meaning in (
            ("name", ("EFG",), 'the file begins with EFG 2 R "title"'),
            ("number", ("2",), "2, the version of the format, is expected"),
            ("name", ("R", "D"), "R, for rational numbers, is expected"),
        ):
            if tokens.next.kind != kind or tokens.next.text not in words:
                raise tokens.error(tokens.next, meaning)
            tokens.take()
        title = tokens.word("the title")
        self._players = tokens.texts("names of the players")
        return title, tokens.take().text if tokens.next.kind == "text" else ""

    def _node(self, nodes: list[Node], waiting: list[int]) -> Node:
        token = self._tokens.next
        if token.kind == "end" and waiting:
            raise self._tokens.error(token, f"node {waiting[-1] + 1} lacks branches, and another node is expected")
        if token.kind != "name" or token.text not in ("c", "p", "t"):
            raise self._tokens.error(token, "a node is expected: c (chance), p (a player) or t (an end)")
        self._tokens.take()
        name = self._optional_text()
        moves = None if token.text == "t" else self._moves(token.text == "c")
        return Node(name, moves, self._outcome())

    def _moves(self, by_chance: bool) -> InformationSet:
        tokens = self._tokens
        player = CHANCE if by_chance else tokens.whole("the number of a player", 1, len(self._players))
        token = tokens.next
        number = tokens.whole("the number of an information set", 1)
        name = self._optional_text()
        known = self._sets.get((player, number))
        if not tokens.is_brace("{"):
            if known is None:
                raise self._error(token, f"information set {number} was never seen before", "its actions are expected")
            return known
        actions, chances = self._actions(by_chance)
        if known is None:
            known = self._sets[player, number] = InformationSet(player, number, name, actions, chances)
        elif (actions, chances) != (known.actions, known.chances) and (chances or len(actions) != len(known.actions)):
            raise self._error(token, f"information set {number} had other actions before", "the same ones are expected")
        return known

    def _actions(self, by_chance: bool) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        tokens = self._tokens
        opening = tokens.take()
        actions: list[str] = []
        chances: list[Fraction] = []
        while not tokens.is_brace("}"):
            actions.append(tokens.word("the name of an action, or }"))
            if by_chance:
                token = tokens.next
                chances.append(Fraction(tokens.number("a probability")))
                if chances[-1] < 0:
                    raise tokens.error(token, "a probability is not negative")
        tokens.take()
        if not actions:
            raise self._error(opening, "there is no action", "one at least is expected")
        total = sum(chances, Fraction())
        if by_chance and abs(total - 1) > NEAR:
            raise self._error(opening, f"the probabilities sum to {float(total):.6g}", "1 is expected")
        return tuple(actions), tuple(chance / total for chance in chances)

    def _outcome(self) -> Outcome | None:
        tokens = self._tokens
        token = tokens.next
        number = tokens.whole("the number of an outcome", 0)
        name = self._optional_text()
        known = self._outcomes.get(number)
        if not tokens.is_brace("{"):
            if number and known is None:
                raise self._error(token, f"outcome {number} was never seen before", "its payoffs are expected")
            return known
        if number == 0:
            raise tokens.error(tokens.next, "0 is no outcome, and payoffs belong to one")
        payoffs = self._payoffs()
        if known is None:
            known = self._outcomes[number] = Outcome(number, name, payoffs)
        elif payoffs != known.payoffs:
            raise self._error(token, f"outcome {number} had other payoffs before", "the same ones are expected")
        return known

    def _payoffs(self) -> tuple[Exact, ...]:
        opening = self._tokens.take()
        payoffs: list[Exact] = []
        while not self._tokens.is_brace("}"):
            payoffs.append(self._tokens.number("a payoff, or }"))
        self._tokens.take()
        if len(payoffs) != len(self._players):
            count = len(self._players)
            raise self._error(opening, f"{len(payoffs)} payoffs for {count} players", "one for each is expected")
        return tuple(payoffs)

    def _optional_text(self) -> str:
        return self._tokens.take().text if self._tokens.next.kind == "text" else ""

    def _error(self, token: Token, fault: str, advice: str) -> DataError:
        line = self._text.count("\n", 0, token.place) + 1
        column = token.place - self._text.rfind("\n", 0, token.place)
        return DataError(self._name, line, column, fault, advice)
