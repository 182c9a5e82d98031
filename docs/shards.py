"""Prints the tables of docs/scale.md from what was measured.

``python docs/shards.py`` prints them; with ``--write`` it puts them in their place, and below each command of the
document what it prints, and draws docs/many-shards.svg. A test compares. What was measured is kept by
``python -m benchmarks.bench_mixing --kept docs/shards.json``, with ``--only many`` that of the thousand shards.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

import public_tables
from dimensions import STYLE

from regretless.report import formatting
from regretless.report.curves import Panel, Series
from regretless.report.svg import Frame, drawing

PAGE = Path(__file__).resolve().parent / "scale.md"
PICTURE, MEASURED = PAGE.with_name("many-shards.svg"), PAGE.with_name("shards.json")
FRAME = Frame("wide", 760, 440, left=70, right=230)
NEAR = 0.3  # points of accuracy that count as level
Rows = list[tuple[str, ...]]

# What the prediction takes for granted.
NONZEROS, ROW = 10**12, 75
FEATURES = 10**7
NETWORK = 1.25e9  # bytes a second into one machine: 10 Gbit/s
DISK = 0.5e9  # bytes a second that a worker reads


@cache
def measured() -> dict[str, Any]:
    """All that was measured."""
    measured: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return measured


def mixed(_: Path) -> str:
    """The eight shards, cut in four ways: accuracy after three epochs, and when it is level with three passes."""
    measures = measured()["accuracy"]
    goal = measures["sequential"]["mean"][2]
    head = ("the 8 shards", "weights", "1 epoch", "3 epochs", "10 epochs", f"within {NEAR} of three passes after")
    rows: Rows = [head, ("none: one after the other", "", *_three(measures["sequential"]), "")]
    for way, curves in measures.items():
        if isinstance(curves, dict) and "uniform" in curves:
            for weights, curve in curves.items():
                rows.append((way, weights, *_three(curve), _when(curve["mean"], goal)))
    return public_tables.table(rows)


def together(_: Path) -> str:
    """How many shards are mixed at a time, and how small they are: accuracy after three epochs, and when level."""
    measures, sequential = measured()["together"], measured()["accuracy"]["sequential"]["mean"]
    sizes = sorted({int(name.split("/")[0]) for name in measures})
    groups = sorted({int(name.split("/")[1]) for name in measures})
    rows: Rows = [("mixed at a time", *(f"{size:,} shards" for size in sizes))]
    rows.append(("1: three passes", *[_percent(sequential[2])] * len(sizes)))
    for group in groups:
        right = [measures[f"{size}/{group}"]["mean"] for size in sizes]
        rows.append((str(group), *(f"{_percent(one[2])}; {_when(one, sequential[2])}" for one in right)))
    return public_tables.table(rows)


def public(_: Path) -> str:
    """Public data in eight shards: accuracy after three epochs."""
    measures = measured()["public"]
    names = {"sequential": "three passes, one after the other", "uniform": "8 shards, uniform"}
    names |= {"updates": "8 shards, by updates", "2 together": "8 shards, 2 together"}
    rows: Rows = [("", *(f"{task}, {one['rows']:,} rows" for task, one in measures.items()))]
    for name, label in names.items():
        rows.append((label, *(_percent(one[name]["mean"][2]) for one in measures.values())))
    return public_tables.table(rows)


def processes(_: Path) -> str:
    """An epoch with one process and with two."""
    measures = measured()["processes"]
    ratios = ("two against one", "by CPU seconds")
    rows: Rows = [
        ("shards on disk", "one process", "two", "two threads", *ratios, "reading a value", "learning from it")
    ]
    for name, one in measures.items():
        if isinstance(one, dict):
            best = one["best"]
            each = [1e9 * seconds / best["1"]["nonzeros"] for seconds in (best["1"]["reading"], _kernel(best["1"]))]
            seconds = [f"{best[pool]['seconds']:.2f} s" for pool in ("1", "2", "threads")]
            ratios = (f"{one['ratio']:.2f}", f"{one['ratio by CPU']:.2f}")
            rows.append((name, *seconds, *ratios, *(f"{nanoseconds:.1f} ns" for nanoseconds in each)))
    return public_tables.table(rows) + _busy(measures)


def engines(_: Path) -> str:
    """What an epoch of eight tiny shards takes on each engine: nearly all of it is the engine's."""
    measures = measured()["engines"]
    rows: Rows = [("engine", "seconds an epoch, at best", "median")]
    for name, one in measures.items():
        if isinstance(one, dict):
            rows.append((name, f"{one['least']:.3f}", f"{one['median']:.3f}"))
    return public_tables.table(rows) + _busy(measures)


def moved(_: Path) -> str:
    """Bytes an epoch by formula and as they were pickled."""
    ways = ("down, formula", "measured", "up, formula", "measured")
    rows: Rows = [("", "features", "not zero", "moved by a shard", *ways)]
    for name, one in measured()["moved"].items():
        counts = (f"{one[key]:,}" for key in ("columns", "not zero", "touched"))
        rows.append((name, *counts, *(_megabytes(size) for way in ("down", "up") for size in one[way])))
    return public_tables.table(rows)


