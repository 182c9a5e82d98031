"""Enumerates the equilibria of Gambit's bimatrix games, and prints the table of docs/games-general-sum.md.

``python docs/equilibria.py DATA`` prints it, with ``--write`` it puts it in its place. DATA is a folder with
games/gambit_nfg_dev.tar.xz; a test compares where there is one. It needs quantecon: pip install quantecon.
"""

from __future__ import annotations

import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

import public_tables

from regretless.data.gambit_nfg import read_nfg
from regretless.games.general_sum.bimatrix import BimatrixGame

PAGE = Path(__file__).resolve().parent / "games-general-sum.md"
METHODS = ("support-enumeration", "vertex-enumeration", "lemke-howson")
HEAD = ("game", "strategies", "degenerate", "extreme", "subsets", "components", "in floats")


def games(folder: Path) -> dict[str, BimatrixGame]:
    """Gambit's games of two players in strategic form, by the names of their files."""
    with TemporaryDirectory() as place, tarfile.open(folder / "games" / "gambit_nfg_dev.tar.xz") as archive:
        archive.extractall(place, filter="data")
        forms = {path.stem: read_nfg(path) for path in Path(place).rglob("*.nfg")}
    return {
        name: BimatrixGame(form.matrix(0), form.matrix(1), *form.strategies)
        for name, form in sorted(forms.items())
        if len(form.players) == 2
    }


def gambit(folder: Path) -> str:
    """What each method finds in each game."""
    rows = [HEAD]
    for name, game in games(folder).items():
        every = game.equilibria("exact-enumeration")
        numbers = [str(len(game.equilibria(method))) for method in METHODS]
        counts = (len(every), len(every.subsets or ()), len(every.components or ()))
        size = " x ".join(map(str, game.shape))
        rows.append((name, size, "yes" if every.degenerate else "no", *map(str, counts), ", ".join(numbers)))
    return public_tables.table(rows)


MAKERS = {"gambit": gambit}


def filled(folder: Path) -> str:
    """The document with its table as it should be."""
    return public_tables.filled(PAGE, MAKERS, folder)


if __name__ == "__main__":
    public_tables.run(PAGE, MAKERS, __doc__)
