"""Gambit's files of games in strategic form (.nfg), with payoffs or with outcomes, for any number of players."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import prod

from .exact_numbers import Exact
from .gambit_text import Tokens
from .source import Source, name_of, read_text


@dataclass(frozen=True)
class StrategicForm:
    """A game in which all players choose at once.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    title : str
    players : list of str
    strategies : list of list of str
        Of each player.
    payoffs : list of list of int or Fraction
        What each player wins in each cell; the first player's strategy changes fastest from cell to cell.
    comment : str
    notes : list of str
        What a user should know of the names.
    """

    name: str
    title: str
    players: list[str]
    strategies: list[list[str]]
    payoffs: list[list[Exact]]
    comment: str = ""
    notes: list[str] = field(default_factory=list)

    def matrix(self, player: int) -> list[list[Exact]]:
        """What a player of a game for two wins, one row for each strategy of the first."""
        rows = len(self.strategies[0])
        return [
            [self.payoffs[column * rows + row][player] for column in range(len(self.strategies[1]))]
            for row in range(rows)
        ]


def read_nfg(path: Source) -> StrategicForm:
    """Read a game in strategic form.

    Parameters
    ----------
    path : path or "-"
        It may be compressed (.gz, .xz, .zst, .bz2).

    Raises
    ------
    DataError
        If something in it cannot be understood: the message says where, what was found and what was expected.
    """
    return parse_nfg(read_text(path), name_of(path))


def parse_nfg(text: str, name: str) -> StrategicForm:
    """A game in strategic form from the text of a file; `name` is what errors call it.

    Raises
    ------
    DataError
        If something in it cannot be understood.
    """
    tokens = Tokens(name, text)
    _header(tokens)
    title = tokens.word("the game's title")
    players = _named_players(tokens)
    strategies, notes = _strategies(tokens, players)
    comment = tokens.word("a comment") if tokens.next.kind == "text" else ""
    cells = prod(map(len, strategies))
    payoffs = _outcomes(tokens, players, cells) if tokens.is_brace("{") else _payoffs(tokens, players, strategies)
    if tokens.next.kind != "end":
        raise tokens.error(tokens.next, f"the end of the file is expected behind the payoffs of {cells} cells")
    return StrategicForm(name, title, players, strategies, payoffs, comment, notes)


def _header(tokens: Tokens) -> None:
    for expected, meaning in (("NFG", "as Gambit's .nfg files begin"), ("1", "the version of the format")):
        if tokens.next.kind not in ("name", "number") or tokens.next.text != expected:
            raise tokens.error(tokens.next, f"{expected} is expected, {meaning}")
        tokens.take()
    if tokens.next.kind != "name" or tokens.next.text not in ("R", "D"):
        raise tokens.error(tokens.next, "R or D is expected, the kind of its numbers")
    tokens.take()


def _named_players(tokens: Tokens) -> list[str]:
    token = tokens.next
    players = tokens.texts("the players")
    if not players:
        raise tokens.error(token, "the name of a player is expected")
    return players


def _strategies(tokens: Tokens, players: list[str]) -> tuple[list[list[str]], list[str]]:
    """Each player's strategies, by name or by how many there are, and what is to be said of the names."""
    tokens.skip("{", "the strategies")
    strategies: list[list[str]] = []
    notes: list[str] = []
    for player in players:
        what = f"the strategies of player {player!r}"
        token = tokens.next
        if tokens.is_brace("{"):
            labels = tokens.texts(what)
            names = distinct(labels)
            if names != labels:
                twice = _first_again(labels)
                notes.append(f"player {player!r}: strategies are called {twice!r} more than once, or have no name")
        else:
            count = tokens.whole(f"the number of {what}", 1)
            if count > tokens.size:  # every strategy has a cell at least, and a cell a number
                raise tokens.error(token, f"the number of {what} is expected, for which the file has payoffs")
            names = [str(place + 1) for place in range(count)]
        if not names:
            raise tokens.error(token, f"{what} are expected, one at least")
        strategies.append(names)
    tokens.skip("}", f"the end of the strategies of {len(players)} players")
    return strategies, notes


def _first_again(names: list[str]) -> str:
    """The first name that stands there a second time, or is empty."""
    seen: set[str] = set()
    for name in names:
        if not name or name in seen:
            break
        seen.add(name)
    return name


def distinct(names: list[str]) -> list[str]:
    """The names with a number behind those that stand twice, and a number for those that are empty."""
    result: dict[str, None] = {}
    taken = set(names)
    counts: dict[str, int] = {}
    for place, name in enumerate(names):
        base = name or str(place + 1)
        called, count = base, counts.get(base, 1)
        while called in result or (called != name and called in taken):
            count += 1
            called = f"{base} ({count})"
        counts[base] = count
        result[called] = None
    return list(result)


def _payoffs(tokens: Tokens, players: list[str], strategies: list[list[str]]) -> list[list[Exact]]:
    """A number for each player in each cell."""
    payoffs: list[list[Exact]] = []
    for cell in _cells(strategies):
        called = ", ".join(map(repr, reversed(cell)))
        payoffs.append([tokens.number(f"the payoff of player {player!r} at {called}") for player in players])
    return payoffs


def _cells(strategies: list[list[str]]) -> product[tuple[str, ...]]:
    """All cells, each with the last player's strategy first; the first player's changes fastest."""
    return product(*reversed(strategies))


def _outcomes(tokens: Tokens, players: list[str], cells: int) -> list[list[Exact]]:
    """What the outcome of each cell pays; outcome 0 pays nothing."""
    tokens.skip("{", "the outcomes")
    outcomes: list[list[Exact]] = [[0] * len(players)]
    while not tokens.is_brace("}"):
        tokens.skip("{", f"outcome {len(outcomes)}, or }} at the end of the outcomes")
        called = f"outcome {len(outcomes)}"
        if tokens.next.kind == "text":
            tokens.take()
        outcomes.append([tokens.number(f"the payoff of player {player!r} in {called}") for player in players])
        tokens.skip("}", f"the end of {called}, which has {len(players)} payoffs")
    tokens.take()
    last = len(outcomes) - 1
    return [outcomes[tokens.whole(f"the outcome of cell {cell + 1} of {cells}", 0, last)] for cell in range(cells)]
