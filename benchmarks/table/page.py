"""The table as it stands in docs/speed.md."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "speed.md"
START, END = "<!-- table: python -m benchmarks --write -->", "<!-- end of table -->"


def table() -> str:
    """What stands there."""
    return PAGE.read_text(encoding="utf-8").split(START)[1].split(END)[0]


def write(text: str) -> None:
    """Put another one in its place."""
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    PAGE.write_text(f"{before}{START}\n\n{text}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")
