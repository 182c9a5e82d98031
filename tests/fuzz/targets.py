"""What is fuzzed: a command line of `tests.corpus.seeds`, the suffix of its file, and the valid files to begin with."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache

import numpy as np

from ..corpus import seeds

Seeds = Callable[[], tuple[bytes, ...]]
THIRDS = np.full(3, 1 / 3)
MOVES = np.array(["rock", "paper", "scissors"])
NAMED = {"row": THIRDS, "column": THIRDS, "rows": MOVES, "cols": MOVES}


def _tables(content: bytes) -> dict[str, Seeds]:
    return {
        ".csv": lambda: (content, content.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + content),
        ".parquet": lambda: (seeds.parquet(content),),
        ".arrow": lambda: (seeds.arrow(content), seeds.arrow(content, stream=True)),
    }


def _dense() -> tuple[bytes, ...]:
    rows, labels = np.arange(36.0).reshape(12, 3), np.arange(12) % 2
    fortran = seeds.npz(X=np.asfortranarray(rows), y=labels)
    return seeds.npz(X=rows, y=labels), fortran, seeds.sparse()


def _npy(*shape: int) -> Seeds:
    table = np.arange(np.prod(shape)).reshape(shape) % 2
    return lambda: (seeds.npy(table * 0.5), seeds.npy(np.asfortranarray(table)))


def _losses() -> tuple[bytes, ...]:
    return seeds.npz(losses=np.full((9, 3), 0.5), names=np.array(["a", "b", "c"])), seeds.npz(x=np.eye(4, dtype="f4"))


def _forecasts() -> tuple[bytes, ...]:
    return (seeds.npz(experts=np.eye(9)[:, :3], y=np.ones(9), names=np.array(["a", "b", "c"])),)


def _games() -> tuple[bytes, ...]:
    return (
        seeds.npz(A=np.eye(3), rows=np.array(["a", "b", "c"])),
        seeds.npz(A=np.eye(2), B=-np.eye(2)),
        seeds.sequence_form(),
    )


def _classes() -> tuple[bytes, ...]:
    return (seeds.npz(matrix=np.eye(3, dtype=bool), points=np.array(["a", "b", "c"])),)


def _models() -> tuple[bytes, ...]:
    return tuple(seeds.model(kind) for kind in seeds.ALL_MODELS)


KINDS: dict[str, dict[str, Seeds]] = {
    "learn": {
        ".svm": lambda: (seeds.SVM,),
        ".svm.gz": lambda: (gzip.compress(seeds.SVM, mtime=0),),
        ".npz": _dense,
        **_tables(seeds.CSV),
    },
    "learn npy": {".npy": _npy(8, 3)},
    "predict": {".svm": lambda: (seeds.SVM,)},
    "resume": {".rgl": _models},
    "certify": {".rgl": _models},
    "inspect": {".rgl": _models},
    "against": {".npy": _npy(7)},
    "combine": {".npz": _forecasts, **_tables(seeds.FORECASTS)},
    "combine on": {".rgl": _models},
    "pull": {".npz": _losses, ".npy": _npy(9, 3), **_tables(seeds.LOSSES)},
    "log": _tables(seeds.LOG),
    "policy": _tables(seeds.POLICY),
    "advice": {".csv": lambda: (seeds.ADVICE,), ".npz": lambda: (seeds.npz(advice=np.zeros((24, 2), int)),)},
    "solve": {
        ".csv": lambda: (seeds.GAME,),
        ".nfg": lambda: (seeds.NFG, seeds.NFG_OUTCOMES),
        ".efg": lambda: (seeds.EFG,),
        ".npz": _games,
        ".npy": _npy(3, 4),
    },
    "start": {".npz": lambda: (seeds.npz(row=THIRDS, column=THIRDS), seeds.npz(packed=True, **NAMED))},
    "verify": {
        ".npz": lambda: (seeds.npz(sharp=np.ones(7), posterior=np.ones(7)), seeds.npz(packed=True, sharp=np.ones(7)))
    },
    "report": {".json": lambda: seeds.reports("{svm}")},
    "report combine": {".json": lambda: seeds.reports("{forecasts}")},
    "report pull": {".json": lambda: seeds.reports("{losses}")},
    "report solve": {".json": lambda: seeds.reports("{game}")},
    "dimension": {".csv": lambda: (seeds.CLASS,), ".npz": _classes, ".npy": _npy(4, 3)},
}
NAMES = tuple(f"{target}{suffix}" for target, suffixes in KINDS.items() for suffix in suffixes)


@cache
def made(name: str) -> tuple[str, str, tuple[bytes, ...]]:
    """The command line, the suffix and the valid files of a target."""
    target, _, rest = name.partition(".")
    return target, f".{rest}", KINDS[target][f".{rest}"]()
