"""Games in files: matrices in tables and arrays, sequence forms, and Gambit's games in strategic and extensive form."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import DataError
from .formats import GAMES, Names, delimiter_of, refuse_array, refuse_names
from .number_tables import read_numbers
from .source import Source, name_of

if TYPE_CHECKING:
    from .gambit_efg import GameTree
    from .gambit_nfg import StrategicForm
    from .game_arrays import Triplets

Kind = Literal["matrix", "bimatrix", "sequence", "extensive"]


@dataclass(frozen=True)
class GameFile:
    """A game of two players as a file has it.

    Attributes
    ----------
    name : str
        The file, as messages call it.
    kind : {"matrix", "bimatrix", "sequence", "extensive"}
        One matrix of payoffs; one for each player; a sequence form; a tree.
    payoffs : list
        One matrix, or two: ndarrays of floats or whole numbers, of objects where these are exact, or sparse. None of a
        sequence form or a tree.
    rows, columns : list of str or None
        What the strategies are called, where the file says so.
    players : list of str
        What the players are called.
    title : str
    triplets : dict of Triplets
        The matrices ``A``, ``E`` and ``F`` of a sequence form.
    tree : GameTree or None
    notes : list of str
        What a user should know of how the file was understood.
    """

    name: str
    kind: Kind
    payoffs: list[Any] = field(default_factory=list)
    rows: list[str] | None = None
    columns: list[str] | None = None
    players: list[str] = field(default_factory=lambda: ["row player", "column player"])
    title: str = ""
    triplets: dict[str, Triplets] = field(default_factory=dict)
    tree: GameTree | None = None
    notes: list[str] = field(default_factory=list)


def read_game(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    array: str | None = None,
    exact: bool = False,
    names: Names | None = None,
) -> GameFile:
    """Read a game.

    Parameters
    ----------
    path : path or "-"
        The file; ``-`` is standard input. Text may be compressed (.gz, .xz, .zst, .bz2).
    format : str, optional
        One of `formats.GAMES`; by default chosen by the suffix, and csv if that says nothing.
    array : str, optional
        Of an archive, the array of payoffs.
    exact : bool
        Keep the numbers of a table as they are written, rather than as floats; Gambit's always are.
    names : {"both", "rows", "columns", "none"}, optional
        What a table has names of; by default it is seen from its cells.

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    RegretlessError
        If the options do not fit each other or the format.
    """
    chosen = GAMES.choose(path, format)
    if chosen not in ("npz", "npy"):
        refuse_array(array, chosen)
    refuse_names(names, chosen)
    if chosen in ("csv", "tsv"):
        return _of_table(path, delimiter_of(chosen), exact, names)
    if chosen in ("npz", "npy"):
        return _of_arrays(path, chosen == "npz", array)
    return _of_strategic_form(path) if chosen == "nfg" else _of_tree(path)


def _of_table(path: Source, delimiter: str, exact: bool, names: Names | None) -> GameFile:
    table = read_numbers(path, delimiter=delimiter, exact=exact, names=names)
    return GameFile(name_of(path), "matrix", [table.values], table.rows, table.columns, notes=table.notes)


def _of_arrays(path: Source, archive: bool, array: str | None) -> GameFile:
    from .game_arrays import read_arrays

    result = read_arrays(path, archive=archive, array=array)
    kinds: dict[int, Kind] = {0: "sequence", 1: "matrix", 2: "bimatrix"}
    kind = kinds[len(result.matrices)]
    return GameFile(name_of(path), kind, result.matrices, result.rows, result.columns, triplets=result.triplets)


def _of_strategic_form(path: Source) -> GameFile:
    from .gambit_nfg import read_nfg

    return of_strategic_form(read_nfg(path))


def of_strategic_form(form: StrategicForm) -> GameFile:
    """A game of two players from Gambit's strategic form.

    Raises
    ------
    DataError
        If it has not two players.
    """
    _refuse_others(form)
    payoffs = [_array(form.matrix(player)) for player in range(2)]
    notes = [f"{form.name}: {note}; they are distinguished by numbers" for note in form.notes]
    rows, columns = form.strategies
    return GameFile(form.name, "bimatrix", payoffs, rows, columns, _called(form.players), form.title, notes=notes)


def _refuse_others(form: StrategicForm) -> None:
    """Refuse games for one player, or for more than two."""
    if len(form.players) != 2:
        count = "1 player" if len(form.players) == 1 else f"{len(form.players)} players"
        raise DataError(form.name, None, None, f"a game of {count}", "games of two players alone can be solved")


def _called(players: list[str]) -> list[str]:
    """What the players are called; those without a name by their place."""
    places = ("row player", "column player")
    results = [" ".join(name.split()) or place for name, place in zip(players, places, strict=True)]
    return list(places) if results[0] == results[1] else results


def _array(rows: list[list[Any]]) -> np.ndarray[Any, Any]:
    """Whole numbers and fractions as an array of objects."""
    result = np.empty((len(rows), len(rows[0])), dtype=object)
    for place, row in enumerate(rows):
        result[place] = row
    return result


def _of_tree(path: Source) -> GameFile:
    from .gambit_efg import read_efg_file

    tree = read_efg_file(path)
    return GameFile(name_of(path), "extensive", players=list(tree.players), title=tree.title, tree=tree)