def many(_: Path) -> str:
    """A thousand shards: held-out errors after some epochs."""
    measures, epochs = measured()["many"], (1, 3, 10, 30)
    head = [f"{number} epoch{'s' * (number > 1)}" for number in epochs]
    rows: Rows = [("", *head, "30, by the mixed weights", "1 epoch is worth one pass over")]
    for name, curve in measures.items():
        if isinstance(curve, dict):
            cells = [_percent(100 - curve["mean"][number - 1]) for number in epochs]
            rows.append((name, *cells, _percent(100 - curve["mixed"][-1]), _worth(curve["mean"][0])))
    once = {one["passes"]: one for one in measures["1,000 shards, averaged once"]}
    cells = [_percent(100 - once[number]["mean"]) if number in once else "" for number in epochs]
    rows.append(("1,000 shards, averaged once after so many passes", *cells, "", _worth(once[1]["mean"])))
    return public_tables.table(rows)


def _worth(right: float) -> str:
    """How many rows one learner must go over once to be right as often, between the numbers that were tried."""
    tried = sorted((one["mean"], log2(one["rows"])) for one in measured()["many"]["one pass over fewer"])
    for (worse, few), (better, more) in pairwise(tried):
        if worse < right <= better:
            return f"{float(f'{2 ** (few + (more - few) * (right - worse) / (better - worse)):.2g}'):,.0f} rows"
    return ""


def predicted(_: Path) -> str:
    """What an epoch over 10^12 values takes with more and more workers."""
    text = measured()["processes"]["svmlight text"]["best"]["1"]
    kernel, reading = (seconds / text["nonzeros"] * NONZEROS for seconds in (_kernel(text), text["reading"]))
    loading = NONZEROS * BYTES / DISK
    head = ("workers", "learning", "reading, CPU", "reading, disk", "weights up and down", "an epoch", "bytes moved")
    rows: Rows = [head]
    for workers in (1, 8, 64, 1000):
        up, down = 16 * FEATURES * workers, 8 * FEATURES * workers
        moving = (up + down) / NETWORK
        computing = kernel / workers + max(reading, loading) / workers
        times = [seconds / workers for seconds in (kernel, reading, loading)]
        rows.append((f"{workers:,}", *map(_time, (*times, moving, computing + moving)), _megabytes(up + down)))
    return public_tables.table(rows)


BYTES = 14  # of text for each value: an id of up to seven digits, a value of five


def figure() -> str:
    """Held-out errors by epochs, a line for each way to mix."""
    series = []
    for place, (name, curve) in enumerate(one for one in measured()["many"].items() if _drawn(*one)):
        points = [(float(number + 1), 100 - right) for number, right in enumerate(curve["mean"])]
        series.append(Series(name, f"expert{place % 6}", points, tag=name, final=_percent(points[-1][1])))
    unit = "Held-out errors, per cent"
    panel = Panel("many", unit, unit, "real", series, [], "log", across="Epochs", rest="After the last epoch")
    drawn = drawing(panel, FRAME)
    size = f'viewBox="0 0 {FRAME.width} {FRAME.height}" class="plot"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>{drawn}</svg>\n'


def _busy(measures: dict[str, Any]) -> str:
    """How much else was running, which seconds on the clock do not forgive."""
    return f"\n\nWhen it began, the load of the two processors was {measures['load']:.1f}."


def _drawn(name: str, curve: Any) -> bool:
    return isinstance(curve, dict) and "uneven" not in name and "updates" not in name


def _three(curve: dict[str, list[float]]) -> list[str]:
    return [_percent(curve["mean"][number - 1]) for number in (1, 3, 10)]


def _when(right: list[float], goal: float) -> str:
    """The first epoch that comes near enough."""
    near = [number for number, one in enumerate(right, 1) if one >= goal - NEAR]
    return f"{near[0]} epochs" if near else f"not in {len(right)}"


def _kernel(epoch: dict[str, float]) -> float:
    return epoch["cpu"] - epoch["reading"]


def _percent(value: float) -> str:
    return f"{value:.2f}"


def _megabytes(size: float) -> str:
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{formatting.real(size / scale, 3)} {unit}"
    return f"{size:.0f} bytes"


def _time(seconds: float) -> str:
    for unit, scale in (("h", 3600.0), ("min", 60.0)):
        if seconds >= scale:
            return f"{formatting.real(seconds / scale, 2)} {unit}"
    return f"{formatting.real(seconds, 2)} s"


MAKERS: dict[str, Callable[[Path], str]] = {
    "mixed": mixed,
    "together": together,
    "public": public,
    "processes": processes,
    "engines": engines,
    "moved": moved,
    "many": many,
    "predicted": predicted,
}


def filled() -> str:
    """The document with its tables and the output of its commands as they should be."""
    return public_tables.page_text(PAGE, MAKERS)


if __name__ == "__main__":
    public_tables.tell(PAGE, MAKERS, PICTURE, figure)
