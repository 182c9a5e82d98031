"""Files of labelled rows: which format each has, how it is read, and what may be said about it."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from ..checks import names_in
from ..errors import ParameterError, RegretlessError
from .formats import ROWS, SUFFIXES
from .source import Input, Source, cached, name_of, open_bytes, read_ready, suffixes
from .stream import NormalizedStream, Stream

HEAD = 1 << 16  # bytes that are looked at
LABEL = rb"[ \t]*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?"
SVMLIGHT = re.compile(LABEL + rb"(?:[ \t]+(?:qid|[0-9]+):[-+0-9.eE]+)+[ \t]*(?:#.*)?")
ENTRY = re.compile(rb"[ \t|][^ \t]*:")
TEXTS = ("svmlight", "csv", "tsv")  # formats that a first line tells apart
CROSSING = frozenset({"interactions", "hash_bits", "keep_names"})
TABLE = CROSSING | {
    "target",
    "missing",
    "categorical",
    "text",
    "ngrams",
    "ignore",
    "max_features",
    "frozen",
    "unlabelled",
}
DELIMITED = TABLE | {"header"}
ARRAY = CROSSING | {"target", "frozen"}
TEXT = CROSSING | {"ids_from", "max_features"}
MOST_FEATURES = 2**31 - 1


def recognized(path: Source, format: str | None, *, tabular: bool) -> tuple[str, str | None]:
    """The format, and a note where it is another than the suffix says.

    A file called .csv or .tsv whose first line has the form of svmlight is that, and one whose suffix says nothing is
    a table if its first line has cells.

    Parameters
    ----------
    path : path or Input
    format : str, optional
        What the user says.
    tabular : bool
        Whether a file whose suffix says nothing is expected to be a table.

    Raises
    ------
    ParameterError
        If `format` is none of `formats.ROWS`.
    """
    usual = ROWS.choose(path, format, otherwise="csv" if tabular else None)
    if format is not None or usual not in TEXTS or isinstance(path, Input):
        return usual, None
    stated = any(suffix in of for suffix in suffixes(path)[-1:] for of in SUFFIXES.values())
    if stated and usual == "svmlight":
        return usual, None
    line = _first_line(path)
    if usual != "svmlight" and SVMLIGHT.fullmatch(line):
        name = "svmlight"
    elif not stated and not tabular and _has_cells(line):
        name = "csv"
    else:
        return usual, None
    what = "a table of delimited text" if name == "csv" else "svmlight"
    return name, f"{name_of(path)} is read as {what}, as its first line looks; --format says otherwise"


def _has_cells(line: bytes) -> bool:
    if b"\0" in line:
        return False
    if re.search(rb"[,;\t]", line) and not re.match(LABEL + rb"[ \t]+[0-9]+:", line):
        return True
    return len(line.split()) > 2 and ENTRY.search(line) is None


def _first_line(path: str | os.PathLike[str]) -> bytes:
    """The first line that is neither blank nor a comment; nothing where the file cannot be read, or only once.

    Standard input is looked at without taking anything from it.
    """
    text = b""
    with suppress(OSError, RegretlessError):
        if os.fspath(path) == "-":
            text = _ahead()
        elif stat.S_ISREG(os.stat(path).st_mode):
            with open_bytes(path) as file:
                text, _ = read_ready(file, HEAD)
    lines = text.removeprefix(b"\xef\xbb\xbf").splitlines()
    return next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")


def _ahead() -> bytes:
    """What standard input has ready, once it has anything; nothing where it is closed or cannot be looked at."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    return b"" if peek is None else bytes(peek(HEAD))


@dataclass(frozen=True)
class Reader:
    """How rows are read from a format: the class that does it, and what may be said about it.

    Attributes
    ----------
    stream : str
        ``module:class`` within this package.
    takes : frozenset of str
        Options that have a meaning for the format, beside on_error, schema and dtype.
    named : bool
        Whether columns have names. What was learned from names cannot be applied to numbers, nor the reverse.
    fixed : dict
        Options that belong to the format.
    """

    stream: str
    takes: frozenset[str]
    named: bool
    fixed: dict[str, str]

    def make(self) -> Callable[..., Stream]:
        """The class, imported when it is needed."""
        module, name = self.stream.split(":")
        return getattr(import_module(f".{module}", __package__), name)  # type: ignore[no-any-return]


