"""What a process takes before it does anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

from benchmarks.table.row import Contest, Job, Row, installed

SINCE = "ms a process"
PYTHON = {"Python alone": "pass"}
NUMPY = {**PYTHON, "numpy": "import numpy"}
PEERS = {"scikit-learn": "import sklearn.linear_model", "river": "from river import linear_model"}


def rows() -> Iterator[Row]:
    """Imports, then the command line."""
    yield Row("import regretless", SINCE, partial(_code, "import regretless", PYTHON))
    first = "from regretless.linear import Perceptron"
    peers = {name: code for name, code in PEERS.items() if installed(code.split()[1].split(".")[0])}
    yield Row(first, SINCE, partial(_code, first, {**NUMPY, **peers}))
    yield Row("regretless --version", SINCE, partial(_verb, "--version"))
    yield Row("regretless learn --help", SINCE, partial(_verb, "learn", "--help"))


def _code(ours: str, beside: dict[str, str]) -> Contest:
    jobs = {name: Job([sys.executable, "-c", code]) for name, code in {"": ours, **beside}.items()}
    return Contest(jobs.pop(""), jobs)


def _verb(*words: str) -> Contest:
    beside = {"Python alone": Job([sys.executable, "-c", "pass"])}
    return Contest(Job([sys.executable, "-m", "regretless", *words]), beside)
