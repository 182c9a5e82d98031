"""Games in strategic form from Gambit's files."""

from __future__ import annotations

from os import PathLike

from ...data.gambit_nfg import parse_nfg
from ...data.gambit_nfg import read_nfg as read_form
from ...data.game_files import of_strategic_form
from ...errors import ParameterError
from .bimatrix import BimatrixGame


def read_nfg(source: str | PathLike[str]) -> BimatrixGame:
    """A game of two players from Gambit's ``.nfg`` format, its payoffs in whole numbers and fractions.

    Parameters
    ----------
    source : path, or the text of a file
        Compressed files are known by their suffix, a text by its beginning with ``NFG``; ``-`` is standard input.

    Raises
    ------
    DataError
        If it is no such file, or a game of one player or of more than two; the message says where.
    RegretlessError
        If `source` is neither a path nor a text.

    Examples
    --------
    >>> game = read_nfg('NFG 1 R "Battle" {"He" "She"} { {"boxing" "ballet"} {"boxing" "ballet"} } 2 1 0 0 0 0 1 2')
    >>> game.rows, game.pure_equilibria()
    (['boxing', 'ballet'], [('boxing', 'boxing'), ('ballet', 'ballet')])
    """
    if not isinstance(source, str | PathLike):
        raise ParameterError("source", None, f"{type(source).__name__}; a path, or the text of a file, is expected")
    text = isinstance(source, str) and source.lstrip().startswith("NFG") and len(source.split(None, 3)) == 4
    file = of_strategic_form(parse_nfg(str(source), "<text>") if text else read_form(source))
    return BimatrixGame(file.payoffs[0], file.payoffs[1], file.rows, file.columns)