READERS = {
    "svmlight": Reader("svmlight:SvmlightStream", TEXT, False, {}),
    "csv": Reader("csv:CsvStream", DELIMITED, True, {}),
    "tsv": Reader("csv:CsvStream", DELIMITED, True, {"delimiter": "\t"}),
    "parquet": Reader("arrow:ArrowStream", TABLE, True, {"kind": "Parquet"}),
    "arrow": Reader("arrow:ArrowStream", TABLE, True, {"kind": "Arrow"}),
    "feather": Reader("arrow:ArrowStream", TABLE, True, {"kind": "Arrow"}),
    "npz": Reader("numpy:NpzStream", ARRAY, False, {}),
    "npy": Reader("numpy:NpyStream", ARRAY, False, {}),
    "vw": Reader("vowpal_wabbit_rows:WabbitStream", frozenset({"hash_bits", "max_features", "frozen"}), True, {}),
}


def open_stream(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    missing: Literal["error", "zero"] | None = None,
    categorical: Iterable[str] = (),
    schema: dict[str, Any] | None = None,
    frozen: bool = False,
    unlabelled: bool = False,
    ids_from: int | None = None,
    hash_bits: int | None = None,
    ignore: Iterable[str] = (),
    text: Iterable[str] = (),
    ngrams: int | None = None,
    interactions: Iterable[str] = (),
    normalize: bool = False,
    keep_names: int | None = None,
    max_features: int = 2**27,
    header: bool | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    cache: str | os.PathLike[str] | None = None,
    threads: Literal[1, 2] = 1,
) -> Stream:
    """Open a file of labelled rows.

    Parameters
    ----------
    path : path or "-"
        The file; ``-`` is standard input. Text may be compressed (.gz, .xz, .zst, .bz2); the other formats
        compress by themselves, and are read from files only.
    format : str, optional
        One of `formats.ROWS`; by default chosen by the suffix and, of text, by the first line.
    target : str, optional
        Tables: the column of labels, by default the only one called label, target, class, outcome or response, in
        whatever case, or else the one called y. .npz: the name of the array, by default y. .npy: ``last``, the number
        of a column (from 0), or another .npy file.
    on_error : {"raise", "skip"}
        Whether a row that cannot be used ends the reading or is passed over and counted.
    missing : {"error", "zero"}, optional
        Tables: what an empty cell in a column of numbers is; by default an error.
    categorical : iterable of str
        Tables: columns to be taken as text although they may hold numbers.
    schema : dict, optional
        The `Stream.schema` of an earlier stream, whose columns this one is to have.
    frozen : bool
        Predict: columns and values that the schema does not know contribute nothing; labels may be absent.
    unlabelled : bool
        Tables: some rows may lack their label, which is then nan, or no text.
    ids_from : {0, 1}, optional
        Svmlight: the id of the first column; by default found in the file.
    hash_bits : int, optional
        Number the features by so many bits of a hash of their names, or of their numbers where they have no names.
    ignore : iterable of str
        Tables: columns that are not used, as if the table did not have them.
    text : iterable of str
        Tables: columns whose words are features, with their counts.
    ngrams : int, optional
        Sequences of up to so many neighbouring words are features too, by default of one.
    interactions : iterable of str
        Products of features that are features too: ``a*b`` of two columns, by name or as the file numbers them, ``*``
        of any two features of a row.
    normalize : bool
        Divide each row by its Euclidean length, once all its features are known. A schema says it too.
    keep_names : int, optional
        How many of the features that are hashed to remember by name, for `inspect`.
    max_features : int
        How many features there may be.
    header : bool, optional
        Delimited text: whether the first line names the columns, which are else called c1, c2 and so on; by default
        whether it looks like that.
    dtype : {"float64", "float32"}
        Of the values.
    cache : path, optional
        What can be read only once (standard input, a pipe) is copied there, so that it can be read again.
    threads : {1, 2}
        With 2 a file of text, Parquet or Arrow is read ahead by a thread of its own. The batches are the same.

    Raises
    ------
    DataError
        If there is no such file; everything else that may be wrong with it shows when it is read.
    RegretlessError
        If the options do not fit each other or the format, or a string stands where a list of names is expected.
    """
    tabular = schema is not None and schema.get("format") == "table"
    name, note = recognized(path, format, tabular=tabular)
    reader = READERS[name]
    settings = _stated(
        name,
        target=target,
        missing=missing,
        categorical=names_in("categorical", categorical),
        ids_from=ids_from,
        ignore=names_in("ignore", ignore),
        text=names_in("text", text),
        ngrams=ngrams,
        hash_bits=hash_bits,
        interactions=names_in("interactions", interactions),
        keep_names=keep_names,
        header=header,
    )
    everywhere = {"frozen": frozen, "unlabelled": unlabelled, "max_features": max_features}
    _refuse_keep_names(keep_names, hash_bits, schema)
    crossing = {} if reader.named else _numbered(settings, schema)
    if crossing:
        everywhere["max_features"] = MOST_FEATURES  # of the file: those that there are in the end are counted later
        crossing |= {"max_features": max_features, "frozen": frozen, "on_error": on_error}
    settings |= {option: value for option, value in everywhere.items() if option in reader.takes}
    source = cached(path, cache)
    described = _described(schema, name_of(path), name, reader)
    stream = reader.make()(source, on_error=on_error, schema=described, dtype=dtype, **settings, **reader.fixed)
    if threads not in (1, 2):
        raise ParameterError("threads", repr(threads), "it must be 1 or 2", ": ")
    stream.threads = threads
    if crossing:
        from .feature_crosses import CrossedStream

        stream = CrossedStream(stream, schema=described, **crossing)
    if note is not None:
        stream.notes.insert(0, note)
    return _normalized(stream, normalize, schema)


