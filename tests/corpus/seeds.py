"""Small valid files of every format that is read, and the command lines that read them."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from regretless.cli import main

SVM = b"".join(b"%d 1:%d 3:%.2f 7:-1\n" % (1 - 2 * (row % 2), row % 5 - 2, row / 3) for row in range(24))
CSV = b"city,age,rate,label\n" + b"".join(
    b"%s,%d,%.2f,%s\n" % ([b"Rome", b"Oslo", b'"Bern, CH"'][row % 3], 20 + row, row / 7, [b"no", b"yes"][row % 2])
    for row in range(24)
)
FORECASTS = b"when,a,b,c,y\n" + b"".join(
    b"2030-01-%02d,%.2f,%.2f,%.2f,%.2f\n" % (row + 1, row / 24, row / 30, 0.5, row / 25) for row in range(24)
)
LOSSES = b"north,south,east\n" + b"".join(
    b"%.2f,%.2f,%.2f\n" % (row % 7 / 7, row % 3 / 4, row % 5 / 5) for row in range(24)
)
LOG = b"arm,prob,gain,place\n" + b"".join(
    b"%s,%.2f,%d,%s\n" % ([b"a", b"b"][row % 2], [0.25, 0.75][row % 2], row % 3 == 0, [b"p", b"q"][row // 12])
    for row in range(24)
)
POLICY = b"place,action,probability\np,a,0.5\np,b,0.5\nq,a,1\nq,b,0\n"
ADVICE = b"first,second\n" + b"".join(b"%d,%s\n" % (row % 3, [b"north", b"east"][row % 2]) for row in range(24))
GAME = b",rock,paper,scissors\nrock,0,-1,1\npaper,1,0,-1\nscissors,-1,1,0\n"
NFG = b'NFG 1 R "Chicken" { "Ann" "Bob" }\n{ { "stay" "turn" } { "stay" "turn" } }\n"a game"\n-9 -9 -1 1 1 -1 0 0\n'
NFG_OUTCOMES = (
    b'NFG 1 R "Chicken" { "Ann" "Bob" } { 2 2 }\n{ { "crash" -9 -9 } { "" 1, -1 } { "" -1, 1 } { "" 0 0 } }\n1 2 3 4\n'
)
EFG = (
    b'EFG 2 R "A card" { "Ann" "Bob" }\nc "" 1 "" { "red" 1/2 "black" 1/2 } 0\n'
    b'p "" 1 1 "" { "raise" "fold" } 0\np "" 2 1 "" { "meet" "pass" } 0\nt "" 1 "" { 2 -2 }\nt "" 2 "" { 1 -1 }\n'
    b't "" 2\np "" 1 2 "" { "raise" "fold" } 0\np "" 2 1 "" { "meet" "pass" } 0\nt "" 3 "" { -2 2 }\nt "" 2\n'
    b't "" 4 "" { -1 1 }\n'
)
CLASS = b",monday,tuesday,sunday\nnever,0,0,0\nweekend,0,0,1\nweekdays,1,1,0\n"

LEARN = ("learn", "{file}", "--learner", "perceptron", "--no-certify", "--quiet", "--save", "{out}")
LOGGED = ("pull", "--logged", "--action", "arm", "--reward", "gain", "--propensity", "prob", "--quiet")
TARGETS: dict[str, tuple[str, ...]] = {
    "learn": LEARN,
    "learn npy": (*LEARN, "--target", "last"),
    "predict": ("predict", "{model}", "{file}"),
    "resume": ("learn", "{svm}", "--resume", "{file}", "--save", "{out}", "--no-certify", "--quiet"),
    "certify": ("certify", "{file}", "{svm}"),
    "inspect": ("inspect", "{file}"),
    "against": ("learn", "{svm}", "--learner", "perceptron", "--quiet", "--against", "{file}"),
    "combine": ("combine", "{file}", "--target", "y", "--learner", "hedge", "--quiet", "--save", "{out}"),
    "combine on": ("combine", "{forecasts}", "--resume", "{file}", "--save", "{out}", "--quiet"),
    "pull": ("pull", "{file}", "--runs", "1", "--workers", "1", "--quiet"),
    "log": (*LOGGED[:2], "{file}", *LOGGED[2:], "--runs", "1", "--workers", "1"),
    "policy": (*LOGGED[:2], "{log}", *LOGGED[2:], "--policy", "{file}", "--context", "place"),
    "advice": (
        "pull",
        "{losses}",
        "--learner",
        "exp4",
        "--advice",
        "{file}",
        "--runs",
        "1",
        "--workers",
        "1",
        "--quiet",
    ),
    "solve": ("solve", "{file}", "--quiet"),
    "start": ("solve", "{game}", "--quiet", "--method", "interior-point", "--start", "{file}"),
    "dimension": ("dimension", "{file}", "--quiet"),
    "verify": ("verify", "{report}", "{svm}", "--comparators", "{file}"),
    "report": ("verify", "{file}", "{svm}"),
    "report combine": ("verify", "{file}", "{forecasts}", "--target", "y", "--time", "when"),
    "report pull": ("verify", "{file}", "{losses}"),
    "report solve": ("verify", "{file}", "{game}"),
}
BESIDE = {"{svm}": SVM, "{forecasts}": FORECASTS, "{log}": LOG, "{losses}": LOSSES, "{game}": GAME}
SUFFIXES = {
    "{svm}": "good.svm",
    "{forecasts}": "good-forecasts.csv",
    "{log}": "good-log.csv",
    "{losses}": "good-losses.csv",
    "{game}": "good-game.csv",
}
# What is reported, by the file that it is about.
REPORTED: dict[str, tuple[tuple[str, ...], ...]] = {
    "{svm}": (("learn", "--learner", "perceptron"), ("learn", "--learner", "arow")),
    "{forecasts}": (
        ("combine", "--target", "y", "--time", "when", "--learner", "adahedge"),
        ("combine", "--target", "y", "--time", "when", "--learner", "squint", "--range", "0", "1"),
    ),
    "{losses}": (("pull", "--learner", "exp3-ix", "--runs", "1", "--workers", "1"),),
    "{game}": (("solve",), ("solve", "--method", "rm+", "--rounds", "20")),
}


def command(target: str, file: Path, beside: Path, out: Path) -> list[str]:
    """The words of a command line; the files that it needs besides lie in a folder."""
    known = {"{file}": str(file), "{out}": str(out), "{model}": str(beside / "good.rgl")}
    known["{report}"] = str(beside / "good.json")
    known |= {word: str(beside / name) for word, name in SUFFIXES.items()}
    return [known.get(word, word) for word in TARGETS[target]]


def write_beside(folder: Path) -> None:
    """The valid files that command lines need besides the one that is tried."""
    for word, name in SUFFIXES.items():
        (folder / name).write_bytes(BESIDE[word])
    (folder / "good.rgl").write_bytes(model("linear"))
    (folder / "good.json").write_bytes(reports("{svm}")[0])


def npy(array: Any) -> bytes:
    """The bytes of a .npy file."""
    file = io.BytesIO()
    np.save(file, np.asarray(array), allow_pickle=False)
    return file.getvalue()


def npy_header(header: str, data: bytes = b"", version: int = 1) -> bytes:
    """A .npy file with this header, whatever it says."""
    text = header.encode("latin1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def npz(*, packed: bool = False, **arrays: Any) -> bytes:
    """The bytes of a .npz archive; what is bytes already is put in as it is."""
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", array if isinstance(array, bytes) else npy(array))
    return file.getvalue()


def table(content: bytes) -> Any:
    """A pyarrow table of delimited text."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(pa.BufferReader(content))


