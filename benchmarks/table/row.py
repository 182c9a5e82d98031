"""A row of the table: what is timed, who does the same beside us, and how they take turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from time import perf_counter
from types import MappingProxyType
from typing import NamedTuple

from benchmarks import timing

SCALES = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
OURS, READING = "ours", "reading"
Times = dict[str, list[float]]  # seconds a unit, a turn each, by contestant


class Job(NamedTuple):
    """Work, and how many units of the row it does: a call in this process, or the command of a process of its own."""

    work: Callable[[], object] | Sequence[str]
    units: float = 1.0

    def seconds(self) -> float:
        """CPU seconds a unit of doing it once."""
        taken = timing.seconds(self.work) if callable(self.work) else timing.process(self.work)[0]
        return taken / self.units


class Contest(NamedTuple):
    """Ours, others by name, and reading the same data without doing anything with it."""

    ours: Job
    beside: Mapping[str, Job] = MappingProxyType({})
    reading: Job | None = None

    def jobs(self) -> dict[str, Job]:
        """All of them, ours first."""
        last = {} if self.reading is None else {READING: self.reading}
        return {OURS: self.ours, **self.beside, **last}


class Row(NamedTuple):
    """What is timed, its unit (``ns a value``), and what makes the contest; `large` ones take minutes."""

    what: str
    unit: str
    make: Callable[[], Contest]
    large: bool = False

    @property
    def scale(self) -> float:
        """What seconds are multiplied by."""
        return SCALES[self.unit.split()[0]]


def take_turns(jobs: Mapping[str, Job], patience: float, least: int = 3, most: int = 25) -> Times:
    """Seconds a unit of each job, one turn after the other until so many seconds are over."""
    times: Times = {name: [] for name in jobs}
    begun = perf_counter()
    for turn in range(most):
        if turn >= least and perf_counter() - begun > patience:
            break
        for name, job in jobs.items():
            times[name].append(job.seconds())
    return times


def installed(module: str) -> bool:
    """Whether a peer can take part."""
    return find_spec(module) is not None
