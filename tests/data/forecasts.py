"""Small tables of forecasts for the tests of `combine`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

EXPERTS = ("north", "south", "east", "west")
QUIET = ("--quiet", "--no-comparators")

Array = np.ndarray[Any, np.dtype[np.float64]]


def drawn(rows: int, *, seed: int = 0, asleep: float = 0.0) -> tuple[Array, Array]:
    """Forecasts of four experts of unequal worth, and outcomes, all in [0, 1]; some are missing if that is wanted."""
    generator = np.random.default_rng(seed)
    outcomes = 0.5 + 0.4 * np.sin(np.arange(rows) / 7)
    noise = generator.normal(size=(rows, 4)) * [0.05, 0.1, 0.2, 0.4]
    advice = np.clip(outcomes[:, None] + noise, 0, 1)
    advice[generator.random(advice.shape) < asleep] = np.nan
    advice[np.isnan(advice).all(1), 0] = 0.5
    return advice, outcomes


def lines(advice: Array, outcomes: Array | None, *, first: int = 0, due: Any = None) -> list[str]:
    """The lines of a table with a column of days; nan is an empty cell, and rows beyond the outcomes have none."""
    head = ["day", *EXPERTS[: advice.shape[1]], *(["due"] if due is not None else [])]
    text = [",".join([*head, *(["load"] if outcomes is not None else [])])]
    for row, values in enumerate(advice.tolist()):
        cells = [f"d{first + row:04}" if due is None else str(first + row + 1), *map(_cell, values)]
        cells += [str(due[row])] if due is not None else []
        if outcomes is not None:
            cells.append(_cell(float(outcomes[row]) if row < len(outcomes) else np.nan))
        text.append(",".join(cells))
    return [line + "\n" for line in text]


def _cell(value: float) -> str:
    return "" if np.isnan(value) else repr(value)


def write_table(path: Path, advice: Array, outcomes: Array | None, **more: Any) -> Path:
    """Write such a table."""
    path.write_text("".join(lines(advice, outcomes, **more)))
    return path