def arrow(content: Any, *, stream: bool = False) -> bytes:
    """Arrow's file format, or its stream, of a table or of delimited text."""
    import pyarrow as pa

    result, sink = table(content) if isinstance(content, bytes) else content, pa.BufferOutputStream()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, result.schema) as file:
        file.write_table(result)
    return bytes(sink.getvalue())


def parquet(content: Any) -> bytes:
    """Parquet of a table or of delimited text."""
    import pyarrow as pa
    from pyarrow import parquet as format

    sink = pa.BufferOutputStream()
    format.write_table(table(content) if isinstance(content, bytes) else content, sink)
    return bytes(sink.getvalue())


def sparse(**change: Any) -> bytes:
    """A sparse matrix as scipy saves it, with labels; some of its parts may be others."""
    parts: dict[str, Any] = {"format": np.array("csr"), "shape": np.array([4, 5]), "data": np.ones(6)}
    parts |= {"indices": np.array([0, 1, 2, 3, 4, 0]), "indptr": np.array([0, 2, 3, 5, 6]), "y": np.array([1, 0, 1, 0])}
    return npz(**{name: part for name, part in (parts | change).items() if part is not None})


def sequence_form() -> bytes:
    """The sequence form of matching pennies."""
    arrays: dict[str, Any] = {"A_row": [1, 2], "A_col": [1, 2], "A_val": [1.0, 1.0], "A_shape": [3, 3]}
    for form in "EF":
        arrays |= {f"{form}_row": [0, 1, 1, 1], f"{form}_col": [0, 0, 1, 2], f"{form}_val": [1.0, -1.0, 1.0, 1.0]}
        arrays |= {f"{form}_shape": [2, 3]}
    return npz(**arrays)


