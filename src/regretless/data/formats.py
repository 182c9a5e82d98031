"""The formats of files, their suffixes, and which of them are read as what."""

from __future__ import annotations

from os import PathLike
from os.path import isdir
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..errors import DataError, ParameterError

if TYPE_CHECKING:
    from .source import Source

SUFFIXES = {  # in lower case, without a compression's
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".arrows", ".ipc"),
    "feather": (".feather",),
    "npz": (".npz",),
    "npy": (".npy",),
    "nfg": (".nfg",),
    "efg": (".efg",),
    "vw": (".vw",),
}
FOREIGN = (  # formats that are often kept under these names, and that nothing here reads
    ".xlsx", ".xls", ".ods", ".json", ".jsonl", ".ndjson", ".pkl", ".pickle", ".h5", ".hdf5", ".mat", ".zip", ".sqlite",
)  # fmt: skip
TABLES = ("csv", "tsv", "parquet", "arrow", "feather")
Names = Literal["both", "rows", "columns", "none"]
NAMES: tuple[Names, ...] = ("both", "rows", "columns", "none")


class Formats(NamedTuple):
    """The formats of one kind of data, and how one of them is chosen.

    Attributes
    ----------
    names : tuple of str
        Keys of `SUFFIXES`.
    before : str
        What the error for another name says before it lists them.
    otherwise : str
        The format of a file whose suffix says nothing.
    """

    names: tuple[str, ...]
    before: str
    otherwise: str = "csv"

    def choose(self, path: Source, format: str | None = None, *, otherwise: str | None = None) -> str:
        """The format that is named, or that the suffix stands for; where it says nothing, the one given or the usual.

        Raises
        ------
        ParameterError
            If one is named that is none of them.
        DataError
            If none is named, and the suffix is that of a format which nothing here reads.
        """
        from .source import name_of, suffixes  # not above: the command line asks this module for names as it starts

        last = suffixes(path)[-1:]
        if format is None and last and last[0] == ".rgl":
            advice = "give a file of data; predict, certify and inspect take a model first, and learn --resume goes on"
            raise DataError(name_of(path), None, None, "this is a saved model", advice)
        if format is None and last and last[0] in FOREIGN:
            advice = "save it as .csv or .parquet; if it is one of these by another name, say so with --format"
            raise DataError(name_of(path), None, None, f"no format of such files ({last[0]}) is read", advice)
        chosen = format or next((name for name in self.names if last and last[0] in SUFFIXES[name]), None)
        if chosen is None and isinstance(path, str | PathLike) and isdir(path):
            tables = ", or give --format parquet or arrow to read all its files" if "parquet" in self.names else ""
            raise DataError(name_of(path), None, None, "this is a folder", f"name a file in it{tables}")
        chosen = chosen or otherwise or self.otherwise
        if chosen not in self.names:
            raise ParameterError("format", repr(chosen), f"{self.before} {', '.join(self.names)}", ": ")
        return chosen


ROWS = Formats(("svmlight", *TABLES, "npz", "npy", "vw"), "the formats are", "svmlight")
DECISIONS = ROWS
FORECASTS = Formats((*TABLES, "npz"), "tables of forecasts are")
LOSSES = Formats((*TABLES, "npz", "npy"), "tables of losses are")
COLUMNS = Formats(TABLES, "such a table is")
CLASSES = Formats(("csv", "tsv", "npz", "npy"), "classes are read from")
GAMES = Formats(("csv", "tsv", "npz", "npy", "nfg", "efg"), "games are read from")


def delimiter_of(format: str) -> str:
    """What stands between the cells of csv or tsv."""
    return "\t" if format == "tsv" else ","


def refuse_array(array: str | None, format: str) -> None:
    """Refuse to look for an array in what is no archive."""
    if array is not None:
        raise ParameterError("array", array, f"it is for .npz archives, and this is read as {format}", ": ")


def refuse_names(names: str | None, format: str) -> None:
    """Refuse a place of names for what is no table of text, or in other words than `NAMES`.

    Raises
    ------
    ParameterError
    """
    if names is not None and format not in ("csv", "tsv"):
        raise ParameterError("names", str(names), f"it is for tables of text, and this is read as {format}", ": ")
    if names not in (None, *NAMES):
        raise ParameterError("names", repr(names), f"{', '.join(NAMES)} are expected", ": ")
