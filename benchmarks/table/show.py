"""The table as text, which is Markdown too, and as JSON."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.table.row import OURS, READING, Row, Times
from regretless import _core

HEAD = ("", "unit", "ours", "beside it", "it takes", "ours / it", "reading")
WIDTHS = (66, 12, 8, 28, 8, 9, 8)
PEERS = ("scikit-learn", "river", "vowpalwabbit", "quantecon", "nashpy", "pandas", "polars")
PACKAGES = ("regretless", "numpy", "scipy", *PEERS)


def machine() -> dict[str, Any]:
    """Where and when, and how busy the machine is before."""
    return {
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "instruction set": _core.isa(),
        "load average": [round(one, 1) for one in os.getloadavg()],
        "versions": {"Python": platform.python_version(), **{name: _version(name) for name in PACKAGES}},
    }


def _processor() -> str:
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text().splitlines() if cpus.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def head(message: dict[str, Any]) -> str:
    """A paragraph."""
    versions = [f"{name} {number}" for name, number in message["versions"].items() if number]
    absent = [name for name, number in message["versions"].items() if not number]
    load = ", ".join(map(str, message["load average"]))
    text = (
        f"{message['time']}: {message['processor']}, {message['processors']} processors, instruction set "
        f"{message['instruction set']}, load average {load}. {', '.join(versions)}."
    )
    return text + (f" Not installed: {', '.join(absent)}." if absent else "")


def top() -> str:
    """The first two lines of the table."""
    return f"{_line(HEAD)}\n{_line(['-' * 3] * len(HEAD))}"


def title(text: str) -> str:
    """A line that names what follows."""
    return _line([f"**{text}**", *[""] * (len(HEAD) - 1)])


def lines(row: Row, times: Times) -> str:
    """A line for a row and its first peer, and one for each other peer."""
    best = {name: min(each) * row.scale for name, each in times.items()}
    ours, reading = best.pop(OURS), best.pop(READING, None)
    first = (row.what, row.unit, short(ours))
    last = "" if reading is None else short(reading)
    peers = [(name, short(value), _ratio(ours / value)) for name, value in best.items()] or [("", "", "")]
    shown = [_line([*first, *peers[0], last])]
    shown += [_line(["", "", "", *peer, ""]) for peer in peers[1:]]
    return "\n".join(shown)


def short(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def as_json(row: Row, times: Times) -> dict[str, Any]:
    """The best and the median of each, in the unit of the row, and how many turns there were."""
    each = {
        name: {"best": min(taken) * row.scale, "median": median(taken) * row.scale, "turns": len(taken)}
        for name, taken in times.items()
    }
    return {"what": row.what, "unit": row.unit, OURS: each.pop(OURS), READING: each.pop(READING, None), "beside": each}


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_padded(cells)) + " |"


def _padded(cells: Sequence[str]) -> Iterator[str]:
    for number, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True)):
        yield cell.ljust(width) if number in (0, 1, 3) else cell.rjust(width)