MODELS: dict[str, Callable[[Path], tuple[list[str], bytes, str]]] = {
    "linear": lambda out: (["learn", "{in}", "--learner", "perceptron"], SVM, "a.svm"),
    "table": lambda out: (["learn", "{in}", "--learner", "arow", "--interactions", "city*age"], CSV, "a.csv"),
    "kernel": lambda out: (["learn", "{in}", "--learner", "kernel-perceptron", "--set", "gamma=0.5"], SVM, "a.svm"),
    "combiner": lambda out: (
        ["combine", "{in}", "--target", "y", "--time", "when", "--learner", "hedge"],
        FORECASTS,
        "a.csv",
    ),
    "ridge": lambda out: (
        ["combine", "{in}", "--target", "y", "--time", "when", "--learner", "ridge"],
        FORECASTS,
        "a.csv",
    ),
    "mixed": lambda out: (
        ["learn", "{in}", "--learner", "perceptron", "--workers", "1", "--pieces", "2"],
        SVM,
        "a.svm",
    ),
}


@cache
def model(kind: str) -> bytes:
    """A model of some kind, as it is saved."""
    from contextlib import redirect_stdout

    with TemporaryDirectory() as folder:
        out = Path(folder) / "m.rgl"
        if kind in ("bandit", "class"):
            _python_model(kind, out)
            return out.read_bytes()
        words, content, name = MODELS[kind](out)
        file = Path(folder) / name
        file.write_bytes(content)
        words = [str(file) if word == "{in}" else word for word in words]
        with redirect_stdout(io.StringIO()):
            code = main([*words, "--quiet", "--save", str(out)])
        assert code == 0, f"{kind}: {code}"
        return out.read_bytes()


@cache
def reports(about: str) -> tuple[bytes, ...]:
    """What --json prints of a file, by some learners."""
    from contextlib import redirect_stdout

    results = []
    with TemporaryDirectory() as folder:
        file = Path(folder) / SUFFIXES[about]
        file.write_bytes(BESIDE[about])
        for verb, *words in REPORTED[about]:
            with redirect_stdout(io.StringIO()) as printed:
                code = main([verb, str(file), *words, "--quiet", "--json"])
            assert code == 0, f"{verb}: {code}"
            results.append(printed.getvalue().encode())
    return tuple(results)


def _python_model(kind: str, out: Path) -> None:
    if kind == "bandit":
        from regretless.bandits import Exp3IX

        learner = Exp3IX(seed=0)
        learner.play(np.tile([0.5, 0.25, 1.0], (10, 1)))
        learner.save(out)
        return
    from regretless.finite_classes import FiniteClass, Halving

    taught = Halving(FiniteClass(np.eye(3, dtype=bool)))
    taught.play([0, 1], [1, 0])
    taught.save(out)


ALL_MODELS = (*MODELS, "bandit", "class")


def forged(content: bytes, change: Callable[[dict[str, Any], dict[str, np.ndarray[Any, Any]]], None]) -> bytes:
    """A model whose description and arrays were changed, and whose checksum says that they were not."""
    from regretless.persist.format import read_model, write_model

    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.rgl"
        path.write_bytes(content)
        meta, tensors = read_model(path)
        change(meta, tensors)
        write_model(path, meta, tensors)
        return path.read_bytes()
