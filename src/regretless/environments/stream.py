"""Environments as streams, for code that reads files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..data.batch import Batch
from ..data.stream import Stream
from .ask import Listener
from .labels import Labels, ObliviousLabels


class _Rounds(Stream):
    """So many rounds of one run."""

    def __init__(self, environment: Labels, rounds: int, run: int) -> None:
        super().__init__(environment.name)
        self._environment, self._rounds, self._run = environment, rounds, run

    def feature_names(self) -> list[str] | None:
        return self._environment.names

    def schema(self) -> dict[str, Any]:
        return {"format": "environment", "environment": self._environment.name, "columns": self._environment.columns}


class Told(_Rounds):
    """The rounds of an oblivious environment.

    Parameters
    ----------
    environment : ObliviousLabels
    rounds : int
    run : int
    """

    _environment: ObliviousLabels

    def __init__(self, environment: ObliviousLabels, rounds: int, run: int) -> None:
        super().__init__(environment, rounds, run)

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Rows made as they are asked for, so that no run has to fit into memory."""
        step = self._environment.step()
        for begin in range(skip, self._rounds, step):
            rows, labels = self._environment.block(begin, min(begin + step, self._rounds), self._run)
            yield Batch(rows, labels, self._environment.columns)


class Asked(_Rounds):
    """The rounds of an environment that hears what a learner thinks of a row before it says the label.

    Parameters
    ----------
    environment : Labels
    listener : Listener
    rounds : int
    run : int
    """

    rereadable = False

    def __init__(self, environment: Labels, listener: Listener, rounds: int, run: int) -> None:
        super().__init__(environment, rounds, run)
        self._listener = listener

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """One row at a time; those that are passed over are played as well."""
        asker, listener = self._environment.begin(self._run), self._listener
        for number in range(self._rounds):
            row = asker.row()
            label = asker.label(*listener.say(row, asker.point))
            listener.hear(label)
            if number >= skip:
                yield Batch(row[None], np.array([float(label)]), self._environment.columns)
