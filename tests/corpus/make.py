"""Files that are malformed: for each a command line that reads it, and what that says.

``python -m tests.corpus.make FOLDER`` writes them all.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from . import seeds
from .seeds import CSV, EFG, FORECASTS, GAME, LOG, NFG, SVM

Change = Callable[[dict[str, Any], dict[str, Any]], None]


@dataclass(frozen=True)
class Case:
    """A file, what reads it, and what must be said of it.

    Attributes
    ----------
    name : str
        Of the file; its suffix says the format.
    target : str
        One of `seeds.TARGETS`.
    content : bytes, or what makes them
    said : str
        Part of the line on stderr.
    code : int
        The exit code.
    """

    name: str
    target: str
    content: bytes | Callable[[], bytes]
    said: str
    code: int = 1

    def made(self) -> bytes:
        """The bytes of the file."""
        return self.content if isinstance(self.content, bytes) else self.content()


def _cut(content: bytes, share: float = 0.6) -> bytes:
    return content[: int(len(content) * share)]


def _swap(content: bytes, old: bytes, new: bytes) -> bytes:
    assert old in content, old
    return content.replace(old, new, 1)


def _svmlight() -> Iterator[Case]:
    files = {
        "empty": (b"", "no rows"),
        "blank": (b"\n\n \n", "no rows"),
        "comments": (b"# nothing\n# at all\n", "no rows"),
        "word": (b"1 1:2\nyes 1:3\n", ":2:1: label not a number"),
        "no-label": (b"1:2 3:4\n", "label missing"),
        "infinite-label": (b"inf 1:2\n", "label not finite"),
        "labels": (b"1,2 1:2\n", "several labels"),
        "no-colon": (b"1 1:2\n-1 12\n", "colon missing"),
        "bad-id": (b"1 a:2\n", "id not an integer"),
        "float-id": (b"1 1.5:2\n", "id not an integer"),
        "negative-id": (b"1 -1:2\n", "id not an integer"),
        "zero-later": (b"1 1:2\n" * 300_000 + b"-1 0:2\n", "id zero"),
        "twice": (b"1 2:1 2:1\n", "id repeated"),
        "descending": (b"1 3:1 2:1\n", "id descending"),
        "no-value": (b"1 1:\n", "value missing"),
        "bad-value": (b"1 1:x\n", "value not a number"),
        "nan": (b"1 1:nan\n", "value not finite"),
        "infinite": (b"1 1:1e999\n", "value too large"),
        "huge-id": (b"1 99999999999999999999:1\n", "is too large"),
        "large-id": (b"1 134217729:1\n", "columns are allowed; --max-features N allows more"),
        "large-weights": (
            b"1 134217728:1\n-1 1:1\n",
            "what is learned of 134,217,728 features would take 1 GiB of memory",
        ),
        "qid": (b"1 qid:a 1:2\n", "query not an integer"),
        "nul": (b"1 1:2\x00\n", "this does not look like text"),
        "bom": (b"\xef\xbb\xbf1 1:x\n", ":1:"),
        "utf16": ("1 1:2\n".encode("utf-16"), "this does not look like text"),
        "binary": (bytes(range(256)) * 4, "this does not look like text"),
        "squares": (b"1 1:1e200\n-1 1:2\n", "add up to infinity"),
    }
    for name, (content, message) in files.items():
        yield Case(f"{name}.svm", "learn", content, message)
    yield Case("crlf.svm", "learn", b"1 1:2\r\n-1 1:x\r\n", ":2:6: value not a number: 'x'")
    yield Case("cut.svm.gz", "learn", _cut(gzip.compress(SVM * 50)), "the compressed data are damaged")
    yield Case("plain.svm.gz", "learn", SVM, "the compressed data are damaged")
    yield Case("cut.svm.xz", "learn", _cut(lzma.compress(SVM)), "the compressed data are damaged")
    yield Case("plain.svm.xz", "learn", SVM, "the compressed data are damaged")
    yield Case("cut.svm.bz2", "learn", _cut(bz2.compress(SVM)), "the compressed data are damaged")
    yield Case("flipped.svm.bz2", "learn", _swap(bz2.compress(SVM), b"1AY", b"1AX"), "the compressed data are damaged")
    yield Case("plain.svm.zst", "learn", SVM, "the compressed data are damaged")
    yield Case("crc.svm.gz", "learn", gzip.compress(SVM)[:-8] + bytes(8), "the compressed data are damaged")
    yield Case("predict.svm", "predict", b"1 1:2\n1 1:x\n", "value not a number")
    yield Case("predict-name.csv", "predict", CSV, "its columns have names (format csv)")


def _tables() -> Iterator[Case]:
    head = b"city,age,label\n"
    files = {
        "empty": (b"", "the file is empty"),
        "header": (b"a,b,label\n", "no rows"),
        "one-column": (b"label\n1\n2\n", "there are no features"),
        "bars": (b"a|b|label\n1|2|x\n3|4\n", ":3:1: 2 cells; 3 are expected"),
        "numbers": (b"1,2\n3,4\n", "choose the target with --target among 'c1', 'c2'"),
        "no-target": (b"a,b\n1,2\n", "no column is called label, target, class, outcome, response or y"),
        "two-targets": (b"label,target,a\n1,2,3\n", "may be the target"),
        "twice": (b"a,a,label\n1,2,x\n", "several columns are called 'a'"),
        "nameless": (b"a,,label\n1,2,x\n", "column 2 has no name"),
        "short-row": (head + b"Rome,1,x\nOslo,2\n", ":3:1: 2 cells; 3 are expected"),
        "long-row": (head + b"Rome,1,x\nOslo,2,y,z\n", ":3:1: 4 cells; 3 are expected"),
        "word": (head + b"Rome,1,x\n" * 12 + b"Oslo,two,y\n", ":14:6: column 'age' holds 'two'"),
        "missing": (head + b"Rome,1,x\nOslo,,y\n", "column 'age' has no value"),
        "no-label": (head + b"Rome,1,x\nOslo,2,\n", "the label is missing"),
        "nan": (head + b"Rome,1,x\nOslo,nan,y\n", "column 'age' holds nan"),
        "infinite": (head + b"Rome,1,x\nOslo,1e999,y\n", "column 'age' holds inf"),
        "date": (b"day,label\n2030-01-01,x\n2030-01-02,y\n", "holds dates or times"),
        "open-quote": (head + b'Rome,1,x\n"Oslo,2,y\n', "a quote is never closed"),
        "latin1": (head + b"Rome,1,x\nK\xf8benhavn,2,y\n", "is expected"),
        "latin1-head": (b"st\xe4dt,label\n1,2\n", "the column names are not UTF-8 text"),
        "nul-head": (b"a\0b,label\n1,2\n", "this is not text"),
        "utf16": ("a,label\n1,2\n".encode("utf-16"), "not"),
        "bom": (b"\xef\xbb\xbf" + head + b"Rome,1,x\nOslo,,y\n", ":3:6: column 'age' has no value"),
        "crlf": (b"city,age,label\r\nRome,1,x\r\nOslo,,y\r\n", ":3:6: column 'age' has no value"),
        "cr": (b"city,age,label\rRome,1,x\rOslo,,y\r", ":3:6: column 'age' has no value"),
        "late-numbers": (
            b"a,b,label\n" + b",1,x\n" * 300_000 + b"2,1,y\n",
            "holds numbers, but none in the first rows",
        ),
    }
    for name, (content, message) in files.items():
        yield Case(f"{name}.csv", "learn", content, message)
    wide = ",".join(f"c{place}" for place in range(100_000)).encode() + b",label\n"
    yield Case("wide.csv", "learn", wide + b"1," * 100_000 + b"x\n", "a table of 100,001 columns would take 572.2 MiB")
    long = b"label,a\nx," + b"1" * (65 << 20) + b"\n"
    yield Case("long.csv.gz", "learn", lambda: gzip.compress(long, 1), ":2: a row of more than 64 MiB begins here")
    yield Case("cut.csv.gz", "learn", _cut(gzip.compress(CSV * 9)), "the compressed data are damaged")
    yield Case("svm.csv", "learn", SVM + b"1 1:x\n", "value not a number")


def _node(nulls: int, content: bytes) -> bytes:
    """An Arrow file whose second column says that it has so many nulls; it has one."""
    return _swap(content, struct.pack("<2q", 4, 1), struct.pack("<2q", 4, nulls))


def _damaged_arrow() -> dict[str, tuple[bytes, str]]:
    import pyarrow as pa

    columns = {"city": ["Rome", "Oslo", "Bern", "Paris"], "x": [1.0, 2.0, None, 4.0], "label": ["a", "b", "a", "b"]}
    table = pa.table({**columns, "d": pa.array(["u", "v", "u", "v"]).dictionary_encode()})
    whole = seeds.arrow(table)
    offsets = struct.pack("<5i", 0, 4, 8, 12, 17)
    changed = {
        "descending": ((0, 8, 4, 12, 17), "non-monotonic offset at slot 2"),
        "negative": ((0, -4, 8, 12, 17), "non-monotonic offset at slot 1"),
        "negative-first": ((-5, 4, 8, 12, 17), "array starts at negative offset -5"),
        "beyond": ((0, 4, 8, 12, 1 << 30), "out of bounds: 1073741824 > 17"),
        "beyond-inside": ((0, 4, 1 << 30, 12, 17), "out of bounds: 1073741824 > 17"),
    }
    made = {
        name: (_swap(whole, offsets, struct.pack("<5i", *new)), message) for name, (new, message) in changed.items()
    }
    return made | {
        "utf8": (_swap(whole, b"RomeOslo", b"\xff\xfemeOslo"), "Invalid UTF8 sequence"),
        "utf8-dictionary": (_swap(whole, b"uv", b"\xff\xfe"), "Invalid UTF8 sequence"),
        "codes": (_swap(whole, struct.pack("<4i", 0, 1, 0, 1), struct.pack("<4i", 0, 1, 9, 1)), "out of bounds: 9"),
        "nulls": (_node(3, whole), "null_count value (3) doesn't match"),
        "nulls-negative": (_node(-5, whole), "Negative null count"),
        "nulls-many": (_node(1 << 40, whole), "Null count exceeds array length"),
        "cut": (_cut(whole), "cannot be read as Arrow"),
        "empty": (b"", "the file is empty"),
        "text": (CSV, "cannot be read as Arrow"),
        "magic": (b"ARROW1\0\0" + bytes(64), "cannot be read as Arrow"),
    }


def _columnar() -> Iterator[Case]:
    import pyarrow as pa

    for name, (content, message) in _damaged_arrow().items():
        yield Case(f"{name}.arrow", "learn", content, message)
    numbers = pa.table({"a": [0.5, None, 0.25, 0.75], "b": [1.0, 1.0, 0.5, 0.5], "y": [0.0, 1.0, 1.0, 0.0]})
    damaged = _node(3, seeds.arrow(numbers))
    for target in ("combine", "pull"):
        yield Case(f"nulls-{target}.arrow", target, damaged, "null_count value (3) doesn't match")
    words = pa.table({"arm": ["Rome", "Oslo", "Bern", "Paris"], "prob": [0.5] * 4, "gain": [1.0, 0.0, 1.0, 0.0]})
    descending = struct.pack("<5i", 0, 4, 8, 12, 17), struct.pack("<5i", 0, 8, 4, 12, 17)
    yield Case("offsets-log.feather", "log", _swap(seeds.arrow(words), *descending), "non-monotonic offset")
    policy = pa.table(
        {"place": ["p", "p", "q", "q"], "action": ["Rome", "Oslo", "Bern", "Paris"], "probability": [0.5] * 4}
    )
    yield Case("offsets-policy.arrow", "policy", _swap(seeds.arrow(policy), *descending), "non-monotonic offset")
    yield Case(
        "offsets-stream.arrows", "learn", _swap(seeds.arrow(words, stream=True), *descending), "no column is called"
    )
    yield Case("cut.arrows", "learn", _cut(seeds.arrow(CSV, stream=True), 0.9), "cannot be read as Arrow")
    whole = seeds.parquet(CSV)
    text = pa.table({"city": pa.array([b"Rome", b"\xff\xfe", b"Oslo"]), "label": [1, 0, 1]})
    yield Case(
        "list.parquet", "learn", lambda: seeds.parquet(pa.table({"a": [[1], [2]], "label": [1, 0]})), "is of type list"
    )
    yield Case("binary.parquet", "learn", lambda: seeds.parquet(text), "column 'city' is of type binary")
    yield Case("cut.parquet", "learn", _cut(whole), "cannot be read as Parquet")
    yield Case("empty.parquet", "learn", b"", "the file is empty")
    yield Case("text.parquet", "learn", CSV, "cannot be read as Parquet")
    yield Case(
        "footer.parquet", "learn", whole[:-8] + struct.pack("<I", 1 << 31) + b"PAR1", "cannot be read as Parquet"
    )
    yield Case("arrow.parquet", "learn", seeds.arrow(CSV), "cannot be read as Parquet")
    yield Case(
        "rows.parquet", "learn", lambda: seeds.parquet(pa.table({"a": [1.0], "label": [1]}).slice(0, 0)), "no rows"
    )


def _of_shape(*shape: int) -> str:
    return f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n"


BAD_HEADERS = {
    "words": ("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 'x'), }\n", "this cannot be read"),
    "true": ("{'descr': '<f8', 'fortran_order': False, 'shape': (2, True), }\n", "an array has the shape (2, True)"),
    "negative": ("{'descr': '<f8', 'fortran_order': False, 'shape': (2, -3), }\n", "an array has the shape (2, -3)"),
    "huge": ("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 10**99), }\n", "this cannot be read"),
    "long": (_of_shape(10**30, 3), "an array has the shape"),
    "cut": ("{'descr': '<f8', 'fortran_order': False, 'shape': (9, 3), }\n", "an array is cut short"),
    "hidden": (_of_shape(0, 10**30), "an array has the shape"),
    "tokens": ("{'descr': '<f8', 'fortran_order': False, 'shape': (2,\n", "this cannot be read"),
    "indent": ("  {\n'descr'\n     : (\n", "this cannot be read"),
    "objects": ("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }\n", "it holds objects"),
    "sizeless": ("{'descr': '<U0', 'fortran_order': False, 'shape': (2, 3), }\n", "which have no size"),
    "type": ("{'descr': 'q9', 'fortran_order': False, 'shape': (2, 3), }\n", "this cannot be read"),
    "nested": ("(" * 900 + ")" * 900 + "\n", "this cannot be read"),
    "keys": ("{'descr': '<f8', 'shape': (2, 3), }\n", "this cannot be read"),
    "no-dict": ("[1, 2]\n", "this cannot be read"),
    "nothing": ("\n", "this cannot be read"),
}


def _arrays() -> Iterator[Case]:
    data = np.arange(6.0).tobytes()
    for name, (header, message) in BAD_HEADERS.items():
        content = seeds.npy_header(header, data)
        yield Case(f"{name}.npy", "learn npy", content, message)
        yield Case(f"{name}.npz", "learn", seeds.npz(X=content, y=np.array([0, 1])), message)
        yield Case(f"{name}-against.npy", "against", content, "this is no array of numbers")
    for target in ("pull", "solve", "dimension"):
        yield Case(f"tokens-{target}.npy", target, seeds.npy_header(BAD_HEADERS["tokens"][0]), "this cannot be read")
        yield Case(f"cut-{target}.npy", target, _cut(seeds.npy(np.eye(9))), "an array is cut short")
        yield Case(f"text-{target}.npy", target, CSV, "this is no .npy file")
        yield Case(f"nothing-{target}.npy", target, b"", "the file is empty; an array is expected")
        header = seeds.npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (9, 3), }\n")
        message = "its header says shape (9, 3) and type float64, and 0 bytes follow"
        yield Case(f"header-{target}.npy", target, header, message)
    for target in ("learn", "combine", "pull", "solve", "dimension"):
        yield Case(f"nothing-{target}.npz", target, b"", "the file is empty; an array is expected")
        yield Case(f"no-arrays-{target}.npz", target, seeds.npz(), "the archive is empty; arrays are expected in it")
    whole = seeds.npz(X=np.eye(4), y=np.array([0, 1, 0, 1]))
    matrices = {
        "empty": (b"", "the file is empty"),
        "text": (CSV, "this cannot be read"),
        "cut": (_cut(whole), "this cannot be read"),
        "crc": (_swap(whole, np.eye(4)[:1].tobytes(), np.ones((1, 4)).tobytes()), "this cannot be read"),
        "none": (seeds.npz(X=np.eye(2)), "no array of labels is called 'y'"),
        "no-X": (seeds.npz(Z=np.eye(2), y=np.ones(2)), "X is expected"),
        "three": (seeds.npz(X=np.ones((2, 2, 2)), y=np.ones(2)), "rows and columns are expected"),
        "words": (seeds.npz(X=np.array([["a"]]), y=np.ones(1)), "values of type"),
        "labels": (seeds.npz(X=np.eye(2), y=np.ones(3)), "2 rows, but 3 labels"),
        "label-rows": (seeds.npz(X=np.eye(2), y=np.eye(2)), "one dimension is expected"),
        "nan": (seeds.npz(X=np.array([[1.0], [np.nan]]), y=np.ones(2)), "row 1, column 0 (counted from 0) holds nan"),
        "no-columns": (seeds.npz(X=np.ones((2, 0)), y=np.ones(2)), "there are no features"),
        "no-rows": (seeds.npz(X=np.ones((0, 2)), y=np.ones(0)), "no rows"),
    }
    for name, (content, message) in matrices.items():
        yield Case(f"{name}-dense.npz", "learn", content, message)
    parts: dict[str, tuple[dict[str, Any], str]] = {
        "empty-indptr": (
            {"indptr": np.zeros(0, int), "shape": np.array([-1, 5]), "y": np.ones(0)},
            "a matrix of -1 rows",
        ),
        "no-indptr": ({"indptr": np.zeros(0, int)}, "indptr of length 0 for 4 rows"),
        "descends": ({"indptr": np.array([0, 3, 2, 5, 6])}, "indptr descends in row 1"),
        "outside": ({"indptr": np.array([0, 2, 3, 5, 99])}, "indptr leads outside"),
        "late": ({"indptr": np.array([1, 2, 3, 5, 6])}, "indptr leads outside"),
        "index": ({"indices": np.array([0, 1, 2, 3, 9, 0])}, "an index outside of the 5 columns"),
        "negative": ({"indices": np.array([0, -1, 2, 3, 4, 0])}, "an index outside of the 5 columns"),
        "again": ({"indices": np.array([1, 1, 2, 3, 4, 0])}, "an index stands twice in row 0"),
        "float": ({"indices": np.ones(6)}, "contradict each other"),
        "shape": ({"shape": np.array([4, 5, 6])}, "contradict each other"),
        "shapeless": ({"shape": np.array(4)}, "contradict each other"),
        "lengths": ({"data": np.ones(5)}, "contradict each other"),
        "format": ({"format": np.array("csc")}, "convert it with .tocsr()"),
        "formats": ({"format": np.array(["csr", "csr"])}, "this cannot be read"),
        "columns": ({"shape": np.array([4, 1 << 62])}, "what is learned of 4,611,686,018,427,387,904 features"),
    }
    for name, (change, message) in parts.items():
        yield Case(f"{name}-sparse.npz", "learn", seeds.sparse(**change), message)
    yield Case("bomb.npz", "learn", _bomb, "what is to be read at once would take 572.2 MiB")
    yield Case("vector.npy", "learn npy", seeds.npy(np.ones(3)), "rows and columns are expected")
    yield Case("against.npz", "against", whole, "this is no array of numbers")
    yield from _vectors()
    yield Case("length-against.npy", "against", seeds.npy(np.ones(99)), "99")
    yield Case("words-against2.npy", "against", seeds.npy(np.array(["a", "b"])), "this is no array of numbers")


def _vectors() -> Iterator[Case]:
    """Files of vectors for `verify`, and of strategies for `solve --start`."""
    parts = {"verify": (np.ones(7), "these are no arrays of numbers"), "start": (np.ones(3) / 3, "no strategies")}
    for target, (vector, message) in parts.items():
        names = ("sharp", "posterior") if target == "verify" else ("row", "column")
        whole = seeds.npz(**dict.fromkeys(names, vector))
        packed = seeds.npz(packed=True, **dict.fromkeys(names, vector))
        place = len(f"{names[0]}.npy") + 30  # where the first array begins
        files = {
            "empty": b"",
            "text": b"row,column\n",
            "cut": _cut(whole, 0.5),
            "words": seeds.npz(**dict.fromkeys(names, np.array(["a"]))),
            "objects": _swap(seeds.npz(**dict.fromkeys(names, vector)), b"'<f8'", b"'|O' "),
            "deflated": packed[:place] + b"\xff" * 8 + packed[place + 8 :],  # zlib itself complains of it
        }
        for name, content in files.items():
            words = "row has shape (1,) and type" if (target, name) == ("start", "words") else message
            words = words if content else "the file is empty"
            yield Case(f"{name}-{target}.npz", target, content, words)
        bomb = partial(_bomb, *names)
        yield Case(f"bomb-{target}.npz", target, bomb, "what is to be read at once would take 572.2 MiB")


def _bomb(large: str = "X", small: str = "y") -> bytes:
    """A row of 75 million zeros, packed."""
    file, header = io.BytesIO(), "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 75000000), }\n"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open(f"{large}.npy", "w") as member:
            member.write(seeds.npy_header(header))
            for _ in range(600):
                member.write(bytes(1_000_000))
        archive.writestr(f"{small}.npy", seeds.npy(np.ones(1)))
    return file.getvalue()


def _forecasts() -> Iterator[Case]:
    files = {
        "empty": (b"", "the file is empty"),
        "header": (b"a,b,y\n", "no rows"),
        "no-target": (b"a,b\n1,2\n", "there is no column 'y'"),
        "alone": (b"y\n1\n", "there is no column of numbers besides 'y'"),
        "words": (b"a,y\nx,1\nz,2\n", "there is no column of numbers besides 'y'"),
        "text-target": (b"a,y\n1,x\n2,z\n", "column 'y' holds"),
        "slip": (b"a,y\n" + b"1,0\n" * 12 + b"x,1\n", "column 'a' holds 'x'"),
        "silent": (b"a,b,y\n1,,0\n1,,1\n", "column 'b' has no value in any row"),
        "short": (b"a,b,y\n1,2,0\n1,2\n", "2 cells; 3 are expected"),
        "infinite": (b"a,y\n1,0\ninf,1\n", "inf"),
        "twice": (b"a,a,y\n1,2,0\n", "several columns are called 'a'"),
        "nul": (b"a\0,y\n1,2\n", "this is not text"),
    }
    for name, (content, message) in files.items():
        yield Case(f"{name}-forecasts.csv", "combine", content, message)
    yield Case("cut-forecasts.csv.gz", "combine", _cut(gzip.compress(FORECASTS)), "the compressed data are damaged")
    yield Case("text-forecasts.npz", "combine", FORECASTS, "this cannot be read")
    yield Case("none-forecasts.npz", "combine", seeds.npz(y=np.ones(2)), "there is no array of forecasts")
    header = BAD_HEADERS["true"][0]
    yield Case("true-forecasts.npz", "combine", seeds.npz(experts=seeds.npy_header(header), y=np.ones(2)), "(2, True)")
    yield Case(
        "names-forecasts.npz",
        "combine",
        seeds.npz(experts=np.eye(2), y=np.ones(2), names=np.array(["a", "a"])),
        "1 names for 2 experts",
    )
    yield Case(
        "rows-forecasts.npz", "combine", seeds.npz(experts=np.eye(2), y=np.ones(3)), "one value for each of 2 rows"
    )


def _losses() -> Iterator[Case]:
    files = {
        "empty": (b"", "the file is empty"),
        "beyond": (b"a,b\n0.5,0.2\n0.3,7\n", "arm 'b' has the loss 7"),
        "asleep": (b"a,b\n0.5,0.2\n,\n0.5,0.1\n", "no arm has a value"),
        "never": (b"a,b\n0.5,\n0.2,\n", "has no value in any row"),
        "words": (b"a\nx\ny\n", "no column of numbers"),
        "infinite": (b"a,b\n0.5,0.2\n0.5,inf\n", "arm 'b' has the loss inf"),
    }
    for name, (content, message) in files.items():
        yield Case(f"{name}-losses.csv", "pull", content, message)
    yield Case("twice-losses.npz", "pull", seeds.npz(losses=np.eye(2), names=np.array(["a", "a"])), "'a' twice")
    yield Case("several-losses.npz", "pull", seeds.npz(p=np.eye(2), q=np.eye(2)), "may be the table")
    yield Case("cut-losses.npz", "pull", _cut(seeds.npz(losses=np.eye(20))), "this cannot be read")
    yield Case("words-losses.npz", "pull", seeds.npz(losses=np.array([["a"]])), "no array of numbers")
    yield Case("action-log.csv", "log", _swap(LOG, b"arm", b"leg"), "there is no column 'arm'")
    yield Case("zero-log.csv", "log", _swap(LOG, b"0.25", b"0.00"), "column 'prob' holds 0")
    yield Case("tiny-log.csv", "log", _swap(LOG, b"0.25", b"1e-200"), "column 'prob' holds 1e-200")
    yield Case("gain-log.csv", "log", _swap(LOG, b"a,0.25,1", b"a,0.25,9"), "column 'gain' holds 9")
    yield Case("word-log.csv", "log", _swap(LOG, b"0.75", b"often"), "column 'prob' holds 'often'")
    yield Case("missing-log.csv", "log", _swap(LOG, b"0.75", b""), "column 'prob' has no value")
    yield Case("empty-log.csv", "log", b"arm,prob,gain\n", "no rows")
    yield Case("sum-policy.csv", "policy", _swap(seeds.POLICY, b"p,b,0.5", b"p,b,0.4"), "sum to 0.9")
    yield Case("twice-policy.csv", "policy", seeds.POLICY + b"q,b,0\n", "action 'b' is listed twice")
    yield Case(
        "beyond-policy.csv", "policy", _swap(seeds.POLICY, b"p,b,0.5", b"p,b,1.5"), "column 'probability' holds 1.5"
    )
    yield Case("column-policy.csv", "policy", _swap(seeds.POLICY, b"action", b"deed"), "there is no column 'action'")
    yield Case("arm-advice.csv", "advice", _swap(seeds.ADVICE, b"east", b"west"), "recommends 'west'")
    yield Case("rows-advice.csv", "advice", seeds.ADVICE + b"0,east\n", "one row for each of the 24 rounds")
    yield Case("header-advice.npz", "advice", seeds.npz(advice=seeds.npy_header(BAD_HEADERS["true"][0])), "array")
    yield Case("sum-advice.npz", "advice", seeds.npz(advice=np.ones((24, 2, 3))), "probabilities of arms")


def _reports() -> Iterator[Case]:
    """Reports for `verify`."""
    whole = json.loads(seeds.reports("{svm}")[0])

    def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
        report = json.loads(json.dumps(whole))
        change(report)
        return json.dumps(report).encode()

    def facts(report: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = next(one for one in report["certificates"] if one["applies"])["constants"]["ledger"]
        return result

    result = {
        "empty": (b"", "this is no JSON"),
        "cut": (_cut(seeds.reports("{svm}")[0]), "this is no JSON"),
        "deep": (b"[" * 100_000, "this is no JSON"),
        "digits": (b'{"schema": ' + b"1" * 5000 + b"}", "this is no JSON"),
        "utf8": (b'{"schema": "\xff"}', "this is no JSON"),
        "list": (b"[]", "this is no report"),
        "play": (changed(lambda report: report.update(schema="regretless.play/1")), "is a report of play"),
        "nothing": (changed(lambda report: report.update(certificates=[])), "there is nothing to check"),
        "none": (changed(lambda report: report.update(certificates=None)), "certificates is null; a list of objects"),
        "one": (changed(lambda report: report.update(certificates=1)), "certificates is 1; a list of objects"),
        "rounds": (changed(lambda report: report.update(rounds="many")), "rounds is 'many'; a number"),
        "endless": (
            changed(lambda report: report.update(rounds=1e308 * 10)),
            "it does not say what a report of learn says",
        ),
        "word": (
            changed(lambda report: facts(report).update(max_norm2="x")),
            "constants.ledger.max_norm2 is 'x'; a number was expected",
        ),
        "huge": (
            changed(lambda report: facts(report).update(max_norm2=10**400)),
            "it does not say what a report of learn says",
        ),
        "without": (changed(lambda report: facts(report).clear()), "its constants lack what its formula takes"),
    }
    for name, (content, message) in result.items():
        yield Case(f"{name}-report.json", "report", content, message, 2 if name == "play" else 1)


def _games() -> Iterator[Case]:
    tables = {
        "empty": (b"", "the file is empty"),
        "comments": (b"# 1\n# 2\n", "no row has anything in it"),
        "names": (b",a,b\n", "names alone, and no payoffs"),
        "short": (b"1,2\n3\n", "a row of 1 cells"),
        "word": (b"1,2\n3,x\n", "is no number"),
        "zero": (b"1,2\n3,1/0\n", "divides by zero"),
        "power": (b"1,2\n3,1e999999999\n", "is too large for floats"),
        "digits": (b"1,2\n3," + b"1" * 2000 + b"\n", "a number of 2000 characters"),
        "nul": (b"1,2\n3,\0\n", "this is no text"),
        "utf8": (b"1,2\n3,\xff\n", "this is no text in UTF-8"),
        "semicolons": (b"1;2\n3;4\n", "is to separate cells, not ';'"),
        "quote": (b'1,2\n3,"4\n', "this is no table"),
        "field": (b'1,2\n3,"' + b"4" * 200_000 + b'"\n', "this is no table"),
        "hole": (b"1,2\n3,\n", "an empty cell"),
        "again": (_swap(GAME, b"paper,1", b"rock,1"), "two rows are called 'rock'"),
        "column-again": (_swap(GAME, b"paper,scissors", b"rock,scissors"), "the name 'rock' stands here again"),
        "gzip": (gzip.compress(GAME), "this"),
    }
    for name, (content, message) in tables.items():
        yield Case(f"{name}-game.csv", "solve", content, message)
    yield Case("line-game.csv.gz", "solve", lambda: gzip.compress(b"1," * (33 << 20), 1), "a line of more than 64 MiB")
    for name, (content, message) in _gambit().items():
        yield Case(name, "solve", content, message)
    tree = b'EFG 2 R "a" { "x" "y" }\n' + b'p "" 1 1 "" { "a" } 0\n' * 1_700_000
    yield Case("bomb.efg.gz", "solve", lambda: gzip.compress(tree, 1), "what this text says would take 528 MiB")
    yield Case("nan-game.npy", "solve", seeds.npy(np.array([[1.0, np.nan]])), "has nan in row 1, column 2")
    yield Case("none-game.npy", "solve", seeds.npy(np.ones((0, 2))), "has shape (0, 2)")
    yield Case("objects-game.npz", "solve", seeds.npz(A=seeds.npy_header(BAD_HEADERS["objects"][0])), "objects")
    yield Case("shapes-game.npz", "solve", seeds.npz(A=np.eye(2), B=np.eye(3)), "the shapes of A and B are")
    yield Case("part-game.npz", "solve", seeds.npz(A_row=np.ones(2)), "a sequence form without")
    form = _swap(seeds.sequence_form(), struct.pack("<2q", 3, 3), struct.pack("<2q", 3, 0))
    yield Case("crc-game.npz", "solve", form, "this cannot be read")
    classes = {
        "empty": (b"", "the file is empty"),
        "two": (b"0,1\n1,2\n", "found '2'"),
        "short": (b"0,1\n1\n", "a row of 1 cells"),
        "mixed": (b"0,1\n-1,1\n", "beside 0"),
        "again": (b",a,b\nx,0,1\nx,1,1\n", "the name 'x' stands here again"),
        "point-again": (b",a,a\nx,0,1\ny,1,1\n", "the name 'a' stands here again"),
        "joined": (b"011\n101\n", "one cell only, '011'"),
        "nul": (b"0,1\n1,\0\n", "no text"),
    }
    for name, (content, message) in classes.items():
        yield Case(f"{name}-class.csv", "dimension", content, message)
    yield Case(
        "line-class.csv.gz", "dimension", lambda: gzip.compress(b"1," * (33 << 20), 1), "a line of more than 64 MiB"
    )
    yield Case("three-class.npy", "dimension", seeds.npy(np.array([[0, 3]])), "found 3 in row 0, column 1")
    yield Case("names-class.npz", "dimension", seeds.npz(matrix=np.eye(2), points=np.array(["a"])), "has 1 names")


def _gambit() -> dict[str, tuple[bytes, str]]:
    return {
        "empty.nfg": (b"", "NFG is expected"),
        "text.nfg": (GAME, "NFG is expected"),
        "version.nfg": (_swap(NFG, b"NFG 1", b"NFG 7"), "1 is expected"),
        "kind.nfg": (_swap(NFG, b" R ", b" Q "), "R or D is expected"),
        "title.nfg": (_swap(NFG, b'"Chicken"', b""), "the game's title in quotes is expected"),
        "players.nfg": (_swap(NFG, b'"Ann" "Bob"', b""), "the name of a player is expected"),
        "one.nfg": (b'NFG 1 R "a" { "x" } { 1 } 5', "a game of 1 player"),
        "cut.nfg": (_cut(NFG, 0.9), "is expected"),
        "more.nfg": (NFG + b"7\n", "the end of the file is expected"),
        "word.nfg": (_swap(NFG, b"-9 -9", b"-9 x"), "'x' stands here"),
        "zero.nfg": (_swap(NFG, b"-9 -9", b"-9 1/0"), "divides by zero"),
        "count.nfg": (b'NFG 1 R "a" { "x" "y" } { 99999999999 2 } 1 2', "for which the file has payoffs"),
        "counts.nfg": (b'NFG 1 R "a" { "x" "y" } { 70 70 } 1 2' + b" " * 99, "the payoff of player"),
        "quote.nfg": (NFG + b'"', "is never closed"),
        "outcome.nfg": (_swap(seeds.NFG_OUTCOMES, b"1 2 3 4", b"1 2 3 9"), "a whole number from 0 to 4"),
        "utf8.nfg": (b'NFG 1 R "\xff" ', "this is no text in UTF-8"),
        "nul.nfg": (_swap(NFG, b"Chicken", b"Chi\0ken"), "this is no text"),
        "cut.nfg.gz": (_cut(gzip.compress(NFG)), "the compressed data are damaged"),
        "empty.efg": (b"", "the file begins with EFG 2 R"),
        "text.efg": (NFG, "the file begins with EFG 2 R"),
        "cut.efg": (_cut(EFG, 0.8), "is expected"),
        "node.efg": (_swap(EFG, b"\np ", b"\nz "), "a node is expected"),
        "player.efg": (_swap(EFG, b'p "" 1 1', b'p "" 3 1'), "the number of a player is expected"),
        "set.efg": (_swap(EFG, b'p "" 1 1 "" { "raise" "fold" }', b'p "" 1 9'), "was never seen before"),
        "sum.efg": (_swap(EFG, b"1/2", b"1/3"), "the probabilities sum to"),
        "negative.efg": (_swap(EFG, b"1/2", b"-1/2"), "a probability is not negative"),
        "actions.efg": (_swap(EFG, b'{ "red" 1/2 "black" 1/2 }', b"{ }"), "there is no action"),
        "payoffs.efg": (_swap(EFG, b"{ 2 -2 }", b"{ 2 }"), "1 payoffs for 2 players"),
        "other.efg": (_swap(EFG, b't "" 2\n', b't "" 2 "" { 5 5 }\n'), "had other payoffs before"),
        "unknown.efg": (_swap(EFG, b't "" 1 "" { 2 -2 }', b't "" 9'), "was never seen before"),
        "more.efg": (EFG + b't "" 2\n', "the tree is complete"),
        "one.efg": (b'EFG 2 R "a" { "x" } t "" 1 "" { 2 }', "one player"),
    }


def _rewritten(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A model with another header; its arrays stay."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def _models() -> Iterator[Case]:
    good = seeds.model("linear")
    files = {
        "empty": (b"", "is empty"),
        "text": (CSV, "is not a model"),
        "cut": (_cut(good), "is cut short"),
        "short": (good[:9], "is cut short"),
        "header": (good[:8] + b"{" + b"x" * (len(good) - 9), "is damaged: its header is not JSON"),
        "length": ((1 << 40).to_bytes(8, "little") + good[8:], "is not a model"),
        "bits": (good[:-1] + bytes([good[-1] ^ 1]), "does not match its checksum"),
        "more": (good + b"x", "1 bytes follow its last array"),
        "list": ((2).to_bytes(8, "little") + b"{}" + good, "not a model of regretless"),
        "newer": (_rewritten(good, lambda head: _newer(head)), "was written by a newer version"),
        "place": (_rewritten(good, lambda head: head["weights"].update(data_offsets=[8, 4])), "no sensible type"),
        "gap": (_rewritten(good, lambda head: head["weights"].update(data_offsets=[8, 64])), "is damaged"),
        "shape": (_rewritten(good, lambda head: head["weights"].update(shape=[True, 1])), "no sensible type"),
        "kind": (_rewritten(good, lambda head: head["weights"].update(dtype="F80")), "no sensible type"),
    }
    for name, (content, message) in files.items():
        for target in ("inspect", "resume", "certify"):
            yield Case(f"{name}-{target}.rgl", target, content, message)
    yield Case("values.rgl", "inspect", lambda: _nested(8_000_000), "has a description that would take")
    yield Case("deep.rgl", "inspect", lambda: _nested(0, b"[" * 5000), "is damaged: its header is not JSON")
    for kind, name, target, change, message in _forgeries():
        yield Case(
            f"{name}-{kind}.rgl",
            target,
            lambda kind=kind, change=change: seeds.forged(seeds.model(kind), change),
            message,
        )


def _newer(head: dict[str, Any]) -> None:
    description = json.loads(head["__metadata__"]["regretless"])
    head["__metadata__"]["regretless"] = json.dumps(description | {"format": 99})


def _nested(count: int, inside: bytes = b"") -> bytes:
    text = b'{"a":[' + (inside or b"[]," * count + b"0]}")
    return len(text).to_bytes(8, "little") + text


def _forgeries() -> list[tuple[str, str, str, Change, str]]:
    def extra(**values: Any) -> Change:
        return lambda meta, _: meta["extra"].update(values)

    def top(**values: Any) -> Change:
        return lambda meta, _: meta.update(values)

    def first(value: float) -> Change:
        def change(_: Any, tensors: dict[str, Any]) -> None:
            tensors[next(iter(tensors))].flat[0] = value

        return change

    misfit = "does not fit together"
    return [
        ("linear", "learner", "inspect", top(learner="nobody"), "nobody"),
        ("linear", "parameters", "inspect", top(parameters=[]), misfit),
        ("linear", "curve", "inspect", extra(curve=[[1]]), misfit),
        ("linear", "unfinished", "inspect", extra(unfinished={"pass": 1}), misfit),
        ("linear", "schema", "inspect", extra(schema=[1, 2]), misfit),
        ("linear", "nan", "inspect", first(float("nan")), "finite"),
        (
            "table",
            "features",
            "inspect",
            lambda meta, _: meta["extra"]["schema"].update(features=[[99, "x"]]),
            "damaged",
        ),
        ("table", "crossing", "inspect", lambda meta, _: meta["extra"]["schema"].update(crossing=[1]), "damaged"),
        ("combiner", "extra", "inspect", top(extra=[]), misfit),
        ("combiner", "columns", "inspect", extra(columns=["a"]), misfit),
        ("combiner", "columns-text", "combine on", extra(columns="abc"), misfit),
        ("combiner", "stopped", "inspect", extra(unfinished=7), misfit),
        ("combiner", "stopped-at", "inspect", extra(unfinished={"row": 1}), misfit),
        ("mixed", "mixing", "inspect", extra(mixing={"weights": "nobody"}), misfit),
        ("mixed", "mixing-list", "inspect", extra(mixing=[1]), misfit),
        ("combiner", "nan", "inspect", first(float("nan")), misfit),
        ("bandit", "nan", "inspect", first(float("nan")), misfit),
        ("class", "room", "inspect", top(room="cellar"), "has keys that are not known"),
    ]


def cases() -> list[Case]:
    """All of them."""
    parts = (_svmlight, _tables, _columnar, _arrays, _forecasts, _losses, _games, _reports, _models)
    return [case for part in parts for case in part()]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases():
        (folder / case.name).write_bytes(case.made())
    print(f"{len(cases())} files in {folder}")
