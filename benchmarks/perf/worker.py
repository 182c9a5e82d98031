"""A process that times rows for `benchmarks.perf`, in the environment of one commit.

It reads lines: a title and a row, with a tab between them, make that row ready; an empty line does its work once. It
answers each with a line: what is lacking, if anything; the CPU seconds.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TextIO

from benchmarks.table.all_rows import rows_of
from benchmarks.table.row import Job


def answer(asked: TextIO, answers: TextIO) -> None:
    """All questions, one after the other."""
    job: Job | None = None
    for line in asked:
        if line == "\n":
            assert job is not None
            message = repr(job.seconds())
        else:
            job, message = _ready(*line.rstrip("\n").split("\t"))
        print(message, file=answers, flush=True)


def _ready(title: str, what: str) -> tuple[Job | None, str]:
    """Our part of a row, done once; or why it cannot be: the package may be of a time when it had other names."""
    try:
        row = next(row for row in rows_of(title, large=True) if row.what == what)
        job = row.make().ours
        job.seconds()
    except Exception as error:
        return None, f"{type(error).__name__}: {error}".splitlines()[0]
    return job, ""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the work itself prints is no answer
    answer(sys.stdin, answers)