def _normalized(stream: Stream, normalize: bool, schema: dict[str, Any] | None) -> Stream:
    before = schema is not None and bool(schema.get("normalize"))
    if normalize and schema is not None and not before:
        raise ParameterError("normalize", None, "has no meaning here: the model learned from rows as they are", " ")
    if not normalize and not before:
        return stream
    return NormalizedStream(stream)


def _refuse_keep_names(keep_names: int | None, hash_bits: int | None, schema: dict[str, Any] | None) -> None:
    if keep_names is not None and hash_bits is None and (schema or {}).get("hash") is None:
        raise ParameterError("keep_names", None, "has no meaning without a hash: names are lost in hashing alone", " ")


def _numbered(settings: dict[str, Any], schema: dict[str, Any] | None) -> dict[str, Any]:
    """The options of products and hashing, taken out of the settings; none if columns are as in the file."""
    taken = {option: settings.pop(option) for option in CROSSING & set(settings)}
    if schema is None or schema.get("crossing") is not None:
        return taken or ({} if schema is None else {"interactions": ()})
    for option in taken:
        raise ParameterError(option, None, "has no meaning here: the columns of the model are those of a file", " ")
    return {}


def _stated(name: str, **options: Any) -> dict[str, Any]:
    """The options that something is said of; each must have a meaning in the format."""
    settings = {option: value for option, value in options.items() if value is not None and value != ()}
    for option in settings:
        if option not in READERS[name].takes:
            takers = [other for other, one in READERS.items() if option in one.takes]
            raise ParameterError(option, None, f"has no meaning in the format {name}, but in {', '.join(takers)}", " ")
    return settings


def _described(schema: dict[str, Any] | None, path: str, name: str, reader: Reader) -> dict[str, Any] | None:
    """The schema, if it is one of columns of the same sort."""
    if schema is None:
        return None
    kinds = {"table": "names", "vw": "names in namespaces"}
    known = kinds.get(schema.get("format", ""), "numbers")
    here = kinds["vw" if name == "vw" else "table"] if reader.named else "numbers"
    if known != here:
        fault = f"its columns have {here} (format {name})"
        like = {"names": "a table (csv, parquet)", "numbers": "svmlight text or an array"}.get(known, "--format vw")
        raise RegretlessError(f"{path}: {fault}, but the model knows columns by their {known}; give rows as {like}")
    return schema
